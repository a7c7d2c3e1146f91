import { and, asc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Clock } from '#app/lib/clock.ts'
import { endpoint, subscription, webhook } from '../../schema.ts'
import type { NewWebhook, WebhookRecord, WebhookRow, WebhookStore } from '../../store/webhooks.ts'
import type { Client } from '../client.server.ts'
import { changeEndpoint, endEndpoint, insertEndpoint, rotateSecretIn, startAfresh } from './endpoint-changes.server.ts'
import { ACTIVE_SUBSCRIPTION, endpointFactsReader } from './endpoint-facts.server.ts'
import { endSubscriptionsOf, subscriptionStore, switchSubscriptionIn, type Writer } from './subscriptions.server.ts'

/** Webhooks with their endpoints. Every change that belongs together is one transaction. */
export function webhookStore(client: Client, clock: Clock): WebhookStore {
  const { db } = client
  const reader = webhookReader(db, clock)
  return {
    ...subscriptionStore(client),

    async listWebhooks(accountUuid) {
      return reader.all(accountUuid)
    },

    async findWebhook(accountUuid, id) {
      return reader.byId(accountUuid, id)
    },

    async findWebhookOfObject(accountUuid, objectType) {
      return reader.byObject(accountUuid, objectType)
    },

    async saveWebhook(accountUuid, input) {
      return db.transaction(
        (tx) => {
          if (input.subscription) switchSubscriptionIn(tx, accountUuid, input.subscription, input.at)
          return replaceIn(tx, accountUuid, input) ?? insertIn(tx, accountUuid, input)
        },
        { behavior: 'immediate' },
      )
    },

    async updateWebhook(accountUuid, id, change) {
      return db.transaction(
        (tx) => {
          const found = liveWebhook(tx, accountUuid, id)
          if (!found) return null
          if (change.subscription) switchSubscriptionIn(tx, accountUuid, change.subscription, change.at)
          tx.update(webhook)
            .set({ ...(change.fields && { fields: change.fields.chosen }), updatedAt: change.at })
            .where(eq(webhook.id, id))
            .run()
          const { url, active, at } = change
          changeEndpoint(tx, found.endpoint, { fieldFilter: change.fields?.filter, url, active, at })
          return { endpointId: found.endpoint.id }
        },
        { behavior: 'immediate' },
      )
    },

    async rotateSecret(accountUuid, endpointId, input) {
      return db.transaction((tx) => rotateSecretIn(tx, accountUuid, endpointId, input), { behavior: 'immediate' })
    },

    async deleteWebhook(accountUuid, id, { reason, endSubscriptions, at }) {
      return db.transaction(
        (tx) => {
          const found = liveWebhook(tx, accountUuid, id)
          if (!found) return null
          const { webhook: row, endpoint: itsEndpoint } = found
          tx.update(webhook).set({ deletedAt: at, updatedAt: at }).where(eq(webhook.id, id)).run()
          endEndpoint(tx, itsEndpoint.id, { reason, at })
          const ended = endSubscriptions ? endSubscriptionsOf(tx, accountUuid, row.objectType, at) : []
          return { endpointId: itsEndpoint.id, objectType: row.objectType, ended }
        },
        { behavior: 'immediate' },
      )
    },
  }
}

/** The webhook and its endpoint, unless it is deleted or somebody else's. */
function liveWebhook(tx: Writer, accountUuid: string, id: number) {
  return tx
    .select({ webhook, endpoint })
    .from(webhook)
    .innerJoin(endpoint, eq(endpoint.webhookId, webhook.id))
    .where(and(eq(webhook.accountUuid, accountUuid), eq(webhook.id, id), isNull(webhook.deletedAt)))
    .get()
}

function replaceIn(tx: Writer, accountUuid: string, input: NewWebhook) {
  const found = tx
    .select({ id: webhook.id, endpoint })
    .from(webhook)
    .innerJoin(endpoint, eq(endpoint.webhookId, webhook.id))
    .where(
      and(eq(webhook.accountUuid, accountUuid), eq(webhook.objectType, input.objectType), isNull(webhook.deletedAt)),
    )
    .get()
  if (!found) return null
  const { id, endpoint: before } = found
  tx.update(webhook).set({ fields: input.fields, updatedAt: input.at }).where(eq(webhook.id, id)).run()
  tx.update(endpoint).set({ url: input.url, fieldFilter: input.fieldFilter }).where(eq(endpoint.id, before.id)).run()
  const moved = before.url !== input.url
  startAfresh(tx, before, { state: input.active ? 'active' : 'paused', moved, at: input.at })
  return { id, endpointId: before.id, replaced: true }
}

function insertIn(tx: Writer, accountUuid: string, input: NewWebhook) {
  const { objectType, fields, at } = input
  const { id } = tx
    .insert(webhook)
    .values({ accountUuid, objectType, fields, createdAt: at, updatedAt: at })
    .returning({ id: webhook.id })
    .get()
  return { id, endpointId: insertEndpoint(tx, accountUuid, { webhookId: id }, input), replaced: false }
}

/** Webhooks with everything a card shows: all of an account, and one by its id or its object. */
function webhookReader(db: Client['db'], clock: Clock) {
  const { placeholder } = sql
  const select = (condition?: SQL) =>
    db
      .select({ webhook, endpoint, subscription })
      .from(webhook)
      .innerJoin(endpoint, eq(endpoint.webhookId, webhook.id))
      .leftJoin(subscription, ACTIVE_SUBSCRIPTION)
      .where(and(eq(webhook.accountUuid, placeholder('accountUuid')), isNull(webhook.deletedAt), condition))
      .orderBy(asc(webhook.id))
      .prepare()
  const all = select()
  const byId = select(eq(webhook.id, placeholder('id')))
  const byObject = select(eq(webhook.objectType, placeholder('objectType')))
  const factsAt = endpointFactsReader(db)
  const read = (rows: ReturnType<typeof all.all>): WebhookRecord[] => {
    const factsOf = factsAt(clock.now())
    return rows.map((row) => ({ webhook: toWebhookRow(row.webhook), ...factsOf(row) }))
  }
  return {
    all: (accountUuid: string) => read(all.all({ accountUuid })),
    byId: (accountUuid: string, id: number) => read(byId.all({ accountUuid, id }))[0] ?? null,
    byObject: (accountUuid: string, objectType: string) => read(byObject.all({ accountUuid, objectType }))[0] ?? null,
  }
}

function toWebhookRow({
  id,
  accountUuid,
  objectType,
  fields,
  createdAt,
  updatedAt,
}: typeof webhook.$inferSelect): WebhookRow {
  return { id, accountUuid, objectType, fields, createdAt, updatedAt }
}
