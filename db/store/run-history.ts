import type { RunQuery, RunRecord } from '#app/domain/automations/run-record.ts'

/** The history of runs. */

export interface RunHistoryStore {
  /** Newest first. Scans the account's runs in steps, so a search for something rare blocks nothing. */
  listRuns(accountUuid: string, query: RunQuery): Promise<RunRecord[]>
  findRun(accountUuid: string, runId: number): Promise<RunRecord | null>
  /** Runs waiting for a person; counted up to `most`. */
  countRunsThatNeedPerson(accountUuid: string, most: number): Promise<number>
}
