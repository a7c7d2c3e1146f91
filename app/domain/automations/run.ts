// A run as the history, the calls and the engine speak of it.
import type { Reason } from '#app/domain/reason.ts'

export type RunSource = 'webhook' | 'poll' | 'manual' | 'person'
export type RunState = 'queued' | 'running' | 'waiting' | 'held' | 'done'
export type RunOutcome = 'success' | 'partial' | 'failure' | 'nothing' | 'cancelled'
/** `unknown` = may have been sent: only a person settles it. */
export type StepState = 'planned' | 'sending' | 'sent' | 'failed' | 'unknown' | 'skipped' | 'held'

/** Why it ran, as the specification's execution entity has it. */
export interface TriggerData {
  description: string
  object: string
  manualTrigger: boolean
  conditionMatching: {
    totalRecords: number
    matchedRecords: {
      jobId: string
      /** The customer's; '' or absent = not known. */
      companyUuid?: string
      status: string
      jobDescription: string
      companyName: string
      jobAddress: string
      totalInvoiceAmount: string
    }[]
  } | null
  /** Values for placeholders that no record carries: `date`, `company_uuid`, `description`. */
  values: Record<string, string>
  /** True = a person went past the conditions. */
  bypassedConditions: boolean
  /** Present = a call asked for what the rule does once: the run says so, and does nothing. */
  doneBefore?: Reason
  /** Field changes that set it off, where known. */
  changes: { field: string; from: string | null; to: string }[]
}

/** A run to be made, with what the ledger must hold for it: both or neither is stored. */
export interface RunRequest {
  automationId: number
  version: number
  source: RunSource
  object: string
  recordUuids: readonly string[]
  groupKey: string | null
  triggerData: TriggerData
  /** Ledger rows that this run takes; if one is taken already, the run is not made. Empty for a person's wish. */
  ledger: readonly { recordUuid: string; occurrence: string; expiresAt: number | null }[]
  hop: number
  /** Not before this moment, epoch ms. */
  wakeAt: number
  /** Held = waits for a person ("ask me first", flood), with the reason. */
  held: Reason | null
  /** Why it does not begin before `wakeAt`, where a person would ask; absent = it only settles. */
  waits?: Reason
  /** True = what the ledger knows does not hold it back: a person has seen it. It is noted there all the same. */
  again?: boolean
  replayOf: number | null
}

export type StartedRun =
  | { outcome: 'started'; runId: number }
  | { outcome: 'done_before'; recordUuid: string; occurrence: string }
