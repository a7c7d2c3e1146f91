// The errors that prevent saving a complete form: unknown names, results of later steps, triggers that never fire
// (below), actions that cannot work (subject-check.ts). The form shows them beside its fields too.
import type { ActionType } from '#app/domain/automations/action-parameters.ts'
import {
  isOfMany,
  type OncePolicy,
  type RuleDefinition,
  type Step,
  startsOnAnswers,
  type TriggerType,
  type WebhookTrigger,
} from '#app/domain/automations/rule.ts'
import type { Millis } from '#app/lib/clock.ts'
import { findJobField } from '../../actions/job-fields.ts'
import { isNews } from '../../records/changes.ts'
import { isUuid } from '../../records/field-value.ts'
import { conditionFields, type Field, fieldsOf, findField, objectNoun } from '../../records/fields.ts'
import { conditionProblem, valueProblem } from '../conditions/condition-text.ts'
import { objectOfRule } from '../conditions/conditions.ts'
import { checkPlaceholders, type PlaceholderPlace } from '../placeholders/placeholder-check.ts'
import type { Destination } from '../placeholders/placeholder-format.ts'
import { isOpen } from '../placeholders/placeholder-syntax.ts'
import { replyProblem } from '../reply.ts'
import type { FormIssue } from '../rule-form.ts'
import { checkReferences } from '../step-references.ts'
import { comesAt, scheduleProblem, timesOf } from '../timing/schedule.ts'
import { type LiteralPlace, literalIssues } from './literal-check.ts'
import { createSuggestions, nearestOf } from './name-suggestion.ts'

/** The destination of each parameter's text, which decides how values are formatted. Not listed: plain text. */
const DESTINATIONS: Partial<Record<ActionType, Record<string, Destination>>> = {
  send_sms: { to: 'phone', message: 'sms' },
  send_email: {
    customSubject: 'subject',
    customHtmlSubject: 'subject',
    subject: 'subject',
    customHtmlBody: 'html',
    htmlBody: 'html',
  },
  create_job: { date: 'date' },
}

export function destinationOf({ type, parameters }: DestinationStep, parameter: string): Destination {
  if (type === 'update_job_field' && parameter === 'fieldValue') {
    const field = findJobField(String(parameters.fieldName ?? ''))
    return field.outcome === 'found' && (field.kind === 'date' || field.kind === 'moment') ? 'date' : 'field'
  }
  return DESTINATIONS[type]?.[parameter] ?? 'plain'
}

/** The form's parameters are all texts; those of a stored step may be other types. */
interface DestinationStep {
  type: ActionType
  parameters: Readonly<Record<string, Step['parameters'][string]>>
}

/** The same for every text of a step. */
export function placeOfStep(rule: RuleDefinition, object: string, index: number) {
  const { trigger, steps, conditions } = rule
  const [onAnswers, manyRecords] = [startsOnAnswers(trigger), isOfMany(rule)]
  return { object, source: trigger.source, onAnswers, manyRecords, steps, index, conditions }
}

/** Where a text of a step is used. */
export function placeOfText(
  rule: RuleDefinition,
  object: string,
  index: number,
  step: DestinationStep,
  parameter: string,
): PlaceholderPlace {
  const [destination, toCustomer] = [destinationOf(step, parameter), isReadByCustomers(step.type, parameter)]
  return { ...placeOfStep(rule, object, index), destination, toCustomer }
}

/** Parameters that a customer reads; addresses and numbers are not among them. */
const READ_BY_CUSTOMERS: Partial<Record<ActionType, readonly string[]>> = {
  send_sms: ['message'],
  send_email: ['customSubject', 'customBody', 'customHtmlSubject', 'customHtmlBody', 'subject', 'htmlBody'],
}

/** Parameters that colleagues read. All others are values, which a format would spoil. */
const READ_BY_STAFF: Partial<Record<ActionType, readonly string[]>> = {
  create_job: ['job_description'],
  send_staff_message: ['message'],
  post_activity_feed: ['message'],
  create_task: ['title', 'description'],
}

