// Values over all records of a run: count, total, and one line per record.
import { JOB_STATUSES } from '#app/domain/automations/rule.ts'
import { dateText, moneyText, monthText, timeText, type WritingHabits } from '#app/domain/time/local-format.ts'
import { dateOf, dayOfDate, isoDate, readLocal, todayOf, weekOf } from '#app/domain/time/local-time.ts'
import type { FactPart, JudgedAt, RecordFacts } from '../records/facts.ts'
import { isNothing, readNumber } from '../records/field-value.ts'
import { partsFor, readField } from '../records/fields.ts'

/** Lines of a list; people read no further, and no message has room for more. */
const MOST_LINES = 1_000

/** The ready-made lists, by how their lines are grouped; '' = one list. */
const LISTS = ['', 'status', 'customer', 'queue', 'staff'] as const

type ListBy = (typeof LISTS)[number]

const LIST_FIELD: Readonly<Record<Exclude<ListBy, ''>, { name: string; without: string }>> = {
  status: { name: 'status', without: 'No status' },
  customer: { name: 'company_name', without: 'No customer' },
  queue: { name: 'queue_name', without: 'Not in a queue' },
  staff: { name: 'staff_name', without: 'Nobody assigned' },
}

type DigestAccount = JudgedAt & WritingHabits

/**
 * `count`, `sum_total`, `job_list` and `job_list by …`, `count.Completed` and `sum_total.Completed` for each status,
 * `all_job_ids`, `all_job_descriptions`, `all_job_addresses`. Amounts are plain (`1234.50`): `as money` formats them.
 */
export function digestValues(records: readonly RecordFacts[], account: DigestAccount): Record<string, string> {
  const values: Record<string, string> = {
    count: String(records.length),
    sum_total: plainSum(records, account),
    all_job_ids: joined(records, 'generated_job_id', account, ', '),
    all_job_descriptions: joined(records, 'job_description', account, '; '),
    all_job_addresses: joined(records, 'job_address', account, '; '),
  }
  const byStatus = Map.groupBy(records, (facts) => shown(facts, 'status', account))
  for (const status of new Set([...JOB_STATUSES, ...byStatus.keys()])) {
    if (status === '') continue
    const own = byStatus.get(status) ?? []
    values[`count.${status}`] = String(own.length)
    values[`sum_total.${status}`] = plainSum(own, account)
  }
  const customers = new Set(records.map((facts) => shown(facts, 'company_name', account)))
  const place = { account, oneCustomer: records.length > 1 && customers.size === 1 }
  const lines = inOrder(records, account)
    .slice(0, MOST_LINES)
    .map((facts) => ({ facts, line: lineOf(facts, place) }))
  const left = records.length - lines.length
  const more = left > 0 ? `\n… and ${left.toLocaleString('en')} more` : ''
  for (const by of LISTS) {
    const list = by === '' ? textOf(lines) : headed(lines, by, account)
    values[by === '' ? 'job_list' : `job_list by ${by}`] = `${list}${more}`
  }
  return values
}

interface Line {
  facts: RecordFacts
  line: string
}

function textOf(lines: readonly Line[]): string {
  return lines.map(({ line }) => `- ${line}`).join('\n')
}

function headed(lines: readonly Line[], by: Exclude<ListBy, ''>, account: DigestAccount): string {
  const { name, without } = LIST_FIELD[by]
  const groups = Map.groupBy(lines, ({ facts }) => shown(facts, name, account) || without)
  return [...groups].map(([head, own]) => `${head} (${own.length})\n${textOf(own)}`).join('\n\n')
}

/** One line for a record, with the values that identify it. */
function lineOf(
  facts: RecordFacts,
  { account, oneCustomer }: { account: DigestAccount; oneCustomer: boolean },
): string {
  const value = (name: string) => shown(facts, name, account)
  const firstOf = (...names: string[]) => names.map(value).find((text) => text !== '') ?? ''
  const moment = (name: string) => readLocal(value(name), account.zone)
  if (facts.object === 'jobactivity') {
    const start = moment('start_date')
    const parts = [firstOf('job_address'), firstOf('company_name'), firstOf('contact_mobile', 'contact_phone')]
    return [start ? timeText(start.wall, account) : '', ...parts].filter(Boolean).join(', ')
  }
  if (facts.object !== 'job') {
    const number = value('generated_job_id')
    return [number && `Job ${number}`, firstOf('company_name', 'name', 'first'), amountOf(facts, account)]
      .filter(Boolean)
      .join(', ')
  }
  const day = moment('completion_date') ?? moment('date')
  return [
    `Job ${value('generated_job_id') || facts.recordUuid}`,
    day ? dateText(day.wall, account) : '',
    oneCustomer ? '' : value('company_name'),
    value('job_address'),
    amountOf(facts, account),
  ]
    .filter(Boolean)
    .join(', ')
}

