// Opens a stored rule in the form. Separate from the form's state, because the texts it imports are heavy.
import { defaultOnce, type RuleDefinition, writesToCustomers } from '#app/domain/automations/rule.ts'
import { formFields } from '../rules/rule-json.ts'
import { type FormState, formOfFields } from './form-state.ts'

export function formOfRule(rule: { id: number; name: string; active: boolean; definition: RuleDefinition }): FormState {
  const { id, name, active, definition } = rule
  // Without a customer message, an unchosen value keeps following the rule: adding a message makes it once per record.
  const follows = !writesToCustomers(definition) && definition.once === defaultOnce(definition)
  const once = follows ? '' : definition.once
  return { ...formOfFields({ ...formFields(definition), name, active, once }), ruleId: id }
}
