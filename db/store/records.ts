/**
 * Records read from the platform's lists: the read position of each list, and snapshots of the records. Only one source
 * updates an object's snapshots; other consumers get the changes as events.
 */
import type { KnownOfRecord } from '#app/domain/record-name.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { AcceptedEvent, AcceptOptions, IncomingEvent } from './events.ts'

/** The read position of one list, for one purpose. */
export interface PollCursorRow {
  accountUuid: string
  /** `webhook:jobcontact`, `sweep:job`: the purpose, a colon, the object. */
  source: string
  /** The latest `edit_date` seen, in the platform's format; empty = not polled yet. */
  watermark: string
  /** When the list was last read to its end. */
  lastOkAt: Millis | null
  /** Why the last poll failed, as a sentence; null = it succeeded. */
  lastError: string | null
  /** When the next poll is due; during a poll, when its claim expires. */
  nextAt: Millis
}

/** A record's current values, as text. */
export interface RecordValues {
  recordUuid: string
  editDate: string
  fields: Readonly<Record<string, string>>
}

/** A record's values at its last read. */
export interface SnapshotRow extends RecordValues {
  takenAt: Millis
}

/** An object that we poll because an endpoint of the account wants its events. */
export interface PollTarget {
  accountUuid: string
  object: string
  /** IANA zone of the account. */
  timezone: string
  /** The filter of each address, comma-separated; '' among them = every field. */
  fieldFilters: string[]
  /** Null = never polled. */
  cursor: PollCursorRow | null
}

/** A changed record and the event that reports the change. */
export interface PolledRecord {
  record: RecordValues
  /** Null = no event: first sight, or no watched field changed. */
  event: IncomingEvent | null
}

export interface PolledTake {
  accountUuid: string
  source: string
  object: string
  /** The cursor's `nextAt` as claimed: if another process has claimed the cursor since, nothing is written. */
  claimedUntil: Millis
  records: readonly PolledRecord[]
  /** Set with the last part of a poll: the cursor moves and the poll counts as successful. */
  cursor: { watermark: string; nextAt: Millis } | null
  at: Millis
}

export type TakenIn =
  /** Everything was stored. Results of the events, in order. */
  | { outcome: 'taken'; accepted: AcceptedEvent[] }
  /** The account has too many pending deliveries: earlier events are stored, the rest and the cursor are unchanged. */
  | { outcome: 'over_limit'; accepted: AcceptedEvent[] }
  /** Another process claimed the cursor, or it is gone. Nothing was written. */
  | { outcome: 'overtaken' }

export interface RecordStore {
  /** Targets among `objects` that have an address (not deleted) and were never polled or are due, longest due first. */
  duePolls(input: { purpose: string; objects: readonly string[]; now: Millis }): Promise<PollTarget[]>
  /** One target, due or not; null = no address wants the object. */
  findPollTarget(accountUuid: string, input: { purpose: string; object: string }): Promise<PollTarget | null>
  findPollCursor(accountUuid: string, source: string): Promise<PollCursorRow | null>
  /**
   * Claims the cursor until `until`. `seenNextAt` = the value as read; null = there was no cursor, and one is created.
   * False = another process was first.
   */
  claimPoll(accountUuid: string, source: string, seenNextAt: Millis | null, until: Millis): Promise<boolean>
  /** Records a failed poll: the claimed cursor stores the error and is due at `nextAt`. False = claim lost. */
  failPoll(
    accountUuid: string,
    source: string,
    claimedUntil: Millis,
    failure: { sentence: string; nextAt: Millis },
  ): Promise<boolean>
  /** Removes a cursor that was claimed and never read anything. */
  dropUnreadPoll(accountUuid: string, source: string, claimedUntil: Millis): Promise<void>

  /** The snapshots of these records that exist. */
  loadSnapshots(accountUuid: string, object: string, recordUuids: readonly string[]): Promise<SnapshotRow[]>
  /**
   * What names these records, for all rows of a page at once. Records without any trace are left out. `at` = only what
   * had been seen by then; missing = everything.
   */
  knownOf(
    accountUuid: string,
    records: readonly { object: string; recordUuid: string }[],
    at?: Millis,
  ): Promise<KnownOfRecord[]>
  /** Stores what names these records, read because somebody looked at them. */
  keepNames(
    accountUuid: string,
    records: readonly { object: string; recordUuid: string; fields: Readonly<Record<string, string>> }[],
    at: Millis,
  ): Promise<void>
  /** Removes up to `limit` names, of every account, stored before a moment. Returns how many. */
  forgetNamesStep(before: Millis, limit: number): Promise<number>
  /**
   * Up to `most` records that people call by this text: a job by its number or address, a customer by its name,
   * any record by its uuid, and what belongs to these. `more` = there are more. Ignores case (A–Z) and the kind of an apostrophe. Reads snapshots and the latest runs, in steps
   * that yield.
   */
  listRecordsCalled(accountUuid: string, text: string, most: number): Promise<{ uuids: string[]; more: boolean }>
  /**
   * Stores events (like `acceptEvents`), snapshots and the cursor in one transaction. Resolves once it is on disk;
   * throws when nothing could be committed.
   */
  takeInPolled(take: PolledTake, options: AcceptOptions): Promise<TakenIn>

  /** Makes the next poll a first one if nothing wants the object any more. `anew`: not even what can be restored. */
  endPollUnlessNeeded(
    accountUuid: string,
    input: { purpose: string; object: string; at: Millis; anew?: boolean },
  ): Promise<void>
  /** Due cursors of the purpose whose object no address wants, nor one whose deletion can be undone; of `sweep` and `partial`, no automation. */
  unneededPolls(purpose: string, now: Millis): Promise<{ accountUuid: string; source: string; object: string }[]>
  /** Removes up to `limit` snapshots taken before a moment. Returns how many. */
  forgetSnapshotsStep(accountUuid: string, object: string, before: Millis, limit: number): Promise<number>
  /** Removes the cursor if polling ended and no process is reading it. */
  dropEndedPoll(accountUuid: string, source: string, now: Millis): Promise<void>
  /** Every cursor of a purpose. */
  listPolls(purpose: string): Promise<PollCursorRow[]>
  /**
   * Removes up to `limit` snapshots beyond the newest `keep`, longest unedited first, but none edited at or after
   * `editedBefore` (in the platform's format). Returns how many.
   */
  trimSnapshotsStep(
    accountUuid: string,
    object: string,
    input: { keep: number; editedBefore: string; limit: number },
  ): Promise<number>
}
