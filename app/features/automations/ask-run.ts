// What a person is shown before "Run Now" writes to a customer: the record, the final texts and who gets them, and what they got before.
import type { Millis } from '../../lib/clock.ts'
import type { RecordChoice } from './form-look.ts'
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
  /** `Job 3128 · Joan Hartley`, or `12 records`. */
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
  /** What the button sends to go on. */
  values: Record<string, string>
}

/** What the question sends on, beside the act and the rule's id. */
export const ASK_FIELDS = {
  /** `yes` = a person saw it and said yes. */
  confirmed: 'confirmed',
  /** Which runs were shown. */
  seen: 'seen',
  /** `yes` = also what was handled before. */
  handled: 'handled',
  search: 'search',
} as const

export const CHANGED_SINCE = 'The records changed after this was shown. Check them again.'
