// What every control of the rule form needs to know, without being handed it by each section.
import { createContext, useContext } from 'react'
import type { FormLists } from '../../rules/form-lists.ts'
import type { FieldErrors } from '../../rules/rule-form.ts'
import type { FormAids } from '../form-aids.ts'
import { valueAt } from '../form-change.ts'
import type { Samples } from '../form-look.ts'
import { limitProblem } from '../form-shown.ts'
import type { FormState } from '../form-state.ts'

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

/** Value, setter and errors of the control of that name. `path` = the field of the answer its errors come under. */
export function useControl(name: string, path = name) {
  const { state, errors, alive, set } = useRuleForm()
  const found = Object.hasOwn(errors, path) ? errors[path] : undefined
  const value = valueAt(state, name) ?? ''
  // Length is told while it is typed: nobody has to press Save to learn of it.
  const tooLong = found ? null : limitProblem(state, name, value)
  return {
    id: `rule-${name}`,
    value,
    set: (value: string) => set(name, value),
    ...(found ? { errors: found } : tooLong !== null && { errors: [tooLong] }),
    // With scripts the form itself leads there.
    ...(!alive && found && path === Object.keys(errors)[0] && { autoFocus: { autoFocus: true } }),
  }
}
