/** What is overdue and what waits, over all accounts: for the metrics and the operator. Read from indexes and counters. */
import type { Millis } from '#app/lib/clock.ts'

/** live: what events set off · replay · by_hand: what a person asked for, samples included. */
export interface ByLane {
  live: number
  replay: number
  by_hand: number
}

export interface Backlog {
  /**
   * Since when the oldest delivery has been due that nothing holds: not its endpoint (paused, stopped, failing, told to wait, given
   * a rest), not its account, and that is not being sent at this moment. Null = none is due.
   */
  oldestDueSince: Millis | null
  /** Deliveries that wait for their moment or their turn. */
  pending: ByLane
  /** Deliveries that nothing is done about until their endpoint or account may receive again. */
  held: ByLane
  /** Since when the oldest run has been due that is neither at work nor held. Null = none is. */
  oldestRunDueSince: Millis | null
  /** Since when the rule that looks at a set time and is longest overdue should have looked. Null = none is. */
  oldestScheduleDueSince: Millis | null
}

export interface BacklogStore {
  /** `inFlight`: ids of the deliveries being sent at this moment. Reads beside the writer. */
  readBacklog(now: Millis, inFlight: readonly number[]): Promise<Backlog>
}
