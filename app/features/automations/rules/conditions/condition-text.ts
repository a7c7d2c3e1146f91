// A condition in words: in a rule's sentence, as the reason why a record did not match, and as a problem to fix.
import { type Condition, JOB_STATUSES, OPERATORS, type Operator } from '#app/domain/automations/rule.ts'
import { localStamp, readMoment, readToday } from '#app/domain/time/local-time.ts'
import { ownValue } from '#app/lib/json.ts'
import { folded, isUuid, readFlag, readList, readNumber } from '../../records/field-value.ts'
import { type Field, fieldLabel, findField, objectNoun } from '../../records/fields.ts'
import { ONLY_WITH_DAYS, OPERATOR_TEXTS } from '../form-text.ts'
import { blankLabel } from '../placeholders/blanks.ts'
import { dateText } from '../timing/schedule.ts'
import { isComplete } from './condition-test.ts'
import type { FailedCondition } from './conditions.ts'

/** Names by uuid of queues, staff, customers, categories and badges, which rules know only by id. */
export type KnownNames = Readonly<Record<string, string>>

type Asked = Pick<Condition, 'field' | 'operator' | 'value'>

/** `it has a mobile number`, `its status is Quote`, `the quote is more than 2 days old`. */
export function conditionText(condition: Asked, object: string, names: KnownNames = {}): string {
  const { field, operator, value } = condition
  const known = findField(object, field)
  if (operator === 'is_empty' || operator === 'is_not_empty') return presence(field, known, object, operator)
  if (known?.type === 'age') return ageText(field, operator, value)
  if (known?.type === 'flag') {
    const wanted = readFlag(value)
    if (wanted !== null && value.trim() !== '' && (operator === 'equals' || operator === 'not_equals')) {
      return flagText(known, wanted === (operator === 'equals'))
    }
  }
  if (value.trim() === '' && (operator === 'equals' || operator === 'not_equals')) {
    return presence(field, known, object, operator === 'equals' ? 'is_empty' : 'is_not_empty')
  }
  const shown = valueText(value, known, names)
  const phrase = PHRASES[field]?.[operator]
  return phrase ? phrase.replace('%', shown) : `${subject(field, object)} ${operatorText(operator, known)} ${shown}`
}

const HAVING: Readonly<Record<string, string>> = {
  contact_mobile: 'a mobile number',
  contact_phone: 'a phone number',
  contact_email: 'an e-mail address',
  contact_first_name: "a contact's first name",
  contact_last_name: "a contact's last name",
  company_phone: 'a phone number of the customer',
  company_mobile: 'a mobile number of the customer',
  company_email: 'an e-mail address of the customer',
  company_uuid: 'a customer',
  company_name: 'a customer',
  job_address: 'an address',
  queue_uuid: 'a queue',
  queue: 'a queue',
  category_uuid: 'a category',
  badges: 'a badge',
  completion_date: 'a completion date',
}

function presence(field: string, known: Field | null, object: string, operator: 'is_empty' | 'is_not_empty'): string {
  const isThere = operator === 'is_not_empty'
  if (field === 'assigned_staff' || field === 'staff_uuid')
    return isThere ? 'somebody is assigned' : 'nobody is assigned'
  const thing = ownValue(HAVING, field)
  if (thing) return isThere ? `it has ${thing}` : `it has no ${thing.replace(/^an? /, '')}`
  return `${subject(field, object, known)} is ${isThere ? 'not ' : ''}empty`
}

/** The words for yes and no, where "X is ticked" would be clumsy. */
const FLAGS: Readonly<Record<string, readonly [string, string]>> = {
  quote_sent: ['the quote was sent', 'the quote was not sent'],
  invoice_sent: ['the invoice was sent', 'the invoice was not sent'],
  ready_to_invoice: ['it is ready to invoice', 'it is not ready to invoice'],
  payment_received: ['it is paid', 'it is not paid'],
  payment_processed: ['the payment was processed', 'the payment was not processed'],
  active: ['it is not deleted', 'it is deleted'],
  is_deposit: ['it is a deposit', 'it is not a deposit'],
  activity_was_scheduled: ['it is a booking', 'it is not a booking'],
  activity_was_recorded: ['it is a check-in', 'it is not a check-in'],
  task_complete: ['it is done', 'it is not done'],
}

function flagText({ name, label }: Field, isSet: boolean): string {
  const [yes, no] = ownValue(FLAGS, name) ?? [`"${label}" is ticked`, `"${label}" is not ticked`]
  return isSet ? yes : no
}

