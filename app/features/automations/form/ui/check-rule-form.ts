// What the form asks before it sends, apart because the schema weighs as much as the rest of the page: fetched when it is first needed.
import '#app/ui/zod-without-eval.ts'
import type { FieldErrors } from '../../rules/rule-form.ts'
import { problemsOf } from '../form-problems.ts'
import type { FormState } from '../form-state.ts'

/** Errors by field; empty = it can be sent. */
export function checkRuleForm(state: FormState): FieldErrors {
  return problemsOf(state)
}
