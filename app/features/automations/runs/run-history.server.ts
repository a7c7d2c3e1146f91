// The history of runs, for API and pages.
import type { App } from '#app/context/app-context.ts'
import { runReasonText } from '#app/domain/automations/run-reasons.ts'
import { LAST_RUNS, type RunQuery } from '#app/domain/automations/run-record.ts'
import { foldedForSearch } from '#app/lib/plain-text.ts'
import { type Execution, executionOf } from './run-history.ts'

type HistoryApp = Pick<App, 'store'>

/** Maximum number of runs per answer. */
const MOST_AT_ONCE = 100

/** Newest first; without a query the last 20 across all rules of the account. */
export async function listExecutions(
  { store }: HistoryApp,
  accountUuid: string,
  query: Partial<RunQuery> = {},
): Promise<Execution[]> {
  const limit = Math.min(query.limit ?? LAST_RUNS.limit, MOST_AT_ONCE)
  const says = saysText(query.text ?? '')
  return (await store.runs.listRuns(accountUuid, { ...LAST_RUNS, ...query, limit, says })).map(executionOf)
}

/** Null = the account has no such run. */
export async function findExecution(
  { store }: HistoryApp,
  accountUuid: string,
  runId: number,
): Promise<Execution | null> {
  const run = await store.runs.findRun(accountUuid, runId)
  return run && executionOf(run)
}

/** Reasons are stored as codes; the search matches their texts. */
function saysText(text: string): NonNullable<RunQuery['says']> {
  const wanted = foldedForSearch(text)
  return (reason) => foldedForSearch(runReasonText(reason)).includes(wanted)
}