type AgeOperator = 'greater_than' | 'less_than' | 'equals'

/** Common phrases that replace a number of days. */
const AGE_IDIOMS: ReadonlyMap<string, string> = new Map([
  ['days_since_quote greater_than 0', 'the quote is from before today'],
  ['days_since_completion greater_than 0', 'it was completed before today'],
  ['days_since_change greater_than 0', 'it has not changed today'],
  ['days_overdue greater_than 0', 'it is overdue'],
  ['days_until_booking greater_than 0', 'the booking is after today'],
  ['days_until_booking greater_than -1', 'the booking is today or later'],
  ['days_until_booking equals 0', 'the booking is today'],
  ['days_until_booking equals 1', 'the booking is tomorrow'],
  ['days_until_booking less_than 0', 'the booking is over'],
])

/** `#` is replaced with the number of days and the word. */
const AGES: Readonly<Record<string, Readonly<Record<AgeOperator, string>>>> = {
  days_since_quote: {
    greater_than: 'the quote is more than # old',
    less_than: 'the quote is less than # old',
    equals: 'the quote is # old',
  },
  days_since_completion: {
    greater_than: 'it was completed more than # ago',
    less_than: 'it was completed less than # ago',
    equals: 'it was completed # ago',
  },
  days_since_change: {
    greater_than: 'it has not changed for more than #',
    less_than: 'it changed less than # ago',
    equals: 'it last changed # ago',
  },
  days_in_queue: {
    greater_than: 'it has been in its queue for more than #',
    less_than: 'it has been in its queue for less than #',
    equals: 'it has been in its queue for #',
  },
  days_overdue: {
    greater_than: 'it is more than # overdue',
    less_than: 'it is less than # overdue',
    equals: 'it is # overdue',
  },
  days_until_booking: {
    greater_than: 'the booking is more than # away',
    less_than: 'the booking is less than # away',
    equals: 'the booking is # away',
  },
}

function ageText(field: string, operator: Operator, value: string): string {
  const days = readNumber(value)
  const idiom = AGE_IDIOMS.get(`${field} ${operator} ${days}`)
  if (idiom !== undefined) return idiom
  const words: Partial<Record<Operator, string>> | undefined = AGES[field]
  const counted = words?.[operator]?.replace('#', days === 1 ? '1 day' : `${value.trim() || '…'} days`)
  return counted ?? `"${fieldLabel('job', field)}" ${operatorText(operator, null)} ${value.trim() || '…'}`
}

/** `more than 2` and `less than 8` days in one: `the quote is 3 to 7 days old`; null when they form no span. */
function spanText(field: string, above: string, below: string): string | null {
  const words = ownValue(AGES, field)
  const [from, to] = [above, below].map((text) => (/^-?\d{1,5}$/.test(text.trim()) ? Number(text) : Number.NaN))
  if (!words || from === undefined || to === undefined || !(from >= 0 && to - from >= 2)) return null
  const span = to - from === 2 ? dayCount(from + 1) : `${from + 1} to ${to - 1} days`
  return words.equals.replace('#', span)
}

function dayCount(days: number): string {
  return days === 1 ? '1 day' : `${days} days`
}

/**
 * An AND-group in words, joined by "and". Leaves out "it is not deleted", because no rule starts on a deleted record.
 */
export function groupText(group: readonly Asked[], object: string, names: KnownNames = {}): string {
  const said = group.filter(
    (one) => !(one.field === 'active' && one.operator === 'equals' && readFlag(one.value) === true),
  )
  const parts: string[] = []
  const done = new Set<Asked>()
  for (const one of said.length > 0 ? said : group) {
    if (done.has(one)) continue
    const other = group.find((two) => two.field === one.field && isSpan(one, two))
    const [above, below] = one.operator === 'greater_than' ? [one, other] : [other, one]
    const span = above && below ? spanText(one.field, above.value, below.value) : null
    if (span !== null && other) done.add(other)
    parts.push(span ?? conditionText(one, object, names))
  }
  return parts.join(' and ')
}

function isSpan(one: Asked, two: Asked): boolean {
  return (
    (one.operator === 'greater_than' && two.operator === 'less_than') ||
    (one.operator === 'less_than' && two.operator === 'greater_than')
  )
}

