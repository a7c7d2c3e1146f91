// A stored webhook or forwarding rule as screens and calls know it: its secrets opened, its status decided.

import type { App } from '#app/context/app-context.ts'
import { ruleKey } from '#app/domain/endpoint-key.ts'
import { parseFields } from '#app/domain/endpoints/watched-fields.ts'
import { findObjectKind, isPolled, objectLabel } from '#app/domain/object-catalog.ts'
import type { LookState } from '#app/domain/polling.ts'
import type { ForwardingRuleRecord } from '#db/store/forwarding-rules.ts'
import type { EndpointFacts, WebhookRecord } from '#db/store/webhooks.ts'
import { shownReplays } from './controls/replay-request.ts'
import { addressOf } from './subscriptions/subscriptions.server.ts'
import { unwatchedSentence } from './webhook.ts'
import { webhookStatus } from './webhook-status.ts'
import type { RuleView, WebhookView } from './webhook-view.ts'

/** The view, and what only the call's answer shows. */
export interface WebhookDetails {
  view: WebhookView
  accountUuid: string
  endpointId: number
  /** The platform's uuid of the subscription; null until it was learned. */
  servicem8Id: string | null
}

/** Fewer attempts than this say nothing about pace. */
const ENOUGH_TO_SAY_SLOW = 3

export function secretPlace(accountUuid: string): string {
  return `endpoint|${accountUuid}|secret`
}

type DescribeApp = Pick<App, 'secrets' | 'settings' | 'clock'>

/** `timezone` = IANA zone of the account, for times of day in the sentence. */
export function describeWebhook(app: DescribeApp, record: WebhookRecord, timezone: string): WebhookDetails {
  const { webhook, endpoint, subscription } = record
  return {
    view: {
      id: webhook.id,
      ...describeEndpoint(app, record, webhook, parseFields(webhook.fields), timezone),
      forwardingUrl: subscription ? addressOf(app, subscription) : '',
    },
    accountUuid: webhook.accountUuid,
    endpointId: endpoint.id,
    servicem8Id: subscription?.platformUuid ?? null,
  }
}

export interface RuleDetails {
  view: RuleView
  accountUuid: string
  endpointId: number
}

/** `timezone` = IANA zone of the account, for times of day in the sentence. */
export function describeRule(app: DescribeApp, record: ForwardingRuleRecord, timezone: string): RuleDetails {
  const { rule, endpoint } = record
  return {
    view: {
      id: ruleKey(rule.id),
      ruleId: rule.id,
      name: rule.name,
      ...describeEndpoint(app, record, { ...rule, rule: true }, parseFields(endpoint.fieldFilter), timezone),
    },
    accountUuid: rule.accountUuid,
    endpointId: endpoint.id,
  }
}

function describeEndpoint(
  app: DescribeApp,
  facts: EndpointFacts,
  owner: { accountUuid: string; objectType: string; createdAt: number; rule?: boolean },
  fields: string[],
  timezone: string,
) {
  const { endpoint, subscription, lastEventAt } = facts
  const { objectType } = owner
  const now = app.clock.now()
  const condition = {
    endpoint,
    accountHold: facts.accountHold,
    subscription,
    lastEventAt,
    meanMs: facts.recentAttempts >= ENOUGH_TO_SAY_SLOW ? facts.recentMeanMs : null,
    polling: pollingOf(facts, objectType, now),
    note: unwatchedSentence(objectType, fields, watchedFields(facts, objectType)),
    rule: owner.rule ?? false,
  }
  const { status, sentence } = webhookStatus(condition, now, timezone)
  return {
    objectType,
    label: objectLabel(objectType),
    callbackUrl: endpoint.url,
    fields,
    active: endpoint.state === 'active',
    // A deleted endpoint belongs to a deleted webhook or rule, which nobody describes.
    state: endpoint.state === 'deleted' ? ('stopped' as const) : endpoint.state,
    status,
    statusMessage: sentence,
    polling: condition.polling,
    signingSecret: app.secrets.open(secretPlace(owner.accountUuid), endpoint.secretSealed),
    previousSecretUntil: (endpoint.previousSecretUntil ?? 0) > now ? endpoint.previousSecretUntil : null,
    pending: endpoint.pendingCount,
    nextAttemptAt: nextAttemptAt(facts),
    lastEventAt,
    createdAt: owner.createdAt,
    failingSince: endpoint.state === 'stopped' ? endpoint.stateSince : endpoint.failingSince,
    missed: null,
    replays: shownReplays(facts.replays, now),
  }
}

/** Null = the platform sends events of the object. Without a cursor the first look is still to come. */
function pollingOf({ polling }: EndpointFacts, objectType: string, now: number): LookState | null {
  if (!isPolled(objectType)) return null
  return { lastOkAt: polling?.lastOkAt ?? null, nextAt: polling?.nextAt ?? now, problem: polling?.lastError ?? null }
}

/** What the platform was asked to watch; where we look ourselves, what we look at. */
function watchedFields({ subscription }: EndpointFacts, objectType: string): readonly string[] {
  if (!isPolled(objectType)) return parseFields(subscription?.fields ?? '')
  return [...(findObjectKind(objectType)?.watchFields ?? []), 'uuid', 'edit_date']
}

/** When the engine will next try, as far as is known: the due time, unless the whole endpoint waits longer. */
function nextAttemptAt({ endpoint, nextDueAt, accountHold }: EndpointFacts): number | null {
  if (endpoint.state !== 'active' || endpoint.pendingCount === 0 || accountHold !== null) return null
  if (endpoint.breaker === 'open' && endpoint.nextProbeAt !== null) return endpoint.nextProbeAt
  if (nextDueAt === null) return null
  return Math.max(nextDueAt, endpoint.holdUntil ?? 0)
}
