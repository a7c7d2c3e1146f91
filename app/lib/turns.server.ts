// Splits long work on the main thread into pieces, so other work runs in between.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { workGoesOn } from './caller.server.ts'

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
