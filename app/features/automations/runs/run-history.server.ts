// The history of runs, for calls and screens.

import type { App } from '#app/context/app-context.ts'
import { LAST_RUNS, type RunQuery, type RunRecord } from '#app/domain/automations/run-record.ts'
import { type Execution, executionOf } from './run-history.ts'

type HistoryApp = Pick<App, 'store'>

/** More at once is never answered. */
const MOST_AT_ONCE = 100

/** Newest first; without a query the last 20 over all rules of the account. */
export async function listExecutions(
  { store }: HistoryApp,
  accountUuid: string,
  query: Partial<RunQuery> = {},
): Promise<Execution[]> {
  const limit = Math.min(query.limit ?? LAST_RUNS.limit, MOST_AT_ONCE)
  return (await store.runs.listRuns(accountUuid, { ...LAST_RUNS, ...query, limit })).map(executionOf)
}

/** Null = no such run of this account. */
export async function findExecution(
  { store }: HistoryApp,
  accountUuid: string,
  runId: number,
): Promise<Execution | null> {
  const run = await store.runs.findRun(accountUuid, runId)
  return run && executionOf(run)
}

/** A run of an account with its journal; null = no such run. */
export async function findRun({ store }: HistoryApp, accountUuid: string, runId: number): Promise<RunRecord | null> {
  return store.runs.findRun(accountUuid, runId)
}
