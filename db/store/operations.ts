/** The owner's lease, retention, space, health. */
import type { Millis } from '#app/lib/clock.ts'

export interface LeaseRow {
  owner: string
  expiresAt: Millis
}

interface RetentionStep {
  /** Rows removed in this step. */
  removed: number
  /** Where the next step continues; null = all were processed. */
  nextSeq: number | null
}

export interface SpaceUsed {
  fileBytes: number
  /** Bytes of free pages within the file. */
  freeBytes: number
  /** Null = the server keeps its own log. */
  walBytes: number | null
}

export interface OperationsStore {
  findLease(name: string): Promise<LeaseRow | null>
  /**
   * Takes or renews the lease until `expiresAt` if it is free, ours, expired, or held by `takeFrom` (an owner known to
   * have ended). True = it is ours now.
   */
  acquireLease(name: string, owner: string, now: Millis, expiresAt: Millis, takeFrom: string | null): Promise<boolean>
  /** Releases the lease if it is ours. */
  releaseLease(name: string, owner: string): Promise<void>

  /** Has another process written since the previous call? */
  changedElsewhere(): Promise<boolean>

  /** Scans up to `limit` oldest events from `fromSeq` on; removes those from before `before` without pending work. */
  deleteOldEventsStep(before: Millis, fromSeq: number, limit: number): Promise<RetentionStep>
  /**
   * The same for bodies: of fully delivered events received before `deliveredBefore`; of all other events with nothing
   * pending, received before `before`.
   */
  deleteOldBodiesStep(deliveredBefore: Millis, before: Millis, fromSeq: number, limit: number): Promise<RetentionStep>
  /** Hourly counters older than that hour. */
  deleteOldHours(beforeHour: number): Promise<number>
  /** Returns up to `pages` empty pages to the file system, where the engine does not do so by itself. */
  vacuumStep(pages: number): Promise<void>
  /** Writes the log into the database file; `truncate` also empties the log. */
  checkpoint(kind: 'passive' | 'truncate'): Promise<void>
  /** Test write to the disk. Throws when nothing can be written. Leaves no trace. */
  trialWrite(): Promise<void>
  spaceUsed(): Promise<SpaceUsed>
}
