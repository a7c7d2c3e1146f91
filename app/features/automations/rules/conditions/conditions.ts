// The filter of a rule: OR of AND-groups, from the flat list that the specification stores. AND binds tighter.
import {
  type Condition,
  JOB_STATUSES,
  type Operator,
  type PollEndpoint,
  type RuleDefinition,
  type Trigger,
} from '#app/domain/automations/rule.ts'
import { dayOf, isoDate, readMoment, readToday, todayOf } from '#app/domain/time/local-time.ts'
import type { FactPart, JudgedAt, RecordFacts } from '../../records/facts.ts'
import type { FieldType } from '../../records/field-tables.ts'
import { isUuid, readFlag } from '../../records/field-value.ts'
import { type Field, findField, nameOfId, partsFor } from '../../records/fields.ts'
import { testCondition } from './condition-test.ts'

export interface FailedCondition extends Omit<Condition, 'logicalOperator'> {
  /** The record's value; null = unknown: not loaded, or no such field. */
  seen: string | null
}

type Judgement = { matched: true } | { matched: false; failed: FailedCondition[] }

/** Each inner list is one AND-group; the operator of the first line is ignored. */
export function conditionGroups(conditions: readonly Condition[]): Condition[][] {
  const groups: Condition[][] = []
  for (const condition of conditions) {
    const last = groups.at(-1)
    if (last && condition.logicalOperator === 'AND') last.push(condition)
    else groups.push([condition])
  }
  return groups
}

/**
 * Does the record match? If not, returns every failed line in the order of the list, with the record's value. An empty
 * list matches every record.
 */
export function judge(conditions: readonly Condition[], facts: RecordFacts, at: JudgedAt): Judgement {
  const failed: FailedCondition[] = []
  let groupFails = false
  for (const [index, condition] of conditions.entries()) {
    if (index > 0 && condition.logicalOperator === 'OR') {
      if (!groupFails) return { matched: true }
      groupFails = false
    }
    const { passes, seen } = testCondition(condition, facts, at)
    if (passes) continue
    groupFails = true
    failed.push({ field: condition.field, operator: condition.operator, value: condition.value, seen })
  }
  return groupFails ? { matched: false, failed } : { matched: true }
}

/** The fields whose values the filter reads. */
export function namesInConditions(conditions: readonly Condition[]): string[] {
  const names = new Set<string>()
  for (const { field, value } of conditions) {
    names.add(field)
    // "Queue equals Waiting for parts" compares the queue's name.
    const named = nameOfId(field)
    if (named !== null && value.trim() !== '' && !isUuid(value)) names.add(named)
  }
  return [...names]
}

/** The parts to load before the filter can be evaluated for records of the object (null: of any object). */
export function neededParts(conditions: readonly Condition[], object: string | null = null): FactPart[] {
  return partsFor(namesInConditions(conditions), object)
}

/** The parts to load before rules can be judged: for their conditions, and for the values by which they count. */
export function judgedParts(rules: readonly Pick<RuleDefinition, 'conditions' | 'once'>[], object: string): FactPart[] {
  const counted = rules.flatMap(({ once }) => (once.startsWith('value:') ? [once.slice('value:'.length)] : []))
  return partsFor([...namesInConditions(rules.flatMap(({ conditions }) => conditions)), ...counted], object)
}

/** The platform's limits: clauses of one filter, characters of one value (servicem8 facts 5.2). */
const MOST_CLAUSES = 10
const LONGEST_VALUE = 255

/** The filter for most lists. Source: servicem8 facts 5.2, deleted records stay with `active` 0. */
export const ACTIVE_ONLY = "active eq '1'"

/** `/api_1.0/jobactivity.json` → `jobactivity`. */
export function objectOfEndpoint(endpoint: PollEndpoint): string {
  return /\/(\w+)\.json/.exec(endpoint)?.[1] ?? 'job'
}

/**
 * Does the rule read deleted records too? Only on "Jobs", where the form has "active ones only" as another choice, and
 * when a deletion starts it.
 */
export function readsDeleted(trigger: Trigger): boolean {
  if (trigger.source !== 'webhook') return trigger.source === 'api_polling' && trigger.endpoint === WHOLE_LIST
  const { type, object, fieldName } = trigger
  return type === 'job_field' && fieldName !== null && findField(object, fieldName)?.own === 'active'
}

const WHOLE_LIST: PollEndpoint = '/api_1.0/job.json'

/**
 * The part of the filter that the platform applies itself, as its `$filter` text: only clauses whose eq, gt and lt the
 * platform certainly reads as we do (ids, the four statuses, flags that are set, days), so no match is left out. Every
 * result is evaluated again. Without a moment, days are not part of it. Empty = the whole list.
 */