function amountOf(facts: RecordFacts, account: DigestAccount): string {
  const amount = totalOf(facts, account)
  return amount === 0 ? '' : moneyText(amount, account)
}

function totalOf(facts: RecordFacts, account: DigestAccount): number {
  const text =
    facts.object === 'jobpayment' ? shown(facts, 'amount', account) : shown(facts, 'total_invoice_amount', account)
  return readNumber(text) ?? 0
}

/** Bookings by their start, all other records oldest first. */
function inOrder(records: readonly RecordFacts[], account: DigestAccount): RecordFacts[] {
  const key = (facts: RecordFacts) => {
    const names = facts.object === 'jobactivity' ? ['start_date'] : ['completion_date', 'date', 'edit_date']
    return names.map((name) => shown(facts, name, account)).find((text) => text !== '') ?? ''
  }
  const keyed = records.map((facts) => ({ facts, at: key(facts) }))
  return keyed.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).map(({ facts }) => facts)
}

/** Adds in whole cents, so that many small amounts cause no rounding error. */
function plainSum(records: readonly RecordFacts[], account: DigestAccount): string {
  const counted = records[0]?.object === 'jobpayment' ? records : oncePerJob(records)
  const cents = counted.reduce((sum, facts) => sum + Math.round(totalOf(facts, account) * 100), 0)
  return (cents / 100).toFixed(2)
}

/** The values of a job count once, however many of its bookings there are. */
function oncePerJob(records: readonly RecordFacts[]): RecordFacts[] {
  const keyed = records.map((facts, at) => [facts.object === 'job' ? at : (facts.jobUuid ?? at), facts] as const)
  return [...new Map(keyed).values()]
}

function joined(records: readonly RecordFacts[], name: string, account: DigestAccount, between: string): string {
  return oncePerJob(records)
    .map((facts) => shown(facts, name, account))
    .filter(Boolean)
    .join(between)
    .replace(/\.+; /g, '; ')
}

/** The value on one line; '' when there is none. */
function shown(facts: RecordFacts, name: string, account: DigestAccount): string {
  const value = readField(facts, name, account) ?? ''
  return isNothing(value) ? '' : value.replace(/\s+/g, ' ').trim()
}

/**
 * `today`, `tomorrow`, `yesterday` (`2026-11-21`), `week` (`47`), `this_month`/`last_month` (`November 2026`),
 * `this_year`.
 */
export function calendarValues(at: JudgedAt): Record<string, string> {
  const today = todayOf(at)
  const { year, month } = dateOf(today)
  return {
    today: isoDate(today),
    tomorrow: isoDate(today + 1),
    yesterday: isoDate(today - 1),
    week: String(weekOf(today).week),
    this_month: monthText(today),
    last_month: monthText(dayOfDate(year, month, 1) - 1),
    this_year: String(year),
  }
}

/** The names known before any record is read: for lists to choose from, and to detect unknown names. */
export const DIGEST_NAMES: readonly string[] = [
  'count',
  'sum_total',
  ...LISTS.map((by) => (by === '' ? 'job_list' : `job_list by ${by}`)),
  'all_job_ids',
  'all_job_descriptions',
  'all_job_addresses',
  ...JOB_STATUSES.flatMap((status) => [`count.${status}`, `sum_total.${status}`]),
]

export const CALENDAR_NAMES = [
  'today',
  'tomorrow',
  'yesterday',
  'week',
  'this_month',
  'last_month',
  'this_year',
] as const

/** The parts to load for one of these names on records of an object. */
export function partsForDigest(name: string, object: string): FactPart[] {
  const field = name.startsWith('job_list by ')
    ? LIST_FIELD[name.slice('job_list by '.length) as Exclude<ListBy, ''>]
    : null
  const lists = name.startsWith('job_list') ? ['company_name', 'generated_job_id', ...(field ? [field.name] : [])] : []
  const ofBooking = object === 'jobactivity' && name.startsWith('job_list') ? ['job_address', 'contact_mobile'] : []
  const jobs = name.startsWith('all_job') || /^(?:count\.|sum_total)/.test(name) ? ['generated_job_id', 'status'] : []
  return partsFor([...lists, ...ofBooking, ...jobs], object)
}
