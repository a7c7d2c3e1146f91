// Plans a step. Live runs, Check Mode and previews all use this path, so a run sends exactly what a preview shows.
import type { LongWork } from '#app/context/app-context.ts'
import type { ActionType } from '#app/domain/automations/action-parameters.ts'
import type { Plan, StepResult } from '#app/domain/automations/effect.ts'
import { isOfMany, type RuleDefinition, type Step } from '#app/domain/automations/rule.ts'
import type { TriggerData } from '#app/domain/automations/run.ts'
import type { WorkApart } from '#app/lib/apart.ts'
import type { Clock } from '#app/lib/clock.ts'
import type { Log } from '#app/lib/log.ts'
import type { AccountProfile, Action, PlanContext, ReadOnlyPlatform } from '../actions/action.server.ts'
import type { RecordFacts } from '../records/facts.ts'
import { type LiteralPlace, literalProblems } from '../rules/checks/literal-check.ts'
import { objectOfRule } from '../rules/conditions/conditions.ts'
import { keptForLater } from '../rules/document-keeping.ts'

type PlanAction = Pick<Action, 'plan'>

/** Defaults for plans: who signs, where notifications go, and addresses they may not use. */
export type PlanDefaults = Pick<PlanContext, 'senderStaffUuid' | 'notifyUrl' | 'feed'> &
  Pick<LiteralPlace, 'refusedAddresses'>

export interface StepParts {
  actions: Readonly<Record<ActionType, PlanAction>>
  /** Runs heavy text work off the main thread; missing = inline. */
  apart?: WorkApart<LongWork>
  /** Called once per run; missing = no defaults. */
  defaults?(accountUuid: string, definition: RuleDefinition): Promise<PlanDefaults>
}

/** Shared by all steps of one run. */
export interface RunContext {
  automation: { id: number; name: string }
  definition: RuleDefinition
  triggerData: TriggerData
  account: AccountProfile
  records: readonly RecordFacts[]
  /** Placeholders that no record carries. */
  trigger: Readonly<Record<string, string>>
  defaults: PlanDefaults
  read: ReadOnlyPlatform
  origin: string
}

/** Returns the values that the trigger supplied. Dates, lists and record values are resolved when a text uses them. */
export function contextValues({ object, values }: TriggerData): Record<string, string> {
  return { object, ...values }
}

/**
 * Plans the step completely, with final values. Reports an internal error as such and does not retry, because it would
 * fail again.
 */
export async function planStep(
  deps: Pick<StepParts, 'actions' | 'apart'> & { clock: Clock; log: Log },
  context: RunContext,
  step: Step,
  results: Readonly<Record<string, StepResult>>,
): Promise<Plan> {
  const { definition, records } = context
  const { asOf } = context.triggerData
  const { refusedAddresses = {}, ...defaults } = context.defaults
  const { apart } = deps
  const { accountUuid } = context.account
  try {
    const plan = await deps.actions[step.type].plan({
      now: deps.clock.now(),
      account: context.account,
      step: keptForLater(step, definition.steps),
      records,
      trigger: context.trigger,
      results,
      order: definition.steps.map((one) => one.id),
      read: context.read,
      origin: context.origin,
      grouped: isOfMany(definition),
      automation: context.automation,
      ...(asOf !== undefined && { asOf }),
      ...(apart && { safeHtml: (text: string) => apart.do('safeSentHtml', accountUuid, text) }),
      ...defaults,
    })
    if (plan.outcome !== 'planned' && plan.outcome !== 'skipped') return plan
    // A run never does what saving rejects, nor skips it silently: one function judges both (literal-check.ts).
    const { notifyUrl, feed } = defaults
    const object = objectOfRule(definition)
    const place = { object, country: context.account.country, refusedAddresses, notifyUrl, feed: feed === true }
    const wrong = literalProblems(step, place).find(({ partial }) => !partial)
    return wrong ? { outcome: 'impossible', errorClass: 'value', sentence: wrong.message, warnings: [] } : plan
  } catch (error) {
    deps.log.error({ automation: context.automation.id, step: step.id, action: step.type, error }, 'step.plan_failed')
    return {
      outcome: 'impossible',
      errorClass: 'internal',
      sentence: 'This could not be prepared because of a fault on our side.',
      warnings: [],
    }
  }
}
