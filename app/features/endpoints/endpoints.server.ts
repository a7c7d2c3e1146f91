// Creates, changes and deletes endpoints: webhooks and extra addresses. Asks the platform first, then stores everything
// in one transaction, so that a failure never leaves half an endpoint.
import { isDeepStrictEqual } from 'node:util'
import type { App } from '#app/context/app-context.ts'
import { type EndpointKey, type EndpointKind, type EndpointRef, keyOf, refOf } from '#app/domain/endpoint-key.ts'
import { parseFields } from '#app/domain/endpoints/watched-fields.ts'
import { findObjectKind, isPolled, normalizeObjectType, objectLabel } from '#app/domain/object-catalog.ts'
import type { PollState } from '#app/domain/polling.ts'
import { signingSecretPlace } from '#app/domain/sealed-places.ts'
import { gateOf } from '#app/features/events/delivering/endpoint-health.ts'
import { seconds } from '#app/lib/duration.ts'
import type { EndpointFacts, EndpointRecord, SubscriptionSwitch } from '#db/store/endpoints.ts'
import { shownReplays } from './controls/replay-request.ts'
import { newSecret } from './controls/rotate-secret.server.ts'
import {
  ENDPOINT_CHANGES,
  ENDPOINT_FORMS,
  filterWarning,
  forwardingFilter,
  OBJECT_IS_FIXED,
  type ResolvedObject,
  resolveObjectType,
  unwatchedSentence,
} from './endpoint.ts'
import {
  checkAddress,
  FINE,
  invalid,
  invalidForm,
  needsWith,
  type Refused,
  refuseOneMore,
  settleAfterDeletion,
  subscriptionForChange,
  subscriptionForNew,
} from './endpoint-changes.server.ts'
import { KIND_TEXTS, WIRE_NAMES } from './endpoint-kinds.ts'
import { isAsked, webhookStatus } from './endpoint-status.ts'
import type { EndpointDetails, EndpointView } from './endpoint-view.ts'
import { oneAtATime } from './subscriptions/one-at-a-time.server.ts'
import { neededObjects, settleSubscriptions } from './subscriptions/repair-subscriptions.server.ts'
import { addressOf, type SubscriptionApp } from './subscriptions/subscriptions.server.ts'

export type EndpointApp = SubscriptionApp & Pick<App, 'outbound' | 'wakeDeliveries'>

/** `warning` = accepted, but the address or the filter needs attention. */
type CreateOutcome =
  | { outcome: 'created'; endpoint: EndpointDetails; warning: string | null }
  | { outcome: 'replaced'; endpoint: EndpointDetails; warning: string | null }
  | Refused

type UpdateOutcome =
  | { outcome: 'updated'; endpoint: EndpointDetails; warning: string | null }
  | { outcome: 'not_found' }
  | Refused

/**
 * Creates an endpoint. Creating an object's webhook again replaces it. `raw` = the unparsed fields of the kind's form.
 * The caller has authenticated the account; `raw.accountUUID` was resolved to it and only has to be there. `byForm`: a
 * second press makes no second rule; the answer is the first one.
 */
export async function createEndpoint(
  app: EndpointApp,
  accountUuid: string,
  kind: EndpointKind,
  raw: Record<string, unknown>,
  role: { admin: boolean; byForm?: boolean },
): Promise<CreateOutcome> {
  const parsed = ENDPOINT_FORMS[kind].safeParse(raw)
  if (!parsed.success) return invalidForm(parsed.error)
  const { name, url, fields, active = true, ...chosen } = parsed.data
  const named = WIRE_NAMES[kind]
  const object = resolveObjectType(chosen, role.admin)
  if (object.outcome !== 'resolved') return refusedObject(object, named.object)
  const address = await checkAddress(app, url)
  if (address.outcome === 'refused') return invalid({ [named.url]: [address.message] })
  const objectType = object.type

  return oneAtATime(app.store, accountUuid, async () => {
    const fieldFilter = forwardingFilter(objectType, fields)
    const warning = joined(address.warning, filterWarning(objectType, fields))
    const twin = await madeJustNow(app, accountUuid, { kind, name, objectType, url, fieldFilter }, role.byForm)
    if (twin) return { outcome: 'created', endpoint: twin, warning }
    const before = kind === 'webhook' ? await app.store.endpoints.findWebhookOfObject(accountUuid, objectType) : null
    const full = before ? null : await refuseOneMore(app, accountUuid)
    if (full) return full
    const needs = await needsWith(app, accountUuid, objectType, before && parseFields(before.fields), { fields })
    const prepared = await subscriptionForNew(app, accountUuid, { kind, objectType, needs, anew: true })
    if (prepared.outcome !== 'ready') return prepared
    const { subscription } = prepared
    const saved = await app.store.endpoints.saveEndpoint(accountUuid, {
      ...(kind === 'webhook' ? { kind, fields: fields.join(',') } : { kind, name }),
      objectType,
      url,
      fieldFilter,
      active,
      secretSealed: await app.secrets.seal(signingSecretPlace(accountUuid), newSecret()),
      subscription,
      at: app.clock.now(),
    })
    app.log.info(
      { account: accountUuid, [KIND_TEXTS[kind].thing]: saved.id, object: objectType },
      `${LOGGED[kind]}.created`,
    )
    const endpoint = await putInForce(app, accountUuid, { kind, id: saved.id }, { ...saved, subscription })
    return { outcome: saved.replaced ? 'replaced' : 'created', endpoint, warning }
  })
}

