// Child processes that end with this process: each has its own process group, and a signal to us ends all of them.
import { spawn } from 'node:child_process'

const SIGNALS = /** @type {const} */ ({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })
const OWN_GROUP = process.platform !== 'win32'
/** How long a child may take to end after a signal. */
const PATIENCE_MS = 5_000

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()

process.on('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL')
})

/** @typedef {Record<string, string | undefined>} Environment */

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {Environment} [env]
 * @property {boolean} [show] write to our own output instead of collecting the output
 * @property {number} [timeoutMs] after this the child is ended and `timedOut` is true
 * @property {(pid: number) => void} [onStart]
 */

/**
 * Runs a program to its end. Never rejects because of the program: code 127 means that it could not be started.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{ code: number, output: string, timedOut: boolean }>} `output` holds both streams as they came
 */
export async function run(command, args, { cwd, env = process.env, show = false, timeoutMs, onStart } = {}) {
  const child = spawn(command, args, {
    cwd,
    env: /** @type {NodeJS.ProcessEnv} */ (env),
    detached: OWN_GROUP,
    stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
    windowsHide: true,
  })
  if (running.size === 0) for (const signal of Object.keys(SIGNALS)) process.on(signal, endWithSignal)
  running.add(child)
  if (child.pid) onStart?.(child.pid)

  let output = ''
  child.stdout?.setEncoding('utf8').on('data', (text) => (output += text))
  child.stderr?.setEncoding('utf8').on('data', (text) => (output += text))

  let timedOut = false
  const timer = timeoutMs
    ? setTimeout(() => {
        timedOut = true
        void endGroup(child)
      }, timeoutMs)
    : undefined
  const code = await new Promise((resolve) => {
    child.on('error', (error) => {
      output += `${error.message}\n`
      resolve(127)
    })
    child.on('exit', (exitCode, signal) => {
      // Leftover processes would hold ports and pipes: end them before the next stage starts.
      signalGroup(child, 'SIGKILL')
      if (show) resolve(exitCode ?? (signal ? 128 : 1))
    })
    child.on('close', (exitCode) => resolve(exitCode ?? 128))
  })
  clearTimeout(timer)
  running.delete(child)
  if (running.size === 0) for (const signal of Object.keys(SIGNALS)) process.off(signal, endWithSignal)
  return { code, output, timedOut }
}

/** @param {keyof typeof SIGNALS} signal */
async function endWithSignal(signal) {
  await Promise.all([...running].map(endGroup))
  process.exit(128 + SIGNALS[signal])
}

/** @param {import('node:child_process').ChildProcess} child */
async function endGroup(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  signalGroup(child, 'SIGTERM')
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), PATIENCE_MS)
  await ended
  clearTimeout(timer)
}

/** @param {import('node:child_process').ChildProcess} child @param {NodeJS.Signals} signal */
function signalGroup(child, signal) {
  if (!child.pid) return
  try {
    process.kill(OWN_GROUP ? -child.pid : child.pid, signal)
  } catch {
    // Already gone.
  }
}
