// The thread of watchdog.mjs. To end the process, it first tries the gentlest way that can still work, then others.
import { writeSync } from 'node:fs'
import { Session } from 'node:inspector'
import { setFlagsFromString } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'

const MOST_FRAMES = 12

/** @type {{ beats: Int32Array, tickMs: number, patienceMs: number, blockedTicks: number, silentTicks: number, exitCode: number }} */
const { beats, tickMs, patienceMs, blockedTicks, silentTicks, exitCode } = workerData

/** @type {Map<string, { turns: number, ticks: number }>} */
const loops = new Map()
/** @type {Record<string, number>} */
let told = {}
let seen = -1
let missed = 0

parentPort?.on('message', (turns) => {
  told = turns
})

const timer = setInterval(() => {
  const beat = Atomics.load(beats, 0)
  missed = beat === seen ? missed + 1 : 0
  seen = beat
  if (missed >= blockedTicks) {
    clearInterval(timer)
    say('watchdog.blocked', `the main thread did nothing for ${seconds(missed)} s`)
    endBlocked()
    return
  }
  // The loops' counts are only current while the main thread reports them.
  if (missed > 0) return
  const silent = silentLoop()
  if (silent === null) return
  clearInterval(timer)
  say('watchdog.silent', `"${silent}" gave no sign of life for ${seconds(silentTicks)} s`)
  parentPort?.postMessage('end')
  setTimeout(endBlocked, patienceMs)
}, tickMs)

/** @returns {string | null} */
function silentLoop() {
  for (const name of loops.keys()) if (!Object.hasOwn(told, name)) loops.delete(name)
  for (const [name, turns] of Object.entries(told)) {
    const before = loops.get(name)
    const ticks = before?.turns === turns ? before.ticks + 1 : 0
    loops.set(name, { turns, ticks })
    if (ticks >= silentTicks) return name
  }
  return null
}

/** Interrupts the main thread, logs where it was, and makes it exit with our code. */
function endBlocked() {
  setTimeout(endHard, patienceMs)
  try {
    const session = new Session()
    session.connectToMainThread()
    /** @type {Map<string, string>} */
    const urls = new Map()
    session.on('Debugger.scriptParsed', ({ params }) => void urls.set(params.scriptId, params.url))
    session.on('Debugger.paused', ({ params: { callFrames } }) => {
      const frames = callFrames.slice(0, MOST_FRAMES).map(({ functionName, url, location }) => {
        const file = (url || urls.get(location.scriptId) || '').replace(/^.*\/(?=(build|scripts|node_modules)\/)/, '')
        return `${functionName || '(anonymous)'} ${file}:${location.lineNumber + 1}`
      })
      say('watchdog.blocked_at', frames.join(' < '))
      const [top] = callFrames
      if (top)
        session.post('Debugger.evaluateOnCallFrame', {
          callFrameId: top.callFrameId,
          expression: `process.reallyExit(${exitCode})`,
        })
    })
    session.post('Debugger.enable')
    session.post('Debugger.pause')
  } catch (error) {
    say('watchdog.not_interrupted', String(error))
  }
}

/** The main thread hangs outside of JavaScript: in the disk, or in the database. */
function endHard() {
  say('watchdog.killed', 'the main thread could not be interrupted')
  // The first process of a container ignores its own signals: then nothing happens here, and the last way follows.
  setTimeout(endAtAnyPrice, patienceMs)
  process.kill(process.pid, 'SIGKILL')
}

function endAtAnyPrice() {
  setFlagsFromString('--allow-natives-syntax')
  new Function('%AbortJS("the watchdog ends a process that cannot be ended otherwise")')()
}

/** @param {number} ticks */
function seconds(ticks) {
  return (ticks * tickMs) / 1000
}

/**
 * Logs a line in the log's format, without the main thread, which may never run again.
 * @param {string} msg @param {string} reason
 */
function say(msg, reason) {
  writeSync(2, `${JSON.stringify({ level: 'error', time: new Date().toISOString(), reason, msg })}\n`)
}
