/** Runs and their journal, from the request to the last row, including decisions made by a person. */

import type { JournalRow } from '#app/domain/automations/journal-row.ts'
import type { RuleDefinition, StoredRule } from '#app/domain/automations/rule.ts'
import type { RunOutcome, RunRequest, RunSubject, StartedRun } from '#app/domain/automations/run.ts'
import type { RunRecord } from '#app/domain/automations/run-record.ts'
import type { ToldByRun } from '#app/domain/notices/notice.ts'
import type { Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { MessageNote } from './run-guards.ts'

/** A run that can continue now. */
export interface DueRun extends Pick<RunRecord, 'id' | 'accountUuid' | 'recordUuids'> {
  /** True = a process already started it: this one, or one that has ended. */
  begun: boolean
}

/** A run's rule: its definition when the run began, and its current state. */
export interface RuleOfRun extends Pick<StoredRule, 'name' | 'active' | 'pausedReason'> {
  /** The version the run began with; null = no longer known. */
  definition: RuleDefinition | null
  deleted: boolean
}

/** `reason`: why it was queued, waiting or held until now. */
export interface ClaimedRun
  extends Pick<RunRecord, 'id' | 'accountUuid' | keyof RunSubject | 'hop' | 'replayOf' | 'createdAt' | 'reason'> {
  startedAt: Millis
  rule: RuleOfRun
}

/** Identifies the writer: every journal write carries it and is refused once another process owns the run. */
export interface RunFence {
  accountUuid: string
  runId: number
  owner: string
}

/** The current journal, with a stamp that changes whenever one of its rows does. */
export interface SeenJournal {
  rows: JournalRow[]
  stamp: string
  /** The rule as it is now: it may have been switched off since the run was claimed. */
  rule: Pick<RuleOfRun, 'active' | 'deleted' | 'pausedReason'>
  /** Set when a person cancelled the run while it was in progress. */
  cancelled: { reason: Reason | null } | null
}

/** `plannedAt`: when the step was first planned; a new plan keeps this time. */
export type NewJournalRow = Omit<JournalRow, 'seq' | 'result' | 'tries' | 'released' | 'sendingAt' | 'receipt'>

/** A row as it was read; a write succeeds only if the row is unchanged. */
export type RowSeen = Pick<JournalRow, 'stepId' | 'itemKey' | 'state' | 'attempt'>

/** The new state of a row. */
export interface RowWrite
  extends Pick<
    JournalRow,
    'state' | 'attempt' | 'errorClass' | 'sentence' | 'nextAttemptAt' | 'result' | 'tries' | 'released'
  > {
  at: Millis
}

/** A field that one of our runs writes, so we recognize the resulting event as our own. See also `CREATED_FIELD`. */
export interface FieldWrite {
  object: string
  recordUuid: string
  field: string
  value: string
  automationId: number
  hop: number
  /** Also kept in the rule's ledger, for good: the rule's own list may still have the record later. */
  occurrence?: string
}

/** `changed` = someone else wrote meanwhile: read again. `lost` = another process owns the run. */
export type ParkedRun = 'parked' | 'changed' | 'lost'

export type CancelledRun =
  | { outcome: 'cancelled' }
  /** The run is in progress and ends before its next effect. */
  | { outcome: 'cancelling' }
  | { outcome: 'done_already' }
  | { outcome: 'not_found' }

export type SettledByPerson =
  | { outcome: 'settled' }
  /** The row is no longer in an open state. */
  | { outcome: 'not_open' }
  | { outcome: 'not_found' }

export type RerunFailed = { outcome: 'again'; rows: number } | { outcome: 'nothing_failed' } | { outcome: 'not_found' }

/** Everything needed to repeat a run. */
export interface RunToRepeat extends Pick<RunRecord, keyof RunSubject | 'state' | 'outcome'> {
  /** Customer messages the run has sent or may have sent. */
  customerMessages: number
  rule: RuleOfRun & { version: number }
}

export interface RunStore {
  /**
   * Starts runs in one transaction. Each request stores its run row and all of its ledger rows, or neither. Counts the
   * rule's execution. Returns results in the order of `requests`.
   */
  startRuns(accountUuid: string, requests: readonly RunRequest[], now: Millis): Promise<StartedRun[]>
  /**
   * Starts one run for all callers that share a key, until the keys expire. `repeated` = a run already existed: it is
   * returned, and nothing was started.
   */
  startRunOnce(
    accountUuid: string,
    request: RunRequest,
    keys: readonly { key: string; expiresAt: Millis }[],
    now: Millis,
  ): Promise<StartedRun | { outcome: 'repeated'; runId: number }>
  /** The run that `startRunOnce` would return for the key as `repeated`; null = none. */
  findStartedRun(accountUuid: string, automationId: number, key: string, now: Millis): Promise<number | null>

  // ---- for the engine: covers every account ----

  /**
   * Runs that can continue, longest due first within each account, at most `perAccount` per account; `limit` in all,
   * as many of each account as of the others.
   */
  dueRuns(now: Millis, most: { limit: number; perAccount: number }): Promise<DueRun[]>
  /** The earliest time after `now` at which a run can continue; null = no run waits for a time. */
  nextRunDueAt(now: Millis): Promise<Millis | null>
  /** Lets no other instance go on with these runs of `owner` before `until`; with the present time, lets it. */
  restRuns(runIds: readonly number[], owner: string, until: Millis): Promise<void>
  /** Claims the run for `owner`, whoever had it before. Null = it cannot continue now. */
  claimRun(accountUuid: string, runId: number, owner: string, now: Millis): Promise<ClaimedRun | null>
  /** Null = another process owns the run, or it ended. */
  readJournal(fence: RunFence): Promise<SeenJournal | null>
  /** What was sent by all runs that the event behind this run started, first ended first. */
  sentForEvent(accountUuid: string, runId: number): Promise<JournalRow[]>
  /**
   * Commit 1 of a step: stores its effects with their final texts and replaces placeholder rows of the step.
   * False = the run is not ours, was cancelled, or the step already has effects.
   */
  planEffects(fence: RunFence, stepId: string, rows: readonly NewJournalRow[]): Promise<boolean>
  /**
   * Commit 2: from now on the effect may have happened. `writes` identify the resulting events as our own.
   * `onlyWhileOn`: false also when the rule was switched off or deleted.
   */
  beginSending(
    fence: RunFence,
    row: RowSeen,
    input: { onlyWhileOn?: boolean; writes: readonly FieldWrite[]; at: Millis },
  ): Promise<boolean>
  /**
   * Commit 3: stores the effect's result. Needs no fence: a late result still counts unless another attempt has
   * started. Records `message` in the same transaction, for cool-downs and caps.
   */
  endSending(
    accountUuid: string,
    runId: number,
    row: { stepId: string; itemKey: string; attempt: number },
    write: RowWrite,
    input: { message: MessageNote | null; writes: readonly FieldWrite[] },
  ): Promise<boolean>
  /** Changes a row that is not sent now: postponed, held, skipped. False = the row has changed since it was read. */
  setRow(fence: RunFence, row: RowSeen, write: RowWrite): Promise<boolean>
  /**
   * Parks the run until a moment or a person's decision. `stamp` = the journal's state when this was decided. A step that
   * goes on failing is told in the same commit. Each run counts once, however often it is tried.
   */
  parkRun(
    fence: RunFence,
    stamp: string,
    input: { state: 'waiting' | 'held'; wakeAt: Millis; reason: Reason; told: ToldByRun; at: Millis },
  ): Promise<ParkedRun>
  /**
   * Ends the run. Skips the unfinished rows of a cancelled run with `cancelledReason`. Tells of its end in the same
   * commit: a trouble is counted, or the rule works again. `forgets`: the ledger forgets the firing, which was none.
   */
  finishRun(
    fence: RunFence,
    stamp: string,
    input: {
      outcome: RunOutcome
      reason: Reason | null
      cancelledReason: Reason
      told: ToldByRun
      forgets?: boolean
      at: Millis
    },
  ): Promise<ParkedRun>

  // ---- for users ----

  /** Starts no further effects; completed ones stay. */
  cancelRun(
    accountUuid: string,
    runId: number,
    input: { reason: Reason; rowReason: Reason; at: Millis },
  ): Promise<CancelledRun>
  /** Held runs of a rule, oldest first. */
  heldRuns(accountUuid: string, automationId: number): Promise<number[]>
  /** Lets held runs continue, each not before its time, and sends held messages. Returns how many continue. */
  releaseRuns(accountUuid: string, runIds: readonly number[], input: { reason: Reason; at: Millis }): Promise<number>
  /**
   * "It went out" sets `sent` with that reason. "Send it" plans the row again as a released one and stops counting
   * `message`, counted as perhaps sent. An ended run continues, so dependent steps start and its outcome is correct.
   */
  settleUnknown(
    accountUuid: string,
    runId: number,
    row: { stepId: string; itemKey: string },
    input:
      | { decision: 'went_out'; reason: Reason; at: Millis }
      | { decision: 'send'; message: MessageNote | null; at: Millis },
  ): Promise<SettledByPerson>
  findJournalRow(
    accountUuid: string,
    runId: number,
    row: { stepId: string; itemKey: string },
  ): Promise<JournalRow | null>
  /**
   * Repeats the failed steps and those not started because of them: same run, same keys, same texts. Plans a failed
   * plan anew.
   */
  rerunFailed(accountUuid: string, runId: number, input: { reason: Reason; at: Millis }): Promise<RerunFailed>
  findRunToRepeat(accountUuid: string, runId: number): Promise<RunToRepeat | null>
}
