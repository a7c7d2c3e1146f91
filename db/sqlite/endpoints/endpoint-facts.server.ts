// What a card shows of an endpoint, whoever it belongs to: from its row, counters and indexes, never by counting rows.
import { and, asc, eq, gte, sql } from 'drizzle-orm'
import type { Millis } from '#app/lib/clock.ts'
import { hours } from '#app/lib/duration.ts'
import { delivery, endpoint, endpointHour, event, plan, pollCursor, replay, subscription } from '../../schema.ts'
import type { ReplayRow } from '../../store/deliveries.ts'
import type { EndpointFacts, EndpointRow } from '../../store/endpoints.ts'
import type { Client } from '../client.server.ts'
import { toSubscriptionRow } from './subscriptions.server.ts'

/** Joins an endpoint's row to the active subscription of its object. */
export const ACTIVE_SUBSCRIPTION = and(
  eq(subscription.accountUuid, endpoint.accountUuid),
  eq(subscription.object, endpoint.objectType),
  eq(subscription.state, 'active'),
)

interface EndpointWithSubscription {
  endpoint: typeof endpoint.$inferSelect
  subscription: typeof subscription.$inferSelect | null
}

/** More than these are never running at once in practice, and the newest are those a person asks about. */
const REPLAYS_SHOWN = 5

/**
 * Reads what a card shows. Its questions are put together once: they are asked for every card, and with every event of a rule.
 * What the cards of one list share (the account's hold, the last event of an object) is read once for the list.
 */
export function endpointFactsReader(
  db: Client['db'],
): (now: Millis) => (row: EndpointWithSubscription) => EndpointFacts {
  const { placeholder } = sql
  const ofAccount = placeholder('accountUuid')
  const ofEndpoint = placeholder('endpointId')

  const holdOf = db
    .select({ since: plan.heldSince, reason: plan.holdReason })
    .from(plan)
    .where(eq(plan.accountUuid, ofAccount))
    .prepare()
  const pollingOf = db
    .select()
    .from(pollCursor)
    .where(and(eq(pollCursor.accountUuid, ofAccount), eq(pollCursor.source, placeholder('source'))))
    .prepare()
  const latestReplays = db
    .select()
    .from(replay)
    .where(eq(replay.endpointId, ofEndpoint))
    .orderBy(sql`${replay.id} desc`)
    .limit(REPLAYS_SHOWN)
    .prepare()
  const nextDue = db
    .select({ dueAt: delivery.dueAt })
    .from(delivery)
    // Written out: a bound value would keep SQLite from using the index of waiting deliveries.
    .where(and(eq(delivery.endpointId, ofEndpoint), sql`${delivery.state} = 'pending'`))
    .orderBy(asc(delivery.dueAt), asc(delivery.id))
    .limit(1)
    .prepare()
  const lastEvent = db
    .select({ receivedAt: event.receivedAt })
    .from(event)
    .where(and(eq(event.accountUuid, ofAccount), eq(event.object, placeholder('object'))))
    .orderBy(sql`${event.seq} desc`)
    .limit(1)
    .prepare()
  const pace = db
    .select({
      attempts: sql<number>`coalesce(sum(${endpointHour.delivered} + ${endpointHour.failed}), 0)`,
      duration: sql<number>`coalesce(sum(${endpointHour.durationSumMs}), 0)`,
    })
    .from(endpointHour)
    .where(and(eq(endpointHour.endpointId, ofEndpoint), gte(endpointHour.hour, placeholder('hour'))))
    .prepare()

  function accountHoldOf(accountUuid: string): EndpointFacts['accountHold'] {
    const row = holdOf.get({ accountUuid })
    return row?.since != null ? { since: row.since, reason: row.reason ?? '' } : null
  }

  /** Attempts of the current and the previous hour: enough to say "slow", from counters only. */
  function recentPace(endpointId: number, now: Millis) {
    const row = pace.get({ endpointId, hour: Math.floor(now / hours(1)) - 1 })
    const attempts = row?.attempts ?? 0
    return { recentAttempts: attempts, recentMeanMs: attempts > 0 ? Math.round((row?.duration ?? 0) / attempts) : null }
  }

  function sharedOf(accountUuid: string, objectType: string) {
    return {
      accountHold: accountHoldOf(accountUuid),
      // Objects the platform sends nothing for are read for the sake of webhooks; others have no such row.
      polling: pollingOf.get({ accountUuid, source: `webhook:${objectType}` }) ?? null,
      lastEventAt: lastEvent.get({ accountUuid, object: objectType })?.receivedAt ?? null,
    }
  }

  return (now) => {
    const shared = new Map<string, ReturnType<typeof sharedOf>>()
    return (row) => {
      const { id: endpointId, accountUuid, objectType, pendingCount } = row.endpoint
      const key = `${accountUuid}|${objectType}`
      const common = shared.get(key) ?? sharedOf(accountUuid, objectType)
      shared.set(key, common)
      return {
        ...common,
        endpoint: toEndpointRow(row.endpoint),
        subscription: row.subscription ? toSubscriptionRow(row.subscription) : null,
        nextDueAt: pendingCount > 0 ? (nextDue.get({ endpointId })?.dueAt ?? null) : null,
        ...recentPace(endpointId, now),
        replays: latestReplays.all({ endpointId }).map(toReplayRow),
      }
    }
  }
}

function toReplayRow(row: typeof replay.$inferSelect): ReplayRow {
  return {
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
  }
}

function toEndpointRow(row: typeof endpoint.$inferSelect): EndpointRow {
  return { ...row, state: row.state as EndpointRow['state'], breaker: row.breaker as EndpointRow['breaker'] }
}
