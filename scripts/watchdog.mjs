// Ends a process that hangs, so that its host restarts it: hosts restart processes that end, but not those that hang. A
// separate thread watches, because the main thread may be what hangs. It counts its own ticks: a laptop that slept, or
// a process that was paused and continued, misses none.
import { Worker } from 'node:worker_threads'

/** Exit code when the main thread, or one of its loops, stopped responding. */
export const STANDSTILL_EXIT_CODE = 79

const TICK_MS = 1_000
const BLOCKED_AFTER_MS = 60_000
const SILENT_AFTER_MS = 180_000
/** A machine under load needs a while to interrupt a thread. */
const PATIENCE_MS = 5_000

/** Counters shared with the thread: heartbeats of the main thread, and of all loops together as reported. */
const BEATS = 0

/**
 * @typedef {object} WatchdogOptions
 * @property {number} [tickMs] how often it checks
 * @property {number} [blockedAfterMs] how long the main thread may be silent
 * @property {number} [silentAfterMs] how long a loop may be silent
 * @property {number} [patienceMs] how long each way of ending gets before the next one is tried
 */

/**
 * Starts watching. `turns` returns a counter per loop, by name, that grows while the loop runs; loops without a name
 * there are not watched.
 *
 * @param {() => Record<string, number>} turns
 * @param {WatchdogOptions} [options]
 * @returns {{ stop(): Promise<void> }}
 */
export function watchOver(turns, options = {}) {
  const { tickMs = TICK_MS, blockedAfterMs = BLOCKED_AFTER_MS, silentAfterMs = SILENT_AFTER_MS } = options
  const { patienceMs = PATIENCE_MS } = options
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL('./watchdog-worker.mjs', import.meta.url), {
    workerData: {
      beats,
      tickMs,
      patienceMs,
      blockedTicks: Math.ceil(blockedAfterMs / tickMs),
      silentTicks: Math.ceil(silentAfterMs / tickMs),
      exitCode: STANDSTILL_EXIT_CODE,
    },
    // The thread needs none of our variables.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  })
  worker.unref()
  // Without the thread the process works as before, only unwatched.
  worker.on('error', (error) => console.error(`The watchdog ended: ${error.message}`))
  // A loop is silent but the main thread still responds: the main thread ends the process itself.
  worker.on('message', () => process.exit(STANDSTILL_EXIT_CODE))
  const timer = setInterval(() => {
    Atomics.add(beats, BEATS, 1)
    worker.postMessage(turns())
  }, tickMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await worker.terminate()
    },
  }
}
