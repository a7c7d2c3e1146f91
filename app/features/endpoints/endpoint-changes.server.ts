// What making, changing and deleting a webhook has in common with doing so to a forwarding rule: may its address be called,
// is there room for it, and does the platform watch what everybody needs.
import type { z } from 'zod'
import type { App } from '#app/context/app-context.ts'
import { type EndpointKind, MOST_ENDPOINTS, noRoomForEndpoints } from '#app/domain/endpoint-key.ts'
import { type FieldNeed, fieldsToWatch, parseFields } from '#app/domain/endpoints/watched-fields.ts'
import { isPolled } from '#app/domain/object-catalog.ts'
import { POLL_PURPOSE } from '#app/domain/polling.ts'
import type { SubscriptionRow, SubscriptionSwitch } from '#db/store/endpoints.ts'
import { chatWarning } from './chat-address.ts'
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
  /** What was entered cannot be: `errors` by the form's field names. */
  | { outcome: 'invalid'; message: string; errors: FieldErrors }
  /** Needs the admin role. */
  | { outcome: 'forbidden'; message: string }
  /** The account has as many addresses as it can have. */
  | { outcome: 'full'; message: string }
  | SubscribeFailure

type Invalid = { outcome: 'invalid'; message: string; errors: FieldErrors }

/** One sentence on top: the first field's message. */
export function invalid(errors: FieldErrors, message = Object.values(errors)[0]?.[0] ?? 'Invalid input'): Invalid {
  return { outcome: 'invalid', message, errors }
}

/** The same of a form that cannot be read. No type at all is said in the words of the resolution. */
export function invalidForm(error: z.ZodError): Invalid {
  const [first] = error.issues
  const noObject = first?.code === 'custom' && first.params === OBJECT_MISSING
  return invalid(fieldErrorsOf(error), noObject ? OBJECT_UNRESOLVED : undefined)
}

type AddressCheck = { outcome: 'fine'; warning: string | null } | { outcome: 'refused'; message: string }

export const FINE: AddressCheck = { outcome: 'fine', warning: null }

/** Would deliveries to this address be let through? The same guard decides again at every attempt. */
export async function checkAddress(app: Pick<App, 'outbound'>, url: string): Promise<AddressCheck> {
  if (url === '') return FINE
  const check = await app.outbound.check(url)
  if (check.verdict === 'allowed') return { outcome: 'fine', warning: chatWarning(url) }
  if (check.verdict === 'unresolved') return { outcome: 'fine', warning: check.sentence }
  // Plain http is let through only to addresses the operator named; for everybody else the rule is simply https.
  return { outcome: 'refused', message: new URL(url).protocol === 'https:' ? check.sentence : HTTPS_URL }
}

/** Null = one more address fits. Call it through `oneAtATime`, so that two at once do not take the same place. */
export async function refuseOneMore(
  app: Pick<App, 'store' | 'settings'>,
  accountUuid: string,
): Promise<{ outcome: 'full'; message: string } | null> {
  const most = app.settings.mostAddresses ?? MOST_ENDPOINTS
  const count = await app.store.endpoints.countEndpoints(accountUuid)
  return count < most ? null : { outcome: 'full', message: noRoomForEndpoints(most) }
}

/** Everybody's needs of the object with `need` among them: in the place of the one with the fields `before`, or added. */
export async function needsWith(
  app: Pick<App, 'store' | 'fieldsOfRule'>,
  accountUuid: string,
  objectType: string,
  before: readonly string[] | null,
  need: FieldNeed,
): Promise<FieldNeed[]> {
  const all = (await neededObjects(app, accountUuid)).get(objectType) ?? []
  // Of two that need the same fields either may give way.
  const index = before === null ? -1 : all.findIndex((one) => one.fields.join(',') === before.join(','))
  return [...all.filter((_, at) => at !== index), need]
}

/** `subscription` null = what it watches already does; or it is not the platform that reports this object. */
type CoveringSubscription = { outcome: 'ready'; subscription: SubscriptionSwitch | null } | SubscribeFailure

const AS_IT_IS: CoveringSubscription = { outcome: 'ready', subscription: null }

/**
 * For an endpoint that is new: the platform is asked only when what it watches already does not do. Whoever creates a webhook
 * anew repairs its subscription: then it is asked in any case.
 */
export async function subscriptionForNew(
  app: SubscriptionApp,
  accountUuid: string,
  { kind, objectType, needs }: { kind: EndpointKind; objectType: string; needs: readonly FieldNeed[] },
): Promise<CoveringSubscription> {
  if (isPolled(objectType)) {
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
 * A change subscribes again when it needs other fields, or when the subscription is in trouble. A failure stops the change
 * only where it would bring less than was asked for; what the subscription covers already is saved all the same.
 */
export async function subscriptionForChange(
  app: SubscriptionApp,
  input: {
    accountUuid: string
    objectType: string
    /** The active one. */
    subscription: SubscriptionRow | null
    /** Everybody's, once the change stands. */
    needs: readonly FieldNeed[]
    change: { fields?: readonly string[] | undefined; active?: boolean | undefined }
  },
): Promise<CoveringSubscription> {
  const { accountUuid, objectType, subscription, needs, change } = input
  if (isPolled(objectType)) {
    // Where looking is in trouble it is tried again at once; the change is saved whatever comes of it.
    if (change.active !== false) await beginPolling(app, accountUuid, objectType)
    return AS_IT_IS
  }
  const wanted = fieldsToWatch(objectType, needs)
  const watched = parseFields(subscription?.fields ?? '')
  const healthy = subscription !== null && subscription.stateReason === null
  if (healthy && (change.fields === undefined || wanted.join(',') === watched.join(','))) return AS_IT_IS
  // Whoever pauses does not ask for a repair.
  if (change.fields === undefined && change.active === false) return AS_IT_IS
  const prepared = await prepareSubscription(app, accountUuid, objectType, needs)
  if (prepared.outcome === 'ready') return prepared
  const covered = change.fields === undefined || wanted.every((field) => watched.includes(field))
  return covered ? AS_IT_IS : prepared
}

/**
 * After a deletion: tells the platform of what ended, or asks it to watch only what those who are left need. Best effort,
 * and never throws: the deletion stands. Call it through `oneAtATime`.
 */
export async function settleAfterDeletion(
  app: SubscriptionApp,
  accountUuid: string,
  deleted: { objectType: string; ended: readonly SubscriptionRow[] },
): Promise<void> {
  if (deleted.ended.length > 0) return settleSubscriptions(app, accountUuid)
  try {
    const { objectType } = deleted
    if (isPolled(objectType)) {
      const at = app.clock.now()
      return await app.store.records.endPollUnlessNeeded(accountUuid, { purpose: POLL_PURPOSE, object: objectType, at })
    }
    const needs = (await neededObjects(app, accountUuid)).get(objectType) ?? []
    const active = await activeSubscription(app, accountUuid, objectType)
    // One in trouble is repaired by the next repair, which asks for what is needed then.
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
