import { and, asc, eq, gte, isNull, ne, type SQL, sql } from 'drizzle-orm'
import type { EndpointRef } from '#app/domain/endpoint-key.ts'
import type { Clock } from '#app/lib/clock.ts'
import type { Step } from '../../database.ts'
import { built, change, many, type Orm, one } from '../../orm.ts'
import { endpoint, forwardingRule, subscription, webhook } from '../../schema.ts'
import type {
  EndpointOutline,
  EndpointRecord,
  EndpointStore,
  EndpointUpdate,
  NewEndpoint,
} from '../../store/endpoints.ts'
import type { Connections } from '../connections.ts'
import {
  changeEndpoint,
  endAddress,
  insertAddress,
  rotateSecretIn,
  startAfresh,
  stateAfterUndo,
} from './endpoint-changes.server.ts'
import { ACTIVE_SUBSCRIPTION, endpointFactsReader } from './endpoint-facts.server.ts'
import { changingSubscriptions } from './known-ingress.server.ts'
import { endSubscriptionsOf, subscriptionStore, switchSubscriptionIn } from './subscriptions.server.ts'

/** Endpoints: each has a row of its kind and a row for its address. Related changes share one transaction. */
export function endpointStore(connections: Connections, clock: Clock): EndpointStore {
  const { db, orm } = connections
  return {
    ...subscriptionStore(connections),
    ...endpointReader(connections, clock),

    countEndpoints: db.read(function* (accountUuid) {
      const count = orm
        .select({ count: sql<number>`count(*)` })
        .from(endpoint)
        .where(and(eq(endpoint.accountUuid, accountUuid), sql`${endpoint.state} <> 'deleted'`))
      return (yield* one(count))?.count ?? 0
    }),

    saveEndpoint: changingSubscriptions(
      db.write(function* (accountUuid, input) {
        if (input.subscription) yield* switchSubscriptionIn(orm, accountUuid, input.subscription, input.at)
        return (yield* replaceIn(orm, accountUuid, input)) ?? (yield* insertIn(orm, accountUuid, input))
      }),
    ),

    updateEndpoint: changingSubscriptions(
      db.write(function* (accountUuid, ref, update) {
        const before = yield* liveAddress(orm, accountUuid, ref)
        if (!before) return null
        const { subscription: switched, fields, url, active, at } = update
        if (switched) yield* switchSubscriptionIn(orm, accountUuid, switched, at)
        yield* changeOwner(orm, ref, update)
        yield* changeEndpoint(orm, before, { fieldFilter: fields?.filter, url, active, at })
        return { endpointId: before.id }
      }),
    ),

    deleteEndpoint: changingSubscriptions(
      db.write(function* (accountUuid, ref, { endSubscriptions, at }) {
        const found = yield* liveAddress(orm, accountUuid, ref)
        if (!found) return null
        const { id: endpointId, objectType } = found
        const owner = ref.kind === 'webhook' ? webhook : forwardingRule
        yield* change(orm.update(owner).set({ deletedAt: at, updatedAt: at }).where(eq(owner.id, ref.id)))
        yield* endAddress(orm, found, at)
        const ended = endSubscriptions ? yield* endSubscriptionsOf(orm, accountUuid, objectType, at) : []
        return { endpointId, objectType, ended }
      }),
    ),

    findDeletedEndpoint: db.read(function* (accountUuid, ref, since) {
      const found = yield* deletedAddress(orm, accountUuid, ref, since)
      if (!found) return null
      const { objectType, pendingCount, fieldFilter } = found.endpoint
      const fields = found.webhook?.fields ?? fieldFilter
      return { name: found.extra?.name ?? null, objectType, fields, pendingCount }
    }),

    restoreEndpoint: changingSubscriptions(
      db.write(function* (accountUuid, ref, { since, subscription: switched, at }) {
        const found = yield* deletedAddress(orm, accountUuid, ref, since)
        if (!found) return null
        if (switched) yield* switchSubscriptionIn(orm, accountUuid, switched, at)
        const owner = ref.kind === 'webhook' ? webhook : forwardingRule
        yield* change(orm.update(owner).set({ deletedAt: null, updatedAt: at }).where(eq(owner.id, ref.id)))
        const state = stateAfterUndo(found.endpoint)
        yield* startAfresh(orm, found.endpoint, { state, moved: false, at })
        return { endpointId: found.endpoint.id, objectType: found.endpoint.objectType, paused: state === 'paused' }
      }),
    ),

    rotateSecret: db.write((accountUuid, endpointId, input) => rotateSecretIn(orm, accountUuid, endpointId, input)),
  }
}

