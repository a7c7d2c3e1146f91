/** Milliseconds since the epoch, UTC. */
export type Millis = number

/** ISO 8601, for answers of calls and for machines. */
export function iso(at: Millis): string {
  return new Date(at).toISOString()
}

/** The same of a moment that may not be known. */
export function isoOrNull(at: Millis | null): string | null {
  return at === null ? null : iso(at)
}

/**
 * Time as the product sees it. Every module gets one handed in, so that tests can fix it and the sandbox can move it.
 * Nothing else may read the wall clock.
 */
export interface Clock {
  now(): Millis
  /**
   * Calls `run` once when the clock reaches `at` (at once, in a later turn of the event loop, if that is past).
   * Returns a function that cancels it. A clock that is moved forward wakes everything it passes.
   * Holds nothing durable: what must survive a restart is a row with a due time.
   */
  wake(at: Millis, run: () => void): () => void
}
