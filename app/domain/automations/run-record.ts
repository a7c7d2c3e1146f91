// A run as it is stored and searched.
import type { CodedReason, Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { JournalRow } from './journal-row.ts'
import type { RuleDefinition } from './rule.ts'
import type { RunOutcome, RunState, RunSubject } from './run.ts'

/** A run with all its stored data. */
export interface RunRecord extends RunSubject {
  id: number
  accountUuid: string
  /** The rule's name at the run's version. */
  ruleName: string
  /** The definition at that version; null = no longer known. */
  definition: RuleDefinition | null
  recordUuids: string[]
  state: RunState
  outcome: RunOutcome | null
  reason: Reason | null
  /** Why the whole account is on hold (`PlanHold`); null or missing = it is not, or the run has ended. */
  accountHold?: string | null
  wakeAt: Millis
  replayOf: number | null
  hop: number
  createdAt: Millis
  startedAt: Millis | null
  endedAt: Millis | null
  journal: JournalRow[]
}

export const RUN_STATUSES = [
  'success',
  'partial',
  'failure',
  'nothing',
  'cancelled',
  'queued',
  'waiting',
  'held',
  'needs_you',
] as const

/** `needs_you` = held, or part of it may have been sent. */
export type RunStatus = (typeof RUN_STATUSES)[number]

export interface RunQuery {
  limit: number
  /** Only runs older than this one (keyset). */
  before: number | null
  automationId: number | null
  status: RunStatus | null
  /** Set off or started at or after `since` and before `until`: a run that waited is of both days, and of none between. */
  since: Millis | null
  until: Millis | null
  recordUuid: string | null
  /** Records of `recordUuid`, like the bookings of a job: their runs are found too. */
  belonging?: readonly string[]
  /** Part of a rule's name, a job number, a customer or a sent text; ignores case and the kind of an apostrophe. */
  text: string | null
  /** Records that people call `text`: a run says nothing of the job of a booking. */
  called?: readonly string[]
  /** Does the sentence of a reason contain `text`? Missing = reasons are not searched. */
  says?: (reason: CodedReason) => boolean
}

export const LAST_RUNS: RunQuery = {
  limit: 20,
  before: null,
  automationId: null,
  status: null,
  since: null,
  until: null,
  recordUuid: null,
  text: null,
}
