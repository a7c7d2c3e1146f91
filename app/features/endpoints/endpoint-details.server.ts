// Turns a stored endpoint into the form screens and calls use: secrets decrypted, status decided.
import type { App } from '#app/context/app-context.ts'
import { keyOf } from '#app/domain/endpoint-key.ts'
import { parseFields } from '#app/domain/endpoints/watched-fields.ts'
import { findObjectKind, isPolled, objectLabel } from '#app/domain/object-catalog.ts'
import type { PollState } from '#app/domain/polling.ts'
import { signingSecretPlace } from '#app/domain/sealed-places.ts'
import { gateOf } from '#app/features/events/delivering/endpoint-health.ts'
import type { EndpointFacts, EndpointRecord } from '#db/store/endpoints.ts'
import { shownReplays } from './controls/replay-request.ts'
import { unwatchedSentence } from './endpoint.ts'
import { webhookStatus } from './endpoint-status.ts'
import type { EndpointDetails, EndpointView } from './endpoint-view.ts'
import { addressOf } from './subscriptions/subscriptions.server.ts'

/** With fewer attempts than this, the mean duration is not meaningful. */
const ENOUGH_TO_SAY_SLOW = 3

type DescribeApp = Pick<App, 'secrets' | 'settings' | 'clock'>

/** `timezone` = the account's IANA zone, for times of day in the sentence. */
export async function describeEndpoint(
  app: DescribeApp,
  record: EndpointRecord,
  timezone: string,
): Promise<EndpointDetails> {
  const { kind, endpoint, subscription, lastEventAt, objectType, accountUuid } = record
  const now = app.clock.now()
  const fields = parseFields(record.fields)
  const condition = {
    kind,
    endpoint,
    accountHold: record.accountHold,
    subscription,
    lastEventAt,
    meanMs: record.recentAttempts >= ENOUGH_TO_SAY_SLOW ? record.recentMeanMs : null,
    polling: pollingOf(record, objectType, now),
    note: unwatchedSentence(objectType, fields, watchedFields(record, objectType)),
  }
  const { status, sentence } = webhookStatus(condition, now, timezone)
  const view: EndpointView = {
    id: keyOf(record),
    kind,
    name: record.name,
    objectType,
    label: objectLabel(objectType),
    callbackUrl: endpoint.url,
    fields,
    active: endpoint.state === 'active',
    // A deleted address belongs to a deleted endpoint, which is never described.
    state: endpoint.state === 'deleted' ? 'stopped' : endpoint.state,
    status,
    statusMessage: sentence,
    polling: condition.polling,
    signingSecret: await app.secrets.open(signingSecretPlace(accountUuid), endpoint.secretSealed),
    previousSecretUntil: (endpoint.previousSecretUntil ?? 0) > now ? endpoint.previousSecretUntil : null,
    hours: record.hours,
    pending: endpoint.pendingCount,
    nextAttemptAt: nextAttemptAt(record),
    lastEventAt,
    createdAt: record.createdAt,
    failingSince: endpoint.state === 'stopped' ? endpoint.stateSince : endpoint.failingSince,
    missed: null,
    replays: shownReplays(record.replays, now),
    forwardingUrl: kind === 'webhook' && subscription ? await addressOf(app, subscription) : '',
  }
  const servicem8Id = kind === 'webhook' ? (subscription?.platformUuid ?? null) : null
  return { view, accountUuid, endpointId: endpoint.id, lastSuccessAt: endpoint.lastSuccessAt, servicem8Id }
}

/** Returns null when the platform sends the object's events. Without a cursor, the first poll has not run yet. */
function pollingOf({ polling }: EndpointFacts, objectType: string, now: number): PollState | null {
  if (!isPolled(objectType)) return null
  return { lastOkAt: polling?.lastOkAt ?? null, nextAt: polling?.nextAt ?? now, problem: polling?.lastError ?? null }
}

/** The fields the platform watches; for a polled object, the fields we poll. */
function watchedFields({ subscription }: EndpointFacts, objectType: string): readonly string[] {
  if (!isPolled(objectType)) return parseFields(subscription?.fields ?? '')
  return [...(findObjectKind(objectType)?.watchFields ?? []), 'uuid', 'edit_date']
}

/** Returns when the engine tries next, if known: the due time, or later when the whole endpoint is on hold. */
function nextAttemptAt({ endpoint, nextDueAt, accountHold }: EndpointFacts): number | null {
  const { state, url, pendingCount } = endpoint
  if (state !== 'active' || url === '' || pendingCount === 0 || accountHold !== null) return null
  const { opensAt } = gateOf(endpoint)
  if (endpoint.breaker === 'open' && endpoint.nextProbeAt !== null) return opensAt
  return nextDueAt === null ? null : Math.max(nextDueAt, opensAt)
}
