// Check Mode and Preview: a dry run with the same context, plans and order as a live run. Writes nothing: no code
// reachable from here can write.
import type { App } from '#app/context/app-context.ts'
import type { Effect, Plan, PlanWarning, StepResult } from '#app/domain/automations/effect.ts'
import type { JournalRow, NoEffect } from '#app/domain/automations/journal-row.ts'
import type { RuleDefinition, Step } from '#app/domain/automations/rule.ts'
import { runReason, runReasonText } from '#app/domain/automations/run-reasons.ts'
import type { RunRecord } from '#app/domain/automations/run-record.ts'
import type { Reason } from '#app/domain/reason.ts'
import { dayText } from '#app/domain/time/moments.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { takingTurns } from '#app/lib/turns.server.ts'
import { JOURNAL_CLASSES, outcomeOf, type PutOff } from '../rules/journal.ts'
import { type ContextRequest, loadContext } from '../runs/run-context.server.ts'
import type { RunFacts } from '../runs/run-facts.server.ts'
import { aboutOf, hashesOfReceiver, messageVerdict } from '../runs/run-guards.server.ts'
import { isCustomerMessage } from '../runs/run-messages.ts'
import { nextOfRun, type RunNext, resultsOf, rowsOf } from '../runs/run-order.ts'
import { planStep, type RunContext, type StepParts } from '../runs/run-step.server.ts'
import { withWritten } from '../runs/run-written.server.ts'
import { guardWarning, type PreviewedStep, previewedEffect } from './preview.ts'

export type PreviewApp = Pick<App, 'store' | 'clock' | 'log' | 'secrets' | 'settings'>

export interface PreviewParts extends StepParts {
  facts: RunFacts
}

/** A dry run: of a stored rule, or of an unsaved form (id 0). */
interface PreviewRequest extends ContextRequest {
  automation: { id: number; name: string; version: number }
  groupKey: string | null
  /** The texts are as of then; missing = now. The guards answer for now. */
  saidAt?: Millis
}

export type Preview =
  | {
      outcome: 'previewed'
      steps: PreviewedStep[]
      /** Customer messages that would go out now or later, and their text message credits. */
      customerMessages: number
      credits: number
      /** As the history would show it, for `executionOf`. Id 0: the run never existed. */
      run: RunRecord
    }
  /** The platform did not answer a read that the preview needs. */
  | { outcome: 'not_possible'; why: PutOff }

/** Maximum effects simulated one by one; the rest are planned and counted. */
const MOST_TURNS = 2_000

