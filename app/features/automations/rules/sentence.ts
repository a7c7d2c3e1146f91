// A rule in one sentence: "When a job becomes Completed, only if it has a mobile number, then text the customer."
// Cards, logs, exports and the import share it.
import { actionSpec } from '#app/domain/automations/action-parameters.ts'
import type {
  Condition,
  GroupingField,
  ManualTrigger,
  PollTrigger,
  RuleDefinition,
  Step,
  WebhookTrigger,
} from '#app/domain/automations/rule.ts'
import { plural } from '#app/domain/time/moments.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { ownValue } from '#app/lib/json.ts'
import { LINE_SOURCES } from '../actions/job-lines.ts'
import { wordParameter } from '../actions/read-parameters.ts'
import type { JudgedAt } from '../records/facts.ts'
import { readFlag } from '../records/field-value.ts'
import { fieldLabel, findField, objectNoun } from '../records/fields.ts'
import { neededSteps } from '../runs/run-order.ts'
import { dayOfField, flagEventText, groupText, type KnownNames, valueText } from './conditions/condition-text.ts'
import { conditionGroups, objectOfEndpoint, objectOfRule } from './conditions/conditions.ts'
import { blankLabel } from './placeholders/blanks.ts'
import { placeholdersIn, readPieces } from './placeholders/placeholder-syntax.ts'
import { replyPhrases } from './reply.ts'
import { onceInSentence } from './timing/once-text.ts'
import { collectedText, passedText, scheduleText } from './timing/schedule.ts'

export interface SentenceParts {
  /** `When a job becomes Completed` · `Every day at 10:00, for each job`. */
  when: string
  /** `it has a mobile number`; null = always. */
  onlyIf: string | null
  /** `text the customer, once per job`. */
  does: string
}

type Described = Pick<RuleDefinition, 'trigger' | 'conditions' | 'grouping' | 'digest' | 'steps' | 'guards' | 'once'>

/**
 * `names` = names by uuid; an id without a name is "a queue", "a staff member". With `at`, the sentence says so if a
 * date has passed.
 */
export function sentenceOf(definition: Described, names: KnownNames = {}, at: JudgedAt | null = null): string {
  const { when, onlyIf, does } = sentenceParts(definition, names, at)
  return onlyIf === null ? `${when}, ${does}.` : `${when}, only if ${onlyIf}, then ${does}.`
}

/** The sentence in its three parts, so that a page can show them separately. */
export function sentenceParts(
  definition: Described,
  names: KnownNames = {},
  at: JudgedAt | null = null,
): SentenceParts {
  const { trigger } = definition
  const event = trigger.source === 'webhook' ? mergedEvent(trigger, definition.conditions) : null
  const conditions = definition.conditions.filter((condition) => condition !== event?.condition)
  return {
    when: event ? `When ${event.words}` : whenText(definition, names, at),
    onlyIf: conditions.length === 0 ? null : filterText(conditions, objectOfRule(definition), names),
    does: [doesText(definition, names, at), onceInSentence(definition, objectOfRule(definition))]
      .filter((part) => part !== null)
      .join(', '),
  }
}

/**
 * Turns "The status changes, only if it is Completed" into "becomes Completed", and "Paid changes, only if it is paid"
 * into "is paid". Only if every match needs the condition; the condition is then not repeated.
 */
function mergedEvent(
  trigger: WebhookTrigger,
  conditions: readonly Condition[],
): { words: string; condition: Condition } | null {
  const field = trigger.type === 'job_status' ? 'status' : trigger.type === 'job_field' ? trigger.fieldName : null
  const lines = conditions.filter((condition) => condition.field === field && condition.operator === 'equals')
  const [condition] = lines
  if (field === null || !condition || lines.length > 1 || conditionGroups(conditions).length !== 1) return null
  const wanted = bare(condition.value)
  if (wanted === '') return null
  const one = oneOf(trigger)
  if (trigger.type === 'job_status') {
    const words = trigger.fromValue ? `${one} goes from ${trigger.fromValue} to ${wanted}` : `${one} becomes ${wanted}`
    return { words, condition }
  }
  const words = readFlag(wanted) === true && !trigger.fromValue ? flagEventText(field, one) : null
  return words === null ? null : { words, condition }
}

function whenText(definition: Described, names: KnownNames, at: JudgedAt | null): string {
  const { trigger } = definition
  switch (trigger.source) {
    case 'webhook':
      return `When ${eventText(trigger, names)}`
    case 'api_polling':
      return `${scheduleText(trigger, at)}, ${eachText(definition, trigger)}`
    case 'manual_endpoint':
      return 'When another program calls this automation for a job'
    default:
      return assertNever(trigger)
  }
}

