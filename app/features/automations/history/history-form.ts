// The form over the history of runs, as pages draw it. Reading it is `history-filter.ts`: that brings the rules' schema along, which
// is too much for a page's script.
import type { RunStatus } from '#app/domain/automations/run-record.ts'

/** In the order of the form. Texts as typed; empty = does not matter. */
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
