import type { RunOutcome } from '#app/domain/automations/run.ts'
import type { RunQuery, RunRecord } from '#app/domain/automations/run-record.ts'
import type { Millis } from '#app/lib/clock.ts'

/** The history of runs, and how old data of automations is deleted: in steps small enough not to slow anything down. */

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
  /** The newest runs of the account, at most `limit`, newest first: what bars by day need. */
  recentRuns(accountUuid: string, limit: number): Promise<RecentRun[]>
  /** Runs waiting for a person; counted up to `most`. */
  countRunsThatNeedPerson(accountUuid: string, most: number): Promise<number>
}

/** Each kind has its own table. */
export type Leftover = 'verdict' | 'ledger' | 'own_write' | 'message' | 'trigger_call' | 'reply' | 'mute'

export interface RunUpkeepStore {
  /** Scans up to `limit` runs from `fromId` on and removes those that ended before `before`, with their journals. */
  forgetRunsStep(before: Millis, fromId: number, limit: number): Promise<{ removed: number; nextId: number | null }>
  /**
   * Removes up to `limit` rows: verdicts, own writes, messages and answers older than `before`; ledger rows, keys and mutes that
   * expired before it. Returns how many.
   */
  forgetLeftoversStep(kind: Leftover, before: Millis, limit: number): Promise<number>
}
