// Decides what a run does next, from its journal alone: the same before and after a crash. Steps start in order. A step
// that waits for a retry, for quiet hours or for a person blocks only the steps that need it.
import type { StepResult } from '#app/domain/automations/effect.ts'
import type { JournalRow } from '#app/domain/automations/journal-row.ts'
import type { Step } from '#app/domain/automations/rule.ts'
import type { RunOutcome } from '#app/domain/automations/run.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import type { Reason } from '#app/domain/reason.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { isDeliberate, isOpen, JOURNAL_CLASSES, outcomeOf, rowNext } from '../rules/journal.ts'
import { referencesOf } from '../rules/step-references.ts'

export type RunNext =
  | { next: 'plan'; step: Step }
  /** The step never starts. */
  | { next: 'skip_step'; step: Step; sentence: Reason }
  | { next: 'skip_row'; row: JournalRow; sentence: Reason }
  | { next: 'send'; row: JournalRow }
  | { next: 'verify'; row: JournalRow }
  | { next: 'wait'; until: Millis; reason: Reason }
  | { next: 'hold'; reason: Reason }
  | { next: 'finish'; outcome: RunOutcome; reason: Reason | null }

/** What blocks a step or an effect: a point in time, or a person. `blocks` = nothing later may overtake it. */
type Pending = { next: 'wait'; until: Millis; reason: Reason | null; blocks: boolean } | { next: 'ask'; reason: Reason }

/** Actions that can run now. */
type AtOnce = Extract<RunNext, { next: 'plan' | 'skip_step' | 'skip_row' | 'send' | 'verify' }>

/** `cancelled` = start nothing new; verify what may be in flight, then end. */
export function nextOfRun(
  steps: readonly Step[],
  journal: readonly JournalRow[],
  now: Millis,
  cancelled: { reason: Reason | null } | null = null,
): RunNext {
  if (cancelled) {
    const row = journal.find((one) => one.state === 'sending')
    return row ? { next: 'verify', row } : { next: 'finish', outcome: 'cancelled', reason: cancelled.reason }
  }
  if (steps.length === 0) return { next: 'finish', outcome: 'nothing', reason: runReason('no_steps') }
  const pending: Pending[] = []
  for (const one of inOrder(steps, journal, now)) {
    if (one.next !== 'wait' && one.next !== 'ask') return one
    pending.push(one)
  }
  const [first] = pending.filter((one) => one.next === 'wait').sort((a, b) => a.until - b.until)
  if (first) return { next: 'wait', until: first.until, reason: first.reason ?? runReason('waiting') }
  const asks = pending.find((one) => one.next === 'ask')
  if (asks) return { next: 'hold', reason: asks.reason }
  const outcome = outcomeOf(journal)
  return { next: 'finish', outcome, reason: endReason(journal, outcome) }
}

/** Yields the next action of each effect, and of the first step without effects; stops where nothing may overtake. */
function* inOrder(steps: readonly Step[], journal: readonly JournalRow[], now: Millis): Generator<AtOnce | Pending> {
  for (const [index, step] of steps.entries()) {
    const rows = rowsOf(journal, step.id)
    if (rows.length === 0) {
      const begins = beginning(steps, journal, step, index)
      if (begins) yield begins
      return
    }
    const found = rows.map((row) => goingOn(step, row, rows, now)).filter((one) => one !== null)
    yield* found
    if (found.some((one) => one.next === 'wait' && one.blocks)) return
  }
}

/** Null = nothing is left to do, or a sibling effect has to go first. */
function goingOn(step: Step, row: JournalRow, rows: readonly JournalRow[], now: Millis): AtOnce | Pending | null {
  const act = rowNext(row, rows, now)
  switch (act.next) {
    case 'plan':
      return { next: 'plan', step }
    case 'send':
    case 'verify':
      return { next: act.next, row }
    case 'give_up':
      return { next: 'skip_row', row, sentence: runReason('parent_failed') }
    case 'wait':
      return { ...act, reason: row.sentence }
    case 'ask':
      // A held effect always waits for a person; an unclear one only when another effect needs it.
      return row.state === 'held' ? { next: 'ask', reason: row.sentence ?? runReason('held') } : null
    case 'after_sibling':
      return { next: 'ask', reason: runReason('message_unclear') }
    case 'ended':
      return null
    default:
      return assertNever(act)
  }
}