export function isReadByPeople(type: ActionType, parameter: string): boolean {
  return isReadByCustomers(type, parameter) || (READ_BY_STAFF[type]?.includes(parameter) ?? false)
}

export function isReadByCustomers(type: ActionType, parameter: string): boolean {
  return READ_BY_CUSTOMERS[type]?.includes(parameter) ?? false
}

export interface RulePlace extends Omit<LiteralPlace, 'object'>, TriggerPlace {
  /** Stored, so old problems may stay: the caller with the stored rule checks its trigger (rules.server.ts). */
  stored?: boolean
}

/** The facts known without ServiceM8 or the network: in a browser, and for rules that are not stored. */
const ANYWHERE: RulePlace = { country: null }

/** Errors only: the form shows warnings, and they do not prevent saving. */
export function checkRule(definition: RuleDefinition, known: RulePlace = ANYWHERE): FormIssue[] {
  const { trigger, conditions, steps } = definition
  const object = objectOfRule(definition)
  const issues: FormIssue[] = [
    ...(known.stored ? [] : triggerIssues(definition, known)),
    ...checkReferences(definition),
    ...literalIssues(definition, { ...known, object: known.stored ? null : object }),
  ]
  conditions.forEach((condition, index) => {
    const problem = conditionProblem(condition, object)
    const stays = known.stored && findField(object, condition.field)?.type === 'choice'
    if (problem?.severity === 'error' && !stays)
      issues.push({ path: ['conditions', index, problem.at], message: problem.sentence })
  })
  const times = timesIn(trigger)
  const problem = times && scheduleProblem(times)
  if (problem) issues.push({ path: [problem.field], message: problem.message })
  const suggest = createSuggestions()
  steps.forEach((step, index) => {
    for (const [name, value] of Object.entries(step.parameters)) {
      if (typeof value !== 'string') continue
      const problems = checkPlaceholders(value, placeOfText(definition, object, index, step, name), suggest)
      for (const { severity, sentence } of problems) {
        if (severity === 'error') issues.push({ path: ['actions', index, 'parameters', name], message: sentence })
      }
    }
  })
  return issues
}

// Checks that a trigger can fire: with impossible objects, fields, values or days, an active rule would never act.

/** Facts of the account. A missing one is unknown here and not checked. */
interface TriggerPlace {
  /** Objects whose events can start a rule. */
  watchable?: readonly string[]
  /** The account's custom fields on the rule's object. */
  ownFields?: readonly string[]
  now?: Millis
  /** IANA zone of the account. */
  zone?: string
}

function triggerIssues(definition: Pick<RuleDefinition, 'trigger' | 'once'>, place: TriggerPlace): FormIssue[] {
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
    triggerFieldName: watchesField
      ? (fieldProblem(object, fieldName, place) ?? noNewsProblem(findField(object, fieldName)))
      : null,
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
  if ((field.type === 'uuid' || field.type === 'list') && fromValue.trim() !== '' && !isUuid(fromValue)) {
    return `"${fromValue}" is not an id. Write the id, or leave this empty.`
  }
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

function noNewsProblem(field: Field | null): string | null {
  return !field || isNews(field) ? null : `A change of "${field.label}" starts nothing. Choose another field.`
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
  const times = timesIn(trigger)
  if (times === null) return []
  const comes = comesAt(times, zone, now ?? 0)
  if (comes === 'never') return [{ path: ['scheduleRecurrence'], message: NEVER_COMES }]
  return comes === 'passed' && now !== undefined ? [{ path: ['scheduleDate'], message: DATE_PASSED }] : []
}

function timesIn(trigger: RuleDefinition['trigger']) {
  if (trigger.source === 'api_polling') return trigger
  return trigger.schedule ? timesOf(trigger.schedule) : null
}

function list(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
