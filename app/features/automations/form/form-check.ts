// Validates the form with the same schema and checks as the server, and builds a draft for the preview. Loaded on first
// use to keep the page small.
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { checkRule } from '../rules/checks/rule-check.ts'
import { ruleTooLong, tooLongAmong } from '../rules/checks/rule-size.ts'
import { openBlanksOf, stillOpenText } from '../rules/rule-blanks.ts'
import { definitionOf } from '../rules/rule-definition.ts'
import { type FieldErrors, issuesByField, ruleForm } from '../rules/rule-form.ts'
import { draftOf, toBody } from './form-body.ts'
import { type FormState, objectOfForm } from './form-state.ts'

/** Errors by field, as in the API answers; empty = the form can be saved. */
export function problemsOf(state: FormState): FieldErrors {
  const parsed = ruleForm.safeParse(toBody(state))
  const errors = parsed.success ? {} : issuesByField(parsed.error.issues)
  if (!parsed.success) return errors
  const draft = draftOf(state)
  Object.assign(errors, issuesByField(checkRule(draft, { country: null, stored: state.ruleId !== null })))
  const blanks = state.values.active === 'true' ? openBlanksOf(draft) : []
  if (blanks.length > 0) {
    errors.active = [stillOpenText(blanks)]
  }
  return errors
}

const REQUIRED = / is required$/

/** `Fill in Customer and Job Status to see this step.`; anything else that is wrong in its own words. */
function unfinishedText(told: readonly string[]): string {
  const missing = told.filter((message) => REQUIRED.test(message)).map((message) => message.replace(REQUIRED, ''))
  const names = missing.map((name) => (name === 'Company UUID' ? 'Customer' : name))
  const fill = names.length === 0 ? [] : [`Fill in ${names.join(' and ')} to see this step.`]
  return [...fill, ...told.filter((message) => !REQUIRED.test(message))].join(' ')
}

/** The rule so far, with the errors of unfinished steps by step id. */
export interface Draft {
  name: string
  ruleId: number | null
  object: string
  definition: RuleDefinition
  unfinished: ReadonlyMap<string, string>
  /** Why the rule is too long to save, and so to preview; null = it is not. */
  tooLong: string | null
}

export function readDraft(state: FormState): Draft {
  const object = objectOfForm(state)
  const parsed = ruleForm.safeParse(toBody(state))
  const errors = problemsOf(state)
  const definition = parsed.success ? definitionOf(parsed.data, object) : draftOf(state)
  // The draft leaves out actions without a type.
  const places = state.steps.flatMap(({ type }, index) => (type === '' ? [] : [index]))
  const unfinished = new Map<string, string>()
  for (const [place, step] of definition.steps.entries()) {
    const own = `actions.${places[place] ?? place}.parameters`
    const told = Object.entries(errors).flatMap(([path, messages]) =>
      path === own || path.startsWith(`${own}.`) ? messages : [],
    )
    if (told.length > 0) unfinished.set(step.id, unfinishedText([...new Set(told)]))
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
