// Undoes the deletion of a webhook or a forwarding rule: it is there again, with what waited.
import { type EndpointKey, type EndpointRef, keyOf, refOf } from '#app/domain/endpoint-key.ts'
import { parseFields } from '#app/domain/endpoints/watched-fields.ts'
import { objectLabel } from '#app/domain/object-catalog.ts'
import { UNDO_KEPT } from '#app/lib/undo.ts'
import type { DeletedEndpoint } from '#db/store/endpoints.ts'
import { needsWith, type Refused, refuseOneMore, subscriptionForNew } from '../endpoint-changes.server.ts'
import type { EndpointDetails } from '../endpoint-view.ts'
import { type EndpointApp, putInForce } from '../endpoints.server.ts'
import { oneAtATime } from '../subscriptions/one-at-a-time.server.ts'

type RestoreOutcome =
  /** `waiting` = events that were kept, and are sent on; when `paused`, after a resume. */
  | { outcome: 'restored'; endpoint: EndpointDetails; waiting: number; paused: boolean }
  | { outcome: 'not_found' }
  | Refused

/** The deleted endpoint, if its deletion is at most `withinMs` ago. Null = there is nothing to undo. */
export function findDeleted(
  { store, clock }: Pick<EndpointApp, 'store' | 'clock'>,
  accountUuid: string,
  key: EndpointKey,
  withinMs = UNDO_KEPT,
): Promise<DeletedEndpoint | null> {
  return store.endpoints.findDeletedEndpoint(accountUuid, refOf(key), clock.now() - withinMs)
}

/** Asks the platform first: a failure leaves the endpoint deleted. */
export async function restoreEndpoint(
  app: EndpointApp,
  accountUuid: string,
  key: EndpointKey,
): Promise<RestoreOutcome> {
  const ref = refOf(key)
  return oneAtATime(app.store, accountUuid, async () => {
    const before = await findDeleted(app, accountUuid, key)
    if (!before) return { outcome: 'not_found' }
    const { objectType } = before
    const refusal = (await replacedMeanwhile(app, accountUuid, ref, before)) ?? (await refuseOneMore(app, accountUuid))
    if (refusal) return refusal
    const needs = await needsWith(app, accountUuid, objectType, null, { fields: parseFields(before.fields) })
    const prepared = await subscriptionForNew(app, accountUuid, { kind: ref.kind, objectType, needs })
    if (prepared.outcome !== 'ready') return prepared
    const { subscription } = prepared
    const at = app.clock.now()
    const since = at - UNDO_KEPT
    const restored = await app.store.endpoints.restoreEndpoint(accountUuid, ref, { since, subscription, at })
    if (!restored) return { outcome: 'not_found' }
    const { endpointId, paused } = restored
    app.log.info({ account: accountUuid, endpoint: endpointId }, 'endpoint.restored')
    const endpoint = await putInForce(app, accountUuid, ref, { endpointId, subscription })
    return { outcome: 'restored', endpoint, waiting: endpoint.view.pending, paused }
  })
}

/** An object has one webhook: a new one keeps the place of the deleted one. */
async function replacedMeanwhile(
  app: Pick<EndpointApp, 'store'>,
  accountUuid: string,
  ref: EndpointRef,
  { objectType }: DeletedEndpoint,
): Promise<Refused | null> {
  if (ref.kind !== 'webhook') return null
  const other = await app.store.endpoints.findWebhookOfObject(accountUuid, objectType)
  if (!other || keyOf(other) === keyOf(ref)) return null
  return { outcome: 'full', message: `There is another ${objectLabel(objectType)} webhook now.` }
}
