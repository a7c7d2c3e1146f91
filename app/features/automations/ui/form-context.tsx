// What every control of the rule form needs to know, without being handed it by each section.
import { createContext, useContext } from 'react'
import type { FormAids } from '../form-aids.ts'
import { valueAt } from '../form-change.ts'
import type { FormLists } from '../form-lists.ts'
import type { FormState } from '../form-state.ts'
import type { FieldErrors } from '../rule-form.ts'

export interface RuleFormTools {
  state: FormState
  errors: FieldErrors
  lists: FormLists
  aids: FormAids
  webhooks: readonly { id: number; objectType: string; label: string; active: boolean }[]
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
  const { state, errors, set } = useRuleForm()
  const found = Object.hasOwn(errors, path) ? errors[path] : undefined
  return {
    id: `rule-${name}`,
    value: valueAt(state, name) ?? '',
    set: (value: string) => set(name, value),
    ...(found && { errors: found }),
  }
}