function oneOf({ object, jobUuid }: WebhookTrigger): string {
  const noun = objectNoun(object)
  if (jobUuid === null) return withArticle(noun)
  return object === 'job' ? 'one certain job' : `${withArticle(noun)} of one certain job`
}

function eventText(trigger: WebhookTrigger, names: KnownNames): string {
  const one = oneOf(trigger)
  const from = trigger.fromValue ?? ''
  switch (trigger.type) {
    case 'job_status':
      return `the status of ${one} changes${from === '' ? '' : ` from ${from}`}`
    case 'job_queue':
      if (trigger.queueUuid === null) return `the queue of ${one} changes`
      return `${one} comes into ${idText(trigger.queueUuid, 'the queue ', 'a certain queue', names)}`
    case 'job_field': {
      if (trigger.fieldName === null) return `any field of ${one} changes`
      const label = fieldLabel(trigger.object, trigger.fieldName)
      return `"${label}" of ${one} changes${from === '' ? '' : ` from "${from}"`}`
    }
    case 'job_created':
      return `${one} is created`
    case 'job_updated':
      return `${one} changes`
    case 'customer_replied':
      return answerText(trigger)
    case 'message_opened':
      return `the customer opens our e-mail${aboutJob(trigger)}`
    case 'message_failed':
      return `our message to the customer does not arrive${aboutJob(trigger)}`
    default:
      return assertNever(trigger.type)
  }
}

function aboutJob({ jobUuid }: Pick<WebhookTrigger, 'jobUuid'>): string {
  return jobUuid === null ? '' : ' about one certain job'
}

function answerText({ reply, jobUuid }: WebhookTrigger): string {
  const about = aboutJob({ jobUuid })
  const match = reply?.match ?? 'any'
  switch (match) {
    case 'any':
      return `the customer answers${about}`
    case 'yes':
    case 'no':
      return `the customer answers ${match}${about}`
    case 'words': {
      const words = replyPhrases(reply?.words ?? '').map((word) => `"${bare(word)}"`)
      return `the customer answers${about} with ${words.length === 0 ? 'certain words' : words.join(' or ')}`
    }
    default:
      return assertNever(match)
  }
}

const TOGETHER: Readonly<Record<GroupingField, string>> = {
  company_uuid: 'customer',
  status: 'status',
  queue: 'queue',
  priority: 'priority',
  staff_uuid: 'staff member',
}

function eachText({ grouping, digest }: Described, trigger: PollTrigger): string {
  const noun = objectNoun(objectOfEndpoint(trigger.endpoint))
  if (grouping.enabled && grouping.field) return `for all ${noun}s of each ${TOGETHER[grouping.field]} together`
  return digest ? `for all ${noun}s together` : `for each ${noun}`
}

function filterText(conditions: readonly Condition[], object: string, names: KnownNames): string {
  const groups = conditionGroups(conditions).map((group) => groupText(group, object, names))
  return groups.length === 1 ? (groups[0] ?? '') : `either ${groups.join(', or ')}`
}

function doesText({ trigger, steps, guards }: Described, names: KnownNames, at: JudgedAt | null): string {
  const settles = trigger.source === 'webhook' && trigger.settleMinutes > 0
  const first = [
    ...(settles ? [`after ${minuteText(trigger.settleMinutes)}`] : []),
    ...(guards.askFirst ? ['once you agree'] : []),
  ].join(' and ')
  const does =
    trigger.source === 'api_polling' ? stepsWords(steps, names) : timed(trigger, stepsWords(steps, names), at)
  return first === '' ? does : `${first}, ${does}`
}

function stepsWords(steps: readonly Step[], names: KnownNames): string {
  if (steps.length === 0) return 'do nothing yet'
  return steps.reduce((before, step, index) => {
    const words = stepText(step, names)
    if (index === 0) return words
    if (step.waitForPrevious) return `${before}, and if that worked, ${words}`
    // After one that waits, `and` would make this one wait too. One that reads a result waits for that.
    if (steps[index - 1]?.waitForPrevious) return `${before}${afterOneThatWaits(steps, index)} ${words}`
    return `${before}${index === steps.length - 1 ? ' and ' : ', '}${words}`
  }, '')
}

function afterOneThatWaits(steps: readonly Step[], index: number): string {
  const needed = neededSteps(steps[index] as Step, steps).map((id) => steps.findIndex((step) => step.id === id))
  if (needed.length === 0) return '; either way,'
  return needed.includes(index - 1) ? ', and' : `; if step ${Math.max(...needed) + 1} worked,`
}

