// A run as it is stored and asked for.
import type { CodedReason, Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { JournalRow } from './journal-row.ts'
import type { RuleDefinition } from './rule.ts'
import type { RunOutcome, RunSource, RunState, TriggerData } from './run.ts'

/** A run with everything that is kept of it. */
export interface RunRecord {
  id: number
  accountUuid: string
  automationId: number
  /** As it was called at the version it began with. */
  ruleName: string
  version: number
  /** What the rule said; null = no longer known. */
  definition: RuleDefinition | null
  source: RunSource
  object: string
  recordUuids: string[]
  groupKey: string | null
  triggerData: TriggerData
  state: RunState
  outcome: RunOutcome | null
  reason: Reason | null
  /** Why nothing is done for the account at all (`PlanHold`); null or absent = it is, or the run is over. */
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

/** `needs_you` = held, or something in it may have been sent. */
export type RunStatus = (typeof RUN_STATUSES)[number]

export interface RunQuery {
  limit: number
  /** Only runs older than this one (keyset). */
  before: number | null
  automationId: number | null
  status: RunStatus | null
  /** Begun at or after, and before, these moments. */
  since: Millis | null
  until: Millis | null
  recordUuid: string | null
  /** Part of a rule's name, a job number, a customer, a text that was sent; case is ignored. */
  text: string | null
  /** Does the sentence of a reason hold `text`? Absent = reasons are not looked through. */
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