/** `a job is paid`, `the quote of a job was sent`: the event of setting such a flag; null = no phrase for it. */
export function flagEventText(field: string, one: string): string | null {
  const [yes] = ownValue(FLAGS, field) ?? []
  if (yes === undefined || field === 'active') return null
  return yes.startsWith('it ') ? `${one} ${yes.slice(3)}` : yes.replace(/ (was|is) /, ` of ${one} $1 `)
}

/** `%` is replaced with the value. */
const PHRASES: Readonly<Record<string, Partial<Record<Operator, string>>>> = {
  queue_uuid: { equals: 'it is in the queue %', not_equals: 'it is not in the queue %' },
  queue: { equals: 'it is in the queue %', not_equals: 'it is not in the queue %' },
  company_uuid: { equals: 'the customer is %', not_equals: 'the customer is not %' },
  category_uuid: { equals: 'its category is %', not_equals: 'its category is not %' },
  assigned_staff: { equals: '% is assigned', not_equals: '% is not assigned' },
  staff_uuid: { equals: '% is assigned', not_equals: '% is not assigned' },
  badges: {
    contains: 'it has the badge %',
    equals: 'it has the badge %',
    not_contains: 'it does not have the badge %',
    not_equals: 'it does not have the badge %',
  },
}

function subject(field: string, object: string, known: Field | null = findField(object, field)): string {
  const label = known?.label ?? fieldLabel(object, field)
  if (/ (?:on|since|until|by|to)$/.test(label) || known?.type === 'flag') return `"${label}"`
  const lower = label.charAt(0).toLowerCase() + label.slice(1)
  return /^(?:contact|customer|staff member)'s /.test(lower) ? `the ${lower}` : `its ${lower}`
}

function operatorText(operator: Operator, known: Field | null): string {
  const isDate = known?.type === 'date'
  if (operator === 'greater_than') return isDate ? 'is after' : 'is more than'
  if (operator === 'less_than') return isDate ? 'is before' : 'is less than'
  return OPERATOR_TEXTS[operator]
}

