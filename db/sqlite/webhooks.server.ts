import { and, asc, eq, gt, gte, inArray, isNull, sql } from 'drizzle-orm'
import type { Clock, Millis } from '#app/lib/clock.ts'
import { hours } from '#app/lib/duration.ts'
import { delivery, endpoint, endpointHour, event, replay, subscription, webhook } from '../schema.ts'
import type { ReplayRow } from '../store/deliveries.ts'
import type { EndpointRow, NewWebhook, WebhookRecord, WebhookRow, WebhookStore } from '../store/webhooks.ts'
import type { Client } from './client.server.ts'
import { subscriptionStore, switchSubscriptionIn, toSubscriptionRow, type Writer } from './subscriptions.server.ts'

/** Webhooks with their endpoints. Every change that belongs together is one transaction. */
export function webhookStore(client: Client, clock: Clock): WebhookStore {
  const { db } = client
  return {
    ...subscriptionStore(client),

    async listWebhooks(accountUuid) {
      return webhooksWhere(db, accountUuid, undefined, clock.now())
    },

    async findWebhook(accountUuid, id) {
      return webhooksWhere(db, accountUuid, eq(webhook.id, id), clock.now())[0] ?? null
    },

    async findWebhookOfObject(accountUuid, objectType) {
      return webhooksWhere(db, accountUuid, eq(webhook.objectType, objectType), clock.now())[0] ?? null
    },

    async saveWebhook(accountUuid, input) {
      return db.transaction(
        (tx) => {
          switchSubscriptionIn(tx, accountUuid, input.subscription, input.at)
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
          const { endpoint: before } = found
          if (change.fields) {
            tx.update(endpoint).set({ fieldFilter: change.fields.filter }).where(eq(endpoint.id, before.id)).run()
          }
          const moved = change.url !== undefined && change.url !== before.url
          if (moved) tx.update(endpoint).set({ url: change.url }).where(eq(endpoint.id, before.id)).run()
          const paused = change.active === undefined ? before.state === 'paused' : !change.active
          if (paused && before.state !== 'paused') pause(tx, before.id, change.at)
          // A new address of a paused webhook starts with a clean slate as well, but stays paused.
          if (moved || (!paused && change.active === true && before.state !== 'active')) {
            startAfresh(tx, before, { state: paused ? 'paused' : 'active', moved, at: change.at })
          }
          return { endpointId: before.id }
        },
        { behavior: 'immediate' },
      )
    },

    async rotateSecret(accountUuid, id, { secretSealed, overlapMs, sameWishMs, at }) {
      return db.transaction(
        (tx) => {
          const before = liveWebhook(tx, accountUuid, id)?.endpoint
          if (!before) return null
          const { previousSecretUntil } = before
          if (previousSecretUntil !== null && previousSecretUntil - overlapMs > at - sameWishMs) {
            return { rotated: false, secretSealed: before.secretSealed, previousSecretUntil }
          }
          const rotated = {
            secretSealed,
            previousSecretSealed: before.secretSealed,
            previousSecretUntil: at + overlapMs,
          }
          tx.update(endpoint).set(rotated).where(eq(endpoint.id, before.id)).run()
          return { rotated: true, secretSealed, previousSecretUntil: rotated.previousSecretUntil }
        },
        { behavior: 'immediate' },
      )
    },

    async deleteWebhook(accountUuid, id, { reason, endSubscriptions, at }) {
      return db.transaction(
        (tx) => {
          const found = liveWebhook(tx, accountUuid, id)
          if (!found) return null
          const { webhook: row, endpoint: itsEndpoint } = found
          tx.update(webhook).set({ deletedAt: at, updatedAt: at }).where(eq(webhook.id, id)).run()
          tx.update(endpoint)
            .set({ state: 'deleted', stateReason: reason, stateSince: at })
            .where(eq(endpoint.id, itsEndpoint.id))
            .run()
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
  const { objectType, fields, url, fieldFilter, secretSealed, active, at } = input
  const { id } = tx
    .insert(webhook)
    .values({ accountUuid, objectType, fields, createdAt: at, updatedAt: at })
    .returning({ id: webhook.id })
    .get()
  const { endpointId } = tx
    .insert(endpoint)
    .values({
      accountUuid,
      webhookId: id,
      objectType,
      fieldFilter,
      url,
      secretSealed,
      state: active ? 'active' : 'paused',
      stateSince: at,
      breaker: 'closed',
      breakerProbes: 0,
      failureStreak: 0,
      failureEvents: '[]',
      redirectStreak: 0,
      pendingCount: 0,
      createdAt: at,
    })
    .returning({ endpointId: endpoint.id })
    .get()
  return { id, endpointId, replaced: false }
}

function pause(tx: Writer, endpointId: number, at: Millis): void {
  tx.update(endpoint)
    .set({ state: 'paused', stateReason: null, stateSince: at })
    .where(eq(endpoint.id, endpointId))
    .run()
}

/**
 * Forgets failures and waits, and makes what waits due now: with one due time, ids (= age) decide the order.
 * `moved` = another address, about which nothing is known yet.
 */
function startAfresh(
  tx: Writer,
  before: { id: number; state: string; stateSince: Millis },
  { state, moved, at }: { state: 'active' | 'paused'; moved: boolean; at: Millis },
): void {
  tx.update(endpoint)
    .set({
      state,
      stateReason: null,
      stateSince: before.state === state ? before.stateSince : at,
      holdUntil: null,
      holdReason: null,
      holdSince: null,
      breaker: 'closed',
      breakerProbes: 0,
      nextProbeAt: null,
      failingSince: null,
      failureStreak: 0,
      failureEvents: '[]',
      redirectStreak: 0,
      lastCode: null,
      lastSentence: null,
      ...(moved && { lastSuccessAt: null, lastAttemptAt: null }),
    })
    .where(eq(endpoint.id, before.id))
    .run()
  tx.update(delivery)
    .set({ dueAt: at })
    .where(and(eq(delivery.endpointId, before.id), sql`${delivery.state} = 'pending'`, gt(delivery.dueAt, at)))
    .run()
}

const STILL_AT_PLATFORM = 'ended here; the platform has not been told yet'

function endSubscriptionsOf(tx: Writer, accountUuid: string, object: string, at: Millis) {
  const rows = tx
    .update(subscription)
    .set({ state: 'deleted', stateReason: STILL_AT_PLATFORM, endsAt: null, updatedAt: at })
    .where(
      and(
        eq(subscription.accountUuid, accountUuid),
        eq(subscription.object, object),
        inArray(subscription.state, ['pending', 'active', 'replaced']),
      ),
    )
    .returning()
    .all()
  return rows.map(toSubscriptionRow)
}

function webhooksWhere(
  db: Client['db'],
  accountUuid: string,
  condition: ReturnType<typeof eq> | undefined,
  now: Millis,
): WebhookRecord[] {
  const rows = db
    .select({ webhook, endpoint, subscription })
    .from(webhook)
    .innerJoin(endpoint, eq(endpoint.webhookId, webhook.id))
    .leftJoin(
      subscription,
      and(
        eq(subscription.accountUuid, webhook.accountUuid),
        eq(subscription.object, webhook.objectType),
        eq(subscription.state, 'active'),
      ),
    )
    .where(and(eq(webhook.accountUuid, accountUuid), isNull(webhook.deletedAt), condition))
    .orderBy(asc(webhook.id))
    .all()
  return rows.map((row) => ({
    webhook: toWebhookRow(row.webhook),
    endpoint: toEndpointRow(row.endpoint),
    subscription: row.subscription ? toSubscriptionRow(row.subscription) : null,
    nextDueAt: row.endpoint.pendingCount > 0 ? nextDueAt(db, row.endpoint.id) : null,
    lastEventAt: lastEventOf(db, accountUuid, row.webhook.objectType),
    ...recentPace(db, row.endpoint.id, now),
    replays: latestReplays(db, row.endpoint.id),
  }))
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

function toEndpointRow(row: typeof endpoint.$inferSelect): EndpointRow {
  return { ...row, state: row.state as EndpointRow['state'], breaker: row.breaker as EndpointRow['breaker'] }
}

/** More than these are never running at once in practice, and the newest are those a person asks about. */
const REPLAYS_SHOWN = 5

function latestReplays(db: Client['db'], endpointId: number): ReplayRow[] {
  const rows = db
    .select()
    .from(replay)
    .where(eq(replay.endpointId, endpointId))
    .orderBy(sql`${replay.id} desc`)
    .limit(REPLAYS_SHOWN)
    .all()
  return rows.map((row) => ({
    id: row.id,
    endpointId: row.endpointId,
    since: row.since,
    status: row.status as ReplayRow['status'],
    objectUuid: row.objectUuid,
    state: row.state as ReplayRow['state'],
    total: row.total,
    made: row.made,
    delivered: row.delivered,
    undelivered: row.undelivered,
    createdAt: row.createdAt,
    endedAt: row.endedAt,
  }))
}

function nextDueAt(db: Client['db'], endpointId: number): Millis | null {
  const row = db
    .select({ dueAt: delivery.dueAt })
    .from(delivery)
    // Written out: a bound value would keep SQLite from using the index of waiting deliveries.
    .where(and(eq(delivery.endpointId, endpointId), sql`${delivery.state} = 'pending'`))
    .orderBy(asc(delivery.dueAt), asc(delivery.id))
    .limit(1)
    .get()
  return row?.dueAt ?? null
}

function lastEventOf(db: Client['db'], accountUuid: string, object: string): Millis | null {
  const row = db
    .select({ receivedAt: event.receivedAt })
    .from(event)
    .where(and(eq(event.accountUuid, accountUuid), eq(event.object, object)))
    .orderBy(sql`${event.seq} desc`)
    .limit(1)
    .get()
  return row?.receivedAt ?? null
}

/** Attempts of the current and the previous hour: enough to say "slow", from counters only. */
function recentPace(db: Client['db'], endpointId: number, now: Millis) {
  const since = Math.floor(now / hours(1)) - 1
  const row = db
    .select({
      attempts: sql<number>`coalesce(sum(${endpointHour.delivered} + ${endpointHour.failed}), 0)`,
      duration: sql<number>`coalesce(sum(${endpointHour.durationSumMs}), 0)`,
    })
    .from(endpointHour)
    .where(and(eq(endpointHour.endpointId, endpointId), gte(endpointHour.hour, since)))
    .get()
  const attempts = row?.attempts ?? 0
  return { recentAttempts: attempts, recentMeanMs: attempts > 0 ? Math.round((row?.duration ?? 0) / attempts) : null }
}
