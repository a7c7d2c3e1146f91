// The search form of the run history, as pages draw it. Parsing is in `history-page.server.ts`, which imports the rules'
// schema: too heavy for a page's script.
import type { RunStatus } from '#app/domain/automations/run-record.ts'
import type { AnswerView, ListeningNote } from '../listening/answers.ts'
import type { RunLine } from './run-list-view.ts'
import { STANDING_TEXTS } from './run-marks.ts'

/** In form order. Texts as typed; empty = any. */
const HISTORY_FIELDS = ['text', 'rule', 'status', 'from', 'until', 'record'] as const
export type HistoryField = (typeof HISTORY_FIELDS)[number]
export type HistoryForm = Record<HistoryField, string>

export const STATUS_LABELS: Readonly<Record<RunStatus, string>> = {
  ...STANDING_TEXTS,
  needs_you: 'Needs you',
  queued: STANDING_TEXTS.working,
}

export function historyFormOf(params: URLSearchParams): HistoryForm {
  const form = {} as HistoryForm
  for (const field of HISTORY_FIELDS) form[field] = (params.get(field) ?? '').trim().slice(0, 200)
  return form
}

export function asksNothingOfHistory(form: HistoryForm): boolean {
  return HISTORY_FIELDS.every((field) => form[field] === '')
}

export interface HistoryData {
  form: HistoryForm
  errors: Record<string, string[]>
  /** Null when `errors` prevented the search. */
  lines: RunLine[] | null
  /** Cursor of the older runs; null = there are none. */
  next: number | null
  /** True on every page but the first. */
  isOlder: boolean
  /** Options of the rule filter. */
  rules: { id: number; name: string }[]
  /** Runs of the chosen rule that wait for a person; 0 without one. */
  held: number
  /** What customers answered and nobody has decided about; empty on older pages. */
  answers: AnswerView[]
  moreAnswers: boolean
  listening: ListeningNote
}
