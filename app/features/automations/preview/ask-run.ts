// What a person is shown before "Run Now" writes to a customer: the record, the final texts and who gets them, and what they got before.
import type { Millis } from '#app/lib/clock.ts'
import type { RecordChoice } from '../form/form-preview.ts'
import type { PreviewView } from './preview-view.ts'

export interface GotBefore {
  /** As it is addressed now. */
  to: string
  at: Millis
  channel: 'sms' | 'email'
  automationName: string
  runId: number
}

export interface AskedRun {
  /** `Job 3128 · Joan Hartley`, or `12 records`; '' = nothing was found that it could be about. */
  about: string
  /** Why the rule would leave these alone by itself; null = it would not. */
  handled: string | null
  /** Something was no longer as it was shown. */
  note: string | null
  runs: { preview: PreviewView; got: GotBefore[] }[]
  /** Runs beyond those shown. */
  more: number
  choices: RecordChoice[]
  search: string
  /** What the button sends to go on; null = nothing was found to run for. */
  values: Record<string, string> | null
}

export function notFoundText(search: string): string {
  return `Nothing was found for “${search}”.`
}

/** What the question sends on, beside the act and the rule's id. */
export const ASK_FIELDS = {
  /** `yes` = a person saw it and said yes. */
  confirmed: 'confirmed',
  /** What was shown: see `approval.server.ts`. */
  seen: 'seen',
  /** `yes` = also what was handled before. */
  handled: 'handled',
  search: 'search',
} as const

/** What a person approved, in the order in which a change is told: the records decide what the rest is about. */
export const APPROVED_PARTS = ['records', 'message', 'actions', 'automation'] as const
export type ApprovedPart = (typeof APPROVED_PARTS)[number]

/** Why it asks again. */
export const CHANGED_SINCE: Readonly<Record<ApprovedPart, string>> = {
  records: 'The records changed since you looked. Check them again.',
  message: 'The message changed since you looked. Check it again.',
  actions: 'The actions changed since you looked. Check them again.',
  automation: 'The automation changed since you looked. Check it again.',
}
