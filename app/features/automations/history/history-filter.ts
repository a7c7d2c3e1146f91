// Parses the search form of the run history, or rejects it field by field.
import { RUN_STATUSES, type RunQuery } from '#app/domain/automations/run-record.ts'
import { startOfDay } from '#app/domain/time/local-time.ts'
import { parseRuleId } from '../rules/rule-form.ts'
import { type HistoryField, type HistoryForm, historyFormOf } from './history-form.ts'

/** Runs per page. */
export const RUNS_PAGE = 25

const MESSAGES = {
  rule: 'There is no such automation.',
  status: `Must be one of ${RUN_STATUSES.join(', ')}.`,
  day: 'Must be a date, like 2026-11-21.',
  order: 'This is before the beginning.',
  record: 'Must be the id of a record.',
  before: 'Must be the number of a run.',
} as const

type ReadHistory =
  | { outcome: 'query'; query: RunQuery; form: HistoryForm }
  | { outcome: 'invalid'; errors: Record<string, string[]>; form: HistoryForm }

/** Days are in the account's time zone; `until` is included. */
export function readHistory(params: URLSearchParams, timezone: string): ReadHistory {
  const form = historyFormOf(params)
  const errors: Record<string, string[]> = {}
  function field<T>(name: HistoryField | 'before', text: string, message: string, parse: (text: string) => T | null) {
    const value = text === '' ? null : parse(text)
    if (text !== '' && value === null) errors[name] = [message]
    return value
  }
  const since = field('from', form.from, MESSAGES.day, (text) => startOfDay(text, 0, timezone))
  const until = field('until', form.until, MESSAGES.day, (text) => startOfDay(text, 1, timezone))
  if (since !== null && until !== null && until <= since) errors.until = [MESSAGES.order]
  const query: RunQuery = {
    // One more than shown, to detect older runs.
    limit: RUNS_PAGE + 1,
    before: field('before', params.get('before') ?? '', MESSAGES.before, parseRuleId),
    automationId: field('rule', form.rule, MESSAGES.rule, parseRuleId),
    status: field(
      'status',
      form.status,
      MESSAGES.status,
      (text) => RUN_STATUSES.find((status) => status === text) ?? null,
    ),
    since,
    until,
    recordUuid: field('record', form.record, MESSAGES.record, (text) =>
      /^[\w-]{8,100}$/.test(text) ? text.toLowerCase() : null,
    ),
    text: form.text === '' ? null : form.text,
  }
  return Object.keys(errors).length > 0 ? { outcome: 'invalid', errors, form } : { outcome: 'query', query, form }
}
