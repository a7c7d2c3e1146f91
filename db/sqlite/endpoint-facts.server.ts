// What a card shows of an endpoint, whoever it belongs to: from its row, counters and indexes, never by counting rows.
import { and, asc, eq, gte, sql } from 'drizzle-orm'
import type { Millis } from '#app/lib/clock.ts'
import { hours } from '#app/lib/duration.ts'
import { delivery, endpoint, endpointHour, event, plan, pollCursor, replay, subscription } from '../schema.ts'
import type { ReplayRow } from '../store/deliveries.ts'
import type { PollCursorRow } from '../store/records.ts'
import type { EndpointFacts, EndpointRow } from '../store/webhooks.ts'
import type { Client } from './client.server.ts'
import { toSubscriptionRow } from './subscriptions.server.ts'

/** Joins an endpoint's row to the active subscription of its object. */
export const ACTIVE_SUBSCRIPTION = and(
  eq(subscription.accountUuid, endpoint.accountUuid),
  eq(subscription.object, endpoint.objectType),
  eq(subscription.state, 'active'),
)

export function endpointFacts(
  db: Client['db'],
  row: { endpoint: typeof endpoint.$inferSelect; subscription: typeof subscription.$inferSelect | null },
  now: Millis,
): EndpointFacts {
  const { id, accountUuid, objectType, pendingCount } = row.endpoint
  return {
    endpoint: toEndpointRow(row.endpoint),
    accountHold: accountHoldOf(db, accountUuid),
    subscription: row.subscription ? toSubscriptionRow(row.subscription) : null,
    polling: pollingOf(db, accountUuid, objectType),
    nextDueAt: pendingCount > 0 ? nextDueAt(db, id) : null,
    lastEventAt: lastEventOf(db, accountUuid, objectType),
    ...recentPace(db, id, now),
    replays: latestReplays(db, id),
  }
}

function toEndpointRow(row: typeof endpoint.$inferSelect): EndpointRow {
  return { ...row, state: row.state as EndpointRow['state'], breaker: row.breaker as EndpointRow['breaker'] }
}

function accountHoldOf(db: Client['db'], accountUuid: string): EndpointFacts['accountHold'] {
  const row = db
    .select({ since: plan.heldSince, reason: plan.holdReason })
    .from(plan)
    .where(eq(plan.accountUuid, accountUuid))
    .get()
  return row?.since != null ? { since: row.since, reason: row.reason ?? '' } : null
}

/** Objects the platform sends nothing for are read for the sake of webhooks; others have no such row. */
function pollingOf(db: Client['db'], accountUuid: string, objectType: string): PollCursorRow | null {
  const mine = and(eq(pollCursor.accountUuid, accountUuid), eq(pollCursor.source, `webhook:${objectType}`))
  return db.select().from(pollCursor).where(mine).get() ?? null
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
