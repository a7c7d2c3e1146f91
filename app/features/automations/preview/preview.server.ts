// Check Mode and Preview: a run in pretence. The same scene, the same plans, the same order; nothing is written anywhere, because
// nothing that writes can be reached from here.

import type { App } from '#app/context/app-context.ts'
import type { Plan, StepResult } from '#app/domain/automations/effect.ts'
import type { JournalRow, NoEffect } from '#app/domain/automations/journal-row.ts'
import type { RuleDefinition, Step } from '#app/domain/automations/rule.ts'
import type { TriggerData } from '#app/domain/automations/run.ts'
import { runReason, runReasonText } from '#app/domain/automations/run-reasons.ts'
import type { RunRecord } from '#app/domain/automations/run-record.ts'
import type { Reason } from '#app/domain/reason.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { takingTurns } from '#app/lib/turns.server.ts'
import { JOURNAL_CLASSES, outcomeOf } from '../rules/journal.ts'
import type { PutOff, RunFacts } from '../runs/run-facts.server.ts'
import { aboutOf, messageVerdict } from '../runs/run-guards.server.ts'
import { isCustomerMessage } from '../runs/run-messages.ts'
import { nextOfRun, resultsOf, rowsOf } from '../runs/run-order.ts'
import { loadScene } from '../runs/run-scene.server.ts'
import { planStep, type RunScene, type StepParts } from '../runs/run-step.server.ts'
import { guardWarning, type PreviewedStep, previewedEffect } from './preview.ts'

export type PreviewApp = Pick<App, 'store' | 'clock' | 'log' | 'secrets' | 'settings'>

export interface PreviewParts extends StepParts {
  facts: RunFacts
}

/** A run that is not to be: of a stored rule, or of one that is only a form yet (id 0). */
interface PreviewWish {
  accountUuid: string
  automation: { id: number; name: string; version: number }
  definition: RuleDefinition
  object: string
  recordUuids: string[]
  groupKey: string | null
  triggerData: TriggerData
}

export type Preview =
  | {
      outcome: 'previewed'
      steps: PreviewedStep[]
      /** Messages to customers that would go out now or later, and their text message credits. */
      customerMessages: number
      credits: number
      /** As the history would have it, for `executionOf`. Id 0: it never was. */
      run: RunRecord
    }
  /** The platform did not answer what has to be known first. */
  | { outcome: 'not_possible'; why: PutOff }

/** More effects than this are planned, and counted, but not simulated one by one. */
const MOST_TURNS = 2_000

export async function previewRun(app: PreviewApp, parts: PreviewParts, wish: PreviewWish): Promise<Preview> {
  const { definition, recordUuids } = wish
  const loaded = await loadScene(app, parts, wish)
  if (loaded.outcome === 'put_off') return { outcome: 'not_possible', why: loaded.why }
  const now = app.clock.now()
  const journal: JournalRow[] = []
  const steps = new Map<string, PreviewedStep>()
  if (loaded.value === 'no_records') {
    const reason = recordUuids.length === 0 ? runReason('empty_list') : runReason('records_gone')
    for (const step of definition.steps) steps.set(step.id, leftOut(definition, step, reason))
  } else {
    await pretend(app, parts, wish, loaded.value, journal, steps)
  }
  const shown = definition.steps.map(
    (step) => steps.get(step.id) ?? leftOut(definition, step, runReason('previous_failed')),
  )
  const messages = shown
    .flatMap((step) => step.effects)
    .filter((effect) => effect.effectClass === 'customer' && effect.guard?.outcome !== 'skip')
  return {
    outcome: 'previewed',
    steps: shown,
    customerMessages: messages.length,
    credits: messages.reduce((sum, effect) => sum + effect.credits, 0),
    run: {
      id: 0,
      accountUuid: wish.accountUuid,
      automationId: wish.automation.id,
      ruleName: wish.automation.name,
      version: wish.automation.version,
      definition,
      source: 'person',
      object: wish.object,
      recordUuids,
      groupKey: wish.groupKey,
      triggerData: wish.triggerData,
      state: 'done',
      outcome: outcomeOf(journal),
      reason: journal.find((row) => row.state === 'failed')?.sentence ?? null,
      wakeAt: now,
      replayOf: null,
      hop: 0,
      createdAt: now,
      startedAt: now,
      endedAt: now,
      journal,
    },
  }
}