/** The steps of a rule that collects, with the time it does them. */
function timed(trigger: WebhookTrigger | ManualTrigger, does: string, at: JudgedAt | null): string {
  const schedule = collectedText(trigger)
  if (schedule === null) return does
  const passed = at === null ? null : passedText(trigger, at)
  return passed === null ? `wait ${schedule}, then ${does}` : `${does} at once, because ${passed} has passed`
}

/** `text the customer`, `set the job to Completed`. */
export function stepText({ type, parameters }: Pick<Step, 'type' | 'parameters'>, names: KnownNames = {}): string {
  const text = (name: string) => wordParameter(parameters, name)
  const { does } = actionSpec(type)
  switch (type) {
    case 'create_job':
      return copies(parameters) ? `${does} with copied materials` : does
    case 'update_job_status':
      return `set the job to ${bare(text('status')) || 'another status'}`
    case 'assign_to_queue':
      return `put the job in ${idText(text('queueUuid'), 'the queue ', 'a queue', names)}`
    case 'send_email':
      return `e-mail ${receiver(text('to'), names)}${parameters.includeGeneratedDocument === true ? ' with the document' : ''}`
    case 'send_sms':
      return `text ${receiver(text('to'), names)}`
    case 'generate_document':
      return `make ${idText(text('templateType'), 'the document ', 'a document', names)}${format(text('outputFormat'))}`
    case 'send_staff_message':
      return `send a message to ${staffReceiver(text('toStaffUuid'), names)}`
    case 'create_task': {
      const title = shortened(text('title'))
      return title === '' ? does : `create the task "${title}"`
    }
    case 'update_job_field':
      return fieldText(text('fieldName'), shortened(text('fieldValue')), text('badgeChange'), names) ?? does
    default:
      return does
  }
}

/** Null = no field is chosen yet. */
function fieldText(name: string, value: string, badgeChange: string, names: KnownNames): string | null {
  if (name === '') return null
  if (name === 'badges') {
    const badge = value === '' ? 'a badge' : `the badge ${valueText(value, null, names)}`
    if (badgeChange === 'add') return `add ${badge} to the job`
    if (badgeChange === 'remove') return `remove ${badge} from the job`
  }
  const label = fieldLabel('job', name)
  return value === ''
    ? `empty "${label}" of the job`
    : `set "${label}" of the job to ${dayOfField('job', name, value) ?? valueText(value, findField('job', name), names)}`
}

function copies(parameters: Step['parameters']): boolean {
  return Object.values(LINE_SOURCES).some(
    ({ copy, copyAll }) => parameters[copy] === true || parameters[copyAll] === true,
  )
}

/** Without a receiver, the customer. A placeholder shows whose address it is. */
function receiver(to: string, names: KnownNames): string {
  if (to === '') return 'the customer'
  const [placeholder] = placeholdersIn(to)
  if (placeholder) return /staff/i.test(placeholder.name) ? 'the staff member' : 'the customer'
  return bare(ownValue(names, to) ?? to)
}

function staffReceiver(uuid: string, names: KnownNames): string {
  if (placeholdersIn(uuid).length > 0) return 'the assigned staff member'
  return idText(uuid, '', 'a staff member', names)
}

/** A name in quotes, a blank as its label, an unreadable id as its kind. */
function idText(id: string, before: string, otherwise: string, names: KnownNames): string {
  const named = ownValue(names, id)
  if (named) return before === '' ? named : `${before}"${named}"`
  const blank = blankLabel(id)
  if (blank) return `[${blank}]`
  const isReadable = id !== '' && !/^[0-9a-f-]{20,}$/i.test(id) && !id.includes('{') && /^[\p{L}]/u.test(id)
  return isReadable ? `${before}"${shortened(id)}"` : otherwise
}

function format(outputFormat: string): string {
  return outputFormat === '' ? '' : ` as ${outputFormat.toUpperCase()}`
}

/** The text with blanks as their labels and placeholders as three dots. */
function bare(text: string): string {
  return readPieces(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : piece.kind === 'blank' ? `[${piece.label}]` : '…'))
    .join('')
    .replace(/\s+/g, ' ')
    .trim()
}

function shortened(text: string): string {
  const line = bare(text)
  return line.length > 60 ? `${line.slice(0, 59).trimEnd()}…` : line
}

function withArticle(noun: string): string {
  return /^[aeiou]/i.test(noun) ? `an ${noun}` : `a ${noun}`
}

function minuteText(count: number): string {
  if (count % 1440 === 0) return plural(count / 1440, 'day')
  return count % 60 === 0 ? plural(count / 60, 'hour') : plural(count, 'minute')
}
