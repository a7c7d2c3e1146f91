// The addresses of the run pages, read and written here, so every link uses the same format.
import type { AutomationAccount } from './automation-address.ts'

export const RUNS_PATH = '/automation/runs'

const HISTORY_VIEWS = ['runs', 'upcoming', 'why'] as const
/** Past runs · upcoming runs · why something did not happen. */
type HistoryView = (typeof HISTORY_VIEWS)[number]

/** The part of a query that names the account. */
export function historyQuery({ accountUUID, admin }: AutomationAccount, view: HistoryView = 'runs') {
  return { accountUUID, ...(admin && { admin: 'yes' }), ...(view !== 'runs' && { view }) }
}

/** The list with its filter. Empty values are left out. */
export function runsAddress(
  account: AutomationAccount,
  asked: Readonly<Record<string, string>> = {},
  view: HistoryView = 'runs',
): string {
  const filled = Object.entries(asked).filter(([, value]) => value !== '')
  return `${RUNS_PATH}?${new URLSearchParams([...Object.entries(historyQuery(account, view)), ...filled])}`
}

/** "Why did this job not fire?"; `job` = its number or uuid. */
export function whyAddress(account: AutomationAccount, job = ''): string {
  return runsAddress(account, { job }, 'why')
}

/** The page of one run. */
export function runAddress(account: AutomationAccount, runId: number): string {
  return `${RUNS_PATH}/${runId}?${new URLSearchParams(historyQuery(account))}`
}

export function readHistoryView(params: URLSearchParams): HistoryView {
  return HISTORY_VIEWS.find((view) => view === params.get('view')) ?? 'runs'
}
