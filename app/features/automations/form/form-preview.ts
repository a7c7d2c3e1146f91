// What a person sees of a rule before it is saved: the values its placeholders have, what it would do with a record, and what it would
// have done. As the page is sent it; nothing here can write.
import type { Millis } from '#app/lib/clock.ts'
import type { PreviewView } from '../preview/preview-view.ts'

/** What can be asked about the rule in the form. */
export const PREVIEW_KINDS = ['preview', 'samples', 'backtest'] as const
export type PreviewKind = (typeof PREVIEW_KINDS)[number]

export function isPreviewKind(text: string): text is PreviewKind {
  return PREVIEW_KINDS.some((preview) => preview === text)
}

/** Names of what the form sends beside the rule; no part of it. `was` = the search that the record was found by. */
export const PREVIEW_FIELDS = { search: 'preview.search', record: 'preview.record', was: 'preview.was' } as const

/** Ids of the platform's records. */
export function readRecordId(text: string): string {
  return /^[\w-]{1,100}$/.test(text) ? text.toLowerCase() : ''
}

export interface RecordChoice {
  uuid: string
  /** `Job 4411 · Margaret Smith · 12 High Street`. */
  label: string
  /** Does it meet the conditions? */
  matches: boolean
}

export interface DraftPreview {
  kind: 'preview'
  record: RecordChoice
  /** The conditions it does not meet, in words; what is shown is shown all the same. */
  failed: string[]
  /** Others to choose from, newest first. */
  choices: RecordChoice[]
  /** What was asked for and not found, or what the choice was made from. */
  note: string | null
  preview: PreviewView
}

export interface Samples {
  kind: 'samples'
  /** The record they are of. */
  about: string
  /** By the placeholder's name; '' = empty in this record, absent = known only when it runs. */
  values: Record<string, string>
}

export interface BacktestRow {
  key: string
  /** `Job 4411`; of a group, what it has in common. */
  title: string
  customer: string
  /** When it would have been; null = cannot be said. */
  on: Millis | null
  /** It really ran for it in that time. */
  ran: boolean
  /** What it would have done, one line each. */
  does: { summary: string; to: string | null; text: string | null; credits: number }[]
  /** Why it would have done nothing, or what cannot be said. */
  trouble: string | null
}

export interface Backtest {
  kind: 'backtest'
  /** `In the last 30 days this rule would have …` */
  headline: string
  rows: BacktestRow[]
  /** How many it would have been; more than the rows when they are cut. */
  count: number
  /** How it was reckoned, and what cannot be known. */
  basis: string[]
  /** Runs there really were in that time; null = it is not stored yet. */
  ran: number | null
  /** There were at least so many. */
  ranMore: boolean
}

/** It could not be looked up; the form works all the same. */
export interface PreviewTrouble {
  kind: 'trouble'
  message: string
}

export type FormPreview = DraftPreview | Samples | Backtest | PreviewTrouble

/** An empty value of a record is shown so. */
export const EMPTY_SAMPLE = '–'
