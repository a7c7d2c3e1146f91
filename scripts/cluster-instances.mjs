// Several instances as processes: starts them, starts those again that end, and asks each every second how it does.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { SetupError } from './packages.mjs'
import { CLUSTER_FLAGS } from './server-flags.mjs'

/** "The others have removed this instance": see app/boot/boot.server.ts. */
const REMOVED = 75
const ASK_EVERY_MS = 1_000
const ANSWER_WITHIN_MS = 2_500
/** It drains in 20 s. */
const END_WITHIN_MS = 25_000
const LONGEST_PAUSE_MS = 30_000
const MAIN = fileURLToPath(new URL('cluster-instance.mjs', import.meta.url))

/**
 * @typedef {object} Instance
 * @property {string} name
 * @property {number} port
 * @property {boolean} ready gets requests
 * @property {number | null} shares that it works for; null = not known
 * @property {number | null} pid null = it does not run
 */

/**
 * @param {object} input
 * @param {readonly number[]} input.ports one for each instance
 * @param {Record<string, string>} input.env of every instance; PORT is added
 * @param {string} input.token METRICS_TOKEN
 * @param {(instance: Readonly<Instance>) => void} input.changed called after each change
 * @param {(line: string) => void} input.say
 */
export function startInstances({ ports, env, token, changed, say }) {
  const ending = new AbortController()
  /** @type {Set<import('node:child_process').ChildProcess>} */
  const running = new Set()
  const end = (/** @type {NodeJS.Signals} */ signal) => {
    for (const child of running) child.kill(signal)
  }
  process.on('exit', () => end('SIGKILL'))

  /** Resolves when it has ended, with how. @param {Instance} instance */
  async function run(instance) {
    /** @type {Record<string, string | undefined>} */
    const own = { ...env, PORT: String(instance.port) }
    const child = spawn(process.execPath, [...CLUSTER_FLAGS, MAIN], {
      env: /** @type {NodeJS.ProcessEnv} */ (own),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C ends us, and we end the instances.
      detached: true,
    })
    for (const output of [child.stdout, child.stderr]) {
      if (output) createInterface(output).on('line', (line) => say(`${instance.name} | ${line}`))
    }
    running.add(child)
    instance.pid = child.pid ?? null
    /** @type {number | NodeJS.Signals | string} */
    const how = await new Promise((resolve) => {
      child.once('error', ({ message }) => resolve(message))
      child.once('exit', (code, signal) => resolve(signal ?? code ?? 'unknown'))
    })
    running.delete(child)
    const { pid } = instance
    Object.assign(instance, { pid: null, ready: false, shares: null })
    return { pid, how }
  }

  /** Starts it again and again. Rejects when it ends before it was ever ready. @param {Instance} instance */
  async function keep(instance) {
    for (let failures = 0, first = true; !ending.signal.aborted; ) {
      wasReady.delete(instance)
      const { pid, how } = await run(instance)
      if (ending.signal.aborted) return
      if (first && !wasReady.has(instance)) throw new SetupError(`${instance.name} ended at its start (${how}).`)
      first = false
      failures = wasReady.has(instance) ? 0 : failures + 1
      say(
        `${instance.name}, pid ${pid}, ended (${how === REMOVED ? 'the others have removed it' : how}): it is started again`,
      )
      await pause(Math.min(500 * 2 ** failures, LONGEST_PAUSE_MS), null, { signal: ending.signal }).catch(() => {})
    }
  }

  /** @param {Instance} instance */
  async function watch(instance) {
    for (; !ending.signal.aborted; await pause(ASK_EVERY_MS, null, { signal: ending.signal }).catch(() => {})) {
      const { pid } = instance
      const { ready, shares } = await ask(instance.port, token)
      // What another process at this port said before.
      if (instance.pid === null || instance.pid !== pid) continue
      const isNews = ready !== instance.ready || shares !== instance.shares
      Object.assign(instance, { ready, shares })
      if (ready) wasReady.add(instance)
      if (isNews) changed(instance)
    }
  }

  /** @type {WeakSet<Instance>} */
  const wasReady = new WeakSet()
  const instances = ports.map((port, index) => {
    /** @type {Instance} */
    const instance = { name: `instance ${index + 1}`, port, ready: false, shares: null, pid: null }
    return instance
  })
  const kept = Promise.all(instances.map(keep))
  for (const instance of instances) void watch(instance)

  return {
    instances,
    /** Rejects when one cannot start. */
    kept,
    /** Lets them finish what is under way. */
    async stop() {
      ending.abort()
      end('SIGTERM')
      const hard = setTimeout(() => end('SIGKILL'), END_WITHIN_MS)
      await kept.catch(() => {})
      clearTimeout(hard)
    },
  }
}

/**
 * @param {number} port @param {string} token
 * @returns {Promise<{ ready: boolean, shares: number | null }>}
 */
async function ask(port, token) {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    const told = /** @type {{ instances?: { sharesOwned: number } | null }} */ (await answer.json())
    return { ready: answer.ok, shares: told.instances?.sharesOwned ?? null }
  } catch {
    return { ready: false, shares: null }
  }
}
