/** Runs and their journal: from the wish to the last row, and what a person decides in between. */

import type { StepResult } from '#app/domain/automations/effect.ts'
import type { JournalEffect, JournalRow, PlanNotes, Try } from '#app/domain/automations/journal-row.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import type {
  RunOutcome,
  RunRequest,
  RunSource,
  RunState,
  StartedRun,
  StepState,
  TriggerData,
} from '#app/domain/automations/run.ts'
import type { Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { MessageNote } from './run-guards.ts'

/** A run that can go on now. */
export interface DueRun {
  id: number
  accountUuid: string
  recordUuids: string[]
  /** Somebody had it at work: this process, or one that is gone. */
  begun: boolean
}

/** The rule a run belongs to: what it said when the run began, and how it stands now. */
export interface RuleOfRun {
  name: string
  /** At the version the run began with; null = no longer known. */
  definition: RuleDefinition | null
  active: boolean
  deleted: boolean
  pausedReason: Reason | null
}

export interface ClaimedRun {
  id: number
  accountUuid: string
  automationId: number
  version: number
  source: RunSource
  object: string
  recordUuids: string[]
  groupKey: string | null
  triggerData: TriggerData
  hop: number
  createdAt: Millis
  startedAt: Millis
  /** Why it was queued, waited or was held until now. */
  reason: Reason | null
  /** No step was planned yet. */
  fresh: boolean
  rule: RuleOfRun
}

/** Who writes: every write of the journal names it, and is refused once another process has the run. */
export interface RunFence {
  accountUuid: string
  runId: number
  owner: string
}

/** The journal as it is now, with a text that changes whenever a row of it does. */
export interface SeenJournal {
  rows: JournalRow[]
  stamp: string
  /** A person cancelled it while it was at work. */
  cancelled: { reason: Reason | null } | null
}

export interface NewJournalRow {
  stepId: string
  itemKey: string
  state: StepState
  attempt: number
  clientUuid: string
  effect: JournalEffect
  notes: PlanNotes | null
  errorClass: string | null
  sentence: Reason | null
  nextAttemptAt: Millis | null
  /** When its step was first thought about: a plan that is made anew keeps it. */
  plannedAt: Millis
  endedAt: Millis | null
}

/** A row as it was seen; a write goes through only while it is still so. */
export interface RowSeen {
  stepId: string
  itemKey: string
  state: StepState
  attempt: number
}

/** How a row stands from now on. */
export interface RowWrite {
  state: StepState
  attempt: number
  errorClass: string | null
  sentence: Reason | null
  nextAttemptAt: Millis | null
  result: StepResult | null
  tries: Try[]
  released: boolean
  at: Millis
}

/** A field one of our runs writes: the event it causes is recognised as ours. */
export interface FieldWrite {
  object: string
  recordUuid: string
  field: string
  value: string
  automationId: number
  hop: number
}

/** `changed` = somebody wrote meanwhile: look again. `lost` = the run is somebody else's. */
export type ParkedRun = 'parked' | 'changed' | 'lost'

export type CancelledRun =
  | { outcome: 'cancelled' }
  /** It is at work: it ends before its next effect. */
  | { outcome: 'cancelling' }
  | { outcome: 'done_already' }
  | { outcome: 'not_found' }

export type SettledByPerson =
  | { outcome: 'settled' }
  /** The row is in another state by now. */
  | { outcome: 'not_open' }
  | { outcome: 'not_found' }

export type RerunFailed = { outcome: 'again'; rows: number } | { outcome: 'nothing_failed' } | { outcome: 'not_found' }

/** All that is needed to do a run once more. */
export interface RunToRepeat {
  automationId: number
  version: number
  source: RunSource
  object: string
  recordUuids: string[]
  groupKey: string | null
  triggerData: TriggerData
  state: RunState
  outcome: RunOutcome | null
  /** Messages to customers that it has sent, or may have sent. */
  customerMessages: number
  rule: RuleOfRun & { version: number }
}

export interface RunStore {
  /**
   * Each wish on its own: its run row and all of its ledger rows, or neither. One transaction for all. Counts the execution
   * of the rule. Answers in the order asked.
   */
  startRuns(accountUuid: string, requests: readonly RunRequest[], now: Millis): Promise<StartedRun[]>
  /**
   * One run for everybody who comes with one of the keys until they expire. `repeated` = there was one already: it is the
   * answer, and nothing was started.
   */
  startRunOnce(
    accountUuid: string,
    request: RunRequest,
    keys: readonly { key: string; expiresAt: Millis }[],
    now: Millis,
  ): Promise<StartedRun | { outcome: 'repeated'; runId: number }>
  /** The run that `startRunOnce` would answer for the key as `repeated`; null = none. */
  findStartedRun(accountUuid: string, automationId: number, key: string, now: Millis): Promise<number | null>

  // ---- for the engine, which serves every account ----

  /** Runs that can go on, the longest due of each account first, at most so many of one account. */
  dueRuns(now: Millis, perAccount: number): Promise<DueRun[]>
  /** The earliest moment after `now` at which a run can go on; null = none waits for a moment. */
  nextRunDueAt(now: Millis): Promise<Millis | null>
  /** Makes it ours, whoever worked on it before. Null = it cannot go on now. */
  claimRun(accountUuid: string, runId: number, owner: string, now: Millis): Promise<ClaimedRun | null>
  /** Null = the run is somebody else's by now, or ended. */
  readJournal(fence: RunFence): Promise<SeenJournal | null>
  /**
   * Commit 1 of a step: its effects with their final texts. Rows of the step that stood for a plan not yet made give way.
   * False = the run is not ours, was cancelled, or the step has effects already.
   */
  planEffects(fence: RunFence, stepId: string, rows: readonly NewJournalRow[]): Promise<boolean>
  /** Commit 2: from now on it may have been done. `writes` are recognised as ours when they come back as events. */
  beginSending(fence: RunFence, row: RowSeen, input: { writes: readonly FieldWrite[]; at: Millis }): Promise<boolean>
  /**
   * Commit 3: what became of it. Needs no fence: the truth about a try counts even when it comes late, as long as nobody has
   * tried again. `message` is noted in the same transaction, for cool-downs and caps.
   */
  endSending(
    accountUuid: string,
    runId: number,
    row: { stepId: string; itemKey: string; attempt: number },
    write: RowWrite,
    input: { message: MessageNote | null; writes: readonly FieldWrite[] },
  ): Promise<boolean>
  /** A row that is not sent now: moved, held, skipped. False = it is not as it was seen. */
  setRow(fence: RunFence, row: RowSeen, write: RowWrite): Promise<boolean>
  /** Puts the run away until a moment, or until a person decides. `stamp` = the journal as it was when this was decided. */
  parkRun(
    fence: RunFence,
    stamp: string,
    input: { state: 'waiting' | 'held'; wakeAt: Millis; reason: Reason },
  ): Promise<ParkedRun>
  /** Ends it. What is not done yet of a cancelled one is skipped with `cancelledReason`. */
  finishRun(
    fence: RunFence,
    stamp: string,
    input: { outcome: RunOutcome; reason: Reason | null; cancelledReason: Reason; at: Millis },
  ): Promise<ParkedRun>

  // ---- for people ----

  /** Nothing of it begins any more; what is done stays done. */
  cancelRun(
    accountUuid: string,
    runId: number,
    input: { reason: Reason; rowReason: Reason; at: Millis },
  ): Promise<CancelledRun>
  /** Held runs of a rule, oldest first. */
  heldRuns(accountUuid: string, automationId: number): Promise<number[]>
  /** A held run goes on, and its held messages are sent. Answers with how many runs go on. */
  releaseRuns(accountUuid: string, runIds: readonly number[], input: { reason: Reason; at: Millis }): Promise<number>
  /**
   * "It went out": `sent` with that reason. "Send it": planned again, as a held one that was let go, and `message`, which
   * was counted as perhaps sent, no longer counts. An ended run goes on, so that what needed it begins and its outcome is right.
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
   * What failed, or was not begun because of it, is done again: same run, same keys, same texts; a plan that failed is made
   * anew.
   */
  rerunFailed(accountUuid: string, runId: number, input: { reason: Reason; at: Millis }): Promise<RerunFailed>
  findRunToRepeat(accountUuid: string, runId: number): Promise<RunToRepeat | null>
}