/** A second press comes within this time. ms */
const PRESSED_AGAIN = seconds(10)

async function madeJustNow(
  app: DescribeApp,
  accountUuid: string,
  made: { kind: EndpointKind; name?: string; objectType: string; url: string; fieldFilter: string },
  byForm = false,
): Promise<EndpointDetails | undefined> {
  if (!byForm || made.kind === 'webhook') return
  const since = app.clock.now() - PRESSED_AGAIN
  const same = ({ name, createdAt, objectType, endpoint: { url, fieldFilter } }: EndpointRecord) =>
    createdAt >= since && isDeepStrictEqual({ kind: made.kind, name, objectType, url, fieldFilter }, made)
  const twin = (await app.store.endpoints.listEndpoints(accountUuid, made.kind)).find(same)
  return twin && describeEndpoint(app, twin, await timezoneOf(app, accountUuid))
}

/** `field` = the form's name for the object field. */
function refusedObject(object: Exclude<ResolvedObject, { outcome: 'resolved' }>, field: string): Refused {
  if (object.outcome === 'needs_admin') return { outcome: 'forbidden', message: object.message }
  const custom = object.outcome === 'unsupported' && object.field === 'customObject'
  return invalid({ [custom ? 'customObject' : field]: [object.message] })
}

/** Changes the fields named in `raw`, using the kind's form. Another account's endpoint is not found. */
export async function updateEndpoint(
  app: EndpointApp,
  accountUuid: string,
  key: EndpointKey,
  raw: Record<string, unknown>,
): Promise<UpdateOutcome> {
  const ref = refOf(key)
  const { kind } = ref
  const known = await app.store.endpoints.findEndpoint(accountUuid, ref)
  if (!known) return { outcome: 'not_found' }
  const parsed = ENDPOINT_CHANGES[kind].safeParse(raw)
  if (!parsed.success) return invalidForm(parsed.error)
  const { name, object, url, fields, active } = parsed.data
  const { objectType } = known
  const named = WIRE_NAMES[kind]
  // Waiting deliveries belong to the old object: changing it would mix the two.
  if (object !== undefined && normalizeObjectType(object) !== objectType) {
    return invalid({ [named.object]: [OBJECT_IS_FIXED] })
  }
  const address = url === undefined ? FINE : await checkAddress(app, url)
  if (address.outcome === 'refused') return invalid({ [named.url]: [address.message] })

  return oneAtATime(app.store, accountUuid, async () => {
    const before = await app.store.endpoints.findEndpoint(accountUuid, ref)
    if (!before) return { outcome: 'not_found' }
    const { subscription: watched, endpoint: is } = before
    const chosen = parseFields(before.fields)
    const needs = await needsWith(app, accountUuid, objectType, chosen, { fields: fields ?? chosen })
    const watching = { accountUuid, objectType, subscription: watched, needs, change: { fields, active } }
    const prepared = await subscriptionForChange(app, watching)
    if (prepared.outcome !== 'ready') return prepared
    const { subscription } = prepared
    // A form posts every part: only what differs is changed, and told.
    const saved = await app.store.endpoints.updateEndpoint(accountUuid, ref, {
      ...(name !== undefined && name !== before.name && { name }),
      ...(fields &&
        fields.join() !== chosen.join() && {
          fields: { chosen: fields.join(','), filter: forwardingFilter(objectType, fields) },
        }),
      ...(url !== undefined && url !== is.url && { url }),
      ...(active !== undefined && is.state !== (active ? 'active' : 'paused') && { active }),
      subscription,
      at: app.clock.now(),
    })
    if (!saved) return { outcome: 'not_found' }
    app.log.info({ account: accountUuid, [KIND_TEXTS[kind].thing]: ref.id }, `${LOGGED[kind]}.updated`)
    const endpoint = await putInForce(app, accountUuid, ref, { ...saved, subscription })
    const warning = joined(address.warning, filterWarning(objectType, fields ?? []))
    return { outcome: 'updated', endpoint, warning }
  })
}

