// Planning within a live run: what a plan says becomes rows of the journal.

import { v5 as namedUuid } from 'uuid'
import type { Plan } from '#app/domain/automations/effect.ts'
import type { JournalEffect, JournalRow, NoEffect } from '#app/domain/automations/journal-row.ts'
import type { Step } from '#app/domain/automations/rule.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import type { Reason } from '#app/domain/reason.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { ClaimedRun, NewJournalRow, RunFence, SeenJournal } from '#db/store/runs.ts'
import { afterPlanPutOff, JOURNAL_CLASSES } from '../rules/journal.ts'
import type { PutOff } from './run-facts.server.ts'
import { aboutOf } from './run-guards.server.ts'
import type { RunApp, RunParts } from './run-inputs.server.ts'
import { isCustomerMessage } from './run-messages.ts'
import { resultsOf, rowsOf } from './run-order.ts'
import { pauseRules } from './run-pause.server.ts'
import { type SceneLoader, sceneLoader } from './run-scene.server.ts'
import { planStep, type RunScene } from './run-step.server.ts'

interface Planner {
  scene(run: ClaimedRun): SceneLoader
  plan(fence: RunFence, run: ClaimedRun, scene: SceneLoader, step: Step, seen: SeenJournal): Promise<void>
  skip(fence: RunFence, step: Step, sentence: Reason): Promise<void>
}

/** The namespace of ids that we give to effects; made once, never changed. */
const EFFECTS = '0b0c4f3e-5b8e-4c5b-9c0a-7f1f6e3a9d21'

/** The same over every try and every restart: the platform knows a repeat by it. */
function effectUuid(accountUuid: string, runId: number, stepId: string, itemKey: string): string {
  return namedUuid(`${accountUuid}|${runId}|${stepId}|${itemKey}`, EFFECTS)
}

export function createPlanner(app: RunApp, parts: RunParts): Planner {
  const { store, clock, log } = app

  function scene(run: ClaimedRun): SceneLoader {
    const { accountUuid, automationId, object, recordUuids, triggerData, rule } = run
    const { definition, name } = rule
    const automation = { id: automationId, name }
    if (definition)
      return sceneLoader(app, parts, { accountUuid, automation, definition, object, recordUuids, triggerData })
    const nothing = () => Promise.reject(new Error(`run ${run.id} has nothing to plan`))
    return { load: nothing, profile: nothing }
  }

  async function plan(
    fence: RunFence,
    run: ClaimedRun,
    loader: SceneLoader,
    step: Step,
    seen: SeenJournal,
  ): Promise<void> {
    const { definition } = run.rule
    if (!definition) throw new Error(`run ${run.id} has nothing to plan`)
    const before = rowsOf(seen.rows, step.id)[0] ?? null
    const loaded = await loader.load()
    if (loaded.outcome === 'put_off') return putOff(fence, run, step, before, loaded.why)
    if (loaded.value === 'no_records') {
      const sentence = seen.rows.length === 0 ? runReason('records_gone') : runReason('record_gone')
      await save(fence, step, [noEffect(fence, step, 'skipped', 'gone', sentence)])
      return
    }
    const made = await planStep(
      { actions: parts.actions, clock, log, ...(parts.apart && { apart: parts.apart }) },
      loaded.value,
      step,
      resultsOf(definition.steps, seen.rows),
    )
    if (made.outcome === 'later') return putOff(fence, run, step, before, made)
    await save(fence, step, rowsOfPlan(fence, step, made, loaded.value))
    log.debug({ run: run.id, step: step.id, action: step.type, outcome: made.outcome }, 'step.planned')
  }

  function rowsOfPlan(
    fence: RunFence,
    step: Step,
    made: Exclude<Plan, { outcome: 'later' }>,
    { records }: RunScene,
  ): NewJournalRow[] {
    switch (made.outcome) {
      case 'skipped': {
        const row = noEffect(fence, step, 'skipped', JOURNAL_CLASSES.nothingToDo, made.sentence)
        return [{ ...row, notes: { warnings: made.warnings, replacements: [] } }]
      }
      case 'impossible': {
        const row = noEffect(fence, step, 'failed', made.errorClass, made.sentence)
        return [{ ...row, notes: { warnings: made.warnings, replacements: [] } }]
      }
      case 'planned': {
        const { effects, warnings, replacements } = made
        if (effects.length === 0) {
          return [noEffect(fence, step, 'skipped', JOURNAL_CLASSES.nothingToDo, runReason('nothing_to_do'))]
        }
        return effects.map((effect, index) => {
          const about = isCustomerMessage(effect) ? { about: aboutOf(records, effect) } : {}
          const first = index === 0 ? { warnings, replacements } : { warnings: [], replacements: [] }
          const worthKeeping = index === 0 || 'about' in about
          return { ...newRow(fence, step, String(index), effect), notes: worthKeeping ? { ...first, ...about } : null }
        })
      }
      default:
        return assertNever(made)
    }
  }

  /** The account, not the step, is in the way: its rules stop as well, once. */
  async function putOff(
    fence: RunFence,
    run: ClaimedRun,
    step: Step,
    before: JournalRow | null,
    why: PutOff,
  ): Promise<void> {
    const now = clock.now()
    // Asked wrongly, or not there: the same question has the same answer.
    const hopeless = why.errorClass === 'invalid' || why.errorClass === 'not_found'
    const held = { attempt: before?.attempt ?? 0, effect: NO_EFFECT, plannedAt: before?.plannedAt ?? now }
    const change = hopeless
      ? {
          state: 'failed' as const,
          attempt: held.attempt,
          errorClass: why.errorClass,
          sentence: why.sentence,
          nextAttemptAt: null,
        }
      : afterPlanPutOff(held, why, now)
    const row = noEffect(fence, step, change.state, change.errorClass, change.sentence)
    await save(fence, step, [
      {
        ...row,
        attempt: change.attempt,
        nextAttemptAt: change.nextAttemptAt,
        plannedAt: held.plannedAt,
        endedAt: change.nextAttemptAt === null ? now : null,
      },
    ])
    await pauseRules(app, run, why.sentence)
    log.info(
      { run: run.id, step: step.id, errorClass: why.errorClass, nextAttemptAt: change.nextAttemptAt },
      'step.put_off',
    )
  }

  function newRow(fence: RunFence, step: Step, itemKey: string, effect: JournalEffect): NewJournalRow {
    return {
      stepId: step.id,
      itemKey,
      state: 'planned',
      attempt: 0,
      clientUuid: effectUuid(fence.accountUuid, fence.runId, step.id, itemKey),
      effect,
      notes: null,
      errorClass: null,
      sentence: null,
      nextAttemptAt: null,
      plannedAt: clock.now(),
      endedAt: null,
    }
  }

  function noEffect(
    fence: RunFence,
    step: Step,
    state: NewJournalRow['state'],
    errorClass: string | null,
    sentence: Reason | null,
  ): NewJournalRow {
    const row = newRow(fence, step, '0', NO_EFFECT)
    return { ...row, state, errorClass, sentence, endedAt: state === 'planned' ? null : clock.now() }
  }

  /** Refused when the run is not ours any more, or was cancelled: the next look at the journal tells. */
  async function save(fence: RunFence, step: Step, rows: NewJournalRow[]): Promise<void> {
    await store.runs.planEffects(fence, step.id, rows)
  }

  return {
    scene,
    plan,
    skip: (fence, step, sentence) =>
      save(fence, step, [noEffect(fence, step, 'skipped', JOURNAL_CLASSES.previousFailed, sentence)]),
  }
}

const NO_EFFECT: NoEffect = { kind: 'none', class: 'none', summary: '' }
