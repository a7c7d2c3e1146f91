// Turns a rule's flat fields into its definition. No schema: the page uses it for the sentence while a person types.
import {
  type Condition,
  DEFAULT_GUARDS,
  type OncePolicy,
  onceOf,
  type RuleDefinition,
  type Schedule,
  type Step,
  type Trigger,
  type WebhookTrigger,
} from '#app/domain/automations/rule.ts'
import { withScheme } from '#app/lib/url.ts'
import type { RuleForm } from './rule-fields.ts'

/** The fields that define what a rule does. */
export type RuleContent = Omit<
  RuleForm,
  'name' | 'active' | 'includeExisting' | 'accountUUID' | 'triggerConditions' | 'apiMethod'
> &
  Partial<Pick<RuleForm, 'triggerConditions'>>

/** `objectOfWebhook` = the object of the chosen webhook; null = none was chosen, and the form has the object. */
export function definitionOf(form: RuleContent, objectOfWebhook: string | null): RuleDefinition {
  const trigger = triggerOf(form, objectOfWebhook)
  const conditions: Condition[] = (form.conditions ?? form.triggerConditions ?? []).map((one) => ({
    ...one,
    value: one.operator === 'is_empty' || one.operator === 'is_not_empty' ? '' : one.value,
  }))
  const grouping = { enabled: form.enableGrouping === true, field: form.groupingField ?? null }
  const digest = form.digest === true
  const steps = stepsOf(form.actions)
  return {
    description: form.description,
    trigger,
    conditions,
    grouping,
    digest,
    steps,
    once: onceOf(form.once as OncePolicy | '', { trigger, grouping, digest, steps }),
    guards: {
      cooldownDays: form.guards?.cooldownDays ?? DEFAULT_GUARDS.cooldownDays,
      dailyCap: form.guards?.dailyCap ?? DEFAULT_GUARDS.dailyCap,
      respectQuietHours: form.guards?.respectQuietHours ?? DEFAULT_GUARDS.respectQuietHours,
      askFirst: form.guards?.askFirst ?? DEFAULT_GUARDS.askFirst,
      recheckBeforeSending: form.guards?.recheckBeforeSending ?? DEFAULT_GUARDS.recheckBeforeSending,
    },
  }
}

function triggerOf(form: RuleContent, objectOfWebhook: string | null): Trigger {
  const orNull = (value: string) => (value === '' ? null : value)
  switch (form.triggerSource) {
    case 'webhook':
      return {
        source: 'webhook',
        object: objectOfWebhook ?? (form.object === '' ? 'job' : form.object),
        type: form.triggerType ?? 'job_updated',
        webhookSubscriptionId: form.webhookSubscriptionId ?? null,
        jobUuid: orNull(form.triggerJobUuid),
        queueUuid: orNull(form.triggerQueueUuid),
        fieldName: orNull(form.triggerFieldName),
        fromValue: orNull(form.triggerFromValue),
        settleMinutes: form.settleMinutes ?? 0,
        ...(form.triggerType === 'customer_replied' && { reply: replyOf(form) }),
        ...(form.atOnce === true && !OF_MESSAGES.test(form.triggerType ?? '') && { atOnce: true }),
        ...collected(form),
      }
    case 'api_polling':
      return {
        source: 'api_polling',
        endpoint: form.apiEndpoint ?? '/api_1.0/job.json',
        method: 'GET',
        interval: form.pollInterval ?? 'daily',
        ...scheduleOf(form),
      }
    case 'manual_endpoint':
      return { source: 'manual_endpoint', ...collected(form) }
  }
}

/** They come from histories that are looked at in turn: nothing is at once. */
const OF_MESSAGES = /^(customer|message)_/

function replyOf({ replyMatch = 'any', replyWords }: RuleContent): NonNullable<WebhookTrigger['reply']> {
  return { match: replyMatch, words: replyMatch === 'words' ? replyWords : '' }
}

function scheduleOf(form: RuleContent): Schedule {
  const orNull = (value: string) => (value === '' ? null : value)
  return {
    runTime: form.runTime === '' ? '09:00' : form.runTime,
    weekday: form.weekday ?? 1,
    dayOfMonth: form.dayOfMonth ?? 1,
    workingDays: form.workingDays === true,
    scheduleType: form.scheduleType ?? 'immediate',
    scheduleDate: orNull(form.scheduleDate),
    scheduleRecurrence: orNull(form.scheduleRecurrence),
  }
}

/** The schedule of a rule on events or calls: with one they are collected, without one the rule acts at once. */
function collected(form: RuleContent): { schedule?: Schedule } {
  const schedule = scheduleOf(form)
  if (schedule.scheduleType === 'immediate') return {}
  const unused = schedule.scheduleType === 'scheduled' ? 'scheduleRecurrence' : 'scheduleDate'
  return { schedule: { ...schedule, [unused]: null } }
}

/** Ordered by their numbers, else as given. Steps keep their ids; new ones get the next free id. */
function stepsOf(actions: RuleContent['actions']): Step[] {
  const inOrder = [...actions].sort((a, b) => (a.sequenceOrder ?? 0) - (b.sequenceOrder ?? 0))
  const taken = new Set<string>()
  for (const one of inOrder) if (one.id !== '') taken.add(one.id)
  const used = new Set<string>()
  let next = 1
  return inOrder.map((one, index) => {
    let stepId = one.id
    // The same id twice (a copied line): the second is a new step.
    while (stepId === '' || used.has(stepId)) {
      const candidate = `s${next}`
      next += 1
      stepId = taken.has(candidate) ? '' : candidate
    }
    used.add(stepId)
    return {
      id: stepId,
      type: one.type,
      parameters: mended(one),
      // The first step has no previous one to wait for.
      waitForPrevious: index > 0 && one.waitForPrevious === true,
    }
  })
}

/** An address is stored as it is called. */
function mended({ type, parameters }: RuleContent['actions'][number]): Step['parameters'] {
  return type === 'send_notification' && typeof parameters.url === 'string'
    ? { ...parameters, url: withScheme(parameters.url.trim()) }
    : parameters
}
