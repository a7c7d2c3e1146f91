// Calls of the pretend platforms that are kept waiting on purpose: let go when their time is over, when the caller hangs up, or when
// the sandbox stops.
import type { ServerResponse } from 'node:http'

/** A hanging call is let go after this long, so that a forgotten fault does not hold connections for ever. */
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
