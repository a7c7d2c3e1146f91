// The search form of the run history, as pages draw it. Parsing is in `history-page.server.ts`, which imports the rules'
// schema: too heavy for a page's script.
import type { RunStatus } from '#app/domain/automations/run-record.ts'

/** In form order. Texts as typed; empty = any. */
const HISTORY_FIELDS = ['text', 'rule', 'status', 'from', 'until', 'record'] as const
export type HistoryField = (typeof HISTORY_FIELDS)[number]
export type HistoryForm = Record<HistoryField, string>

export const STATUS_LABELS: Readonly<Record<RunStatus, string>> = {
  needs_you: 'Needs you',
  success: 'Success',
  partial: 'Partial',
  failure: 'Failure',
  nothing: 'Nothing to do',
  cancelled: 'Cancelled',
  queued: 'Running',
  waiting: 'Waits',
  held: 'Held',
}

export function historyFormOf(params: URLSearchParams): HistoryForm {
  const form = {} as HistoryForm
  for (const field of HISTORY_FIELDS) form[field] = (params.get(field) ?? '').trim().slice(0, 200)
  return form
}

export function asksNothingOfHistory(form: HistoryForm): boolean {
  return HISTORY_FIELDS.every((field) => form[field] === '')
}
