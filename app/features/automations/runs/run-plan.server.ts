// Plans the steps of a live run and writes the plan to the journal.
import { v5 as namedUuid } from 'uuid'
import type { Plan } from '#app/domain/automations/effect.ts'
import type { JournalEffect, NoEffect, PlanNotes } from '#app/domain/automations/journal-row.ts'
import type { RuleDefinition, Step } from '#app/domain/automations/rule.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import type { Reason } from '#app/domain/reason.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hours } from '#app/lib/duration.ts'
import type { ClaimedRun, NewJournalRow, RunFence, SeenJournal } from '#db/store/runs.ts'
import { afterPlanPutOff, hasBegun, JOURNAL_CLASSES, type PutOff, wasPutOff } from '../rules/journal.ts'
import { type ContextLoader, contextLoader } from './run-context.server.ts'
import type { Loaded } from './run-facts.server.ts'
import { aboutOf, isReleased, judgeAgain } from './run-guards.server.ts'
import type { RunApp, RunAtWork, RunParts } from './run-inputs.server.ts'
import { isCustomerMessage } from './run-messages.ts'
import { resultsOf, rowsOf } from './run-order.ts'
import { pauseRules } from './run-pause.server.ts'
import { planStep, type RunContext } from './run-step.server.ts'
import { cannotBeUndone, withWritten } from './run-written.server.ts'

/** UUID namespace of the ids we give to effects; never changes. */
const EFFECTS = '0b0c4f3e-5b8e-4c5b-9c0a-7f1f6e3a9d21'

/** The same for every attempt and after every restart, so the platform recognizes a repeat. */
function effectUuid(accountUuid: string, runId: number, stepId: string, itemKey: string): string {
  return namedUuid(`${accountUuid}|${runId}|${stepId}|${itemKey}`, EFFECTS)
}

