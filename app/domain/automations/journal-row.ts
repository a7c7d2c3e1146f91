// One row of the journal: an effect, its result, and its attempts. `rules/journal.ts` decides what is next.
import type { Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { Effect, PlanWarning, Replacement, StepResult } from './effect.ts'
import type { Receipt } from './receipt.ts'
import type { StepState } from './run.ts'

/** Marks a step without an effect: skipped, impossible, or not planned yet. */
export interface NoEffect {
  kind: 'none'
  class: 'none'
  summary: string
}

export type JournalEffect = Effect | NoEffect

/** Planning output besides the effects. Warnings and replacements are stored with the step's first row. */
export interface PlanNotes {
  warnings: PlanWarning[]
  replacements: Replacement[]
  /** For a customer message: the customers and jobs it is about, to check mutes. `told`: the job, to a stranger to it. */
  about?: { companyUuids: string[]; jobUuids: string[]; told?: string[] }
  /** Planned again after quiet hours: runs that were apart may say the same now. */
  again?: true
  /** On the first row: records that no longer met the conditions. This step and later ones leave them out. */
  dropped?: string[]
}

export interface Try {
  at: Millis
  endedAt: Millis
  outcome: 'sent' | 'failed' | 'unknown' | 'wait' | 'verified'
  sentence: Reason | null
}

export interface JournalRow {
  stepId: string
  /** The effect's index in the step's plan: `0`, `1` … */
  itemKey: string
  /** The order within the whole run. */
  seq: number
  state: StepState
  /** Attempts that count; a wait for the platform's limit does not. */
  attempt: number
  /** The same for every attempt of this effect: uuid of a record to create, key of a call, token of a file. */
  clientUuid: string
  /** Final texts, frozen at planning. What quiet hours postponed is planned again when they end. */
  effect: JournalEffect
  notes: PlanNotes | null
  result: StepResult | null
  tries: Try[]
  /** A person released it: the guard that held it is not checked again. */
  released: boolean
  /** The machine-readable reason for the state: see `JOURNAL_CLASSES`; or the action's error class. */
  errorClass: string | null
  sentence: Reason | null
  /** When it continues automatically; null = it does not. */
  nextAttemptAt: Millis | null
  plannedAt: Millis
  sendingAt: Millis | null
  endedAt: Millis | null
  /** What became of the message; missing or null = none was sent, or it was not asked for. */
  receipt?: Receipt | null
}
