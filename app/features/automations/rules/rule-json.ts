// A rule as the calls return it: the specification's flat fields plus ours. The same fields can be sent back.
import type { RuleDefinition, Schedule, StoredRule, WebhookTrigger } from '#app/domain/automations/rule.ts'
import { runReasonText } from '#app/domain/automations/run-reasons.ts'
import { reasonCode } from '#app/domain/reason.ts'
import { isoOrNull } from '#app/lib/clock.ts'
import type { JudgedAt } from '../records/facts.ts'
import { openBlanksOf } from './rule-blanks.ts'
import { sentenceOf } from './sentence.ts'

/** The form fields that define what a rule does; reading them back gives the same rule. */
export function formFields(definition: RuleDefinition) {
  const { trigger, grouping, guards } = definition
  const event = trigger.source === 'webhook' ? trigger : null
  const poll = trigger.source === 'api_polling' ? trigger : null
  return {
    description: definition.description,
    triggerSource: trigger.source,
    ...eventFields(event),
    apiEndpoint: poll?.endpoint ?? null,
    apiMethod: poll?.method ?? null,
    pollInterval: poll?.interval ?? null,
    ...scheduleFields(trigger.source === 'api_polling' ? trigger : (trigger.schedule ?? null)),
    conditions: definition.conditions.map((condition) => ({ ...condition })),
    enableGrouping: grouping.enabled,
    groupingField: grouping.field,
    digest: definition.digest,
    once: definition.once,
    guards: { ...guards },
    actions: definition.steps.map((step, index) => ({
      id: step.id,
      type: step.type,
      parameters: step.parameters,
      sequenceOrder: index + 1,
      waitForPrevious: step.waitForPrevious,
    })),
  }
}

function eventFields(trigger: WebhookTrigger | null) {
  return {
    webhookSubscriptionId: trigger?.webhookSubscriptionId ?? null,
    triggerType: trigger?.type ?? null,
    triggerJobUuid: trigger?.jobUuid ?? null,
    triggerQueueUuid: trigger?.queueUuid ?? null,
    object: trigger?.object ?? null,
    triggerFieldName: trigger?.fieldName ?? null,
    triggerFromValue: trigger?.fromValue ?? null,
    settleMinutes: trigger?.settleMinutes ?? null,
    atOnce: trigger && trigger.atOnce === true,
    replyMatch: trigger?.reply?.match ?? null,
    replyWords: trigger?.reply?.words || null,
  }
}

/** The schedule of a rule that polls or collects. */
function scheduleFields(schedule: Schedule | null) {
  return {
    runTime: schedule?.runTime ?? null,
    weekday: schedule?.weekday ?? null,
    dayOfMonth: schedule?.dayOfMonth ?? null,
    workingDays: schedule?.workingDays ?? null,
    scheduleType: schedule?.scheduleType ?? 'immediate',
    scheduleDate: schedule?.scheduleDate ?? null,
    scheduleRecurrence: schedule?.scheduleRecurrence ?? null,
  }
}

/** `triggerUrl`: the whole address of a manual rule's trigger, key included; null for other rules. */
export function ruleJson(rule: StoredRule, accountId: string, triggerUrl: string | null, at: JudgedAt | null = null) {
  return {
    id: rule.id,
    accountUUID: accountId,
    name: rule.name,
    active: rule.active,
    ...formFields(rule.definition),
    executionCount: rule.executionCount,
    lastExecuted: isoOrNull(rule.lastExecutedAt),
    createdAt: isoOrNull(rule.createdAt),
    updatedAt: isoOrNull(rule.updatedAt),
    triggerUrl,
    sentence: sentenceOf(rule.definition, {}, at),
    nextRunAt: isoOrNull(rule.nextRunAt),
    /** True until the rule's baseline is complete; the rule does not start before. */
    preparing: rule.active && !rule.baselined && rule.pausedReason === null,
    pausedReason: rule.pausedReason && runReasonText(rule.pausedReason),
    pausedReasonCode: reasonCode(rule.pausedReason),
    openBlanks: openBlanksOf(rule.definition),
  }
}
