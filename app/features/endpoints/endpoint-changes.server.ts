// Shared steps for creating, changing and deleting webhooks and forwarding rules: whether the address may be called,
// whether there is room for one more, and whether the platform watches every needed field.
import type { z } from 'zod'
import type { App } from '#app/context/app-context.ts'
import { type EndpointKind, MOST_ENDPOINTS, noRoomForEndpoints } from '#app/domain/endpoint-key.ts'
import { type FieldNeed, fieldsToWatch, parseFields } from '#app/domain/endpoints/watched-fields.ts'
import { isPolled } from '#app/domain/object-catalog.ts'
import { POLL_PURPOSE } from '#app/domain/polling.ts'
import type { SubscriptionRow, SubscriptionSwitch } from '#db/store/endpoints.ts'
import { type FieldErrors, fieldErrorsOf, HTTPS_URL, OBJECT_MISSING, OBJECT_UNRESOLVED } from './endpoint.ts'
import { neededObjects, settleSubscriptions } from './subscriptions/repair-subscriptions.server.ts'
import {
  beginPolling,
  ensureSubscription,
  prepareSubscription,
  type SubscribeFailure,
  type SubscriptionApp,
} from './subscriptions/subscriptions.server.ts'

export type Refused =
  /** The input is invalid. `errors` are keyed by the form's field names. */
  | { outcome: 'invalid'; message: string; errors: FieldErrors }
  /** The change needs the admin role. */
  | { outcome: 'forbidden'; message: string }
  /** The account has reached its maximum number of addresses. */
  | { outcome: 'full'; message: string }
  | SubscribeFailure

type Invalid = { outcome: 'invalid'; message: string; errors: FieldErrors }

/** `message` is the sentence at the top: by default the first field's message. */
export function invalid(errors: FieldErrors, message = Object.values(errors)[0]?.[0] ?? 'Invalid input'): Invalid {
  return { outcome: 'invalid', message, errors }
}

/** The result for a form that fails to parse. A missing object type uses the message of the type resolution. */
export function invalidForm(error: z.ZodError): Invalid {
  const [first] = error.issues
  const noObject = first?.code === 'custom' && first.params === OBJECT_MISSING
  return invalid(fieldErrorsOf(error), noObject ? OBJECT_UNRESOLVED : undefined)
}

type AddressCheck = { outcome: 'fine'; warning: string | null } | { outcome: 'refused'; message: string }

export const FINE: AddressCheck = { outcome: 'fine', warning: null }

/** Checks whether the guard allows deliveries to this address. The guard decides again at every attempt. */
export async function checkAddress(app: Pick<App, 'outbound'>, url: string): Promise<AddressCheck> {
  if (url === '') return FINE
  const check = await app.outbound.check(url)
  if (check.verdict === 'allowed') return FINE
  if (check.verdict === 'unresolved') return { outcome: 'fine', warning: check.sentence }
  // The guard allows plain http only for addresses the operator named; for all others the rule is https.
  return { outcome: 'refused', message: new URL(url).protocol === 'https:' ? check.sentence : HTTPS_URL }
}

/** Returns null when one more address fits. Call it through `oneAtATime`: two calls must not take the same place. */
export async function refuseOneMore(
  app: Pick<App, 'store' | 'settings'>,
  accountUuid: string,
): Promise<{ outcome: 'full'; message: string } | null> {
  const most = app.settings.mostAddresses ?? MOST_ENDPOINTS
  const count = await app.store.endpoints.countEndpoints(accountUuid)
  return count < most ? null : { outcome: 'full', message: noRoomForEndpoints(most) }
}

/** Returns all needs of the object including `need`, which replaces the need with the fields `before` or is added. */
export async function needsWith(
  app: Pick<App, 'store' | 'fieldsOfRule'>,
  accountUuid: string,
  objectType: string,
  before: readonly string[] | null,
  need: FieldNeed,
): Promise<FieldNeed[]> {
  const all = (await neededObjects(app, accountUuid)).get(objectType) ?? []
  // When two needs have the same fields, replacing either one is correct.
  const index = before === null ? -1 : all.findIndex((one) => one.fields.join(',') === before.join(','))
  return [...all.filter((_, at) => at !== index), need]
}

/** `subscription` is null when the current one covers the needs, or when the platform does not report this object. */
type CoveringSubscription = { outcome: 'ready'; subscription: SubscriptionSwitch | null } | SubscribeFailure

