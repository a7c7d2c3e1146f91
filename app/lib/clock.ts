/** Milliseconds since the epoch, UTC. */
export type Millis = number

/** ISO 8601, for API responses and machines. */
export function iso(at: Millis): string {
  return new Date(at).toISOString()
}

/** The same for a moment that may be unknown. */
export function isoOrNull(at: Millis | null): string | null {
  return at === null ? null : iso(at)
}

/**
 * The product's time. Every module gets a clock passed in, so tests can fix it and the sandbox can move it. Nothing
 * else may read the system clock.
 */
export interface Clock {
  now(): Millis
  /**
   * Calls `run` once when the clock reaches `at` (in a later turn of the event loop if that is past). Returns a
   * function that cancels it. Moving a clock forward wakes everything in between. Not durable: what must survive a
   * restart is a row with a due time.
   */
  wake(at: Millis, run: () => void): () => void
  /** Moves it by a little, forward or back, to agree with other machines. Missing = nobody may. */
  nudge?(ms: number): void
}
