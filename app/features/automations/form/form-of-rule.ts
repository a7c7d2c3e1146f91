// Opens a stored rule in the form. Separate from the form's state, because the texts it imports are heavy.
import { defaultOnce, writesToCustomers } from '#app/domain/automations/rule.ts'
import type { NamedRule } from '../rules/loops.ts'
import { formFields } from '../rules/rule-json.ts'
import { type FormState, formOfFields } from './form-state.ts'

export function formOfRule(rule: NamedRule & { version?: number }): FormState {
  const { id, name, active, definition, version } = rule
  // Without a customer message, an unchosen value keeps following the rule: adding a message makes it once per record.
  const follows = !writesToCustomers(definition) && definition.once === defaultOnce(definition)
  const once = follows ? '' : definition.once
  const form = formOfFields({ ...formFields(definition), name, active, once })
  return { ...form, ruleId: id, ...(version && { opened: { version, active: form.values.active } }) }
}
