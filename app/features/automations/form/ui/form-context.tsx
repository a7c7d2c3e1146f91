// Shared context for every control of the rule form, so sections do not pass it down.
import { createContext, useContext } from 'react'
import type { FormLists } from '../../rules/form-lists.ts'
import { valueAt } from '../form-change.ts'
import type { Samples } from '../form-preview.ts'
import { limitProblem } from '../form-shown.ts'
import type { StepRow } from '../form-state.ts'
import type { FormView } from '../form-view.ts'

/** A text message with the values of the previewed record. */
interface SentText {
  characters: number
  credits: number
}

export interface RuleFormTools extends Pick<FormView, 'state' | 'errors' | 'aids' | 'quiet' | 'listening' | 'at'> {
  /** From the address; '' = not signed in. */
  accountUUID: string
  /** The signed-in staff member; '' = unknown. */
  person: string
  /** The mobile they typed, when sent without scripts. */
  phone: string
  /** The previewed record, for sample values; '' = the newest that matches. */
  example: string
  /** Placeholder values, when requested without scripts. */
  samples: Samples | null
  lists: FormLists
  webhooks: readonly { id: number; objectType: string; label: string; active: boolean }[]
  /** The open parts. */
  open: ReadonlySet<string>
  setOpen: (part: string, open: boolean) => void
  /** What the steps would send with the previewed record, by step key. */
  sends: Readonly<Record<string, SentText>>
  /** False until scripts run: then the form offers buttons that ask the server instead. */
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
/** Wraps the fields of an action. */
export const StepProvider = StepContext.Provider

export function useStep(): StepPlace {
  const place = useContext(StepContext)
  if (!place) throw new Error('outside of an action')
  return place
}

/**
 * Returns full name, value, setter, errors and notes of a control. Within an action, `p.to` is its parameter `to`.
 * `path` = the field of the answer with its errors.
 */
export function useControl(given: string, path?: string) {
  const { state, errors, aids, alive, set } = useRuleForm()
  const { name, about, ...names } = namesOf(given, useContext(StepContext))
  const field = path ?? names.field
  const found = Object.hasOwn(errors, field) ? errors[field] : undefined
  const value = valueAt(state, name) ?? ''
  // Check the length while the user types, not only on Save.
  const tooLong = found ? null : limitProblem(state, name, value)
  return {
    id: `rule-${name}`,
    name,
    value,
    set: (value: string) => set(name, value),
    /** Notes about the placeholders in the value that its errors do not say. */
    notes: (Object.hasOwn(aids.hints, about) ? (aids.hints[about] ?? []) : []).filter((one) => !found?.includes(one)),
    ...(found ? { errors: found } : tooLong !== null && { errors: [tooLong] }),
    // With scripts the form moves the focus itself.
    ...(!alive && found && field === Object.keys(errors)[0] && { autoFocus: { autoFocus: true } }),
  }
}

/** `field` = error path in the answer; `about` = key of the placeholder notes. */
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
