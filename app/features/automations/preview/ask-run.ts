// The preview before "Run Now" writes to a customer: the record, final texts, recipients, and earlier messages.
import type { Millis } from '#app/lib/clock.ts'
import type { RecordChoice } from '../form/form-preview.ts'
import type { PreviewView } from './preview-view.ts'

export interface GotBefore {
  /** Current address. */
  to: string
  at: Millis
  channel: 'sms' | 'email'
  automationName: string
  runId: number
}

export interface AskedRun {
  /** `Job 3128 · Joan Hartley`, or `12 jobs`; '' = no record was found. */
  about: string
  /** Why the rule would skip these records on its own; null = it would not. */
  handled: string | null
  /** Says that something changed since it was shown. */
  note: string | null
  runs: { preview: PreviewView; got: GotBefore[] }[]
  /** Runs beyond those shown. */
  more: number
  choices: RecordChoice[]
  search: string
  /** Values the button sends to continue; null = nothing was found to run for. */
  values: Record<string, string> | null
}

export function notFoundText(search: string): string {
  return `Nothing was found for “${search}”.`
}

/** Fields sent on, beside the act and the rule's id. */
export const ASK_FIELDS = {
  /** `yes` = a person saw and approved it. */
  confirmed: 'confirmed',
  /** The approved preview: see `approval.server.ts`. */
  seen: 'seen',
  /** `yes` = include records handled before. */
  handled: 'handled',
  search: 'search',
} as const

/** Parts a person approves, in the order changes are reported: the records determine the rest. */
export const APPROVED_PARTS = ['records', 'message', 'actions', 'automation'] as const
export type ApprovedPart = (typeof APPROVED_PARTS)[number]

/** Why the page asks again. */
export const CHANGED_SINCE: Readonly<Record<ApprovedPart, string>> = {
  records: 'The records changed since you looked. Check them again.',
  message: 'The message changed since you looked. Check it again.',
  actions: 'The actions changed since you looked. Check them again.',
  automation: 'The automation changed since you looked. Check it again.',
}
