import { and, asc, eq, isNull, ne, type SQL, sql } from 'drizzle-orm'
import type { EndpointRef } from '#app/domain/endpoint-key.ts'
import type { Clock } from '#app/lib/clock.ts'
import { endpoint, forwardingRule, subscription, webhook } from '../../schema.ts'
import type { EndpointRecord, EndpointStore, EndpointUpdate, NewEndpoint } from '../../store/endpoints.ts'
import type { Client } from '../../sqlite/client.server.ts'
import { changeEndpoint, endAddress, insertAddress, rotateSecretIn, startAfresh } from './endpoint-changes.server.ts'
import { ACTIVE_SUBSCRIPTION, endpointFactsReader } from './endpoint-facts.server.ts'
import { endSubscriptionsOf, subscriptionStore, switchSubscriptionIn, type Writer } from './subscriptions.server.ts'

/** Endpoints: each has a row of its kind and a row for its address. Related changes share one transaction. */
export function endpointStore(client: Client, clock: Clock): EndpointStore {
  const { db } = client
  const inOne = <T>(work: (tx: Writer) => T): T => db.transaction(work, { behavior: 'immediate' })
  return {
    ...subscriptionStore(client),
    ...endpointReader(db, clock),

    async countEndpoints(accountUuid) {
      const row = db
        .select({ count: sql<number>`count(*)` })
        .from(endpoint)
        .where(and(eq(endpoint.accountUuid, accountUuid), sql`${endpoint.state} <> 'deleted'`))
        .get()
      return row?.count ?? 0
    },

    async saveEndpoint(accountUuid, input) {
      return inOne((tx) => {
        if (input.subscription) switchSubscriptionIn(tx, accountUuid, input.subscription, input.at)
        return replaceIn(tx, accountUuid, input) ?? insertIn(tx, accountUuid, input)
      })
    },

    async updateEndpoint(accountUuid, ref, change) {
      return inOne((tx) => {
        const before = liveAddress(tx, accountUuid, ref)
        if (!before) return null
        if (change.subscription) switchSubscriptionIn(tx, accountUuid, change.subscription, change.at)
        changeOwner(tx, ref, change)
        const { fields, url, active, at } = change
        changeEndpoint(tx, before, { fieldFilter: fields?.filter, url, active, at })
        return { endpointId: before.id }
      })
    },

    async deleteEndpoint(accountUuid, ref, { reason, endSubscriptions, at }) {
      return inOne((tx) => {
        const found = liveAddress(tx, accountUuid, ref)
        if (!found) return null
        const { id: endpointId, objectType } = found
        const owner = ref.kind === 'webhook' ? webhook : forwardingRule
        tx.update(owner).set({ deletedAt: at, updatedAt: at }).where(eq(owner.id, ref.id)).run()
        endAddress(tx, endpointId, { reason, at })
        const ended = endSubscriptions ? endSubscriptionsOf(tx, accountUuid, objectType, at) : []
        return { endpointId, objectType, ended }
      })
    },

    async rotateSecret(accountUuid, endpointId, input) {
      return inOne((tx) => rotateSecretIn(tx, accountUuid, endpointId, input))
    },
  }
}

/** The address of an endpoint, unless it is deleted or belongs to another account. */
function liveAddress(tx: Writer, accountUuid: string, { kind, id }: EndpointRef) {
  const owner = kind === 'webhook' ? endpoint.webhookId : endpoint.forwardingRuleId
  const mine = and(eq(endpoint.accountUuid, accountUuid), eq(owner, id), ne(endpoint.state, 'deleted'))
  return tx.select().from(endpoint).where(mine).get()
}

function changeOwner(tx: Writer, { kind, id }: EndpointRef, { name, fields, at }: EndpointUpdate): void {
  if (kind === 'webhook') {
    const change = { ...(fields && { fields: fields.chosen }), updatedAt: at }
    tx.update(webhook).set(change).where(eq(webhook.id, id)).run()
  } else {
    const change = { ...(name !== undefined && { name }), updatedAt: at }
    tx.update(forwardingRule).set(change).where(eq(forwardingRule.id, id)).run()
  }
}

/** An object has only one webhook. Null = none exists yet; extra addresses replace nothing. */
function replaceIn(tx: Writer, accountUuid: string, input: NewEndpoint) {
  if (input.kind !== 'webhook') return null
  const { objectType, fields, url, fieldFilter, active, at } = input
  const found = tx
    .select({ id: webhook.id, endpoint })
    .from(webhook)
    .innerJoin(endpoint, eq(endpoint.webhookId, webhook.id))
    .where(and(eq(webhook.accountUuid, accountUuid), eq(webhook.objectType, objectType), isNull(webhook.deletedAt)))
    .get()
  if (!found) return null
  const { id, endpoint: before } = found
  tx.update(webhook).set({ fields, updatedAt: at }).where(eq(webhook.id, id)).run()
  tx.update(endpoint).set({ url, fieldFilter }).where(eq(endpoint.id, before.id)).run()
  startAfresh(tx, before, { state: active ? 'active' : 'paused', moved: before.url !== url, at })
  return { id, endpointId: before.id, replaced: true }
}

