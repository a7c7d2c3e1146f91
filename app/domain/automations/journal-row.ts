// One row of the journal: an effect, what became of it, and the tries it took. `rules/journal.ts` decides what is next.
import type { Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { Effect, PlanWarning, Replacement, StepResult } from './effect.ts'
import type { StepState } from './run.ts'

/** Stands where a step came to nothing that could be done: skipped, impossible, or not planned yet. */
export interface NoEffect {
  kind: 'none'
  class: 'none'
  summary: string
}

export type JournalEffect = Effect | NoEffect

/** What planning said beside its effects. Warnings and replacements stand with the step's first row. */
export interface PlanNotes {
  warnings: PlanWarning[]
  replacements: Replacement[]
  /** A message to a customer: whom and what it is about, for mutes. */
  about?: { companyUuids: string[]; jobUuids: string[] }
}

export interface Try {
  at: Millis
  endedAt: Millis
  outcome: 'sent' | 'failed' | 'unknown' | 'wait' | 'verified'
  sentence: Reason | null
}

export interface JournalRow {
  stepId: string
  /** Which effect of the step: `0`, `1` … in the order planned. */
  itemKey: string
  /** Order over the whole run. */
  seq: number
  state: StepState
  /** Tries that counted; a wait for the platform's limit does not. */
  attempt: number
  /** Same over every try of this effect. */
  clientUuid: string
  /** Final texts, frozen when it was planned. */
  effect: JournalEffect
  notes: PlanNotes | null
  result: StepResult | null
  tries: Try[]
  /** A person said "send": the guard that held it is not asked again. */
  released: boolean
  /** Why it stands as it does, for machines: see `JOURNAL_CLASSES`; or the error class of the action. */
  errorClass: string | null
  sentence: Reason | null
  /** When it goes on by itself; null = it does not. */
  nextAttemptAt: Millis | null
  plannedAt: Millis
  sendingAt: Millis | null
  endedAt: Millis | null
}
