// The rule form as a page is sent it.
import type { Flash } from '#app/lib/flash.ts'
import type { NamedRule } from '../rules/loops.ts'
import type { FieldErrors } from '../rules/rule-form.ts'
import type { FormAids } from './form-aids.ts'
import type { FormPreview } from './form-preview.ts'
import type { FormState } from './form-state.ts'

/** With what it was asked, so that the page can go on from there. */
export interface AskedPreview {
  answer: FormPreview
  search: string
  record: string
}

export interface FormView {
  state: FormState
  /** By field, as the calls answer them. */
  errors: FieldErrors
  /** What the message beside it says, for a page without scripts: why it was not saved, or what an import left open; null = nothing. */
  trouble: Flash | null
  aids: FormAids
  /** Other rules, as far as warnings about circles need them. */
  rules: NamedRule[]
  /** What its own option for quiet hours comes to, with how they stand in the account; absent = not known. */
  quiet?: { words: string; link: string }
  webhooks: { id: number; objectType: string; label: string; active: boolean }[]
  /** What was asked about it by a press without scripts; absent = nothing. */
  preview?: AskedPreview
}
