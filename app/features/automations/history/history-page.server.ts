// Loads the run pages: history, upcoming runs, and one run in detail.
import type { App } from '#app/context/app-context.ts'
import { runReasonText } from '#app/domain/automations/run-reasons.ts'
import { RUN_STATUSES, type RunQuery, type RunRecord } from '#app/domain/automations/run-record.ts'
import { type NamesOf, withoutJobWord } from '#app/domain/record-name.ts'
import { startOfDay, todayOf, wallOfDay } from '#app/domain/time/local-time.ts'
import type { Millis } from '#app/lib/clock.ts'
import { momentOfWall } from '#app/lib/zone.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import { loadAnswers } from '../listening/answers.server.ts'
import { messagesText } from '../page/run-days.ts'
import { parseRuleId } from '../rules/rule-form.ts'
import { judgedAt } from '../rules/rule-place.server.ts'
import { collectsUntil, scheduleText, timesOf } from '../rules/timing/schedule.ts'
import { hashesOfReceiver } from '../runs/run-guards.server.ts'
import { listExecutions } from '../runs/run-history.server.ts'
import { type Execution, executionOf } from '../runs/run-history.ts'
import { channelOf, isCustomerMessage } from '../runs/run-messages.ts'
import type { MetCustomer } from '../settings/mute.ts'
import { type HistoryData, type HistoryField, type HistoryForm, historyFormOf } from './history-form.ts'
import { customersOfRun } from './mutes.server.ts'
import { type RunView, runView } from './run-detail-view.ts'
import { type RunLine, runLine, type UpcomingData } from './run-list-view.ts'

type HistoryApp = Pick<App, 'store' | 'clock'> & { namesOf: NamesOf }

/** More messages to one customer in a day are not counted. */
const MOST_TODAY = 100

/** As many as Find a delivery takes. */
const MOST_CALLED = 10_000

/** Counting stops here: `99+`. */
const MOST_COUNTED = 100
const MOST_UPCOMING = 50

/** `query` = the page's: the fields of the search form and `before`. */
export async function loadHistory(
  app: HistoryApp,
  accountUuid: string,
  query: URLSearchParams,
  timezone: string,
): Promise<HistoryData> {
  const read = readHistory(query, timezone)
  const rules = (await app.store.automations.listAutomations(accountUuid)).map(({ id, name }) => ({ id, name }))
  const isOlder = query.has('before')
  const heard = isOlder ? { answers: [], moreAnswers: false, listening: null } : await loadAnswers(app, accountUuid)
  const page = { form: read.form, rules, isOlder, ...heard }
  if (read.outcome === 'invalid') return { ...page, errors: read.errors, lines: null, next: null, held: 0 }
  const { automationId, text, recordUuid } = read.query
  const [called, belonging] = await Promise.all([text, recordUuid].map((asked) => recordsOf(app, accountUuid, asked)))
  const [executions, held] = await Promise.all([
    listExecutions(app, accountUuid, { ...read.query, called, belonging }),
    automationId === null ? [] : app.store.runs.heldRuns(accountUuid, automationId),
  ])
  const shown = executions.slice(0, RUNS_PAGE)
  return {
    ...page,
    errors: {},
    lines: await linesOf(app, accountUuid, shown),
    next: executions.length > RUNS_PAGE ? (shown.at(-1)?.id ?? null) : null,
    held: held.length,
  }
}

/** A booking or a note is found by its job and its customer, as the page calls it. */
async function recordsOf({ store }: HistoryApp, accountUuid: string, asked: string | null): Promise<string[]> {
  return asked === null ? [] : (await store.records.listRecordsCalled(accountUuid, asked, MOST_CALLED)).uuids
}

/** Counts runs that wait for a person; `MOST_COUNTED` means at least that many. */
export function countNeedsPerson(app: Pick<App, 'store'>, accountUuid: string): Promise<number> {
  return app.store.runs.countRunsThatNeedPerson(accountUuid, MOST_COUNTED)
}

/** `after` = the last run of the page before; null = the first page. */
export async function loadUpcoming(
  app: HistoryApp,
  accountUuid: string,
  after: number | null = null,
): Promise<UpcomingData> {
  const { automations } = app.store
  const found = await automations.upcomingRuns(accountUuid, app.clock.now(), MOST_UPCOMING + 1, after)
  const ids = found.slice(0, MOST_UPCOMING)
  const runs = await Promise.all(ids.map((id) => app.store.runs.findRun(accountUuid, id)))
  const executions = runs.flatMap((run) => (run === null ? [] : [executionOf(run)]))
  const zone = (await app.store.accounts.findAccount(accountUuid))?.timezone ?? 'UTC'
  const looks = (await automations.listAutomations(accountUuid)).flatMap((rule) => {
    const { id, name, active, pausedReason } = rule
    const next = active ? nextOf(rule, zone, app.clock.now()) : null
    return next === null
      ? []
      : [{ ruleId: id, name, ...next, pausedReason: pausedReason && runReasonText(pausedReason) }]
  })
  return {
    runs: await linesOf(app, accountUuid, executions),
    next: found.length > MOST_UPCOMING ? (ids.at(-1) ?? null) : null,
    isLater: after !== null,
    looks: looks.sort((a, b) => a.at - b.at),
  }
}

