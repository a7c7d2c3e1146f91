/**
 * Records read from the platform's lists: how far each list has been read, and what the records looked like. One source
 * moves the snapshots of an object: whoever else wants to know of its changes gets them as events.
 */
import type { Millis } from '#app/lib/clock.ts'
import type { AcceptedEvent, AcceptOptions, IncomingEvent } from './events.ts'

/** How far one list has been read, for one purpose. */
export interface PollCursorRow {
  accountUuid: string
  /** `webhook:jobcontact`, `sweep:job`: the purpose, a colon, the object. */
  source: string
  /** The latest `edit_date` seen, as the platform writes it; empty = the first look is still to come. */
  watermark: string
  /** When it was last read to its end. */
  lastOkAt: Millis | null
  /** Why the last try did not work, as a sentence; null = it did. */
  lastError: string | null
  /** When it is due again; while it is being read, until when nobody else may. */
  nextAt: Millis
}

/** What a record looks like, each value as text. */
export interface RecordValues {
  recordUuid: string
  editDate: string
  fields: Readonly<Record<string, string>>
}

/** What it looked like when it was last read. */
export interface SnapshotRow extends RecordValues {
  takenAt: Millis
}

/** An object of an account that is read because somebody has an address for its events. */
export interface PollTarget {
  accountUuid: string
  object: string
  /** IANA zone of the account. */
  timezone: string
  /** Of every address, comma-separated; '' among them = every field. */
  fieldFilters: string[]
  /** Null = it has never been read. */
  cursor: PollCursorRow | null
}

/** A record that is not as it was, and the event that tells of it. */
export interface PolledRecord {
  record: RecordValues
  /** Null = nobody is told: first sight, or nothing that anybody watches. */
  event: IncomingEvent | null
}

export interface PolledTake {
  accountUuid: string
  source: string
  object: string
  /** `nextAt` of the cursor as it was claimed: after anybody else claimed it nothing is written. */
  claimedUntil: Millis
  records: readonly PolledRecord[]
  /** Given with the last part of a look: the cursor moves with it, and the look was a good one. */
  cursor: { watermark: string; nextAt: Millis } | null
  at: Millis
}

export type TakenIn =
  /** All of it. Answers of the events, in order. */
  | { outcome: 'taken'; accepted: AcceptedEvent[] }
  /** The account has too much waiting: what came before is in, the rest and the cursor stay as they were. */
  | { outcome: 'over_limit'; accepted: AcceptedEvent[] }
  /** The cursor is somebody else's meanwhile, or gone. Nothing was written. */
  | { outcome: 'overtaken' }

export interface RecordStore {
  /** Objects of `objects` that somebody has an address for (deleted ones apart) and that were never read or are due, the longest due first. */
  duePolls(input: { purpose: string; objects: readonly string[]; now: Millis }): Promise<PollTarget[]>
  /** One of them, due or not; null = nobody has an address for it. */
  findPollTarget(accountUuid: string, input: { purpose: string; object: string }): Promise<PollTarget | null>
  findPollCursor(accountUuid: string, source: string): Promise<PollCursorRow | null>
  /**
   * Makes the cursor the caller's until `until`. `seenNextAt` = as it was read; null = there was none, and one is made.
   * False = somebody else was first.
   */
  claimPoll(accountUuid: string, source: string, seenNextAt: Millis | null, until: Millis): Promise<boolean>
  /** A look that did not work: the claimed cursor says why and is due at `nextAt`. False = it is somebody else's. */
  failPoll(
    accountUuid: string,
    source: string,
    claimedUntil: Millis,
    failure: { sentence: string; nextAt: Millis },
  ): Promise<boolean>
  /** Removes a cursor that was claimed and never read anything. */
  dropUnreadPoll(accountUuid: string, source: string, claimedUntil: Millis): Promise<void>

  /** Snapshots of these records, as far as there are any. */
  loadSnapshots(accountUuid: string, object: string, recordUuids: readonly string[]): Promise<SnapshotRow[]>
  /**
   * Events (as `acceptEvents` takes them in), snapshots and the cursor in one transaction. Resolves after it is on disk;
   * throws when nothing could be committed.
   */
  takeInPolled(take: PolledTake, options: AcceptOptions): Promise<TakenIn>

  /** Nobody has an address for the object any more: the next look is a first one again. Else nothing happens. */
  endPollUnlessNeeded(accountUuid: string, input: { purpose: string; object: string; at: Millis }): Promise<void>
  /** Cursors of that purpose that are due although nobody has an address for their object. */
  unneededPolls(purpose: string, now: Millis): Promise<{ accountUuid: string; source: string; object: string }[]>
  /** Removes up to `limit` snapshots taken before a moment. Answers how many. */
  forgetSnapshotsStep(accountUuid: string, object: string, before: Millis, limit: number): Promise<number>
  /** Removes the cursor if it was ended and nobody reads it. */
  dropEndedPoll(accountUuid: string, source: string, now: Millis): Promise<void>
  /** Every cursor of a purpose. */
  listPolls(purpose: string): Promise<PollCursorRow[]>
  /**
   * Removes up to `limit` of the snapshots beyond the newest `keep`, the longest unedited first, none edited at or after
   * `editedBefore` (as the platform writes it). Answers how many.
   */
  trimSnapshotsStep(
    accountUuid: string,
    object: string,
    input: { keep: number; editedBefore: string; limit: number },
  ): Promise<number>
}