export function createPlanner(app: RunApp, parts: RunParts) {
  const { store, clock, log } = app

  function context(run: ClaimedRun): ContextLoader {
    const { accountUuid, automationId, object, recordUuids, triggerData, rule } = run
    const { definition, name } = rule
    const automation = { id: automationId, name }
    if (definition)
      return contextLoader(app, parts, { accountUuid, automation, definition, object, recordUuids, triggerData })
    const nothing = () => Promise.reject(new Error(`run ${run.id} has nothing to plan`))
    return { load: nothing, profile: nothing }
  }

  /** `passed` = before its first step: the conditions are not met, and nothing is planned. */
  async function plan(work: RunAtWork, step: Step, seen: SeenJournal): Promise<'planned' | 'passed'> {
    const dropped = await findDropped(store, parts.facts, work, step, seen, clock.now())
    const { recordUuids } = work.run
    if (dropped.outcome === 'put_off') await putOff(work, step, seen, dropped.why)
    else if (recordUuids.length === 0 || dropped.value.length < recordUuids.length)
      await planNow(work, step, seen, dropped.value)
    else if (!hasBegun(seen.rows) && !hasWaited(step, seen)) return 'passed'
    else {
      const rows = rowMaker(work.fence, step, clock.now, carriedOn(step, seen, dropped.value))
      await save(work.fence, step, [rows.without('skipped', JOURNAL_CLASSES.guard, PASSED)])
    }
    return 'planned'
  }

  async function planNow(work: RunAtWork, step: Step, seen: SeenJournal, dropped: string[]): Promise<void> {
    const { run, fence, startedAt } = work
    const { definition } = run.rule
    if (!definition) throw new Error(`run ${run.id} has nothing to plan`)
    const loaded = await work.context.load()
    if (loaded.outcome === 'put_off') return putOff(work, step, seen, loaded.why)
    const rows = rowMaker(fence, step, clock.now, carriedOn(step, seen, dropped))
    if (loaded.value === 'no_records') {
      const sentence = runReason(hasBegun(seen.rows) ? 'record_gone' : 'records_gone')
      await save(fence, step, [rows.without('skipped', 'gone', sentence)])
      return
    }
    // What was written before this turn is in the records, which were read in it.
    const own = seen.rows.filter(({ sendingAt }) => sendingAt !== null && sendingAt >= startedAt)
    const records = loaded.value.records.filter(({ recordUuid }) => !dropped.includes(recordUuid))
    const written = await withWritten(parts.facts, run.accountUuid, records, own)
    if (written.outcome === 'put_off') return putOff(work, step, seen, written.why)
    // After quiet hours, its words are those of the moment, for a list of a month too.
    const { asOf, ...triggerData } = loaded.value.triggerData
    const context = { ...loaded.value, records: written.value, ...(hasWaited(step, seen) && { triggerData }) }
    const made = await planStep(
      { actions: parts.actions, clock, log, ...(parts.apart && { apart: parts.apart }) },
      context,
      step,
      resultsOf(definition.steps, seen.rows),
    )
    if (made.outcome === 'later') return putOff(work, step, seen, made)
    await save(fence, step, rowsOfPlan(rows, made, context, step))
    log.debug({ run: run.id, step: step.id, action: step.type, outcome: made.outcome }, 'step.planned')
  }

  /** When the account blocks the step, also pauses its rules, once. */
  async function putOff(
    { run, fence }: Pick<RunAtWork, 'run' | 'fence'>,
    step: Step,
    seen: SeenJournal,
    why: PutOff,
  ): Promise<void> {
    const now = clock.now()
    const before = rowsOf(seen.rows, step.id).find(({ effect }) => effect.kind === 'none')
    const { errorClass, sentence } = why
    const held = { attempt: before?.attempt ?? 0, effect: NO_EFFECT, plannedAt: before?.plannedAt ?? now }
    // An invalid request or a missing record fails the same way every time.
    const isHopeless = errorClass === 'invalid' || errorClass === 'not_found'
    const change = isHopeless
      ? { state: 'failed' as const, attempt: held.attempt, errorClass, sentence, nextAttemptAt: null }
      : afterPlanPutOff(held, why, now)
    const { attempt, nextAttemptAt, state } = change
    const rows = rowMaker(fence, step, clock.now, carriedOn(step, seen))
    const row = rows.without(state, change.errorClass, change.sentence)
    const endedAt = state === 'failed' ? now : null
    await save(fence, step, [{ ...row, attempt, nextAttemptAt, plannedAt: held.plannedAt, endedAt }])
    await pauseRules(app, run, sentence)
    log.info({ run: run.id, step: step.id, errorClass, nextAttemptAt }, 'step.put_off')
  }

  async function skip({ fence }: RunAtWork, step: Step, sentence: Reason): Promise<void> {
    const { previousFailed } = JOURNAL_CLASSES
    await save(fence, step, [rowMaker(fence, step, clock.now).without('skipped', previousFailed, sentence)])
  }

  /** Rejected when another process owns the run, or it was cancelled: the next read of the journal shows that. */
  async function save(fence: RunFence, step: Step, rows: NewJournalRow[]): Promise<void> {
    await store.runs.planEffects(fence, step.id, rows)
  }

  return { context, plan, skip }
}

/** The records that a step leaves out: conditions of a call not met, or no longer those of a run or step that waited. */
async function findDropped(
  store: RunApp['store'],
  facts: RunParts['facts'],
  { run, context }: RunAtWork,
  step: Step,
  seen: SeenJournal,
  at: Millis,
): Promise<Loaded<string[]>> {
  const before = droppedIn(seen)
  const { definition } = run.rule
  const now = definition ? judgedAsOf(run, definition, step, seen, at) : null
  if (!definition || now === null) return { outcome: 'ok', value: before }
  const profile = await context.profile()
  if (profile.outcome === 'put_off') return profile
  const judged = await judgeAgain(store, facts, run, definition, { now, zone: profile.value.zone }, seen.rows)
  if (judged.outcome === 'put_off') return judged
  const dropped = new Set(before)
  for (const { recordUuid, matched } of judged.value) if (!matched) dropped.add(recordUuid)
  // Of those that are gone, the plan tells, unless no other is left.
  const none = judged.value.length > 0 && judged.value.every(({ recordUuid }) => dropped.has(recordUuid))
  return { outcome: 'ok', value: none ? run.recordUuids : [...dropped] }
}

const PASSED = runReason('conditions_no_longer_met')

/**
 * The moment as of which a run's conditions are judged before its first step; null = they are not. For one that was held
 * or collected, perhaps for days, "14 days since the quote" still means the day when it was. So it does for a step that
 * waited for the end of quiet hours, unless the run changed since what its conditions may ask.
 */
