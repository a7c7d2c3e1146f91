// Splits long work on the main thread into pieces, so other work runs in between.
import { ReadableStream as NodeStream } from 'node:stream/web'
import { setImmediate } from 'node:timers/promises'
import { workGoesOn } from './caller.server.ts'
import type { Clock } from './clock.ts'

/** Other work gets its turn; what follows is the work of the same request again. */
export async function nextTurn(): Promise<void> {
  await setImmediate()
  workGoesOn()
}

/** Length of a piece in ms. */
const PIECE = 10

/** Call the returned function between two small steps. It waits only once the piece has been long enough. */
export function takingTurns(ms = PIECE): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < ms) return
    await nextTurn()
    since = performance.now()
  }
}

/** Resolves once that much time of the product has passed. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.wake(clock.now() + ms, resolve)
  })
}

/** A stream hands over about so much at once: of small pieces each would be compressed and sent alone. Characters. */
const CHUNK = 64_000

/**
 * Streams the pieces as fast as they are read: between two chunks other work runs, and `drained` waits until the last
 * one was taken. False = nobody reads any more, which ends the pieces.
 */
export const streamInTurns = (pieces: AsyncGenerator<string>, drained = async () => true) =>
  NodeStream.from(chunksOf(pieces, drained)) as ReadableStream<Uint8Array<ArrayBuffer>>

async function* chunksOf(pieces: AsyncGenerator<string>, drained: () => Promise<boolean>) {
  const encoder = new TextEncoder()
  const takeTurn = takingTurns()
  let text = ''
  for await (const piece of pieces) {
    if (text === '' && !(await drained())) return
    text += piece
    await takeTurn()
    if (text.length < CHUNK) continue
    yield encoder.encode(text)
    text = ''
    await nextTurn()
  }
  yield encoder.encode(text)
}