/** `wanted` = what it is compared with: a moment shows the time of both. */
export function valueText(value: string, known: Field | null, names: KnownNames, wanted = value): string {
  const text = value.trim()
  if (text === '') return '…'
  const blank = blankLabel(text)
  if (blank) return `[${blank}]`
  const named = ownValue(names, text)
  if (named) return `"${named}"`
  if (known?.type === 'date') return dayText(text, wanted)
  const flag = known?.type === 'flag' ? readFlag(text) : null
  if (flag !== null) return flag ? 'yes' : 'no'
  if (known?.type === 'choice' || known?.type === 'number' || known?.type === 'money') return text
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`
}

const AT = { now: 0, zone: 'UTC' }

function timeIn(text: string): string {
  const reading = readMoment(text.trim(), AT)
  // What says its own offset is not in the account's time.
  const zone = /(Z|[+-]\d\d:?\d\d)$/.test(text.trim()) ? ' UTC' : ''
  return reading?.hasTime ? ` at ${localStamp(reading.wall).slice(11, 16)}${zone}` : ''
}

function dayText(text: string, wanted: string): string {
  const today = readToday(text)
  if (/^now$/i.test(text)) return 'now'
  const date = dateText(text)
  if (today === null) return date === null ? `"${text}"` : date + (timeIn(wanted) && timeIn(text))
  if (today === 0) return 'today'
  if (Math.abs(today) === 1) return today < 0 ? 'yesterday' : 'tomorrow'
  return today < 0 ? `${-today} days ago` : `${today} days from now`
}

/** `31 December 2026`, for a value of a date field without a time; null for anything else. */
export function dayOfField(object: string, name: string, value: string): string | null {
  const isDay = findField(object, name)?.type === 'date' && /^\d{4}-\d{2}-\d{2}(\s00:00:00)?$/.test(value)
  return isDay ? dateText(value) : null
}

/** A record's value in words, like `empty`, `yes`, `"Waiting for parts"`; null = an id without a known name. */
export function jobValueText(name: string, value: string, names: KnownNames, object = 'job'): string | null {
  const text = value.trim()
  if (text === '') return 'empty'
  if (name === 'badges') return badgeNames(readList(text), names).join(', ') || 'empty'
  if (isUuid(text)) return names[text.toLowerCase()] ? `"${names[text.toLowerCase()]}"` : null
  const type = findField(object, name)?.type
  const flag = type === 'flag' ? readFlag(text) : null
  if (flag !== null) return flag ? 'yes' : 'no'
  return dayOfField(object, name, text) ?? (type === 'date' ? dayText(text, text) : `"${value}"`)
}

/** `Quote sent no → yes`, `Badges + VIP`. */
export function jobChangeText(name: string, before: string, after: string, names: KnownNames): string {
  const label = fieldLabel('job', name)
  if (name === 'badges') return `${label} ${badgesText(before, after, names)}`
  const from = jobValueText(name, before, names)
  return `${label} ${from === null ? '' : `${from} `}→ ${jobValueText(name, after, names) ?? 'another one'}`
}

const badgeNames = (ids: readonly string[], names: KnownNames) => ids.map((id) => names[id.toLowerCase()] ?? 'a badge')

function badgesText(before: string, after: string, names: KnownNames): string {
  const [from, to] = [readList(before), readList(after)].map((ids) => ids.map((id) => id.toLowerCase()))
  const told = (sign: string, ids: string[] = [], others: string[] = []) =>
    badgeNames(
      ids.filter((id) => !others.includes(id)),
      names,
    ).map((name) => `${sign} ${name}`)
  return [...told('+', to, from), ...told('−', from, to)].join(', ') || 'in another order'
}

/** Why a record did not match: `Its status is Quote. The automation needs: its status is Completed.` */
export function failedText(failed: FailedCondition, object: string, names: KnownNames = {}): string {
  const wanted = conditionText(failed, object, names)
  const known = findField(object, failed.field)
  const label = fieldLabel(object, failed.field)
  if (known?.never) return known.never
  if (failed.seen === null) {
    const why = failed.field === 'days_in_queue' ? ` ${ONLY_WITH_DAYS}` : ''
    return `"${label}" of this ${objectNoun(object)} is unknown, so it does not match: ${wanted}.${why}`
  }
  const text = known?.type === 'list' ? readList(failed.seen).join(', ') : failed.seen
  const seen = text.trim() === '' ? 'empty' : valueText(text, known, names, failed.value)
  return `"${label}" is ${seen}. The automation needs: ${wanted}.`
}

interface ConditionProblem {
  /** A warning does not prevent saving. */
  severity: 'error' | 'warning'
  sentence: string
  /** The control that shows it. */
  at: 'field' | 'operator' | 'value'
}

/** What is wrong with a condition as typed; null = nothing. */
export function conditionProblem(condition: Asked, object: string): ConditionProblem | null {
  const { field, operator, value } = condition
  const error = (at: ConditionProblem['at'], sentence: string): ConditionProblem => ({
    severity: 'error',
    at,
    sentence,
  })
  if (field.trim() === '') return error('field', 'Field is required')
  const known = findField(object, field)
  if (!known) return error('field', `There is no field "${field}" on a ${objectNoun(object)}.`)
  if (!OPERATORS.includes(operator)) return error('operator', `"${operator}" is not a comparison.`)
  if (known.never) return { severity: 'warning', at: 'field', sentence: known.never }
  if (/\[\[.+\]\]/.test(value))
    return {
      severity: 'warning',
      at: 'value',
      sentence: `Fill in ${value.trim()} before you switch the automation on.`,
    }
  if (!isComplete(condition)) return error('value', `Say what "${known.label}" is compared with.`)
  const wrong = valueProblem(known, operator, value.trim())
  return wrong === null ? null : error('value', wrong)
}

/** Operators that read the value as the field's type. */
const TYPED: ReadonlySet<Operator> = new Set(['equals', 'not_equals', 'greater_than', 'less_than'])

/** Why a field can never have this value; null = it can. */
export function valueProblem({ name, type }: Field, operator: Operator, value: string): string | null {
  if (!TYPED.has(operator) || value === '') return null
  switch (type) {
    case 'number':
    case 'money':
    case 'age':
      return readNumber(value) === null ? `"${value}" is not a number.` : null
    case 'date':
      if (readToday(value) !== null || readMoment(value, AT) !== null) return null
      return `"${value}" is not a date. Use a date such as 2026-11-21, or TODAY, TODAY-3, TODAY+7, NOW.`
    case 'flag':
      return readFlag(value) === null ? `Compare with yes or no (1 or 0), not with "${value}".` : null
    case 'choice':
      if (name !== 'status' || value.includes('{')) return null
      return JOB_STATUSES.some((status) => folded(status) === folded(value))
        ? null
        : `A job is never "${value}". Choose Quote, Work Order, Unsuccessful or Completed.`
    default:
      return null
  }
}