/** When a rule next polls, or runs its collected records; null = neither is scheduled. */
function nextOf(
  { definition: { trigger }, nextRunAt }: AutomationRow,
  zone: string,
  now: Millis,
): { schedule: string; at: Millis } | null {
  if (trigger.source === 'api_polling') {
    return nextRunAt === null ? null : { schedule: scheduleText(trigger), at: nextRunAt }
  }
  const at = collectsUntil(trigger, zone, now)
  return trigger.schedule && at !== null ? { schedule: scheduleText(timesOf(trigger.schedule)), at } : null
}

/** Null = the account has no such run. */
export async function loadRun(
  app: HistoryApp & Pick<App, 'secrets'>,
  accountUuid: string,
  runId: number,
): Promise<{ run: RunView; customers: MetCustomer[] } | null> {
  const record = await app.store.runs.findRun(accountUuid, runId)
  if (!record) return null
  const execution = executionOf(record)
  const found = await app.store.runs.findRunToRepeat(accountUuid, runId)
  const rule = await app.store.automations.findAutomation(accountUuid, record.automationId)
  const repeatable = found && { ...found, today: rule?.definition ?? null }
  const known = await knownRecords(app, accountUuid, [execution])
  return {
    run: runView(execution, repeatable, known.get(runId) ?? null, record.wakeAt > app.clock.now()),
    customers: await withGotToday(app, accountUuid, record, await customersOfRun(app, accountUuid, record)),
  }
}

/** What the run's customer got today, at the receivers of the run. Several customers are not told apart. */
async function withGotToday(
  app: HistoryApp & Pick<App, 'secrets'>,
  accountUuid: string,
  { journal }: Pick<RunRecord, 'journal'>,
  customers: MetCustomer[],
): Promise<MetCustomer[]> {
  const [only] = customers
  const sent = journal.flatMap(({ effect }) => (isCustomerMessage(effect) ? [effect] : []))
  if (!only || customers.length > 1 || sent.length === 0) return customers
  const at = await judgedAt(app, accountUuid)
  const dayStart = momentOfWall(wallOfDay(todayOf(at)), at.zone).at
  const hashes = await Promise.all(
    sent.map((effect) => hashesOfReceiver(app, accountUuid, channelOf(effect), effect.to)),
  )
  const got = await app.store.runs.messagesTo(accountUuid, [...new Set(hashes.flat())], MOST_TODAY)
  const today = got.filter((message) => message.at >= dayStart)
  const sms = today.filter(({ channel }) => channel === 'sms').length
  const gotToday = messagesText({ sms, email: today.length - sms })
  return gotToday === '' ? customers : [{ ...only, gotToday }]
}

async function linesOf(app: HistoryApp, accountUuid: string, executions: Execution[]): Promise<RunLine[]> {
  const known = await knownRecords(app, accountUuid, executions)
  return executions.map((execution) => runLine(execution, known.get(execution.id) ?? null))
}

/** Names of the records that the runs do not describe themselves, by run. */
async function knownRecords(app: HistoryApp, accountUuid: string, executions: readonly Execution[]) {
  const bare = executions.flatMap(({ id, object, recordUuids, triggerData }) => {
    const [recordUuid] = recordUuids
    const isNamed = (triggerData.conditionMatching?.matchedRecords[0]?.companyName ?? '') !== ''
    return recordUuids.length !== 1 || recordUuid === undefined || isNamed ? [] : [{ id, object, recordUuid }]
  })
  const names = await app.namesOf(accountUuid, bare)
  return new Map(bare.flatMap(({ id, recordUuid }) => [[id, names.get(recordUuid) ?? null] as const]))
}

// Parses the search form of the run history, or rejects it field by field.

/** Runs per page. */
const RUNS_PAGE = 25

const MESSAGES = {
  rule: 'There is no such automation.',
  status: `Must be one of ${RUN_STATUSES.join(', ')}.`,
  day: 'Must be a date, like 2026-11-21.',
  order: 'This is before the start.',
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
    text: withoutJobWord(form.text) || null,
  }
  return Object.keys(errors).length > 0 ? { outcome: 'invalid', errors, form } : { outcome: 'query', query, form }
}
