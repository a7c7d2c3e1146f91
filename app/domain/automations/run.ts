// A run, as the history, the API calls and the engine share it.
import type { Reason } from '#app/domain/reason.ts'

export type RunSource = 'webhook' | 'poll' | 'manual' | 'person'
export type RunState = 'queued' | 'running' | 'waiting' | 'held' | 'done'
export type RunOutcome = 'success' | 'partial' | 'failure' | 'nothing' | 'cancelled'
/** `unknown` = may have been sent: only a person can settle it. */
export type StepState = 'planned' | 'sending' | 'sent' | 'failed' | 'unknown' | 'skipped' | 'held'

/** An own write of this field means that the run created the record. */
export const CREATED_FIELD = 'uuid'
/** The ledger's occurrence for a record that the rule created itself: a rule never reacts to its own changes. */
export const CREATED_BY_RULE = 'created'

/** The run's cause, in the shape of the specification's execution entity. */
export interface TriggerData {
  description: string
  object: string
  manualTrigger: boolean
  conditionMatching: {
    totalRecords: number
    matchedRecords: {
      jobId: string
      /** The customer's uuid; '' or missing = unknown. */
      companyUuid?: string
      status: string
      jobDescription: string
      companyName: string
      jobAddress: string
      totalInvoiceAmount: string
    }[]
  } | null
  /** Values for placeholders that are not in a record: `date`, `company_uuid`, `description`. */
  values: Record<string, string>
  /** True = a person skipped the conditions. */
  bypassedConditions: boolean
  /** Set when a call asked for something the rule does only once: the run records this and does nothing. */
  doneBefore?: Reason
  /** A list and the dates in its words are as of then, epoch ms; missing = as of when a step is planned. */
  asOf?: number
  /** The field changes that triggered it, where known. */
  changes: { field: string; from: string | null; to: string }[]
}

/** What a run is about. */
export interface RunSubject {
  automationId: number
  version: number
  source: RunSource
  object: string
  recordUuids: readonly string[]
  groupKey: string | null
  triggerData: TriggerData
}

/** A run to create, with its ledger rows: both are stored or neither. */
export interface RunRequest extends RunSubject {
  /** Ledger rows this run claims; if one is already taken, the run is not created. Empty for a manual run. */
  ledger: readonly { recordUuid: string; occurrence: string; expiresAt: number | null }[]
  hop: number
  /** Does not start before this time, epoch ms. */
  wakeAt: number
  /** Held = waits for a person ("ask me first", flood), with the reason. */
  held: Reason | null
  /** Why it starts only at `wakeAt`, where that needs an explanation; missing = it only settles. */
  waits?: Reason
  /** True = starts despite ledger entries, because a person has seen them. The ledger still records it. */
  again?: boolean
  replayOf: number | null
}

export type StartedRun =
  | { outcome: 'started'; runId: number }
  | { outcome: 'done_before'; recordUuid: string; occurrence: string }