export async function previewRun(app: PreviewApp, parts: PreviewParts, request: PreviewRequest): Promise<Preview> {
  const { definition, recordUuids } = request
  const loaded = await loadContext(app, parts, request)
  if (loaded.outcome === 'put_off') return { outcome: 'not_possible', why: loaded.why }
  const now = app.clock.now()
  const noRecords = runReason(recordUuids.length === 0 ? 'empty_list' : 'records_gone')
  const { journal, shown } =
    loaded.value === 'no_records'
      ? { journal: [], shown: definition.steps.map((step) => leftOut(definition, step, noRecords)) }
      : await pretend(app, parts, request, loaded.value)
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
      accountUuid: request.accountUuid,
      automationId: request.automation.id,
      ruleName: request.automation.name,
      version: request.automation.version,
      definition,
      source: 'person',
      object: request.object,
      recordUuids,
      groupKey: request.groupKey,
      triggerData: request.triggerData,
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

/** Shared by the steps of a dry run. */
interface Pretence {
  app: PreviewApp
  request: PreviewRequest
  context: RunContext
  journal: JournalRow[]
}

async function pretend(
  app: PreviewApp,
  parts: PreviewParts,
  request: PreviewRequest,
  context: RunContext,
): Promise<{ journal: JournalRow[]; shown: PreviewedStep[] }> {
  const { definition } = request
  const journal: JournalRow[] = []
  const steps = new Map<string, PreviewedStep>()
  const standIns = new Map<string, StepResult>()
  const { previousFailed } = JOURNAL_CLASSES
  const { saidAt } = request
  const clock = saidAt === undefined ? app.clock : { ...app.clock, now: () => saidAt }
  const deps = { clock, log: app.log, actions: parts.actions, ...(parts.apart && { apart: parts.apart }) }

  /** Returns false when nothing more happens on its own. */
  async function act(next: RunNext): Promise<boolean> {
    switch (next.next) {
      case 'plan': {
        const { step } = next
        const written = await withWritten(parts.facts, request.accountUuid, context.records, journal)
        const seen = written.outcome === 'ok' ? { ...context, records: written.value } : context
        const results = resultsOf(definition.steps, journal)
        const plan: Plan =
          written.outcome === 'ok' ? await planStep(deps, seen, step, results) : { ...written.why, outcome: 'later' }
        if (plan.outcome === 'planned') standIns.set(step.id, plan.standIn)
        steps.set(step.id, await take({ app, request, context: seen, journal }, step, plan))
        return true
      }
      case 'skip_step': {
        const { step, sentence } = next
        journal.push(newRow(app, journal, step, { state: 'skipped', errorClass: previousFailed, sentence }))
        steps.set(step.id, leftOut(definition, step, sentence))
        return true
      }
      case 'skip_row':
        Object.assign(next.row, { state: 'skipped', errorClass: previousFailed, sentence: next.sentence })
        return true
      case 'send': {
        // Stand-in texts for results that only a real run knows.
        const result = standIns.get(next.row.stepId) ?? {}
        Object.assign(next.row, { state: 'sent', result: next.row.itemKey === '0' ? result : {} })
        return true
      }
      case 'verify':
      case 'wait':
      case 'hold':
      case 'finish':
        return false
      default:
        return assertNever(next)
    }
  }

  const turn = takingTurns()
  for (let turns = 0; turns < MOST_TURNS; turns++) {
    await turn()
    if (!(await act(nextOfRun(definition.steps, journal, app.clock.now())))) break
  }
  const neverReached = runReason('previous_failed')
  const shown = definition.steps.map((step) => steps.get(step.id) ?? leftOut(definition, step, neverReached))
  return { journal, shown }
}

/** Adds the plan to the simulated journal and returns its view. */
async function take(pretence: Pretence, step: Step, plan: Plan): Promise<PreviewedStep> {
  const { app, request, journal } = pretence
  const shown = {
    ...leftOut(request.definition, step, null),
    warnings: plan.outcome === 'later' ? [] : [...plan.warnings],
  }
  const withoutEffects = (outcome: PreviewedStep['outcome'], standing: Standing & { sentence: Reason }) => {
    journal.push(newRow(app, journal, step, standing))
    return { ...shown, outcome, sentence: runReasonText(standing.sentence) }
  }
  const skipped = (errorClass: string, sentence: Reason) =>
    withoutEffects('left_out', { state: 'skipped', errorClass, sentence })
  const failed = (
    outcome: PreviewedStep['outcome'],
    { errorClass, sentence }: { errorClass: string; sentence: Reason },
  ) => withoutEffects(outcome, { state: 'failed', errorClass, sentence })
  switch (plan.outcome) {
    case 'skipped':
      return skipped(plan.errorClass, plan.sentence)
    case 'impossible':
      return failed('impossible', plan)
    case 'later':
      return failed('unanswered', plan)
    case 'planned':
      if (plan.effects.length === 0) return skipped(JOURNAL_CLASSES.nothingToDo, runReason('nothing_to_do'))
      return { ...shown, outcome: 'would_run', ...(await takeEffects(pretence, step, plan)) }
    default:
      return assertNever(plan)
  }
}

/** A message held back by guards does not count as sent. */
async function takeEffects(
  { app, request, context, journal }: Pretence,
  step: Step,
  plan: Extract<Plan, { outcome: 'planned' }>,
): Promise<Pick<PreviewedStep, 'effects' | 'warnings'>> {
  const effects: PreviewedStep['effects'] = []
  const warnings = [...plan.warnings]
  const before = rowsOf(journal, step.id).length
  const turn = takingTurns()
  for (const [index, effect] of plan.effects.entries()) {
    await turn()
    const verdict = isCustomerMessage(effect)
      ? await messageVerdict(app, {
          accountUuid: request.accountUuid,
          automationId: request.automation.id,
          guards: request.definition.guards,
          effect,
          about: aboutOf(step, context.records, effect),
          zone: context.account.zone,
          released: null,
        })
      : null
    const warning = verdict && guardWarning(effect, verdict)
    if (warning) warnings.push(warning)
    const bounced = await bouncedWarning(app, request.accountUuid, effect, context.account.zone)
    if (bounced) warnings.push(bounced)
    effects.push(previewedEffect(effect, verdict))
    const standing: Standing =
      verdict?.outcome === 'skip'
        ? { state: 'skipped', errorClass: JOURNAL_CLASSES.guard, sentence: verdict.reason }
        : { state: 'planned', errorClass: null, sentence: null }
    const notes = index === 0 ? { warnings: plan.warnings, replacements: plan.replacements } : null
    journal.push({ ...newRow(app, journal, step, standing, before + index), effect, notes })
  }
  return { effects, warnings }
}

/** The address did not take the last e-mail. */
async function bouncedWarning(
  app: PreviewApp,
  accountUuid: string,
  effect: Effect,
  zone: string,
): Promise<PlanWarning | null> {
  if (!isCustomerMessage(effect) || effect.kind !== 'send_email') return null
  const hashes = await hashesOfReceiver(app, accountUuid, 'email', effect.to)
  const at = await app.store.listening.lastBounce(accountUuid, hashes)
  if (at === null) return null
  const sentence = `The e-mail to ${effect.to} of ${dayText(at, zone)} came back. Correct the address in ServiceM8.`
  return { code: 'bounced', sentence }
}

const NO_EFFECT: NoEffect = { kind: 'none', class: 'none', summary: '' }

type Standing = Pick<JournalRow, 'state' | 'errorClass' | 'sentence'>

function newRow(
  app: PreviewApp,
  journal: readonly JournalRow[],
  step: Step,
  standing: Standing,
  place = rowsOf(journal, step.id).length,
): JournalRow {
  const now = app.clock.now()
  return {
    ...standing,
    stepId: step.id,
    itemKey: String(place),
    seq: journal.length + 1,
    attempt: 0,
    clientUuid: '',
    effect: NO_EFFECT,
    notes: null,
    result: null,
    tries: [],
    released: false,
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