const AS_IT_IS: CoveringSubscription = { outcome: 'ready', subscription: null }

/**
 * For a new endpoint: asks the platform only when the current subscription does not cover its needs. Creating a webhook
 * again repairs its subscription, so that always asks.
 */
export async function subscriptionForNew(
  app: SubscriptionApp,
  accountUuid: string,
  {
    kind,
    objectType,
    needs,
    anew = false,
  }: { kind: EndpointKind; objectType: string; needs: readonly FieldNeed[]; anew?: boolean },
): Promise<CoveringSubscription> {
  if (isPolled(objectType)) {
    // What changed since a deletion is nobody's: only an undo goes on from where it was.
    const unread = { purpose: POLL_PURPOSE, object: objectType, at: app.clock.now(), anew }
    if (anew) await app.store.records.endPollUnlessNeeded(accountUuid, unread)
    const begun = await beginPolling(app, accountUuid, objectType)
    return begun.outcome === 'looking' ? AS_IT_IS : begun
  }
  const active = kind === 'extra' ? await activeSubscription(app, accountUuid, objectType) : null
  const watched = parseFields(active?.fields ?? '')
  const covered = fieldsToWatch(objectType, needs).every((field) => watched.includes(field))
  if (active?.stateReason === null && covered) return AS_IT_IS
  return prepareSubscription(app, accountUuid, objectType, needs)
}

/**
 * For a change: subscribes again when it needs other fields or the subscription is in trouble. A failure blocks the
 * change only if fewer fields than requested would be watched; otherwise the change is saved anyway.
 */
export async function subscriptionForChange(
  app: SubscriptionApp,
  input: {
    accountUuid: string
    objectType: string
    /** The active subscription. */
    subscription: SubscriptionRow | null
    /** The needs of all endpoints and automations after the change. */
    needs: readonly FieldNeed[]
    change: { fields?: readonly string[] | undefined; active?: boolean | undefined }
  },
): Promise<CoveringSubscription> {
  const { accountUuid, objectType, subscription, needs, change } = input
  if (isPolled(objectType)) {
    // If polling is in trouble, try again now. The change is saved whatever the result.
    if (change.active !== false) await beginPolling(app, accountUuid, objectType)
    return AS_IT_IS
  }
  const wanted = fieldsToWatch(objectType, needs)
  const watched = parseFields(subscription?.fields ?? '')
  const healthy = subscription !== null && subscription.stateReason === null
  if (healthy && (change.fields === undefined || wanted.join(',') === watched.join(','))) return AS_IT_IS
  // Pausing a webhook does not repair its subscription.
  if (change.fields === undefined && change.active === false) return AS_IT_IS
  const prepared = await prepareSubscription(app, accountUuid, objectType, needs)
  if (prepared.outcome === 'ready') return prepared
  const covered = change.fields === undefined || wanted.every((field) => watched.includes(field))
  return covered ? AS_IT_IS : prepared
}

/**
 * After a deletion: ends the subscription at the platform, or reduces it to the remaining needs. Best effort, never
 * throws: the deletion stands. Call it through `oneAtATime`.
 */
export async function settleAfterDeletion(
  app: SubscriptionApp,
  accountUuid: string,
  deleted: { objectType: string; ended: readonly SubscriptionRow[] },
): Promise<void> {
  if (deleted.ended.length > 0) return settleSubscriptions(app, accountUuid)
  try {
    const { objectType } = deleted
    const needs = (await neededObjects(app, accountUuid)).get(objectType) ?? []
    const active = await activeSubscription(app, accountUuid, objectType)
    // The next repair fixes a subscription in trouble, with the needs of that time.
    if (needs.length === 0 || active?.stateReason !== null) return
    const wanted = fieldsToWatch(objectType, needs)
    if (parseFields(active.fields).every((field) => wanted.includes(field))) return
    const asked = await ensureSubscription(app, accountUuid, objectType, needs)
    if (asked.outcome === 'subscribed') await settleSubscriptions(app, accountUuid)
  } catch (error) {
    app.log.error({ account: accountUuid, err: error }, 'subscriptions.narrow_failed')
  }
}

async function activeSubscription(
  app: Pick<App, 'store' | 'fieldsOfRule'>,
  accountUuid: string,
  objectType: string,
): Promise<SubscriptionRow | null> {
  const rows = await app.store.endpoints.listSubscriptions(accountUuid)
  return rows.find((row) => row.state === 'active' && row.object === objectType) ?? null
}
