// The rule form as sent to a page.
import type { Flash } from '#app/lib/flash.ts'
import type { ListeningNote } from '../listening/answers.ts'
import type { NamedRule } from '../rules/loops.ts'
import type { FieldErrors } from '../rules/rule-form.ts'
import type { FormAids } from './form-aids.ts'
import type { FormPreview } from './form-preview.ts'
import type { FormState } from './form-state.ts'

/** A preview with its request, so the page can continue from there. */
export interface AskedPreview {
  answer: FormPreview
  search: string
  record: string
  /** As typed for a text to the own phone. */
  phone?: string
}

export interface FormView {
  state: FormState
  /** The form without anything unsaved: the stored rule, or an empty form. */
  saved: FormState
  /** The part of the form where the last button was pressed, without scripts; '' = nowhere. */
  at: string
  /** By field, as in the API answers. */
  errors: FieldErrors
  /** For a page without scripts: why saving failed, or what an import left open; null = no message. */
  trouble: Flash | null
  aids: FormAids
  /** Other rules, reduced to what loop warnings need. */
  rules: NamedRule[]
  /** What the rule's quiet hours option means with the account's setting; missing = unknown. */
  quiet?: { words: string; link: string }
  /** Why answers of customers cannot be read; null = they can, or nobody knows yet. */
  listening?: ListeningNote
  webhooks: { id: number; objectType: string; label: string; active: boolean }[]
  /** The preview requested by a press without scripts; missing = none. */
  preview?: AskedPreview
}
