// Does a change of a record trigger a rule on events? The conditions are checked later.
import type { RuleDefinition, WebhookTrigger } from '#app/domain/automations/rule.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { FieldChange, JudgedAt, RecordFacts } from '../records/facts.ts'
import { folded, isBlank } from '../records/field-value.ts'
import { fieldLabel, findField, objectNoun } from '../records/fields.ts'
import { areEqual } from './conditions/condition-test.ts'

export interface RecordChange {
  /** The platform reported the record as new, or a read of the whole list found it for the first time. */
  created: boolean
  /** The new record was also changed: the first read already had the change, or its event came after it. */
  changedSince?: boolean
  /** Fields the platform named; it may name none, and some that did not change. */
  changedFields: readonly string[]
  /** The differences from the last snapshot, field by field. */
  changes: readonly FieldChange[]
  facts: RecordFacts
}

type TriggerVerdict = { fires: true } | { fires: false; why: string }

const FIRES: TriggerVerdict = { fires: true }

function no(why: string): TriggerVerdict {
  return { fires: false, why }
}

/**
 * A new record counts as a change of status, queue or field to its initial value, unless the rule requires a value
 * before. A new record that was also changed before the first read counts as changed, from empty. A deleted record
 * triggers nothing, except a rule on that very field.
 */
export function triggerMatches(trigger: WebhookTrigger, change: RecordChange, at: JudgedAt): TriggerVerdict {
  const { facts, created } = change
  const noun = objectNoun(facts.object)
  if (facts.object !== trigger.object) return no(`The automation watches another kind of record, not a ${noun}.`)
  if (!facts.active && ownName(trigger, trigger.fieldName) !== 'active') return no(`The ${noun} was deleted.`)
  if (trigger.jobUuid !== null && !isSame(facts.jobUuid ?? '', trigger.jobUuid)) {
    return no('The automation watches one other job.')
  }
  switch (trigger.type) {
    case 'job_created':
      return created ? FIRES : no(`The ${noun} is not new.`)
    case 'job_updated':
      return updateFires(change, noun)
    case 'job_status':
      return fieldFires(trigger, change, at, 'status')
    case 'job_queue':
      return queueFires(trigger, change)
    case 'job_field':
      return trigger.fieldName === null ? anyFieldFires(change) : fieldFires(trigger, change, at, trigger.fieldName)
    case 'customer_replied':
    case 'message_opened':
    case 'message_failed':
      return no('The automation starts on messages, not on changes.')
    default:
      return assertNever(trigger.type)
  }
}

function updateFires({ created, changedSince, changes }: RecordChange, noun: string): TriggerVerdict {
  if (changedSince) return FIRES
  if (created) return no(`The ${noun} is new; the automation starts on changes.`)
  return changes.length > 0 ? FIRES : no(NOTHING_CHANGED)
}

const NOTHING_CHANGED = 'Nothing has changed since the last check.'

function anyFieldFires({ created, changes }: RecordChange): TriggerVerdict {
  return created || changes.length > 0 ? FIRES : no(NOTHING_CHANGED)
}

/** The change of a field; `from` is null for the initial value of a new record. Null = the field did not change. */
function changeOf(
  trigger: WebhookTrigger,
  { created, changes, facts }: RecordChange,
  name: string,
): FieldChange | null {
  const field = ownName(trigger, name) ?? name
  const known = changes.find((one) => one.field === field)
  if (known) return isSame(known.from ?? '', known.to) ? null : known
  const value = facts.values[field] ?? ''
  return created && !isBlank(value) && !isNo(value) ? { field, from: null, to: value } : null
}

/** A flag that was never set does not count as a change of a new record. */
function isNo(value: string): boolean {
  return value === '0' || value === '[]'
}

function fieldFires(trigger: WebhookTrigger, change: RecordChange, at: JudgedAt, name: string): TriggerVerdict {
  const label = fieldLabel(trigger.object, name)
  const found = changeOf(trigger, change, name)
  if (found === null) return no(`${label} did not change.`)
  const { fromValue } = trigger
  if (fromValue === null || fromValue === '') return FIRES
  if (found.from === null) return no(`What ${label} was before is unknown; the automation needs "${fromValue}".`)
  return areEqual(found.from, fromValue, findField(trigger.object, name)?.type ?? 'text', at)
    ? FIRES
    : no(`${label} was ${found.from === '' ? 'empty' : `"${found.from}"`} before; the automation needs "${fromValue}".`)
}

function queueFires(trigger: WebhookTrigger, change: RecordChange): TriggerVerdict {
  const found = changeOf(trigger, change, 'queue_uuid')
  if (found === null) return no('The queue did not change.')
  if (trigger.queueUuid === null || isSame(found.to, trigger.queueUuid)) return FIRES
  return no(found.to === '' ? 'The job left its queue.' : 'The job came into another queue.')
}

function isSame(a: string, b: string): boolean {
  return folded(a) === folded(b)
}

/** The platform's name of a field; changes are listed under it. */
function ownName(trigger: WebhookTrigger, name: string | null): string | null {
  return name === null ? null : (findField(trigger.object, name)?.own ?? null)
}

/**
 * The record's own fields that the platform must watch for this rule, under its names; empty = all. Only fields that
 * trigger the rule: the rest is read during evaluation. Null for rules without events.
 */
export function neededFields({ trigger }: Pick<RuleDefinition, 'trigger'>): string[] | null {
  if (trigger.source !== 'webhook') return null
  switch (trigger.type) {
    case 'job_status':
      return ['active', 'status']
    case 'job_queue':
      return ['active', 'queue_uuid']
    case 'job_field': {
      const own = ownName(trigger, trigger.fieldName)
      return own === null ? [] : [...new Set(['active', own])]
    }
    case 'customer_replied':
    case 'message_opened':
    case 'message_failed':
      return null
    case 'job_created':
    case 'job_updated':
      return []
    default:
      return assertNever(trigger.type)
  }
}