function insertIn(tx: Writer, accountUuid: string, input: NewEndpoint) {
  const { objectType, at } = input
  const owner = { accountUuid, objectType, createdAt: at, updatedAt: at }
  const { id } =
    input.kind === 'webhook'
      ? tx
          .insert(webhook)
          .values({ ...owner, fields: input.fields })
          .returning({ id: webhook.id })
          .get()
      : tx
          .insert(forwardingRule)
          .values({ ...owner, name: input.name })
          .returning({ id: forwardingRule.id })
          .get()
  const link = input.kind === 'webhook' ? { webhookId: id } : { forwardingRuleId: id }
  return { id, endpointId: insertAddress(tx, accountUuid, link, input), replaced: false }
}

type EndpointReader = Pick<
  EndpointStore,
  'listEndpoints' | 'listEndpointFields' | 'findEndpoint' | 'findWebhookOfObject'
>

/** Reads endpoints with everything their cards show. Builds its queries once, because every event runs them. */
function endpointReader(db: Client['db'], clock: Clock): EndpointReader {
  const { placeholder } = sql
  const WEBHOOKS_FIRST = [sql`${endpoint.webhookId} is null`, asc(endpoint.webhookId), asc(endpoint.forwardingRuleId)]
  const OF_ACCOUNT = and(
    eq(endpoint.accountUuid, placeholder('accountUuid')),
    // Inlined, as in every query on states: see `nextDue` of the facts.
    sql`${endpoint.state} <> 'deleted'`,
  )
  const select = (condition?: SQL) =>
    db
      .select({ endpoint, webhook, extra: forwardingRule, subscription })
      .from(endpoint)
      .leftJoin(webhook, eq(webhook.id, endpoint.webhookId))
      .leftJoin(forwardingRule, eq(forwardingRule.id, endpoint.forwardingRuleId))
      .leftJoin(subscription, ACTIVE_SUBSCRIPTION)
      .where(and(OF_ACCOUNT, condition))
      .orderBy(...WEBHOOKS_FIRST)
      .prepare()
  const all = select()
  const ofKind = {
    webhook: select(sql`${endpoint.webhookId} is not null`),
    extra: select(sql`${endpoint.forwardingRuleId} is not null`),
  }
  const byId = {
    webhook: select(eq(endpoint.webhookId, placeholder('id'))),
    extra: select(eq(endpoint.forwardingRuleId, placeholder('id'))),
  }
  const webhookOfObject = select(
    and(eq(endpoint.objectType, placeholder('objectType')), sql`${endpoint.webhookId} is not null`),
  )
  const fields = db
    .select({
      objectType: endpoint.objectType,
      fields: sql<string>`coalesce(${webhook.fields}, ${endpoint.fieldFilter})`,
    })
    .from(endpoint)
    .leftJoin(webhook, eq(webhook.id, endpoint.webhookId))
    .where(OF_ACCOUNT)
    .orderBy(...WEBHOOKS_FIRST)
    .prepare()
  const factsAt = endpointFactsReader(db)

  const read = (rows: ReturnType<typeof all.all>): EndpointRecord[] => {
    const factsOf = factsAt(clock.now())
    return rows.flatMap((row) => {
      const owner = row.webhook ?? row.extra
      if (!owner) return []
      const { id, accountUuid, objectType, createdAt, updatedAt } = owner
      return {
        kind: row.webhook ? 'webhook' : 'extra',
        id,
        accountUuid,
        name: row.extra?.name ?? null,
        objectType,
        fields: row.webhook?.fields ?? row.endpoint.fieldFilter,
        createdAt,
        updatedAt,
        ...factsOf(row),
      }
    })
  }
  return {
    async listEndpoints(accountUuid, kind) {
      return read((kind === undefined ? all : ofKind[kind]).all({ accountUuid }))
    },
    async listEndpointFields(accountUuid) {
      return fields.all({ accountUuid })
    },
    async findEndpoint(accountUuid, { kind, id }) {
      return read(byId[kind].all({ accountUuid, id }))[0] ?? null
    },
    async findWebhookOfObject(accountUuid, objectType) {
      return read(webhookOfObject.all({ accountUuid, objectType }))[0] ?? null
    },
  }
}
