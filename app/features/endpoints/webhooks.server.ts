// Making, changing and deleting webhooks. The platform is asked first and everything of ours is stored in one transaction
// after it agreed, so that no failure leaves half a webhook.

import type { App } from '#app/context/app-context.ts'
import { parseFields } from '#app/domain/endpoints/watched-fields.ts'
import { isPolled } from '#app/domain/object-catalog.ts'
import type { SubscriptionSwitch } from '#db/store/webhooks.ts'
import { newSecret } from './controls/rotate-secret.server.ts'
import {
  checkAddress,
  FINE,
  invalid,
  needsWith,
  type Refused,
  refuseOneMore,
  settleAfterDeletion,
  subscriptionForChange,
} from './endpoint-changes.server.ts'
import { oneAtATime } from './subscriptions/one-at-a-time.server.ts'
import { neededObjects, settleSubscriptions } from './subscriptions/repair-subscriptions.server.ts'
import { beginLooking, prepareSubscription, type SubscriptionApp } from './subscriptions/subscriptions.server.ts'
import {
  fieldErrorsOf,
  forwardingFilter,
  resolveObjectType,
  type WebhookForm,
  webhookChange,
  webhookForm,
} from './webhook.ts'
import { describeWebhook, secretPlace, type WebhookDetails } from './webhook-details.server.ts'

export type WebhookApp = SubscriptionApp & Pick<App, 'outbound' | 'wakeDeliveries'>

/** `warning` = accepted, but the address could not be looked up just now. */
export type CreateOutcome =
  | { outcome: 'created'; webhook: WebhookDetails; warning: string | null }
  | { outcome: 'replaced'; webhook: WebhookDetails; warning: string | null }
  | Refused

export type UpdateOutcome =
  | { outcome: 'updated'; webhook: WebhookDetails; warning: string | null }
  | { outcome: 'not_found' }
  | Refused

/**
 * Creates the account's webhook of one object, or replaces the one there is. `raw` = the fields of `webhookForm`, unread.
 * The account is the caller's proof; `raw.accountUUID` was resolved to it before and only has to be there.
 */
export async function createWebhook(
  app: WebhookApp,
  accountUuid: string,
  raw: Record<string, unknown>,
  role: { admin: boolean },
): Promise<CreateOutcome> {
  const parsed = webhookForm.safeParse(raw)
  if (!parsed.success) return invalid(fieldErrorsOf(parsed.error))
  const form = parsed.data
  const object = resolveObjectType(form, role.admin)
  if (object.outcome === 'missing') return invalid({ object: [object.message] })
  if (object.outcome === 'needs_admin') return { outcome: 'forbidden', message: object.message }
  if (object.outcome === 'unsupported') return invalid({ [object.field]: [object.message] })
  const address = await checkAddress(app, form.callback_url)
  if (address.outcome === 'refused') return invalid({ callback_url: [address.message] })

  return oneAtATime(app.store, accountUuid, async () => {
    const before = await app.store.findWebhookOfObject(accountUuid, object.type)
    const full = before ? null : await refuseOneMore(app, accountUuid)
    if (full) return full
    const replaced = before && parseFields(before.webhook.fields)
    const needs = await needsWith(app, accountUuid, object.type, replaced, { fields: form.fields })
    const prepared = isPolled(object.type)
      ? await beginLooking(app, accountUuid, object.type)
      : await prepareSubscription(app, accountUuid, object.type, needs)
    if (prepared.outcome !== 'ready' && prepared.outcome !== 'looking') return prepared
    const subscription = prepared.outcome === 'ready' ? prepared.subscription : null
    const saved = await save(app, accountUuid, object.type, form, subscription)
    if (subscription) await settleSubscriptions(app, accountUuid)
    app.wakeDeliveries(saved.endpointId)
    app.log.info({ account: accountUuid, webhook: saved.id, object: object.type }, 'webhook.created')
    const webhook = await getWebhook(app, accountUuid, saved.id)
    return { outcome: saved.replaced ? 'replaced' : 'created', webhook, warning: address.warning }
  })
}

