// A stored webhook as screens and calls know it: its secrets opened, its status decided.
import type { App } from '#app/app-context.ts'
import type { WebhookRecord } from '#db/store/webhooks.ts'
import { objectLabel } from './object-catalog.ts'
import { shownReplays } from './replay-request.ts'
import { addressOf } from './subscriptions.server.ts'
import { parseFields, unwatchedSentence } from './webhook.ts'
import { webhookStatus } from './webhook-status.ts'
import type { WebhookView } from './webhook-view.ts'

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

/** `timezone` = IANA zone of the account, for times of day in the sentence. */
export function describeWebhook(
  app: Pick<App, 'secrets' | 'settings' | 'clock'>,
  record: WebhookRecord,
  timezone: string,
): WebhookDetails {
  const { webhook, endpoint, subscription, lastEventAt } = record
  const now = app.clock.now()
  const fields = parseFields(webhook.fields)
  const condition = {
    endpoint,
    subscription,
    lastEventAt,
    meanMs: record.recentAttempts >= ENOUGH_TO_SAY_SLOW ? record.recentMeanMs : null,
    note: unwatchedSentence(webhook.objectType, fields, parseFields(subscription?.fields ?? '')),
  }
  const { status, sentence } = webhookStatus(condition, now, timezone)
  return {
    view: {
      id: webhook.id,
      objectType: webhook.objectType,
      label: objectLabel(webhook.objectType),
      callbackUrl: endpoint.url,
      fields,
      active: endpoint.state === 'active',
      // A deleted endpoint belongs to a deleted webhook, which nobody describes.
      state: endpoint.state === 'deleted' ? 'stopped' : endpoint.state,
      status,
      statusMessage: sentence,
      forwardingUrl: subscription ? addressOf(app, subscription) : '',
      signingSecret: app.secrets.open(secretPlace(webhook.accountUuid), endpoint.secretSealed),
      previousSecretUntil: (endpoint.previousSecretUntil ?? 0) > now ? endpoint.previousSecretUntil : null,
      pending: endpoint.pendingCount,
      nextAttemptAt: nextAttemptAt(record),
      lastEventAt,
      createdAt: webhook.createdAt,
      failingSince: endpoint.state === 'stopped' ? endpoint.stateSince : endpoint.failingSince,
      missed: null,
      replays: shownReplays(record.replays, now),
    },
    accountUuid: webhook.accountUuid,
    endpointId: endpoint.id,
    servicem8Id: subscription?.platformUuid ?? null,
  }
}

/** When the engine will next try, as far as is known: the due time, unless the whole endpoint waits longer. */
function nextAttemptAt({ endpoint, nextDueAt }: WebhookRecord): number | null {
  if (endpoint.state !== 'active' || endpoint.pendingCount === 0) return null
  if (endpoint.breaker === 'open' && endpoint.nextProbeAt !== null) return endpoint.nextProbeAt
  if (nextDueAt === null) return null
  return Math.max(nextDueAt, endpoint.holdUntil ?? 0)
}