export function serverFilter(
  conditions: readonly Condition[],
  endpoint: PollEndpoint,
  at: JudgedAt | null = null,
): string {
  const object = objectOfEndpoint(endpoint)
  const groups = conditionGroups(conditions).map((group) =>
    group.flatMap((condition) => clausesOf(condition, object, at)),
  )
  const [first = [], ...others] = groups
  const shared = first.filter((clause) => others.every((group) => group.includes(clause)))
  return [...new Set([...(endpoint === WHOLE_LIST ? [] : [ACTIVE_ONLY]), ...shared])]
    .slice(0, MOST_CLAUSES)
    .join(' and ')
}

function clausesOf({ field, operator, value }: Condition, object: string, at: JudgedAt | null): string[] {
  const known = findField(object, field)
  if (!known) return []
  if (known.type === 'age' || known.type === 'date') return at === null ? [] : dateFilters(known, operator, value, at)
  if (operator !== 'equals' || known.own === null || value.length > LONGEST_VALUE) return []
  const clause = equalsClause(known.type, known.own, value.trim())
  return clause === null ? [] : [clause]
}

/** Null = the platform may read the value differently. */
function equalsClause(type: FieldType, name: string, wanted: string): string | null {
  switch (type) {
    case 'uuid':
      return isUuid(wanted) ? `${name} eq '${wanted.toLowerCase()}'` : null
    case 'flag':
      // A flag that was never set may be 0 or empty: only "is set" is a single value.
      return wanted !== '' && readFlag(wanted) === true ? `${name} eq '1'` : null
    case 'choice': {
      const status = JOB_STATUSES.find((one) => one.toLowerCase() === wanted.toLowerCase())
      return name === 'status' && status ? `status eq '${status}'` : null
    }
    default:
      return null
  }
}

/** The object of a rule's records; a call from outside is always about a job. */
export function objectOfRule({ trigger }: Pick<RuleDefinition, 'trigger'>): string {
  if (trigger.source === 'webhook') return trigger.object
  return trigger.source === 'api_polling' ? objectOfEndpoint(trigger.endpoint) : 'job'
}

// Date conditions in the platform's own filter: local times sort as text, so "after" and "before this day" are safe.

/** Ages counted from one field of the record itself, with direction. Not `days_since_quote`: it has two fields. */
const COUNTED: Readonly<Record<string, { base: string; direction: 1 | -1 }>> = {
  days_since_completion: { base: 'completion_date', direction: 1 },
  days_since_change: { base: 'edit_date', direction: 1 },
  days_until_booking: { base: 'start_date', direction: -1 },
}

/** Clauses that never exclude a match of the condition; empty if there are none. */
function dateFilters(field: Field, operator: Operator, value: string, at: JudgedAt): string[] {
  if (field.type === 'date') return field.own === null ? [] : dayClauses(field.own, operator, wantedDay(value, at))
  const counted = COUNTED[field.name]
  const age = /^-?\d{1,6}$/.test(value.trim()) ? Number(value) : null
  // A field joined from the job is not a field of the list that is read.
  if (!counted || age === null || field.part !== null) return []
  const day = todayOf(at) - age * counted.direction
  return dayClauses(counted.base, counted.direction === 1 ? mirrored(operator) : operator, { day, time: null })
}

function wantedDay(value: string, at: JudgedAt): { day: number; time: string | null } | null {
  const today = readToday(value)
  if (today !== null) return { day: todayOf(at) + today, time: null }
  const reading = readMoment(value.trim(), at)
  if (!reading) return null
  const time = reading.hasTime ? new Date(reading.wall).toISOString().slice(11, 19) : null
  return { day: dayOf(reading.wall), time }
}

/** A greater age means an earlier day. */
function mirrored(operator: Operator): Operator {
  if (operator === 'greater_than') return 'less_than'
  return operator === 'less_than' ? 'greater_than' : operator
}

function dayClauses(name: string, operator: Operator, wanted: { day: number; time: string | null } | null): string[] {
  if (wanted === null) return []
  const { day, time } = wanted
  const after = (text: string) => `${name} gt '${text}'`
  const before = (text: string) => `${name} lt '${text}'`
  // Some records have only a date, so a value with a time still includes its whole day.
  switch (operator) {
    case 'greater_than':
      return [after(time === null ? `${isoDate(day)} 23:59:59` : `${isoDate(day - 1)} 23:59:59`)]
    case 'less_than':
      return [before(time === null ? isoDate(day) : isoDate(day + 1))]
    case 'equals':
      return [after(`${isoDate(day - 1)} 23:59:59`), before(isoDate(day + 1))]
    default:
      return []
  }
}
