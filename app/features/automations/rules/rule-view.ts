// The view of a rule on its card.
import { actionLabel } from '#app/domain/automations/action-parameters.ts'
import {
  intervalInForce,
  type RuleDefinition,
  type StoredRule,
  startsOnAnswers,
  startsOnMessages,
  type TriggerSource,
  writesToCustomers,
} from '#app/domain/automations/rule.ts'
import { isConnectionPause, runReasonText } from '#app/domain/automations/run-reasons.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { RunDays } from '../page/run-days.ts'
import { isNews } from '../records/changes.ts'
import type { JudgedAt } from '../records/facts.ts'
import { findField } from '../records/fields.ts'
import { failedText, type KnownNames } from './conditions/condition-text.ts'
import { type FailedCondition, objectOfRule } from './conditions/conditions.ts'
import { SOURCE_TEXTS } from './form-text.ts'
import { openBlanksOf } from './rule-blanks.ts'
import { type SentenceParts, sentenceParts } from './sentence.ts'
import { oftenOf } from './timing/once-text.ts'
import { scheduleText, timesOf } from './timing/schedule.ts'

export interface RuleCardView
  extends Pick<StoredRule, 'id' | 'name' | 'active' | 'nextRunAt' | 'executionCount' | 'lastExecutedAt'> {
  description: string
  sentence: SentenceParts
  /** On, but its baseline is not complete. */
  preparing: boolean
  /** On, but paused by the engine, and why. */
  pausedReason: string | null
  /** True when the pause ends once ServiceM8 accepts our calls again; else a person ends it. */
  pauseEndsByItself: boolean
  /** Blanks to fill in before it can be switched on. */
  openBlanks: string[]
  /** Those blanks with what is known, when all can be typed; empty when one is chosen from a list. */
  askedBlanks: { label: string; value: string }[]
  source: TriggerSource
  /** `Webhook Event` and its reaction time. */
  trigger: string
  /** Null = the rule has no schedule. */
  schedule: string | null
  /** How often it fires for the same record: `Once per job`. */
  often: string
  /** Null = it has not run in the last 30 days. */
  days: RunDays | null
  /** `Send SMS`, in order. */
  actions: string[]
  /** Switching on asks whether to include existing matches. */
  asksAboutExisting: boolean
  /** The whole rule as JSON, to paste elsewhere. */
  json: string
  /** The address that starts a manual rule, with its key; null for other rules. */
  triggerUrl: string | null
}

interface Beside extends Pick<RuleCardView, 'json' | 'triggerUrl' | 'asksAboutExisting' | 'days' | 'askedBlanks'> {
  at: JudgedAt
  names: KnownNames
}

export function ruleCardView(
  rule: StoredRule,
  { at, names, json, triggerUrl, asksAboutExisting, days, askedBlanks }: Beside,
): RuleCardView {
  const { definition } = rule
  const { trigger } = definition
  return {
    id: rule.id,
    name: rule.name,
    description: definition.description,
    sentence: sentenceParts(definition, names, at),
    active: rule.active,
    preparing: rule.active && !rule.baselined && rule.pausedReason === null,
    pausedReason: rule.active ? rule.pausedReason && runReasonText(rule.pausedReason) : null,
    pauseEndsByItself: rule.pausedReason !== null && isConnectionPause(rule.pausedReason),
    openBlanks: openBlanksOf(definition),
    askedBlanks,
    source: trigger.source,
    trigger: isDeaf(trigger) ? 'Webhook Event, but a change of its field starts nothing' : triggerText(definition),
    schedule: scheduleOf(trigger, at),
    often: oftenOf(definition, objectOfRule(definition)),
    nextRunAt: rule.active ? rule.nextRunAt : null,
    executionCount: rule.executionCount,
    lastExecutedAt: rule.lastExecutedAt,
    days,
    actions: definition.steps.map(({ type }) => actionLabel(type)),
    asksAboutExisting: !rule.active && asksAboutExisting,
    json,
    triggerUrl,
  }
}

/** Can it message a customer about the same record again, by itself? A manual run asks the person first. */
export function canRepeat(definition: RuleDefinition): boolean {
  const { trigger, once } = definition
  const byItself =
    trigger.source === 'webhook' || (trigger.source === 'api_polling' && intervalInForce(trigger) !== 'on_demand')
  return byItself && once !== 'record' && writesToCustomers(definition)
}

function scheduleOf(trigger: RuleDefinition['trigger'], at: JudgedAt): string | null {
  if (trigger.source === 'api_polling') return scheduleText(trigger, at)
  return trigger.schedule ? scheduleText(timesOf(trigger.schedule), at) : null
}

/** Stored before such a field was refused. */
function isDeaf(trigger: RuleDefinition['trigger']): boolean {
  if (trigger.source !== 'webhook' || trigger.type !== 'job_field') return false
  return !isNews(findField(trigger.object, trigger.fieldName ?? '') ?? { own: '' })
}

function triggerText({ trigger, once }: RuleDefinition): string {
  const label = SOURCE_TEXTS[trigger.source].label
  switch (trigger.source) {
    case 'webhook':
      if (trigger.schedule) return `${label}, collected`
      if (startsOnAnswers(trigger)) return `${label}, reads answers within five minutes`
      if (startsOnMessages(trigger)) return `${label}, reads what becomes of messages`
      if (trigger.atOnce) return `${label}, reacts at once`
      return trigger.settleMinutes > 0
        ? `${label}, once it has settled for ${trigger.settleMinutes} min`
        : `${label}, reacts within seconds`
    case 'api_polling':
      return label
    case 'manual_endpoint':
      if (trigger.schedule) return `${label}, calls are collected`
      return `${label}, runs ${['change', 'period'].includes(once) ? 'once per call' : 'when called'}`
    default:
      return assertNever(trigger)
  }
}

/** A failed condition, with its words. */
export interface FailedView {
  field: string
  operator: string
  value: string
  words: string
}

export function failedViews(
  definition: RuleDefinition,
  failed: readonly FailedCondition[],
  names: KnownNames = {},
): FailedView[] {
  const object = objectOfRule(definition)
  return failed.map((one) => ({
    field: one.field,
    operator: one.operator,
    value: one.value,
    words: failedText(one, object, names),
  }))
}
