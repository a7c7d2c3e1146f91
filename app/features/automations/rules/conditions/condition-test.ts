// Tests one condition against one record: numbers compare as numbers, dates as dates, the rest as text, whatever the
// platform's spelling (contract, section 8).
import type { Condition, Operator } from '#app/domain/automations/rule.ts'
import { dayOf, isoDate, readLocal, readMoment, readToday, todayOf } from '#app/domain/time/local-time.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { JudgedAt, RecordFacts } from '../../records/facts.ts'
import type { FieldType } from '../../records/field-tables.ts'
import { folded, isBlank, isUuid, readFlag, readList, readNumber } from '../../records/field-value.ts'
import { findField, nameOfId, readField } from '../../records/fields.ts'

interface Tested {
  passes: boolean
  /** The value that was tested; null = unknown, so no operator passes. */
  seen: string | null
}

/** Operators that work without a value: they then test for emptiness, or need none. */
const VALUE_OPTIONAL: ReadonlySet<Operator> = new Set(['equals', 'not_equals', 'is_empty', 'is_not_empty'])

/** Can the condition be tested? Not with a blank that was never filled in (`[[…]]`). */
export function isComplete({ operator, value }: Pick<Condition, 'operator' | 'value'>): boolean {
  if (operator === 'is_empty' || operator === 'is_not_empty') return true
  return !value.includes('[[') && (VALUE_OPTIONAL.has(operator) || value.trim() !== '')
}

/**
 * An unknown value passes no operator, not even `is_empty` and the negative ones. An incomplete condition passes for no
 * record, so a forgotten value never means "everybody".
 */
export function testCondition(condition: Condition, facts: RecordFacts, at: JudgedAt): Tested {
  const { field, operator, value: wanted } = condition
  const seen = readField(facts, field, at)
  if (seen === null) return { passes: false, seen: null }
  if (!isComplete(condition)) return { passes: false, seen }
  const type = findField(facts.object, field)?.type ?? 'text'
  const isNamed = (type === 'uuid' || type === 'list') && !isUuid(wanted) && wanted.trim() !== ''
  if (isNamed) return testNamed(condition, seen, facts, type, at)
  return { passes: holds(operator, seen, wanted, type, at), seen }
}

/** `queue_uuid equals Waiting for parts`: a person writes a name where an id is stored, so tests both. */
function testNamed(
  { field, operator, value: wanted }: Condition,
  id: string,
  facts: RecordFacts,
  type: 'uuid' | 'list',
  at: JudgedAt,
): Tested {
  const nameField = nameOfId(field)
  const name = nameField === null ? null : readField(facts, nameField, at)
  const byId = holds(operator, id, wanted, type, at)
  if (name === null || name === '') return { passes: byId, seen: id }
  const byName = holds(operator, name, wanted, type === 'list' ? type : 'text', at)
  const both = operator === 'not_equals' || operator === 'not_contains'
  return { passes: both ? byId && byName : byId || byName, seen: name }
}

function holds(operator: Operator, seen: string, wanted: string, type: FieldType, at: JudgedAt): boolean {
  switch (operator) {
    case 'is_empty':
      return isEmpty(seen, type)
    case 'is_not_empty':
      return !isEmpty(seen, type)
    case 'equals':
      return areEqual(seen, wanted, type, at)
    case 'not_equals':
      return !areEqual(seen, wanted, type, at)
    case 'contains':
      return textTest(seen, wanted, type, at, (text, part) => text.includes(part))
    case 'not_contains':
      return !textTest(seen, wanted, type, at, (text, part) => text.includes(part))
    case 'starts_with':
      return textTest(seen, wanted, type, at, (text, part) => text.startsWith(part))
    case 'ends_with':
      return textTest(seen, wanted, type, at, (text, part) => text.endsWith(part))
    case 'greater_than':
      return orderOf(seen, wanted, type, at) > 0
    case 'less_than':
      return orderOf(seen, wanted, type, at) < 0
    default:
      return assertNever(operator)
  }
}

function isEmpty(seen: string, type: FieldType): boolean {
  return type === 'list' ? readList(seen).length === 0 : isBlank(seen)
}

/** `wanted` as a person writes it, `seen` as the platform does. */
export function areEqual(seen: string, wanted: string, type: FieldType, at: JudgedAt): boolean {
  if (type === 'flag') {
    const [is, should] = [readFlag(seen), readFlag(wanted)]
    return is !== null && should !== null ? is === should : folded(seen) === folded(wanted)
  }
  if (wanted.trim() === '') return isEmpty(seen, type)
  if (type === 'list') return readList(seen).some((entry) => folded(entry) === folded(wanted))
  if (type === 'number' || type === 'money' || type === 'age' || type === 'date') {
    return orderOf(seen, wanted, type, at) === 0
  }
  if (type === 'phone') return isSamePhone(seen, wanted)
  return folded(seen) === folded(wanted)
}

/**
 * The order of `seen` and `wanted`: below 0, 0, above 0; NaN when they cannot be compared. A typed field compares only
 * as its type; a text as numbers, else as dates, else as text.
 */
function orderOf(seen: string, wanted: string, type: FieldType, at: JudgedAt): number {
  if (isBlank(seen)) return Number.NaN
  switch (type) {
    case 'date':
      return dateOrder(seen, wanted, at)
    case 'number':
    case 'money':
    case 'age':
    case 'flag':
      return numberOrder(seen, wanted)
    default: {
      const numbers = numberOrder(seen, wanted)
      if (!Number.isNaN(numbers)) return numbers
      const dates = dateOrder(seen, wanted, at)
      if (!Number.isNaN(dates)) return dates
      const [a, b] = [folded(seen), folded(wanted)]
      return a < b ? -1 : a > b ? 1 : 0
    }
  }
}

function numberOrder(seen: string, wanted: string): number {
  const [a, b] = [readNumber(seen), readNumber(wanted)]
  return a === null || b === null ? Number.NaN : a - b
}

/** To the second when both have a time, else by the day. */
function dateOrder(seen: string, wanted: string, at: JudgedAt): number {
  const is = readLocal(seen.trim(), at.zone)
  if (is === null) return Number.NaN
  const today = readToday(wanted)
  if (today !== null) return dayOf(is.wall) - (todayOf(at) + today)
  const should = readMoment(wanted.trim(), at)
  if (should === null) return Number.NaN
  return is.hasTime && should.hasTime ? is.wall - should.wall : dayOf(is.wall) - dayOf(should.wall)
}

type TextTest = (text: string, part: string) => boolean

function textTest(seen: string, wanted: string, type: FieldType, at: JudgedAt, test: TextTest): boolean {
  if (type === 'list') return readList(seen).some((entry) => test(folded(entry), folded(wanted)))
  if (type === 'phone' && digitsOf(wanted) !== '' && test(digitsOf(seen), digitsOf(wanted))) return true
  // As text, NOW is its day.
  const today = type === 'date' ? readToday(wanted.replace(/^\s*now\s*$/i, 'TODAY')) : null
  const part = today === null ? wanted : isoDate(todayOf(at) + today)
  return !isBlank(seen) && test(folded(seen), folded(part))
}

/** Equal whether written with or without spaces, brackets and dashes. */
function isSamePhone(a: string, b: string): boolean {
  return folded(a) === folded(b) || (digitsOf(a).length >= 6 && digitsOf(a) === digitsOf(b))
}

function digitsOf(text: string): string {
  const bare = text.replace(/[\s().\-/]/g, '')
  // Letters stay: otherwise "none" would have no digits and be part of every number.
  return folded(bare)
}
