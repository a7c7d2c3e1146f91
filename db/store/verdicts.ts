/** What rules made of a record, and what is still to come: for the questions "why not?" and "what is next?". */
import type { Millis } from '#app/lib/clock.ts'
import type { Verdict } from './triggers.ts'

export interface StoredVerdict {
  automationId: number
  verdict: Verdict
  at: Millis
  /** JSON: why, with the value seen. */
  detail: string | null
  /** The run it led to. */
  runId: number | null
}

/** What a rule did about a record, or was there when it was switched on (`runId` null). */
export interface LedgerEntry {
  automationId: number
  runId: number | null
  at: Millis
}

export interface VerdictStore {
  /** The latest of each rule of the account that is not deleted. */
  verdictsOn(accountUuid: string, recordUuid: string): Promise<StoredVerdict[]>
  /** The latest of each rule of the account that is not deleted. */
  ledgerOn(accountUuid: string, recordUuid: string): Promise<LedgerEntry[]>
  /** Runs that go on by themselves at a later moment, the next one first. */
  upcomingRuns(accountUuid: string, now: Millis, limit: number): Promise<number[]>
}
