// A stored rule as the form opens it. Apart from the form's state, because the words that a rule's answer brings along are heavy.
import { defaultOnce, type RuleDefinition, writesToCustomers } from '#app/domain/automations/rule.ts'
import { formFields } from '../rules/rule-json.ts'
import { type FormState, formOfFields } from './form-state.ts'

export function formOfRule(rule: { id: number; name: string; active: boolean; definition: RuleDefinition }): FormState {
  const { id, name, active, definition } = rule
  // Without a message to customers, what nobody chose goes on following what the rule is: with one added, once per record.
  const follows = !writesToCustomers(definition) && definition.once === defaultOnce(definition)
  const once = follows ? '' : definition.once
  return { ...formOfFields({ ...formFields(definition), name, active, once }), ruleId: id }
}
