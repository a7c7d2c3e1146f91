// Ends a process that has come to a standstill, so that whoever started it starts it again: hosts restart what has ended, not what
// hangs. A thread of its own watches, because the main thread is what may hang. It counts in its own ticks: a laptop that slept, or a
// process that was stopped and continued, has missed none.
import { Worker } from 'node:worker_threads'

/** How the process ends when its main thread, or one of its loops, gave no sign of life. */
export const STANDSTILL_EXIT_CODE = 79

const TICK_MS = 1_000
const BLOCKED_AFTER_MS = 60_000
const SILENT_AFTER_MS = 180_000
/** A machine that is short of time needs a while to interrupt a thread. */
const PATIENCE_MS = 5_000

/** Words shared with the thread: signs of life of the main thread, and of all loops together as they are told. */
const BEATS = 0

/**
 * @typedef {object} WatchdogOptions
 * @property {number} [tickMs] how often it looks
 * @property {number} [blockedAfterMs] how long the main thread may be silent
 * @property {number} [silentAfterMs] how long a loop may be silent
 * @property {number} [patienceMs] how long each way of ending gets before the next one is tried
 */

/**
 * Begins to watch. `turns` tells the signs of life of every loop that should turn, by name: a number that grows while it does; a loop
 * that is not named is not watched.
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
    // Nothing of ours is for it to read.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  })
  worker.unref()
  // Without it the process works as before, only unwatched.
  worker.on('error', (error) => console.error(`The watchdog ended: ${error.message}`))
  // Silent loops, but a main thread that can still be asked: it ends the process itself.
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
