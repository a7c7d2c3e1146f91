/** Overdue and pending work over all accounts, for the metrics and the operator. Read from indexes and counters. */
import type { Millis } from '#app/lib/clock.ts'

/** live: caused by events · replay · by_hand: requested by a person, including tests. */
export interface ByLane {
  live: number
  replay: number
  by_hand: number
}

export interface Backlog {
  /**
   * Since when the oldest sendable delivery has been due. Excludes deliveries being sent, and those held by their
   * endpoint (paused, stopped, failing, told to wait, resting) or their account. Null = none is due.
   */
  oldestDueSince: Millis | null
  /** Deliveries waiting for their due time or their turn. */
  pending: ByLane
  /** Deliveries on hold until their endpoint or account may receive again. */
  held: ByLane
  /** Since when the oldest run has been due that is neither in progress nor held. Null = none is due. */
  oldestRunDueSince: Millis | null
  /** When the longest overdue scheduled rule should have polled. Null = none is overdue. */
  oldestScheduleDueSince: Millis | null
}

export interface BacklogStore {
  /** `inFlight`: ids of the deliveries being sent right now. Does not block the writer. */
  readBacklog(now: Millis, inFlight: readonly number[]): Promise<Backlog>
}
