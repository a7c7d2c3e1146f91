// Finds rules that trigger each other, and warns in words during editing, before a loop can start.
import type { RuleDefinition, Step, StoredRule } from '#app/domain/automations/rule.ts'
import { findField, objectNoun } from '../records/fields.ts'

export type NamedRule = Pick<StoredRule, 'id' | 'name' | 'active' | 'definition'>

/** The job fields that the steps of a rule write, under the platform's names. */
export function fieldsWritten({ steps }: Pick<RuleDefinition, 'steps'>): string[] {
  return [...new Set(steps.flatMap(writtenBy))]
}

function writtenBy({ type, parameters }: Step): string[] {
  switch (type) {
    case 'update_job_status':
      return ['status']
    case 'assign_to_queue':
      return ['queue_uuid']
    case 'update_job_field': {
      const name = typeof parameters.fieldName === 'string' ? parameters.fieldName : ''
      return name === '' ? [] : [findField('job', name)?.own ?? name]
    }
    default:
      return []
  }
}

/** The objects of which the steps of a rule create records. */
export function objectsCreated({ steps }: Pick<RuleDefinition, 'steps'>): string[] {
  return steps.flatMap(({ type }) => CREATES[type] ?? [])
}

const CREATES: Partial<Record<Step['type'], string>> = {
  create_job: 'job',
  create_task: 'task',
  generate_document: 'attachment',
  post_activity_feed: 'note',
}

/** A new record is no change, but has its first status. */
function startsOnNew({ trigger }: RuleDefinition): string | null {
  if (trigger.source !== 'webhook') return null
  const { type, object, fromValue, fieldName } = trigger
  const starts = type === 'job_created' || (type === 'job_field' && fieldName === null)
  return starts || (type === 'job_status' && !fromValue) ? object : null
}

/** The job field whose change triggers the rule; `*` = any; null = job changes do not trigger it. */
function startsOn({ trigger }: RuleDefinition): string | null {
  if (trigger.source !== 'webhook' || trigger.object !== 'job') return null
  switch (trigger.type) {
    case 'job_status':
      return 'status'
    case 'job_queue':
      return 'queue_uuid'
    case 'job_field':
      return trigger.fieldName === null ? '*' : (findField('job', trigger.fieldName)?.own ?? trigger.fieldName)
    case 'job_updated':
      return '*'
    default:
      return null
  }
}

/** What `from` does that starts `to`, in words; null = nothing. */
function feeds(from: RuleDefinition, to: RuleDefinition): string | null {
  const object = startsOnNew(to)
  if (object !== null && objectsCreated(from).includes(object)) return `creates a ${objectNoun(object)}`
  const field = startsOn(to)
  if (field === null) return null
  const written = fieldsWritten(from).find((one) => field === '*' || field === one)
  return written === undefined ? null : `changes "${findField('job', written)?.label ?? written}"`
}

/**
 * One sentence per loop of this rule with other active rules. A rule alone cannot loop, because it does not react to
 * its own changes, and neither is a loop with a rule that acts once per record.
 */
export function loopWarnings(rule: NamedRule, others: readonly NamedRule[]): string[] {
  const rules = others.filter((other) => other.active && other.id !== rule.id)
  return rules.flatMap((other) => {
    const gives = feeds(rule.definition, other.definition)
    if (gives === null || rule.definition.once === 'record' || other.definition.once === 'record') return []
    const takes = feeds(other.definition, rule.definition)
    const through = takes === null ? rules.find((third) => third !== other && closes(other, third, rule)) : undefined
    if (takes === null && !through) return []
    const back = through
      ? `, and your automation "${through.name}" leads back to this one`
      : ', which in turn starts this automation'
    return [
      `This automation ${gives}, and your automation "${other.name}" starts on that${back}. They may keep starting each other.`,
    ]
  })
}

function closes(from: NamedRule, third: NamedRule, back: NamedRule): boolean {
  if (third.definition.once === 'record') return false
  return feeds(from.definition, third.definition) !== null && feeds(third.definition, back.definition) !== null
}
