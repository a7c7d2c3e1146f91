// Reads an endpoint's card, for every kind of owner: from its row, counters and indexes, never by counting rows.
import { and, asc, eq, gte, sql } from 'drizzle-orm'
import type { Millis } from '#app/lib/clock.ts'
import { hours } from '#app/lib/duration.ts'
import type { Step } from '../../database.ts'
import { built, many, type Orm, one } from '../../orm.ts'
import { delivery, endpoint, endpointHour, event, plan, pollCursor, replay, subscription } from '../../schema.ts'
import type { ReplayRow } from '../../store/deliveries.ts'
import type { EndpointFacts, EndpointRow } from '../../store/endpoints.ts'
import { toSubscriptionRow } from './subscriptions.server.ts'

/** Joins an endpoint to the active subscription of its object. */
export const ACTIVE_SUBSCRIPTION = and(
  eq(subscription.accountUuid, endpoint.accountUuid),
  eq(subscription.object, endpoint.objectType),
  eq(subscription.state, 'active'),
)

interface EndpointWithSubscription {
  endpoint: typeof endpoint.$inferSelect
  subscription: typeof subscription.$inferSelect | null
}

type SharedFacts = Pick<EndpointFacts, 'accountHold' | 'polling' | 'lastEventAt'>

/** In practice, fewer run at once, and people ask about the newest. */
const REPLAYS_SHOWN = 5

/**
 * Reads the facts for a card. Builds its queries once, because every card and every event of a rule runs them. Reads
 * shared facts (the account's hold, the object's last event) once per list.
 */
export function endpointFactsReader(orm: Orm): (now: Millis) => (row: EndpointWithSubscription) => Step<EndpointFacts> {
  const { placeholder } = sql
  const ofAccount = placeholder('accountUuid')
  const ofEndpoint = placeholder('endpointId')

  const holdOf = built(() =>
    orm.select({ since: plan.heldSince, reason: plan.holdReason }).from(plan).where(eq(plan.accountUuid, ofAccount)),
  )
  const ofSource = and(eq(pollCursor.accountUuid, ofAccount), eq(pollCursor.source, placeholder('source')))
  const pollingOf = built(() => orm.select().from(pollCursor).where(ofSource))
  const newestFirst = sql`${replay.id} desc`
  const ofReplay = eq(replay.endpointId, ofEndpoint)
  const latestReplays = built(() => orm.select().from(replay).where(ofReplay).orderBy(newestFirst).limit(REPLAYS_SHOWN))
  // Inlined: with a bound value SQLite would not use the index of pending deliveries.
  const isPending = and(eq(delivery.endpointId, ofEndpoint), sql`${delivery.state} = 'pending'`)
  const { dueAt, id } = delivery
  const nextDue = built(() =>
    orm.select({ dueAt }).from(delivery).where(isPending).orderBy(asc(dueAt), asc(id)).limit(1),
  )
  const real = sql`${event.source} <> 'test'`
  const ofObject = and(eq(event.accountUuid, ofAccount), eq(event.object, placeholder('object')), real)
  const lastEvent = built(() =>
    orm.select({ receivedAt: event.receivedAt }).from(event).where(ofObject).orderBy(sql`${event.seq} desc`).limit(1),
  )
  const { hour, delivered, failed, durationSumMs: duration } = endpointHour
  const sinceHour = and(eq(endpointHour.endpointId, ofEndpoint), gte(hour, placeholder('hour')))
  const lastHours = built(() => orm.select({ hour, delivered, failed, duration }).from(endpointHour).where(sinceHour))

  function* accountHoldOf(accountUuid: string): Generator<unknown, EndpointFacts['accountHold']> {
    const row = yield* one(holdOf, { accountUuid })
    return row?.since != null ? { since: row.since, reason: row.reason ?? '' } : null
  }

  function* sharedOf(accountUuid: string, objectType: string): Generator<unknown, SharedFacts> {
    return {
      accountHold: yield* accountHoldOf(accountUuid),
      // Only webhooks cause polling of objects without platform events; other objects have no such row.
      polling: (yield* one(pollingOf, { accountUuid, source: `webhook:${objectType}` })) ?? null,
      lastEventAt: (yield* one(lastEvent, { accountUuid, object: objectType }))?.receivedAt ?? null,
    }
  }

  return (now) => {
    const shared = new Map<string, SharedFacts>()
    return function* (row) {
      const { id: endpointId, accountUuid, objectType, pendingCount } = row.endpoint
      const key = `${accountUuid}|${objectType}`
      const common = shared.get(key) ?? (yield* sharedOf(accountUuid, objectType))
      shared.set(key, common)
      return {
        ...common,
        endpoint: toEndpointRow(row.endpoint),
        subscription: row.subscription ? toSubscriptionRow(row.subscription) : null,
        nextDueAt: pendingCount > 0 ? ((yield* one(nextDue, { endpointId }))?.dueAt ?? null) : null,
        ...dayOf(yield* many(lastHours, { endpointId, hour: hourOf(now) - 23 }), hourOf(now)),
        replays: (yield* many(latestReplays, { endpointId })).map(toReplayRow),
      }
    }
  }
}

const hourOf = (now: Millis) => Math.floor(now / hours(1))

/** The last 24 hours; the current and the previous one are enough to detect "slow". */
function dayOf(
  rows: readonly { hour: number; delivered: number; failed: number; duration: number }[],
  current: number,
): Pick<EndpointFacts, 'recentDelivered' | 'recentMeanMs' | 'firstHour' | 'hours'> {
  const recent = rows.filter(({ hour }) => hour >= current - 1)
  const recentDelivered = recent.reduce((sum, { delivered }) => sum + delivered, 0)
  const duration = recent.reduce((sum, row) => sum + row.duration, 0)
  const counted = new Map(rows.map((row) => [row.hour, row]))
  return {
    recentDelivered,
    recentMeanMs: recentDelivered > 0 ? Math.round(duration / recentDelivered) : null,
    firstHour: hours(current - 23),
    hours: Array.from({ length: 24 }, (_, index) => {
      const { delivered = 0, failed = 0 } = counted.get(current - 23 + index) ?? {}
      return { delivered, failed }
    }),
  }
}

function toReplayRow(stored: typeof replay.$inferSelect): ReplayRow {
  const { accountUuid: _a, nextSeq: _n, untilSeq: _u, ...row } = stored
  return { ...row, status: row.status as ReplayRow['status'], state: row.state as ReplayRow['state'] }
}

function toEndpointRow(row: typeof endpoint.$inferSelect): EndpointRow {
  const [state, breaker] = [row.state as EndpointRow['state'], row.breaker as EndpointRow['breaker']]
  return { ...row, state, breaker, failedEvents: (JSON.parse(row.failureEvents) as number[]).length }
}
