// The rule in the form as far as it goes, for a look at it before it is saved.

import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { ruleTooLong, tooLongAmong } from '../rules/checks/rule-size.ts'
import { definitionOf, ruleForm } from '../rules/rule-form.ts'
import { draftOf, toBody } from './form-body.ts'
import { problemsOf } from './form-problems.ts'
import { type FormState, objectOfForm } from './form-state.ts'

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
