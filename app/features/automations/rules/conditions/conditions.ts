// The filter of a rule: OR of AND-groups, out of the flat list that the specification stores. AND binds tighter.
import {
  type Condition,
  JOB_STATUSES,
  type Operator,
  type PollEndpoint,
  type RuleDefinition,
  type Trigger,
} from '#app/domain/automations/rule.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { FactPart, JudgedAt, RecordFacts } from '../../records/facts.ts'
import type { FieldType } from '../../records/field-tables.ts'
import { isUuid, readFlag } from '../../records/field-value.ts'
import { findField, nameOfId, partsFor } from '../../records/fields.ts'
import { dateFilters } from './condition-filter.ts'
import { testCondition } from './condition-test.ts'

export interface FailedCondition {
  field: string
  operator: Operator
  value: string
  /** What the record has there; null = unknown: not loaded, or no such field. */
  seen: string | null
}

type Judgement = { matched: true } | { matched: false; failed: FailedCondition[] }

/** Each inner list is one AND-group; the first line's own operator says nothing. */
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
 * Does the record match? If not, every line that failed, in the order of the list, with the value seen. No conditions match
 * every record.
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

/** The names whose values the filter looks at. */
export function namesInConditions(conditions: readonly Condition[]): string[] {
  const names = new Set<string>()
  for (const { field, value } of conditions) {
    names.add(field)
    // "Queue equals Waiting for parts" is about the queue's name.
    const named = nameOfId(field)
    if (named !== null && value.trim() !== '' && !isUuid(value)) names.add(named)
  }
  return [...names]
}

/** What has to be loaded before the filter can judge records of the object (null: of whichever object). */
export function neededParts(conditions: readonly Condition[], object: string | null = null): FactPart[] {
  return partsFor(namesInConditions(conditions), object)
}

/** The platform's limits: clauses of one filter, characters of one value (servicem8 facts 5.2). */
const MOST_CLAUSES = 10
const LONGEST_VALUE = 255

/** What most lists are asked for. Source: servicem8 facts 5.2, deleted records stay with `active` 0. */
export const ACTIVE_ONLY = "active eq '1'"

/** `/api_1.0/jobactivity.json` → `jobactivity`. */
export function objectOfEndpoint(endpoint: PollEndpoint): string {
  return /\/(\w+)\.json/.exec(endpoint)?.[1] ?? 'job'
}

/** Is what the rule reads everything the platform returns, deleted records too? Only "Jobs" is; "active ones only" stands beside it. */
export function readsDeleted(trigger: Trigger): boolean {
  return trigger.source === 'api_polling' && trigger.endpoint === WHOLE_LIST
}

const WHOLE_LIST: PollEndpoint = '/api_1.0/job.json'

/**
 * The part of the filter that the platform can apply itself, as its `$filter` text: only what its eq, gt and lt certainly read as we
 * do (ids, the four statuses, flags that are set, days), so that nothing that matches is ever left out. Everything that comes
 * back is judged again. Without a moment, days are left to us. Empty = the whole list.
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

/** Null = the platform may read the value in another way. */
function equalsClause(type: FieldType, name: string, wanted: string): string | null {
  switch (type) {
    case 'uuid':
      return isUuid(wanted) ? `${name} eq '${wanted.toLowerCase()}'` : null
    case 'flag':
      // A flag that was never set may be 0 or nothing: only "is set" is one value.
      return wanted !== '' && readFlag(wanted) === true ? `${name} eq '1'` : null
    case 'choice': {
      const status = JOB_STATUSES.find((one) => one.toLowerCase() === wanted.toLowerCase())
      return name === 'status' && status ? `status eq '${status}'` : null
    }
    default:
      return null
  }
}

/** The object a rule's records are: a call from outside is about a job. */
export function objectOfRule({ trigger }: Pick<RuleDefinition, 'trigger'>): string {
  switch (trigger.source) {
    case 'webhook':
      return trigger.object
    case 'api_polling':
      return objectOfEndpoint(trigger.endpoint)
    case 'manual_endpoint':
      return 'job'
    default:
      return assertNever(trigger)
  }
}
