/** What sets rules off: records that changed, lists that are due, and what was there before a rule was switched on. */
import type { RunRequest, StartedRun } from '#app/domain/automations/run.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { AutomationRow } from './automations.ts'
import type { RecordValues } from './records.ts'

/** A record that rules watch and that changed, waiting to be read once for all of them. */
export interface TouchedRecord {
  accountUuid: string
  object: string
  recordUuid: string
  /** Every field named since the first event; empty = the platform did not say. */
  changedFields: string[]
  /** The platform said it is new, or a look through the whole list met it for the first time. */
  created: boolean
  /** The latest event, null when a sweep found the change. */
  eventSeq: number | null
  firstAt: Millis
  dueAt: Millis
  /** Counts changes: one that comes while the record is being read is not lost. */
  turn: number
  /** Reads that did not work so far. */
  tries: number
}

export type Verdict =
  | 'fired'
  | 'not_matched'
  | 'not_triggered'
  | 'done_before'
  | 'first_sight'
  | 'own_change'
  | 'held'
  | 'muted'

export interface NewVerdict {
  automationId: number
  recordUuid: string
  verdict: Verdict
  /** JSON: why, with the value seen. */
  detail: string | null
}

/** A write of one of our runs, as long as its event may still arrive. */
export interface OwnWrite {
  field: string
  value: string
  runId: number
  automationId: number
  hop: number
  at: Millis
}

/** What one look at a record came to. */
export interface Evaluation {
  touched: TouchedRecord
  /** What it looks like now; null = it is gone, and its snapshot with it; `none` = leave it to the sweep to say what it is. */
  snapshot: RecordValues | 'none' | null
  verdicts: readonly NewVerdict[]
  /** Runs to start; each becomes the verdict `fired` or `done_before` of its rule. */
  requests: readonly RunRequest[]
}

/** A firing that the ledger knows. */
export interface DoneFiring {
  recordUuid: string
  /** The run that took it; null = it was there when the rule was switched on. */
  runId: number | null
  at: Millis
}

interface PolledTick {
  automationId: number
  version: number
  /** `nextRunAt` as it was read: somebody else's tick is not taken twice. */
  expected: Millis | null
  nextRunAt: Millis | null
  verdicts: readonly NewVerdict[]
  requests: readonly RunRequest[]
}

/** An object of an account that rules watch, and how far its list was read. */
export interface SweepTarget {
  accountUuid: string
  object: string
  /** IANA zone. */
  timezone: string
  /** The platform's own spelling; empty = never read. */
  watermark: string
  /** Not every record was met when the rules were switched on. */
  partial: boolean
  nextAt: Millis
}

export interface SweptRecord {
  values: RecordValues
  /** Null = snapshot only (first sight, or nothing changed that is not known). */
  touch: { changedFields: string[]; created: boolean } | null
}

export interface TriggerStore {
  /** Due records, oldest due first, at most `perAccount` of one account; `limit` in all. */
  dueTouched(now: Millis, input: { limit: number; perAccount: number }): Promise<TouchedRecord[]>
  /** Due records of one list, oldest due first. */
  dueTouchedOf(accountUuid: string, object: string, now: Millis, limit: number): Promise<TouchedRecord[]>
  /** The earliest moment after `now` at which one becomes due. */
  nextTouchedDueAt(now: Millis): Promise<Millis | null>
  /** The read did not work: again at `dueAt`. Nothing happens when it changed meanwhile. */
  postponeTouched(touched: TouchedRecord, dueAt: Millis): Promise<void>
  /** The account's calls are spent: none of its records is due before `until`. Counts as no try of any of them. */
  postponeAllTouched(accountUuid: string, until: Millis): Promise<void>
  /**
   * Snapshot, verdicts, runs with their ledger rows, and the end of the touched record, in one transaction. What was touched
   * again meanwhile stays touched. Answers of the wishes, in order.
   */
  settleTouched(accountUuid: string, evaluation: Evaluation, now: Millis): Promise<StartedRun[]>
  /** Writes of our runs on this record at or after a moment. */
  ownWrites(accountUuid: string, object: string, recordUuid: string, since: Millis): Promise<OwnWrite[]>

  /** When runs of the rule on the record were made since a moment. */
  recentRuns(accountUuid: string, automationId: number, recordUuid: string, since: Millis): Promise<Millis[]>
  /** Which of these firings of a rule are in the ledger already, by `recordUuid|occurrence`. */
  doneBefore(
    accountUuid: string,
    automationId: number,
    firings: readonly { recordUuid: string; occurrence: string }[],
  ): Promise<Map<string, DoneFiring>>
  /**
   * Runs, ledger, verdicts and the next tick, in one transaction. Null = the tick was taken by somebody else, or the rule
   * was changed, switched off or deleted meanwhile: nothing was written.
   */
  settlePoll(accountUuid: string, tick: PolledTick, now: Millis): Promise<StartedRun[] | null>

  /** Rules that are on and whose existing matches have not been noted yet. */
  automationsToBaseline(limit: number): Promise<AutomationRow[]>
  /**
   * Notes what is there: ledger rows without a run, and snapshots. Where no other rule has been watching the object, older
   * snapshots are overwritten: what changed while nobody watched is nobody's news. `done` = that was all of it; the sweep then
   * goes on from `watermark`.
   * False = the rule was changed, switched off or deleted meanwhile: nothing was written.
   */
  noteBaseline(
    accountUuid: string,
    input: {
      automationId: number
      version: number
      ledger: readonly { recordUuid: string; occurrence: string }[]
      object: string
      snapshots: readonly RecordValues[]
      /** The latest `edit_date` of the list; empty = nothing was listed. */
      watermark: string
      /** The list was too long to be read to its end: an unknown record need not be new. */
      partial: boolean
      done: boolean
    },
    now: Millis,
  ): Promise<boolean>

  /** Objects of accounts that rules watch and whose list is due to be compared, the longest due first. */
  dueSweeps(now: Millis, limit: number): Promise<SweepTarget[]>
  /** A part of a look through a list: touched records and snapshots; with `cursor` the look is complete. One transaction. */
  settleSweep(
    target: SweepTarget,
    input: { records: readonly SweptRecord[]; cursor: { watermark: string; nextAt: Millis } | null },
    now: Millis,
  ): Promise<void>
  failSweep(target: SweepTarget, input: { sentence: string; nextAt: Millis }): Promise<void>
}