async function pretend(
  app: PreviewApp,
  parts: PreviewParts,
  wish: PreviewWish,
  scene: RunScene,
  journal: JournalRow[],
  steps: Map<string, PreviewedStep>,
): Promise<void> {
  const { definition } = wish
  const standIns = new Map<string, StepResult>()
  const turn = takingTurns()
  for (let turns = 0; turns < MOST_TURNS; turns++) {
    await turn()
    const next = nextOfRun(definition.steps, journal, app.clock.now())
    switch (next.next) {
      case 'plan': {
        const plan = await planStep(
          { clock: app.clock, log: app.log, actions: parts.actions, ...(parts.apart && { apart: parts.apart }) },
          scene,
          next.step,
          resultsOf(definition.steps, journal),
        )
        if (plan.outcome === 'planned') standIns.set(next.step.id, plan.standIn)
        steps.set(next.step.id, await take(app, wish, scene, next.step, plan, journal))
        break
      }
      case 'skip_step':
        journal.push(...[noEffect(app, journal, next.step, 'skipped', JOURNAL_CLASSES.previousFailed, next.sentence)])
        steps.set(next.step.id, leftOut(definition, next.step, next.sentence))
        break
      case 'skip_row':
        Object.assign(next.row, {
          state: 'skipped',
          errorClass: JOURNAL_CLASSES.previousFailed,
          sentence: next.sentence,
        })
        break
      case 'send': {
        // What later steps see: the words for what only the real run knows.
        const result = standIns.get(next.row.stepId) ?? {}
        Object.assign(next.row, { state: 'sent', result: next.row.itemKey === '0' ? result : {} })
        break
      }
      case 'verify':
      case 'wait':
      case 'hold':
      case 'finish':
        return
      default:
        assertNever(next)
    }
  }
}

/** The plan's effects as rows of the pretended journal; a message that the guards keep back does not count as sent. */
async function take(
  app: PreviewApp,
  wish: PreviewWish,
  scene: RunScene,
  step: Step,
  plan: Plan,
  journal: JournalRow[],
): Promise<PreviewedStep> {
  const shown = {
    ...leftOut(wish.definition, step, null),
    warnings: plan.outcome === 'later' ? [] : [...plan.warnings],
  }
  switch (plan.outcome) {
    case 'skipped': {
      journal.push(noEffect(app, journal, step, 'skipped', JOURNAL_CLASSES.nothingToDo, plan.sentence))
      return { ...shown, sentence: runReasonText(plan.sentence) }
    }
    case 'impossible':
    case 'later': {
      journal.push(noEffect(app, journal, step, 'failed', plan.errorClass, plan.sentence))
      return {
        ...shown,
        outcome: plan.outcome === 'later' ? 'unanswered' : 'impossible',
        sentence: runReasonText(plan.sentence),
      }
    }
    case 'planned': {
      if (plan.effects.length === 0) {
        const nothingToDo = runReason('nothing_to_do')
        journal.push(noEffect(app, journal, step, 'skipped', JOURNAL_CLASSES.nothingToDo, nothingToDo))
        return { ...shown, sentence: runReasonText(nothingToDo) }
      }
      for (const [index, effect] of plan.effects.entries()) {
        const verdict = isCustomerMessage(effect)
          ? await messageVerdict(app, {
              accountUuid: wish.accountUuid,
              automationId: wish.automation.id,
              guards: wish.definition.guards,
              effect,
              about: aboutOf(scene.records, effect),
              zone: scene.account.zone,
              released: false,
            })
          : null
        const warning = verdict && guardWarning(effect, verdict)
        if (warning) shown.warnings.push(warning)
        shown.effects.push(previewedEffect(effect, verdict))
        const kept = verdict?.outcome === 'skip' ? verdict.reason : null
        const row = noEffect(
          app,
          journal,
          step,
          kept === null ? 'planned' : 'skipped',
          kept === null ? null : JOURNAL_CLASSES.guard,
          kept,
        )
        const notes = index === 0 ? { warnings: plan.warnings, replacements: plan.replacements } : null
        journal.push({ ...row, itemKey: String(index), effect, notes })
      }
      return { ...shown, outcome: 'would_run' }
    }
    default:
      return assertNever(plan)
  }
}

const NO_EFFECT: NoEffect = { kind: 'none', class: 'none', summary: '' }

function noEffect(
  app: PreviewApp,
  journal: readonly JournalRow[],
  step: Step,
  state: JournalRow['state'],
  errorClass: string | null,
  sentence: Reason | null,
): JournalRow {
  const now = app.clock.now()
  return {
    stepId: step.id,
    itemKey: String(rowsOf(journal, step.id).length),
    seq: journal.length + 1,
    state,
    attempt: 0,
    clientUuid: '',
    effect: NO_EFFECT,
    notes: null,
    result: null,
    tries: [],
    released: false,
    errorClass,
    sentence,
    nextAttemptAt: null,
    plannedAt: now,
    sendingAt: null,
    endedAt: now,
  }
}

function leftOut({ steps }: RuleDefinition, step: Step, reason: Reason | null): PreviewedStep {
  return {
    stepId: step.id,
    sequenceOrder: steps.indexOf(step) + 1,
    action: step.type,
    outcome: 'left_out',
    sentence: reason && runReasonText(reason),
    effects: [],
    warnings: [],
  }
}
