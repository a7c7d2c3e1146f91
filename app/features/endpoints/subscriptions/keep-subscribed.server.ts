// After an automation is created, changed, switched or deleted: makes the platform watch exactly what is needed.
import { fieldsToWatch, parseFields } from '#app/domain/endpoints/watched-fields.ts'
import { NO_CREDENTIALS } from '../endpoint.ts'
import { oneAtATime } from './one-at-a-time.server.ts'
import { neededObjects, settleSubscriptions } from './repair-subscriptions.server.ts'
import { ensureSubscription, type SubscriptionApp } from './subscriptions.server.ts'

/**
 * Returns null when everything needed is subscribed, otherwise one sentence on the problem: the change is stored
 * anyway, and the daily comparison tries again. Asks the platform only where something is missing.
 */
export async function keepSubscribed(app: SubscriptionApp, accountUuid: string): Promise<string | null> {
  const trouble = await oneAtATime(app.store, accountUuid, () => subscribeUncovered(app, accountUuid))
  return trouble === null ? null : `ServiceM8 does not send us the events yet: ${trouble}`
}

async function subscribeUncovered(app: SubscriptionApp, accountUuid: string): Promise<string | null> {
  const needs = await neededObjects(app, accountUuid)
  const active = (await app.store.endpoints.listSubscriptions(accountUuid)).filter((row) => row.state === 'active')
  let trouble: string | null = null
  let changed = active.some((row) => !needs.has(row.object))
  for (const [object, list] of needs) {
    const healthy = active.find((row) => row.object === object && row.stateReason === null)
    const watched = parseFields(healthy?.fields ?? '')
    if (fieldsToWatch(object, list).every((field) => watched.includes(field))) continue
    const result = await ensureSubscription(app, accountUuid, object, list)
    if (result.outcome === 'subscribed') changed = true
    // A field the platform does not report must not cause a new request at every change, nor a warning.
    else if (watched.length === 0) {
      trouble ??= result.outcome === 'no_credentials' ? NO_CREDENTIALS : result.message
    }
  }
  if (changed) await settleSubscriptions(app, accountUuid)
  return trouble
}
