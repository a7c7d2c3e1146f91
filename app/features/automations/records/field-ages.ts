// Ages of a record, in whole calendar days of the account: unlike "date equals TODAY-3" they survive a missed day.
import { dayOf, readLocal, todayOf } from '#app/domain/time/local-time.ts'
import type { FactPart, JudgedAt } from './facts.ts'
import { isBlank, readFlag, readNumber, readPaymentDays } from './field-value.ts'

type Values = Readonly<Record<string, string>>

interface AgeField {
  name: string
  label: string
  /** The part to load besides the record. */
  part: FactPart | null
  /** The objects that have it; `job` includes objects that belong to a job. */
  objects: readonly string[] | 'all'
  /** The field it counts from. */
  base: string
  days(values: Values, zone: string): number | 'none' | 'unknown'
  /** +1: days from then until now; -1: days from now until then. */
  direction: 1 | -1
}

/** Used when neither the customer nor the account has payment terms. */
const DEFAULT_PAYMENT_DAYS = 14

export const AGE_FIELDS: readonly AgeField[] = [
  {
    name: 'days_since_quote',
    label: 'Days since the quote',
    part: null,
    objects: ['job'],
    base: 'quote_date',
    days: (values, zone) => firstDay(values, ['quote_sent_stamp', 'quote_date'], zone),
    direction: 1,
  },
  {
    name: 'days_since_completion',
    label: 'Days since completion',
    part: null,
    objects: ['job'],
    base: 'completion_date',
    days: (values, zone) => firstDay(values, ['completion_date'], zone),
    direction: 1,
  },
  {
    name: 'days_since_change',
    label: 'Days since the last change',
    part: null,
    objects: 'all',
    base: 'edit_date',
    days: (values, zone) => firstDay(values, ['edit_date'], zone),
    direction: 1,
  },
  {
    name: 'days_in_queue',
    label: 'Days in the queue',
    part: 'queue',
    objects: ['job'],
    base: 'queue_uuid',
    days: queuedOn,
    direction: 1,
  },
  {
    name: 'days_overdue',
    label: 'Days overdue',
    part: 'company',
    objects: ['job'],
    base: 'invoice_sent_stamp',
    days: dueOn,
    direction: 1,
  },
  {
    name: 'days_until_booking',
    label: 'Days until the booking',
    part: null,
    objects: ['jobactivity'],
    base: 'start_date',
    days: (values, zone) => firstDay(values, ['start_date'], zone),
    direction: -1,
  },
]

const BY_NAME: ReadonlyMap<string, AgeField> = new Map(AGE_FIELDS.map((field) => [field.name, field]))

/**
 * The age as a whole number in text; '' when there is no such day (never quoted, not in a queue); null when unknown
 * because a value it needs was not loaded. A future day is negative (for `days_until_booking`, a past one).
 */
export function ageOf(name: string, values: Values, at: JudgedAt): string | null {
  const field = BY_NAME.get(name)
  if (!field) return null
  const day = field.days(values, at.zone)
  if (day === 'unknown') return null
  if (day === 'none') return ''
  const age = (todayOf(at) - day) * field.direction
  // Somebody moved the expiry day that it is counted from.
  return name === 'days_in_queue' && age < 0 ? null : String(age)
}

/** The day of the first of these fields that is set. */
function firstDay(values: Values, names: readonly string[], zone: string): number | 'none' | 'unknown' {
  let known = false
  for (const name of names) {
    const text = Object.hasOwn(values, name) ? values[name] : undefined
    if (text === undefined) continue
    known = true
    const reading = isBlank(text) ? null : readLocal(text, zone)
    if (reading) return dayOf(reading.wall)
  }
  return known ? 'none' : 'unknown'
}

/**
 * The day the job entered its queue: counted back from the expiry day, which the platform sets to a number of days after
 * the entry (servicem8 facts 5.8). A queue without such a number sets none: the day is of an earlier queue.
 */
function queuedOn(values: Values, zone: string): number | 'none' | 'unknown' {
  if (!Object.hasOwn(values, 'queue_uuid')) return 'unknown'
  if (isBlank(values.queue_uuid ?? '')) return 'none'
  const until = firstDay(values, ['queue_expiry_date'], zone)
  const stay = readNumber(values.queue_default_timeframe ?? '')
  return typeof until === 'number' && stay !== null && stay > 0 ? until - Math.round(stay) : 'unknown'
}

/** The due day of an unpaid invoice: the day it was sent plus the payment days of the customer, the account, or 14. */
function dueOn(values: Values, zone: string): number | 'none' | 'unknown' {
  if (readFlag(values.payment_received ?? '') === true) return 'none'
  if (Object.hasOwn(values, 'invoice_sent') && readFlag(values.invoice_sent ?? '') === false) return 'none'
  const sent = firstDay(values, ['invoice_sent_stamp', 'completion_date'], zone)
  if (typeof sent !== 'number') return sent
  const terms =
    readPaymentDays(values.company_payment_terms ?? '') ?? readPaymentDays(values.account_payment_terms ?? '')
  return sent + (terms ?? DEFAULT_PAYMENT_DAYS)
}
