// What every control of the rule form needs to know, without being handed it by each section.
import { createContext, useContext } from 'react'
import type { FormLists } from '../../rules/form-lists.ts'
import type { FieldErrors } from '../../rules/rule-form.ts'
import type { FormAids } from '../form-aids.ts'
import { valueAt } from '../form-change.ts'
import type { Samples } from '../form-preview.ts'
import { limitProblem } from '../form-shown.ts'
import type { FormState, StepRow } from '../form-state.ts'

export interface RuleFormTools {
  /** As the address has it; '' = nobody signed in. */
  accountUUID: string
  /** The record of the preview, for sample values; '' = the newest that fits. */
  example: string
  /** Values of the placeholders, when they were asked for without scripts. */
  samples: Samples | null
  state: FormState
  errors: FieldErrors
  lists: FormLists
  aids: FormAids
  webhooks: readonly { id: number; objectType: string; label: string; active: boolean }[]
  /** What the option for quiet hours comes to in this account; absent = not known. */
  quiet?: { words: string; link: string }
  /** False until scripts run: then buttons that ask the server are offered instead. */
  alive: boolean
  set: (name: string, value: string) => void
}

const RuleFormContext = createContext<RuleFormTools | null>(null)
export const RuleFormProvider = RuleFormContext.Provider

export function useRuleForm(): RuleFormTools {
  const tools = useContext(RuleFormContext)
  if (!tools) throw new Error('outside of the rule form')
  return tools
}

interface StepPlace {
  step: StepRow
  index: number
}

const StepContext = createContext<StepPlace | null>(null)
/** Around the fields of an action. */
export const StepProvider = StepContext.Provider

export function useStep(): StepPlace {
  const place = useContext(StepContext)
  if (!place) throw new Error('outside of an action')
  return place
}

/**
 * Full name, value, setter, errors and notes of a control. Within an action, `p.to` is its parameter `to`. `path` = the field of the
 * answer its errors come under.
 */
export function useControl(given: string, path?: string) {
  const { state, errors, aids, alive, set } = useRuleForm()
  const { name, about, ...names } = namesOf(given, useContext(StepContext))
  const field = path ?? names.field
  const found = Object.hasOwn(errors, field) ? errors[field] : undefined
  const value = valueAt(state, name) ?? ''
  // Length is checked while it is typed: nobody has to press Save to learn of it.
  const tooLong = found ? null : limitProblem(state, name, value)
  return {
    id: `rule-${name}`,
    name,
    value,
    set: (value: string) => set(name, value),
    /** About the placeholders in it. */
    notes: Object.hasOwn(aids.hints, about) ? (aids.hints[about] ?? []) : [],
    ...(found ? { errors: found } : tooLong !== null && { errors: [tooLong] }),
    // With scripts the form itself leads there.
    ...(!alive && found && field === Object.keys(errors)[0] && { autoFocus: { autoFocus: true } }),
  }
}

/** `field` = of the answer; `about` = what is noted about its placeholders. */
function namesOf(given: string, place: StepPlace | null) {
  if (!place || !given.startsWith('p.')) return { name: given, field: given, about: '' }
  const { step, index } = place
  const parameter = given.slice(2)
  return {
    name: `s.${step.key}.${given}`,
    field: `actions.${index}.parameters.${parameter}`,
    about: `${step.key}.${parameter}`,
  }
}