/** Returns the first error, or why the run did nothing. */
function endReason(journal: readonly JournalRow[], outcome: RunOutcome): Reason | null {
  if (outcome === 'success') return null
  const told = (row: JournalRow) => (outcome === 'nothing' ? true : row.state === 'failed' || row.state === 'unknown')
  return journal.find((row) => told(row) && row.sentence !== null)?.sentence ?? null
}

export function rowsOf(journal: readonly JournalRow[], stepId: string): JournalRow[] {
  return journal.filter((row) => row.stepId === stepId).sort((a, b) => Number(a.itemKey) - Number(b.itemKey))
}

/** Null = not yet: a step it needs has not started, or still continues on its own. */
function beginning(
  steps: readonly Step[],
  journal: readonly JournalRow[],
  step: Step,
  index: number,
): AtOnce | Pending | null {
  const previous = steps[index - 1]
  const needs = [
    ...(step.waitForPrevious && previous ? [{ id: previous.id, result: false }] : []),
    ...neededSteps(step, steps).map((id) => ({ id, result: true })),
  ].map(({ id, result }) => ({ result, rows: rowsOf(journal, id) }))
  for (const { rows, result } of needs) {
    if (rows.length === 0) return null
    if (!rows.some(isOpen) && !isEnough(rows, result)) {
      return { next: 'skip_step', step, sentence: runReason(result ? 'needed_failed' : 'previous_failed') }
    }
  }
  if (!needs.some(({ rows }) => rows.some(isOpen))) return { next: 'plan', step }
  const asking = needs.find(({ rows }) => rows.some(({ state }) => state === 'held' || state === 'unknown'))
  if (!asking) return null
  const isUnclear = asking.rows.some(({ state }) => state === 'unknown')
  return { next: 'ask', reason: runReason(isUnclear ? 'message_unclear' : 'held') }
}

/** A step that reads a result needs a sent effect. Others go on where nothing was to do, not where it was kept back. */
function isEnough(rows: readonly JournalRow[], result: boolean): boolean {
  if (result && !rows.some((row) => row.state === 'sent')) return false
  const { guard, valueMissing } = JOURNAL_CLASSES
  const isUndone = ({ errorClass }: JournalRow) => errorClass === guard || errorClass === valueMissing
  return rows.every((row) => row.state === 'sent' || (isDeliberate(row) && !isUndone(row)))
}

/** Ids of earlier steps whose results the step reads: `action_2_result`, `step.s1`, a document by number. */
export function neededSteps(step: Step, steps: readonly Step[]): string[] {
  const ids = new Set<string>()
  const position = steps.findIndex((one) => one.id === step.id)
  const add = (found: number) => {
    const needed = steps[found]
    if (needed && found >= 0 && found < position) ids.add(needed.id)
  }
  for (const { step: read } of referencesOf(step)) {
    add('id' in read ? steps.findIndex(({ id }) => id === read.id) : read.position - 1)
  }
  const { includeGeneratedDocument, documentActionIndex } = step.parameters
  if (includeGeneratedDocument === true) {
    // Without a number: the latest document before it.
    const last = steps.slice(0, position).findLastIndex((one) => one.type === 'generate_document')
    add(typeof documentActionIndex === 'number' ? documentActionIndex - 1 : last)
  }
  return [...ids]
}

/** Returns all texts within the parameters of a step. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsOf)
  return []
}

/** Merges the results of a step's effects; the first effect wins. Null = nothing was sent. */
export function resultOfStep(rows: readonly JournalRow[]): StepResult | null {
  const sent = rows.filter((row) => row.state === 'sent' && row.result !== null)
  if (sent.length === 0) return null
  return Object.assign({}, ...sent.map((row) => row.result).reverse()) as StepResult
}

/** Results by step id, for placeholders and attachments of later steps. */
export function resultsOf(steps: readonly Step[], journal: readonly JournalRow[]): Record<string, StepResult> {
  const results: Record<string, StepResult> = {}
  for (const step of steps) {
    const result = resultOfStep(rowsOf(journal, step.id))
    if (result) results[step.id] = result
  }
  return results
}

export type StepStanding = 'not_begun' | 'open' | 'sent' | 'skipped' | 'failed' | 'unknown' | 'held'

/** Summarizes a step in one word: its most urgent state. */
export function standingOf(rows: readonly JournalRow[]): StepStanding {
  if (rows.length === 0) return 'not_begun'
  for (const state of ['unknown', 'held'] as const) if (rows.some((row) => row.state === state)) return state
  if (rows.some(isOpen)) return 'open'
  if (rows.some((row) => row.state === 'failed')) return 'failed'
  return rows.some((row) => row.state === 'sent') ? 'sent' : 'skipped'
}
