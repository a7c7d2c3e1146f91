// Work that goes on for long on the main thread, in pieces: whoever came meanwhile has a turn between them.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { workGoesOn } from './caller.server.ts'

/** ms of one piece. */
const PIECE = 10

/** Call what it returns between two small steps. Waits only when the piece has been long enough. */
export function takingTurns(ms = PIECE): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < ms) return
    await nextTurn()
    workGoesOn()
    since = performance.now()
  }
}
