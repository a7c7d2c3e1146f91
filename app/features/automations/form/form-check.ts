// What keeps a form from being saved, by the same schema and the same checks that the server uses; and the rule as far as it goes, for
// a preview before it is saved. Fetched when it is first needed, so that the page starts small.
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { checkRule } from '../rules/checks/rule-check.ts'
import { ruleTooLong, tooLongAmong } from '../rules/checks/rule-size.ts'
import { openBlanksOf } from '../rules/rule-blanks.ts'
import { definitionOf } from '../rules/rule-definition.ts'
import { type FieldErrors, issuesByField, ruleForm } from '../rules/rule-form.ts'
import { draftOf, toBody } from './form-body.ts'
import { type FormState, objectOfForm } from './form-state.ts'

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

/** The rule as far as it goes, and what keeps its steps from being complete, by step id. */
export interface Draft {
  name: string
  ruleId: number | null
  object: string
  definition: RuleDefinition
  unfinished: ReadonlyMap<string, string>
  /** Why it is too long to be saved, and so to be looked at; null = it is not. */
  tooLong: string | null
}

export function readDraft(state: FormState): Draft {
  const object = objectOfForm(state)
  const parsed = ruleForm.safeParse(toBody(state))
  const errors = problemsOf(state)
  const definition = parsed.success ? definitionOf(parsed.data, object) : draftOf(state)
  // In the draft, lines without a type are left out.
  const places = state.steps.flatMap(({ type }, index) => (type === '' ? [] : [index]))
  const unfinished = new Map<string, string>()
  for (const [place, step] of definition.steps.entries()) {
    const own = `actions.${places[place] ?? place}.parameters`
    const told = Object.entries(errors).flatMap(([path, messages]) =>
      path === own || path.startsWith(`${own}.`) ? messages : [],
    )
    if (told.length > 0) unfinished.set(step.id, [...new Set(told)].join(' '))
  }
  return {
    name: state.values.name,
    ruleId: state.ruleId,
    object,
    definition,
    unfinished,
    tooLong: parsed.success ? null : (tooLongAmong(parsed.error.issues) ?? ruleTooLong(definition)),
  }
}