/** The address of an endpoint, unless it is deleted or belongs to another account. */
function liveAddress(
  orm: Orm,
  accountUuid: string,
  { kind, id }: EndpointRef,
): Step<typeof endpoint.$inferSelect | undefined> {
  const owner = kind === 'webhook' ? endpoint.webhookId : endpoint.forwardingRuleId
  const mine = and(eq(endpoint.accountUuid, accountUuid), eq(owner, id), ne(endpoint.state, 'deleted'))
  return one(orm.select().from(endpoint).where(mine))
}

interface DeletedAddress {
  endpoint: typeof endpoint.$inferSelect
  webhook: typeof webhook.$inferSelect | null
  extra: typeof forwardingRule.$inferSelect | null
}

/** An endpoint that its account deleted at or after `since`. The erasure of an account deletes no owner. */
function deletedAddress(
  orm: Orm,
  accountUuid: string,
  { kind, id }: EndpointRef,
  since: number,
): Step<DeletedAddress | undefined> {
  const owner = kind === 'webhook' ? webhook : forwardingRule
  return one(
    orm
      .select({ endpoint, webhook, extra: forwardingRule })
      .from(endpoint)
      .leftJoin(webhook, eq(webhook.id, endpoint.webhookId))
      .leftJoin(forwardingRule, eq(forwardingRule.id, endpoint.forwardingRuleId))
      .where(
        and(
          eq(endpoint.accountUuid, accountUuid),
          eq(owner.id, id),
          gte(owner.deletedAt, since),
          sql`${endpoint.state} = 'deleted'`,
        ),
      ),
  )
}

function changeOwner(orm: Orm, { kind, id }: EndpointRef, { name, fields, at }: EndpointUpdate): Step<unknown> {
  if (kind === 'webhook') {
    const changed = { ...(fields && { fields: fields.chosen }), updatedAt: at }
    return change(orm.update(webhook).set(changed).where(eq(webhook.id, id)))
  }
  const changed = { ...(name !== undefined && { name }), updatedAt: at }
  return change(orm.update(forwardingRule).set(changed).where(eq(forwardingRule.id, id)))
}

type Saved = Awaited<ReturnType<EndpointStore['saveEndpoint']>>

/** An object has only one webhook. Null = none exists yet; extra addresses replace nothing. */
function* replaceIn(orm: Orm, accountUuid: string, input: NewEndpoint): Generator<unknown, Saved | null> {
  if (input.kind !== 'webhook') return null
  const { objectType, fields, url, fieldFilter, active, at } = input
  const ofObject = orm
    .select({ id: webhook.id, fields: webhook.fields, endpoint })
    .from(webhook)
    .innerJoin(endpoint, eq(endpoint.webhookId, webhook.id))
    .where(and(eq(webhook.accountUuid, accountUuid), eq(webhook.objectType, objectType), isNull(webhook.deletedAt)))
  const found = yield* one(ofObject)
  if (!found) return null
  const { id, endpoint: before } = found
  const state = active ? 'active' : 'paused'
  yield* change(orm.update(webhook).set({ fields, updatedAt: at }).where(eq(webhook.id, id)))
  yield* change(orm.update(endpoint).set({ url, fieldFilter }).where(eq(endpoint.id, before.id)))
  yield* startAfresh(orm, before, { state, moved: before.url !== url, at })
  const replaced = {
    ...(found.fields !== fields && { fields: { chosen: fields, filter: fieldFilter } }),
    ...(before.url !== url && { url }),
    ...(before.state !== state && { active }),
    ...{ subscription: input.subscription, at },
  }
  return { id, endpointId: before.id, replaced }
}

