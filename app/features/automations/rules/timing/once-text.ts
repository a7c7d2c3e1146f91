// How often one record may trigger a rule, in words: for form choices, sentence, card, previews and backtests.
import {
  defaultOnce,
  intervalInForce,
  type OncePolicy,
  type RuleDefinition,
  type Trigger,
  writesToCustomers,
} from '#app/domain/automations/rule.ts'
import { plural } from '#app/domain/time/moments.ts'
import { capital } from '#app/lib/plain-text.ts'
import { fieldLabel, objectNoun } from '../../records/fields.ts'

type Asked = Pick<RuleDefinition, 'trigger' | 'once'>

/** `once per job` · `every time it changes` · `at most once a week per job`; no initial capital, no full stop. */
export function onceText({ trigger, once }: Asked, object: string): string {
  const noun = objectNoun(object)
  switch (once) {
    case 'record':
      return `once per ${noun}`
    case 'change':
      return everyChange(trigger, noun)
    case 'period':
      return everyTick(trigger)
    case 'day':
    case 'week':
    case 'month':
      return `at most once a ${once} per ${noun}`
    default:
      return `once per ${noun} and ${fieldLabel(object, once.slice('value:'.length))
        .toLowerCase()
        .replace(/^start$/, 'start time')
        .replace(/^last changed$/, 'change')
        .replace(/^completed on$/, 'completion date')}`
  }
}

/** The same as a text of its own: `Once per job`. */
export function oftenOf(definition: Asked, object: string): string {
  return capital(onceText(definition, object))
}

function everyChange(trigger: Trigger, noun: string): string {
  switch (trigger.source) {
    case 'manual_endpoint':
      return 'every time it is called'
    case 'api_polling':
      return `once for each change of the ${noun}`
    case 'webhook':
      if (trigger.schedule) return 'every time it runs'
      if (trigger.type === 'customer_replied') return 'every time they answer'
      if (trigger.type === 'message_opened' || trigger.type === 'message_failed') return 'for each message'
      return trigger.type === 'job_updated' ? 'every time it changes' : 'every time'
  }
}

function everyTick(trigger: Trigger): string {
  if (trigger.source !== 'api_polling') return 'every time'
  return intervalInForce(trigger) === 'on_demand' ? 'every time it is run' : 'every time it checks'
}

/**
 * For the end of the rule's sentence: always if it messages customers, with their days between two, else only if it
 * differs from the default.
 */
export function onceInSentence(
  definition: Asked & Pick<RuleDefinition, 'guards'> & Parameters<typeof defaultOnce>[0],
  object: string,
): string | null {
  const toCustomers = writesToCustomers(definition)
  if (!toCustomers && definition.once === defaultOnce(definition)) return null
  const days = toCustomers ? definition.guards.cooldownDays : 0
  const apart = days > 0 ? `, with ${plural(days, 'day')} between messages to one number or e-mail` : ''
  return `${onceText(definition, object)}${apart}`
}

interface OnceChoice {
  value: OncePolicy
  label: string
}

/** The choices for a rule of this kind, always including its current one. */
export function onceChoices({ trigger, once }: Asked, object: string): OnceChoice[] {
  const every: OncePolicy[] = trigger.source === 'api_polling' ? ['period', 'change'] : ['change']
  const values: OncePolicy[] = ['record', 'day', 'week', 'month', ...every]
  const all = values.includes(once) ? values : [...values, once]
  return all.map((value) => ({ value, label: oftenOf({ trigger, once: value }, object) }))
}

/** The status whose later edits also trigger it: "anything changes, only if the status is Completed". Null = none. */
export function laterEditsOf({ trigger, conditions }: Pick<RuleDefinition, 'trigger' | 'conditions'>): string | null {
  if (trigger.source !== 'webhook' || trigger.object !== 'job') return null
  const anything = trigger.type === 'job_updated' || (trigger.type === 'job_field' && trigger.fieldName === null)
  if (!anything) return null
  const status = conditions.find(({ field, operator, value }) => field === 'status' && operator === 'equals' && value)
  return status?.value ?? null
}
