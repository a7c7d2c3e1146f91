// Calls of the pretend platforms that are held open on purpose. They are released when their time is over, when the
// caller hangs up, or when the sandbox stops.
import type { ServerResponse } from 'node:http'

/** A hanging call is released after this long, so that a forgotten fault does not hold connections forever. */
export const HANG_MS = 120_000

interface HeldCalls {
  wait(ms: number, res: ServerResponse): Promise<void>
  letGo(): void
}

export function holdCalls(): HeldCalls {
  const waiting = new Set<() => void>()
  return {
    wait(ms, res) {
      return new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer)
          waiting.delete(done)
          res.off('close', done)
          resolve()
        }
        const timer = setTimeout(done, ms)
        timer.unref()
        waiting.add(done)
        res.on('close', done)
      })
    },
    letGo() {
      for (const done of [...waiting]) done()
    },
  }
}
