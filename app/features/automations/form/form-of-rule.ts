// Opens a stored rule in the form. Separate from the form's state, because the texts it imports are heavy.
import { defaultOnce, writesToCustomers } from '#app/domain/automations/rule.ts'
import type { NamedRule } from '../rules/loops.ts'
import { formFields } from '../rules/rule-json.ts'
import { type FormState, formOfFields } from './form-state.ts'

export function formOfRule(rule: NamedRule): FormState {
  const { id, name, active, definition } = rule
  // Without a customer message, an unchosen value keeps following the rule: adding a message makes it once per record.
  const follows = !writesToCustomers(definition) && definition.once === defaultOnce(definition)
  const once = follows ? '' : definition.once
  return { ...formOfFields({ ...formFields(definition), name, active, once }), ruleId: id }
}
