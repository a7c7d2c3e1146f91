// The preview of an unsaved rule, as sent to the page: sample placeholder values, the effect on one record, and a
// backtest. Nothing here can write.
import type { Millis } from '#app/lib/clock.ts'
import type { PreviewView } from '../preview/preview-view.ts'

/** Kinds of preview for the rule in the form. */
export const PREVIEW_KINDS = ['preview', 'samples', 'backtest'] as const
export type PreviewKind = (typeof PREVIEW_KINDS)[number]

export function isPreviewKind(text: string): text is PreviewKind {
  return PREVIEW_KINDS.some((preview) => preview === text)
}

/** Id of the form, for controls that stand outside it. */
export const FORM = 'automation-form'

/** Names of preview inputs sent along with the form; not part of the rule. `was` = the search that found the record. */
export const PREVIEW_FIELDS = {
  search: 'preview.search',
  record: 'preview.record',
  was: 'preview.was',
  /** The text of a step as it was shown; its position follows, after a dot. */
  text: 'preview.text',
  /** The number of the own phone, when nobody knows it; its position follows, too. */
  phone: 'preview.phone',
} as const

/** Names of a text to the own phone; `place` = its step, from 0. */
export function textMeNames(place: number): { text: string; phone: string } {
  return { text: `${PREVIEW_FIELDS.text}.${place}`, phone: `${PREVIEW_FIELDS.phone}.${place}` }
}

/** Accepts ids of platform records. */
export function readRecordId(text: string): string {
  return /^[\w-]{1,100}$/.test(text) ? text.toLowerCase() : ''
}

export interface RecordChoice {
  uuid: string
  /** `Job 4411 · Margaret Smith · 12 High Street`. */
  label: string
  /** True when the record meets the conditions. */
  matches: boolean
}

export interface DraftPreview {
  kind: 'preview'
  record: RecordChoice
  /** Conditions the record fails, in words. The preview is shown anyway. */
  failed: string[]
  /** Other records to choose from, newest first. */
  choices: RecordChoice[]
  /** Explains a search without a result, or where the choices come from. */
  note: string | null
  preview: PreviewView
}

export interface Samples {
  kind: 'samples'
  /** Label of the record they come from. */
  about: string
  /** By placeholder name, also with the format for people; '' = empty in this record, missing = known only at run time. */
  values: Record<string, string>
}

export interface BacktestRow {
  key: string
  /** `Job 4411`; for a group, the value its records share. */
  title: string
  customer: string
  /** When the rule would have run; null = unknown. */
  on: Millis | null
  /** True when the rule really ran for it then. */
  ran: boolean
  /** What the run would have done, one line each. */
  does: { summary: string; to: string | null; text: string | null; credits: number }[]
  /** Why the run would have done nothing, or what is unknown. */
  trouble: string | null
}

export interface Backtest {
  kind: 'backtest'
  /** `In the last 30 days this automation would have …`. */
  headline: string
  rows: BacktestRow[]
  /** Total number of runs; more than `rows` when the list is cut. */
  count: number
  /** Runs on each day, oldest first, the last one is today; null = the days are unknown. */
  days: number[] | null
  /** Messages of the `rows`, by channel. */
  sent: { texts: number; emails: number }
  /** How the backtest is estimated, and what it cannot know. */
  basis: string[]
  /** Real runs in that period; null = the rule is not stored yet. */
  ran: number | null
  /** True when `ran` is a lower bound. */
  ranMore: boolean
}

/** The preview failed; the form still works. */
export interface PreviewTrouble {
  kind: 'trouble'
  message: string
}

export type FormPreview = DraftPreview | Samples | Backtest | PreviewTrouble

/** The preview in two short lines. */
export interface Peek {
  /** `Job 3128 · Joan Hartley`. */
  about: string
  /** `→ 1 text, 1 task`. */
  does: string
}

/** What one step counts as, by the label of its action; anything else is a change. */
const COUNTED: Readonly<Record<string, readonly [one: string, more: string]>> = {
  'Send SMS': ['text', 'texts'],
  'Send Email': ['e-mail', 'e-mails'],
  'Send Staff Message': ['staff message', 'staff messages'],
  'Post to Activity Feed': ['post', 'posts'],
  'Send Notification': ['notification', 'notifications'],
  'Create Task': ['task', 'tasks'],
  'Create Job': ['job', 'jobs'],
  'Generate Document': ['document', 'documents'],
}

export function peekOf({ record, preview }: DraftPreview): Peek {
  const about = record.label.split(' · ').slice(0, 2).join(' · ')
  if (!record.matches) return { about, does: '→ skipped' }
  const counts = new Map<string, number>()
  for (const { label, outcome, effects } of preview.steps) {
    if (outcome !== 'would_run') continue
    const words = Object.hasOwn(COUNTED, label) ? label : ''
    counts.set(words, (counts.get(words) ?? 0) + Math.max(1, effects.length))
  }
  const said = [...counts].map(([label, count]) => {
    const [one, more] = COUNTED[label] ?? ['change', 'changes']
    return `${count} ${count === 1 ? one : more}`
  })
  return { about, does: `→ ${said.length === 0 ? 'nothing' : said.join(', ')}` }
}

/** What each text message comes to with the previewed record, by the position of its step. */
export function sentTexts({ preview }: DraftPreview): ReadonlyMap<number, { characters: number; credits: number }> {
  return new Map(
    preview.steps.flatMap(({ effects }, place) => {
      const [first] = effects.filter(({ credits }) => credits > 0)
      const text = first?.texts[0]?.text
      return first && text !== undefined ? [[place, { characters: text.length, credits: first.credits }]] : []
    }),
  )
}

/** Shown for an empty value of a record. */
export const EMPTY_SAMPLE = '–'

/** What the pane of the preview shows. */
export interface Shown {
  preview: DraftPreview | null
  back: Backtest | null
  trouble: PreviewTrouble | null
  search: string
  record: string
}

export const NOTHING_SHOWN: Shown = { preview: null, back: null, trouble: null, search: '', record: '' }
