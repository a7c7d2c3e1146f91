/** The owner's lease, retention, space, health. */
import type { Millis } from '#app/lib/clock.ts'

export interface LeaseRow {
  owner: string
  expiresAt: Millis
}

export interface RetentionStep {
  /** Rows removed in this step. */
  removed: number
  /** Where the next step goes on; null = the end was reached. */
  nextSeq: number | null
}

export interface SpaceUsed {
  fileBytes: number
  /** Of those, pages that hold nothing. */
  freeBytes: number
  walBytes: number
}

export interface OperationsStore {
  findLease(name: string): Promise<LeaseRow | null>
  /**
   * Takes or renews the lease until `expiresAt`: when it is free, ours, expired, or held by `takeFrom` (an owner known to be
   * gone). True = it is ours now.
   */
  acquireLease(name: string, owner: string, now: Millis, expiresAt: Millis, takeFrom: string | null): Promise<boolean>
  /** Gives it up if it is ours. */
  releaseLease(name: string, owner: string): Promise<void>

  /** Has another process written since this was last asked? */
  changedElsewhere(): Promise<boolean>

  /** Looks at up to `limit` of the oldest events from `fromSeq` on and removes those received before `before` that nobody waits for. */
  deleteOldEventsStep(before: Millis, fromSeq: number, limit: number): Promise<RetentionStep>
  /**
   * The same for bodies: of events that were delivered to everybody, received before `deliveredBefore`; of all others that
   * nobody waits for, received before `before`.
   */
  deleteOldBodiesStep(deliveredBefore: Millis, before: Millis, fromSeq: number, limit: number): Promise<RetentionStep>
  /** Hourly counters older than that hour. */
  deleteOldHours(beforeHour: number): Promise<number>
  /** Gives up to `pages` empty pages back to the file system. */
  vacuumStep(pages: number): Promise<void>
  /** Brings the log into the file; `truncate` also empties the log. */
  checkpoint(kind: 'passive' | 'truncate'): Promise<void>
  /** Writes to the disk for a trial. Throws when nothing can be written. Leaves no trace. */
  trialWrite(): Promise<void>
  spaceUsed(): Promise<SpaceUsed>
}
