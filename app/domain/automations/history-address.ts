// The addresses of the run pages, read and written here, so every link uses the same format.
import { type AccountLink, accountQuery, linkTo } from '../account-address.ts'

export const RUNS_PATH = '/automation/runs'

const HISTORY_VIEWS = ['runs', 'upcoming', 'why'] as const
/** Past runs · upcoming runs · why something did not happen. */
type HistoryView = (typeof HISTORY_VIEWS)[number]

/** The part of a query that names the account. */
export function historyQuery(account: AccountLink, view: HistoryView = 'runs') {
  return { ...accountQuery(account), ...(view !== 'runs' && { view }) }
}

/** The list with its filter. Empty values are left out. */
export function runsAddress(
  account: AccountLink,
  asked: Readonly<Record<string, string>> = {},
  view: HistoryView = 'runs',
): string {
  return linkTo(RUNS_PATH, account, { ...(view !== 'runs' && { view }), ...asked })
}

/** "Why did this job not fire?"; `job` = its number or uuid. */
export function whyAddress(account: AccountLink, job = ''): string {
  return runsAddress(account, { job }, 'why')
}

/** The page of one run. */
export function runAddress(account: AccountLink, runId: number): string {
  return linkTo(`${RUNS_PATH}/${runId}`, account)
}

export function readHistoryView(params: URLSearchParams): HistoryView {
  return HISTORY_VIEWS.find((view) => view === params.get('view')) ?? 'runs'
}
