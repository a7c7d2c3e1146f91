// The rule form as a page is sent it.
import type { Flash } from '../../lib/flash.ts'
import type { FormAids } from './form-aids.ts'
import type { FormState } from './form-state.ts'
import type { NamedRule } from './loops.ts'
import type { FieldErrors } from './rule-form.ts'

export interface FormView {
  state: FormState
  /** By field, as the calls answer them. */
  errors: FieldErrors
  /** Why it was not saved, as the message beside it says; null = nothing was wrong. */
  trouble: Flash | null
  aids: FormAids
  /** Other rules, as far as warnings about circles need them. */
  rules: NamedRule[]
  webhooks: { id: number; objectType: string; label: string; active: boolean }[]
}
