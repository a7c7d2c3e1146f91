/** Rules' verdicts on a record, and upcoming runs: for the questions "why not?" and "what is next?". */
import type { Millis } from '#app/lib/clock.ts'
import type { NewVerdict } from './triggers.ts'

export interface StoredVerdict extends Omit<NewVerdict, 'recordUuid'> {
  at: Millis
  /** The run it started. */
  runId: number | null
}

/** A firing of a rule on a record, or a match that existed when the rule was switched on (`runId` null). */
export interface LedgerEntry {
  automationId: number
  runId: number | null
  at: Millis
}

export interface VerdictStore {
  /** The latest verdict of each rule of the account that is not deleted. */
  verdictsOn(accountUuid: string, recordUuid: string): Promise<StoredVerdict[]>
  /** The latest entry of each rule of the account that is not deleted. */
  ledgerOn(accountUuid: string, recordUuid: string): Promise<LedgerEntry[]>
  /** Runs that continue automatically later, soonest first; those behind the run `after`, if any. */
  upcomingRuns(accountUuid: string, now: Millis, limit: number, after?: number | null): Promise<number[]>
}
