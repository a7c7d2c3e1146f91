// What keeps a form from being saved, by the same schema and the same checks that the server uses.
// Fetched when it is first needed, so that the page starts small.

import { checkRule } from '../rules/checks/rule-check.ts'
import { openBlanksOf } from '../rules/rule-blanks.ts'
import { type FieldErrors, issuesByField, ruleForm } from '../rules/rule-form.ts'
import { draftOf, toBody } from './form-body.ts'
import type { FormState } from './form-state.ts'

/** Errors by field, as the call answers them; empty = it can be saved. */
export function problemsOf(state: FormState): FieldErrors {
  const parsed = ruleForm.safeParse(toBody(state))
  const errors = parsed.success ? {} : issuesByField(parsed.error.issues)
  if (!parsed.success) return errors
  const draft = draftOf(state)
  Object.assign(errors, issuesByField(checkRule(draft, { country: null, stored: state.ruleId !== null })))
  const blanks = state.values.active === 'true' ? openBlanksOf(draft) : []
  if (blanks.length > 0) {
    errors.active = [`Fill in what is still open before switching it on: ${blanks.join(', ')}`]
  }
  return errors
}
