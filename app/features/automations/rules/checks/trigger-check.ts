// Checks that a trigger can fire: with impossible objects, fields, values or days, an active rule would never act.
import type { OncePolicy, RuleDefinition, TriggerType, WebhookTrigger } from '#app/domain/automations/rule.ts'
import type { Millis } from '#app/lib/clock.ts'
import { isUuid } from '../../records/field-value.ts'
import { conditionFields, fieldsOf, findField, objectNoun } from '../../records/fields.ts'
import { valueProblem } from '../conditions/condition-text.ts'
import { objectOfRule } from '../conditions/conditions.ts'
import { isOpen } from '../placeholders/placeholder-syntax.ts'
import { replyProblem } from '../reply.ts'
import type { FormIssue } from '../rule-form.ts'
import { comesAt, timesOf } from '../timing/schedule.ts'
import { nearestOf } from './name-suggestion.ts'

/** Facts of the account. A missing one is unknown here and not checked. */
export interface TriggerPlace {
  /** Objects whose events can start a rule. */
  watchable?: readonly string[]
  /** The account's custom fields on the rule's object. */
  ownFields?: readonly string[]
  now?: Millis
  /** IANA zone of the account. */
  zone?: string
}

export function triggerIssues(definition: Pick<RuleDefinition, 'trigger' | 'once'>, place: TriggerPlace): FormIssue[] {
  const { trigger, once } = definition
  return [
    ...(trigger.source === 'webhook' ? eventIssues(trigger, place) : []),
    ...onceIssues(trigger, once, place),
    ...timeIssues(definition, place),
  ]
}

/** Types that only jobs have, and the field they need. */
const OF_JOBS: Partial<Record<TriggerType, string>> = {
  job_status: 'status',
  job_queue: 'queue',
  customer_replied: 'messages',
  message_opened: 'messages',
  message_failed: 'messages',
}

function eventIssues(trigger: WebhookTrigger, place: TriggerPlace): FormIssue[] {
  const { object, type, fieldName, jobUuid, queueUuid } = trigger
  if (place.watchable && !place.watchable.includes(object)) {
    return [{ path: ['object'], message: `There are no events of "${object}". Choose ${list(place.watchable)}.` }]
  }
  const watchesField = type === 'job_field' && fieldName !== null && !isOpen(fieldName)
  const problems: Record<string, string | null> = {
    triggerType: typeProblem(trigger),
    triggerFieldName: watchesField ? fieldProblem(object, fieldName, place) : null,
    triggerFromValue: fromValueProblem(trigger),
    triggerJobUuid: idProblem(jobUuid, 'job'),
    triggerQueueUuid: idProblem(queueUuid, 'queue'),
    replyWords: trigger.reply ? replyProblem(trigger.reply) : null,
    atOnce: trigger.atOnce && trigger.settleMinutes > 0 ? 'An automation that waits cannot act at once.' : null,
  }
  return Object.entries(problems).flatMap(([field, message]) => (message === null ? [] : [{ path: [field], message }]))
}

function typeProblem({ type, object }: WebhookTrigger): string | null {
  const missing = OF_JOBS[type]
  if (missing === undefined || object === 'job') return null
  return `A ${objectNoun(object)} has no ${missing}. Choose job_created, job_updated or job_field.`
}

/** Problem of a value before the change that the field can never have. */
function fromValueProblem({ object, type, fieldName, fromValue }: WebhookTrigger): string | null {
  const compared = type === 'job_status' ? 'status' : type === 'job_field' ? fieldName : null
  const field = compared === null ? null : findField(object, compared)
  if (field === null || fromValue === null || isOpen(fromValue)) return null
  return valueProblem(field, 'equals', fromValue.trim())
}

function idProblem(id: string | null, what: string): string | null {
  if (id === null || isUuid(id) || isOpen(id)) return null
  return `"${id}" is not the id of a ${what}. Choose one from the list.`
}

/** Problem of a field name the object does not have; null = it has it, or that is unknown here. */
function fieldProblem(object: string, name: string, { ownFields }: TriggerPlace): string | null {
  if (!ownFields || ownFields.includes(name.toLowerCase()) || findField(object, name) !== null) return null
  const names = [...fieldsOf(object).keys()]
  if (names.length === 0) return null
  const nearest = nearestOf(name, names)
  const first = conditionFields(object).slice(0, 4)
  const hint =
    nearest === null ? `Use one such as ${list(first.map((field) => field.name))}.` : `Did you mean ${nearest}?`
  return `There is no field "${name}" on a ${objectNoun(object)}. ${hint}`
}

function onceIssues(trigger: RuleDefinition['trigger'], once: OncePolicy, place: TriggerPlace): FormIssue[] {
  if (!once.startsWith('value:')) return []
  const name = once.slice('value:'.length)
  if (trigger.source === 'manual_endpoint') {
    const message = 'For a manual automation, choose record, day, week, month, change or value:date.'
    return name === 'date' ? [] : [{ path: ['once'], message }]
  }
  const message = fieldProblem(objectOfRule({ trigger }), name, place)
  return message === null ? [] : [{ path: ['once'], message }]
}

const DATE_PASSED = 'This date has passed. Choose a later one.'
const NEVER_COMES = 'That day never comes. Choose days that are in the calendar.'

function timeIssues({ trigger }: Pick<RuleDefinition, 'trigger'>, { now, zone = 'UTC' }: TriggerPlace): FormIssue[] {
  const times = trigger.source === 'api_polling' ? trigger : trigger.schedule ? timesOf(trigger.schedule) : null
  if (times === null) return []
  const comes = comesAt(times, zone, now ?? 0)
  if (comes === 'never') return [{ path: ['scheduleRecurrence'], message: NEVER_COMES }]
  return comes === 'passed' && now !== undefined ? [{ path: ['scheduleDate'], message: DATE_PASSED }] : []
}

function list(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
