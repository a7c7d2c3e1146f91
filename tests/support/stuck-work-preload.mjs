// For a walk, loaded before the server: makes its long-work thread hang on one sentence. The product has no such hook.

import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'

const STUCK = new URL('./stuck-work-thread.mjs', import.meta.url)

threads.Worker = class extends threads.Worker {
  /** @param {string | URL} file @param {import('node:worker_threads').WorkerOptions} [options] */
  constructor(file, options) {
    const isOurs = String(file).endsWith('/long-work.js')
    super(isOurs ? STUCK : file, isOurs ? { ...options, workerData: { file: String(file) } } : options)
  }
}
syncBuiltinESMExports()

// The longest turn of the main thread so far, in its own processor time: other processes do not lengthen it.
if (threads.isMainThread) {
  const spent = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  let before = spent()
  let longest = 0
  setInterval(() => {
    const now = spent()
    longest = Math.max(longest, now - before)
    before = now
  }, 1).unref()
  process.on('SIGUSR2', () => {
    process.stdout.write(`longest turn: ${longest.toFixed(1)}\n`)
    longest = 0
  })
}