/**
 * Deletes the endpoint here immediately, whatever the platform's state: nothing more is sent, and waiting deliveries end
 * as "stopped" once the deletion can no longer be undone. Tells the
 * platform only when nobody else needs the object; if that fails, the address answers 410, which unsubscribes it.
 */
export async function deleteEndpoint(
  app: EndpointApp,
  accountUuid: string,
  key: EndpointKey,
): Promise<{ outcome: 'deleted' } | { outcome: 'not_found' }> {
  const ref = refOf(key)
  return oneAtATime(app.store, accountUuid, async () => {
    const before = await app.store.endpoints.findEndpoint(accountUuid, ref)
    if (!before) return { outcome: 'not_found' }
    const needs = (await neededObjects(app, accountUuid)).get(before.objectType) ?? []
    const deleted = await app.store.endpoints.deleteEndpoint(accountUuid, ref, {
      // This endpoint is one of those that need the object; the others are endpoints or automations.
      endSubscriptions: needs.length <= 1,
      at: app.clock.now(),
    })
    if (!deleted) return { outcome: 'not_found' }
    app.wakeDeliveries(deleted.endpointId)
    const { objectType: object } = deleted
    app.log.info({ account: accountUuid, [KIND_TEXTS[ref.kind].thing]: ref.id, object }, `${LOGGED[ref.kind]}.deleted`)
    await settleAfterDeletion(app, accountUuid, deleted)
    return { outcome: 'deleted' }
  })
}

type DescribeApp = Pick<App, 'store' | 'secrets' | 'settings' | 'clock'>

/** Lists webhooks first, each kind oldest first. `kind` limits the list to one kind. */
export async function listEndpoints(
  app: DescribeApp,
  accountUuid: string,
  kind?: EndpointKind,
): Promise<EndpointDetails[]> {
  const timezone = await timezoneOf(app, accountUuid)
  const records = await app.store.endpoints.listEndpoints(accountUuid, kind)
  return Promise.all(records.map((record) => describeEndpoint(app, record, timezone)))
}

const LOGGED: Record<EndpointKind, string> = { webhook: 'webhook', extra: 'forwarding_rule' }

/** Finishes a change once it is stored. `subscription` = the one created for it. */
export async function putInForce(
  app: EndpointApp,
  accountUuid: string,
  ref: EndpointRef,
  saved: { endpointId: number; subscription: SubscriptionSwitch | null },
): Promise<EndpointDetails> {
  if (saved.subscription) await settleSubscriptions(app, accountUuid)
  app.wakeDeliveries(saved.endpointId)
  const record = await app.store.endpoints.findEndpoint(accountUuid, ref)
  if (!record) throw new Error(`endpoint ${keyOf(ref)} is gone right after it was stored`)
  return describeEndpoint(app, record, await timezoneOf(app, accountUuid))
}

async function timezoneOf(app: Pick<App, 'store'>, accountUuid: string): Promise<string> {
  return (await app.store.accounts.findAccount(accountUuid))?.timezone ?? 'UTC'
}

function joined(...sentences: (string | null)[]): string | null {
  return sentences.filter((sentence) => sentence !== null).join(' ') || null
}

// Turns a stored endpoint into the form screens and calls use: secrets decrypted, status decided.

/** With fewer attempts than this, the mean duration is not meaningful. */
const ENOUGH_TO_SAY_SLOW = 3

/** `timezone` = the account's IANA zone, for times of day in the sentence. */
async function describeEndpoint(app: DescribeApp, record: EndpointRecord, timezone: string): Promise<EndpointDetails> {
  const { kind, endpoint, subscription, lastEventAt, objectType, accountUuid } = record
  const now = app.clock.now()
  const fields = parseFields(record.fields)
  const condition = {
    kind,
    endpoint,
    accountHold: record.accountHold,
    subscription,
    lastEventAt,
    meanMs: record.recentDelivered >= ENOUGH_TO_SAY_SLOW ? record.recentMeanMs : null,
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
    firstHour: record.firstHour,
    hours: record.hours,
    pending: endpoint.pendingCount,
    asked: isAsked(endpoint, now),
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

/** Returns when the engine tries next, if known: the due time, or later when the whole endpoint rests. */
function nextAttemptAt({ endpoint, nextDueAt, accountHold }: EndpointFacts): number | null {
  const { state, url, pendingCount } = endpoint
  if (state !== 'active' || url === '' || pendingCount === 0 || accountHold !== null) return null
  return nextDueAt === null ? null : Math.max(nextDueAt, gateOf(endpoint).opensAt)
}
