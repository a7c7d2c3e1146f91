// Which parts of a record the steps of a rule speak of: only these are loaded before they are planned.
import type { RuleDefinition, Step } from '#app/domain/automations/rule.ts'
import type { FactPart } from '../records/facts.ts'
import { partsForTexts } from '../rules/placeholders/placeholder-names.ts'
import { textsOf } from './run-order.ts'

/** What the platform's own message templates may speak of: their text is not known before the plan reads it. */
const OF_TEMPLATES: readonly FactPart[] = ['company', 'contact', 'staff']

/** For planning all steps over records of the object. */
export function partsOfSteps({ steps }: Pick<RuleDefinition, 'steps'>, object: string): FactPart[] {
  const parts = new Set(partsForTexts(textsOf(steps.map((step) => step.parameters)), object))
  if (steps.some(usesTemplate)) for (const part of OF_TEMPLATES) parts.add(part)
  return [...parts].sort()
}

function usesTemplate({ type, parameters }: Step): boolean {
  if (type === 'send_email') return parameters.contentType === 'template'
  return type === 'send_sms' && parameters.useSmsTemplate === true
}
