// Splits long work on the main thread into pieces, so other work runs in between.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { workGoesOn } from './caller.server.ts'
import type { Clock } from './clock.ts'

/** Length of a piece in ms. */
const PIECE = 10

/** Call the returned function between two small steps. It waits only once the piece has been long enough. */
export function takingTurns(ms = PIECE): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < ms) return
    await nextTurn()
    workGoesOn()
    since = performance.now()
  }
}

/** Resolves once that much time of the product has passed. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.wake(clock.now() + ms, resolve)
  })
}
