// Finds the parts of a record that a rule's steps mention: planning loads only these.
import type { RuleDefinition, Step } from '#app/domain/automations/rule.ts'
import { wordParameter } from '../actions/read-parameters.ts'
import type { FactPart } from '../records/facts.ts'
import { namesOf, partsForTexts } from '../rules/placeholders/placeholder-names.ts'
import { isTyped } from './run-messages.ts'
import { textsOf } from './run-order.ts'

/** Parts for planning all steps over records of the object. */
export function partsOfSteps({ steps }: Pick<RuleDefinition, 'steps'>, object: string): FactPart[] {
  const parameters = steps.map((step) => step.parameters)
  const messages = steps.filter(({ type }) => type === 'send_sms' || type === 'send_email')
  // Whom a mute or an answer concerns is known through the job.
  const about = messages.length > 0 ? ['{job_address}'] : []
  // Without a receiver, a message goes to the contact.
  if (messages.some(({ parameters }) => wordParameter(parameters, 'to') === '')) about.push('{contact_mobile}')
  // A receiver that is written out may be the job's contact or the customer's own: see `aboutOf`.
  const typed = parameters.some(isTyped) ? ['{contact_mobile}', '{company_email}'] : []
  const parts = new Set(partsForTexts([...textsOf(parameters), ...about, ...typed], object))
  // The text of a template is unknown until planning reads it: it may name anything.
  if (steps.some(usesTemplate)) for (const { part } of namesOf(object).values()) if (part) parts.add(part)
  return [...parts].sort()
}

function usesTemplate({ type, parameters }: Step): boolean {
  if (type === 'send_email') return parameters.contentType === 'template'
  return type === 'send_sms' && parameters.useSmsTemplate === true
}