function* insertIn(orm: Orm, accountUuid: string, input: NewEndpoint): Generator<unknown, Saved> {
  const { objectType, at } = input
  const owner = { accountUuid, objectType, createdAt: at, updatedAt: at }
  if (input.kind === 'webhook') {
    const row = { ...owner, fields: input.fields }
    const { id } = yield* one(orm.insert(webhook).values(row).returning({ id: webhook.id }))
    return { id, endpointId: yield* insertAddress(orm, accountUuid, { webhookId: id }, input), replaced: null }
  }
  const row = { ...owner, name: input.name }
  const { id } = yield* one(orm.insert(forwardingRule).values(row).returning({ id: forwardingRule.id }))
  return { id, endpointId: yield* insertAddress(orm, accountUuid, { forwardingRuleId: id }, input), replaced: null }
}

/** Reads endpoints with everything their cards show. Builds its queries once, because every event runs them. */
function endpointReader({ db, orm }: Connections, clock: Clock) {
  const { placeholder } = sql
  const WEBHOOKS_FIRST = [sql`${endpoint.webhookId} is null`, asc(endpoint.webhookId), asc(endpoint.forwardingRuleId)]
  const OF_ACCOUNT = and(
    eq(endpoint.accountUuid, placeholder('accountUuid')),
    // Inlined, as in every query on states: see `nextDue` of the facts.
    sql`${endpoint.state} <> 'deleted'`,
  )
  const select = (condition?: SQL) =>
    built(() =>
      orm
        .select({ endpoint, webhook, extra: forwardingRule, subscription })
        .from(endpoint)
        .leftJoin(webhook, eq(webhook.id, endpoint.webhookId))
        .leftJoin(forwardingRule, eq(forwardingRule.id, endpoint.forwardingRuleId))
        .leftJoin(subscription, ACTIVE_SUBSCRIPTION)
        .where(and(OF_ACCOUNT, condition))
        .orderBy(...WEBHOOKS_FIRST),
    )
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
  const outlines = db.prepare<{ accountUuid: string }, EndpointOutline>(
    `SELECT p.id AS endpointId, CASE WHEN p.webhook_id IS NULL THEN 'extra' ELSE 'webhook' END AS kind,
       coalesce(p.webhook_id, p.forwarding_rule_id) AS id, r.name, p.object_type AS objectType, p.url,
       coalesce(w.fields, p.field_filter) AS fields
     FROM endpoint p LEFT JOIN webhook w ON w.id = p.webhook_id LEFT JOIN forwarding_rule r ON r.id = p.forwarding_rule_id
     WHERE p.account_uuid = @accountUuid AND p.state <> 'deleted'
     ORDER BY p.webhook_id IS NULL, p.webhook_id, p.forwarding_rule_id`,
  )
  const factsAt = endpointFactsReader(orm)

  function* read(query: typeof all, values: Record<string, unknown>): Generator<unknown, EndpointRecord[]> {
    const factsOf = factsAt(clock.now())
    const records: EndpointRecord[] = []
    for (const row of yield* many(query, values)) {
      const owner = row.webhook ?? row.extra
      if (!owner) continue
      const { id, accountUuid, objectType, createdAt, updatedAt } = owner
      records.push({
        kind: row.webhook ? 'webhook' : 'extra',
        id,
        accountUuid,
        name: row.extra?.name ?? null,
        objectType,
        fields: row.webhook?.fields ?? row.endpoint.fieldFilter,
        createdAt,
        updatedAt,
        ...(yield* factsOf(row)),
      })
    }
    return records
  }
  return {
    listEndpoints: db.read((accountUuid, kind) => read(kind === undefined ? all : ofKind[kind], { accountUuid })),
    listOutlines: db.read((accountUuid) => outlines.all({ accountUuid })),
    findEndpoint: db.read(function* (accountUuid, { kind, id }) {
      return (yield* read(byId[kind], { accountUuid, id }))[0] ?? null
    }),
    findWebhookOfObject: db.read(function* (accountUuid, objectType) {
      return (yield* read(webhookOfObject, { accountUuid, objectType }))[0] ?? null
    }),
  } satisfies Partial<EndpointStore>
}
