/** What triggers rules: changed records, lists due for polling, and baselines taken when rules are switched on. */
import type { RunRequest, StartedRun } from '#app/domain/automations/run.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { AutomationRow } from './automations.ts'
import type { PollTarget, RecordValues } from './records.ts'
import type { FieldWrite } from './runs.ts'

/** A changed record that rules watch, waiting to be read once for all of them. */
export interface TouchedRecord {
  accountUuid: string
  object: string
  recordUuid: string
  /** Every field named since the first event; empty = the platform did not say. */
  changedFields: string[]
  /** The platform reported it as new, or a full sweep found it for the first time. */
  created: boolean
  /** The latest event; null when a sweep found the change. */
  eventSeq: number | null
  firstAt: Millis
  dueAt: Millis
  /** Counts changes, so a change that arrives during the read is not lost. */
  turn: number
  /** Failed reads so far. */
  tries: number
}

type Verdict =
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

/** A write by one of our runs, kept while its event may still arrive. */
export interface OwnWrite extends Pick<FieldWrite, 'field' | 'value' | 'automationId' | 'hop'> {
  runId: number
  at: Millis
}

/** The result of evaluating a record. */
export interface Evaluation {
  touched: TouchedRecord
  /** The record's current values; null = the record is gone and its snapshot is removed; `none` = left as it is. */
  snapshot: RecordValues | 'none' | null
  verdicts: readonly NewVerdict[]
  /** Runs to start; each becomes its rule's verdict `fired` or `done_before`. */
  requests: readonly RunRequest[]
}

/** A firing recorded in the ledger. */
export interface DoneFiring {
  recordUuid: string
  /** The run that handled it; null = the record already matched when the rule was switched on. */
  runId: number | null
  at: Millis
}

interface PolledTick {
  automationId: number
  version: number
  /** `nextRunAt` as it was read, so a tick is not taken twice. */
  expected: Millis | null
  nextRunAt: Millis | null
  verdicts: readonly NewVerdict[]
  requests: readonly RunRequest[]
}

/** An object that an account's rules watch, and how far its list was read. */
export interface SweepTarget extends Omit<PollTarget, 'fieldFilters' | 'cursor'> {
  /** In the platform's own format; empty = never read. */
  watermark: string
  /** Not every record was read when the rules were switched on. */
  partial: boolean
  nextAt: Millis
}

export interface SweptRecord {
  values: RecordValues
  /** Null = snapshot only (first sight, or no unknown change). */
  touch: { changedFields: string[]; created: boolean } | null
}

export interface TriggerStore {
  /** Due records, oldest due first, at most `perAccount` of one account; `limit` in all. */
  dueTouched(now: Millis, input: { limit: number; perAccount: number }): Promise<TouchedRecord[]>
  /** Due records of one list, oldest due first. */
  dueTouchedOf(accountUuid: string, object: string, now: Millis, limit: number): Promise<TouchedRecord[]>
  /** The earliest moment after `now` at which one becomes due. */
  nextTouchedDueAt(now: Millis): Promise<Millis | null>
  /** The read failed: try again at `dueAt`. Does nothing if the record changed meanwhile. */
  postponeTouched(touched: TouchedRecord, dueAt: Millis): Promise<void>
  /** The account's call budget is used up: none of its records is due before `until`. Does not count as a try. */
  postponeAllTouched(accountUuid: string, until: Millis): Promise<void>
  /**
   * Stores the snapshot, verdicts and runs with ledger rows, and removes the touched record, in one transaction. A
   * record touched again meanwhile stays touched. Returns the results of the run requests, in order; none, and nothing
   * stored, when it was settled meanwhile.
   */
  settleTouched(accountUuid: string, evaluation: Evaluation, now: Millis): Promise<StartedRun[]>
  /** Writes by our runs on this record at or after `since`. */
  ownWrites(accountUuid: string, object: string, recordUuid: string, since: Millis): Promise<OwnWrite[]>

  /** Creation times of the rule's runs on the record since a moment. */
  recentRuns(accountUuid: string, automationId: number, recordUuid: string, since: Millis): Promise<Millis[]>
  /** Which of these firings are already in the rule's ledger, by `recordUuid|occurrence`. */
  doneBefore(
    accountUuid: string,
    automationId: number,
    firings: readonly { recordUuid: string; occurrence: string }[],
  ): Promise<Map<string, DoneFiring>>
  /**
   * Stores runs, ledger, verdicts and the next tick in one transaction. Null = another process took the tick, or the
   * rule was changed, switched off or deleted meanwhile: nothing was written.
   */
  settlePoll(accountUuid: string, tick: PolledTick, now: Millis): Promise<StartedRun[] | null>

  /** Rules that are on and have no baseline yet. */
  automationsToBaseline(limit: number): Promise<AutomationRow[]>
  /**
   * Stores the baseline: ledger rows without a run, and snapshots. If no other running rule watched the object, overwrites
   * older snapshots, so changes from unwatched times trigger nothing. `done` = the baseline is complete; the sweep
   * continues from `watermark`. False = the rule was changed, switched off or deleted meanwhile: nothing was written.
   */
  noteBaseline(
    accountUuid: string,
    input: {
      automationId: number
      version: number
      /** When it was switched on, as read (0 = unknown): one that wants no baseline any more gets none. */
      activeSince?: Millis
      ledger: readonly { recordUuid: string; occurrence: string }[]
      object: string
      snapshots: readonly RecordValues[]
      /** The latest `edit_date` in the list; empty = the list was empty. */
      watermark: string
      /** The list was too long to read completely: an unknown record may not be new. */
      partial: boolean
      done: boolean
    },
    now: Millis,
  ): Promise<boolean>

  /** Objects that rules watch, not all paused, and whose list is due for a sweep, longest due first. */
  dueSweeps(now: Millis, limit: number): Promise<SweepTarget[]>
  /** Stores part of a sweep: touched records and snapshots; `cursor` completes the sweep. One transaction. */
  settleSweep(
    target: SweepTarget,
    input: { records: readonly SweptRecord[]; cursor: { watermark: string; nextAt: Millis } | null },
    now: Millis,
  ): Promise<void>
  failSweep(target: SweepTarget, input: { sentence: string; nextAt: Millis }): Promise<void>
}