function judgedAsOf(run: ClaimedRun, { trigger }: RuleDefinition, step: Step, seen: SeenJournal, now: Millis) {
  // "Run again" repeats what was, and Run Now may leave the conditions out.
  if (run.replayOf !== null || run.triggerData.bypassedConditions) return null
  const dueAt = run.triggerData.asOf ?? run.createdAt
  if (hasWaited(step, seen)) return cannotBeUndone(seen.rows) ? null : dueAt
  if (run.source === 'person' || hasBegun(seen.rows)) return null
  if (isReleased(run)) return dueAt
  if (run.source === 'manual') return now
  // It was due when it was made: for longer than this, an unpaid account or a held copy kept it.
  const waited = now - run.createdAt > hours(1) ? dueAt : null
  if (run.source !== 'webhook' || trigger.source !== 'webhook') return waited
  if (trigger.schedule) return dueAt
  return trigger.settleMinutes > 0 ? now : waited
}

function hasWaited(step: Step, { rows }: SeenJournal): boolean {
  return rowsOf(rows, step.id).some((row) => wasPutOff(row) || row.notes?.again)
}

function droppedIn({ rows }: SeenJournal): string[] {
  return rows.flatMap((row) => row.notes?.dropped ?? [])
}

/** What the rows of a step leave to those that replace them. */
function carriedOn(step: Step, seen: SeenJournal, dropped = droppedIn(seen)): Partial<PlanNotes> | null {
  const again = hasWaited(step, seen) && ({ again: true } as const)
  return again || dropped.length > 0 ? { ...again, ...(dropped.length > 0 && { dropped }) } : null
}

type RowMaker = ReturnType<typeof rowMaker>

function rowMaker(
  { accountUuid, runId }: RunFence,
  step: Step,
  now: () => Millis,
  carried: Partial<PlanNotes> | null = null,
) {
  const notesOf = (itemKey: string, notes?: Partial<PlanNotes>): PlanNotes | null => {
    const kept = itemKey === '0' ? carried : carried?.again && { again: carried.again }
    return notes || kept ? { warnings: [], replacements: [], ...notes, ...kept } : null
  }
  const planned = (itemKey: string, effect: JournalEffect, notes?: Partial<PlanNotes>): NewJournalRow => ({
    stepId: step.id,
    itemKey,
    state: 'planned',
    attempt: 0,
    clientUuid: effectUuid(accountUuid, runId, step.id, itemKey),
    effect,
    notes: notesOf(itemKey, notes),
    errorClass: null,
    sentence: null,
    nextAttemptAt: null,
    plannedAt: now(),
    endedAt: null,
  })
  return {
    planned,
    /** For a step without effects. */
    without(
      state: NewJournalRow['state'],
      errorClass: string | null,
      sentence: Reason | null,
      notes?: Partial<PlanNotes>,
    ): NewJournalRow {
      const endedAt = state === 'planned' ? null : now()
      return { ...planned('0', NO_EFFECT, notes), state, errorClass, sentence, endedAt }
    },
  }
}

function rowsOfPlan(
  rows: RowMaker,
  made: Exclude<Plan, { outcome: 'later' }>,
  { records }: RunContext,
  step: Step,
): NewJournalRow[] {
  const { warnings } = made
  switch (made.outcome) {
    case 'skipped':
      return [rows.without('skipped', made.errorClass, made.sentence, { warnings })]
    case 'impossible':
      return [rows.without('failed', made.errorClass, made.sentence, { warnings })]
    case 'planned': {
      const { effects, replacements } = made
      if (effects.length === 0)
        return [rows.without('skipped', JOURNAL_CLASSES.nothingToDo, runReason('nothing_to_do'))]
      return effects.map((effect, index) => {
        const first = index === 0 ? { warnings, replacements } : null
        const about = isCustomerMessage(effect) ? { about: aboutOf(step, records, effect) } : null
        return rows.planned(String(index), effect, first || about ? { ...first, ...about } : undefined)
      })
    }
    default:
      return assertNever(made)
  }
}

const NO_EFFECT: NoEffect = { kind: 'none', class: 'none', summary: '' }