/** Changes what is named in `raw` (`fields`, `active`, `callback_url`); another account's id is not found. */
export async function updateWebhook(
  app: WebhookApp,
  accountUuid: string,
  id: number,
  raw: Record<string, unknown>,
): Promise<UpdateOutcome> {
  if (!(await app.store.findWebhook(accountUuid, id))) return { outcome: 'not_found' }
  const parsed = webhookChange.safeParse(raw)
  if (!parsed.success) return invalid(fieldErrorsOf(parsed.error))
  const change = parsed.data
  const address = change.callback_url === undefined ? FINE : await checkAddress(app, change.callback_url)
  if (address.outcome === 'refused') return invalid({ callback_url: [address.message] })

  return oneAtATime(app.store, accountUuid, async () => {
    const before = await app.store.findWebhook(accountUuid, id)
    if (!before) return { outcome: 'not_found' }
    const { objectType } = before.webhook
    const chosen = parseFields(before.webhook.fields)
    const needs = await needsWith(app, accountUuid, objectType, chosen, { fields: change.fields ?? chosen })
    const watching = { accountUuid, objectType, subscription: before.subscription, needs, change }
    const prepared = await subscriptionForChange(app, watching)
    if (prepared.outcome !== 'ready' && prepared.outcome !== 'as_it_is') return prepared
    const subscription = prepared.outcome === 'ready' ? prepared.subscription : null
    const saved = await app.store.updateWebhook(accountUuid, id, {
      ...(change.fields && {
        fields: { chosen: change.fields.join(','), filter: forwardingFilter(objectType, change.fields) },
      }),
      ...(change.callback_url !== undefined && { url: change.callback_url }),
      ...(change.active !== undefined && { active: change.active }),
      subscription,
      at: app.clock.now(),
    })
    if (!saved) return { outcome: 'not_found' }
    if (subscription) await settleSubscriptions(app, accountUuid)
    app.wakeDeliveries(saved.endpointId)
    app.log.info({ account: accountUuid, webhook: id }, 'webhook.updated')
    return { outcome: 'updated', webhook: await getWebhook(app, accountUuid, id), warning: address.warning }
  })
}

/**
 * Deletes it here at once, whatever state the platform is in: what waits ends as "stopped", and its address answers 410
 * from now on, which unsubscribes it by itself should telling the platform not work.
 */
export async function deleteWebhook(
  app: WebhookApp,
  accountUuid: string,
  id: number,
): Promise<{ outcome: 'deleted' } | { outcome: 'not_found' }> {
  return oneAtATime(app.store, accountUuid, async () => {
    const before = await app.store.findWebhook(accountUuid, id)
    if (!before) return { outcome: 'not_found' }
    const needs = (await neededObjects(app, accountUuid)).get(before.webhook.objectType) ?? []
    const deleted = await app.store.deleteWebhook(accountUuid, id, {
      reason: 'The webhook was deleted.',
      // This webhook is one of those that need the object; forwarding rules and automations may be others.
      endSubscriptions: needs.length <= 1,
      at: app.clock.now(),
    })
    if (!deleted) return { outcome: 'not_found' }
    app.wakeDeliveries(deleted.endpointId)
    app.log.info({ account: accountUuid, webhook: id, object: deleted.objectType }, 'webhook.deleted')
    await settleAfterDeletion(app, accountUuid, deleted)
    return { outcome: 'deleted' }
  })
}

/** Oldest first. */
export async function listWebhooks(
  app: Pick<App, 'store' | 'secrets' | 'settings' | 'clock'>,
  accountUuid: string,
): Promise<WebhookDetails[]> {
  const timezone = await timezoneOf(app, accountUuid)
  const records = await app.store.listWebhooks(accountUuid)
  return records.map((record) => describeWebhook(app, record, timezone))
}

async function getWebhook(app: WebhookApp, accountUuid: string, id: number): Promise<WebhookDetails> {
  const record = await app.store.findWebhook(accountUuid, id)
  if (!record) throw new Error(`webhook ${id} is gone right after it was stored`)
  return describeWebhook(app, record, await timezoneOf(app, accountUuid))
}

async function timezoneOf(app: Pick<App, 'store'>, accountUuid: string): Promise<string> {
  return (await app.store.findAccount(accountUuid))?.timezone ?? 'UTC'
}

function save(
  app: WebhookApp,
  accountUuid: string,
  objectType: string,
  form: WebhookForm,
  subscription: SubscriptionSwitch | null,
) {
  const secret = newSecret()
  return app.store.saveWebhook(accountUuid, {
    objectType,
    fields: form.fields.join(','),
    url: form.callback_url,
    fieldFilter: forwardingFilter(objectType, form.fields),
    active: form.active ?? true,
    secretSealed: app.secrets.seal(secretPlace(accountUuid), secret),
    subscription,
    at: app.clock.now(),
  })
}
