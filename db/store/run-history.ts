import type { RunOutcome } from '#app/domain/automations/run.ts'
import type { RunQuery, RunRecord } from '#app/domain/automations/run-record.ts'
import type { Millis } from '#app/lib/clock.ts'

/** The history of runs. */

export interface RecentRun {
  automationId: number
  createdAt: Millis
  /** Null = it has not ended. */
  outcome: RunOutcome | null
}

export interface RunHistoryStore {
  /** Newest first. Scans the account's runs in steps, so a search for something rare blocks nothing. */
  listRuns(accountUuid: string, query: RunQuery): Promise<RunRecord[]>
  findRun(accountUuid: string, runId: number): Promise<RunRecord | null>
  /** Runs waiting for a person; counted up to `most`. */
  /** The newest runs of the account, at most `limit`, newest first: what bars by day need. */
  recentRuns(accountUuid: string, limit: number): Promise<RecentRun[]>
  countRunsThatNeedPerson(accountUuid: string, most: number): Promise<number>
}
