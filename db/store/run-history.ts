import type { RunQuery, RunRecord } from '#app/domain/automations/run-record.ts'

/** The history of runs. */

export interface RunHistoryStore {
  /** Newest first. Looks through the account's runs in steps, so that a search for something rare holds nobody up. */
  listRuns(accountUuid: string, query: RunQuery): Promise<RunRecord[]>
  findRun(accountUuid: string, runId: number): Promise<RunRecord | null>
  /** Runs that wait for a person; counted up to `most`. */
  countRunsThatNeedPerson(accountUuid: string, most: number): Promise<number>
}
