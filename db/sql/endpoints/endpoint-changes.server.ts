// Creates, changes and ends an endpoint together with its owner. Always inside the caller's transaction.
import { and, eq, gt, ne, sql } from 'drizzle-orm'
import type { Millis } from '#app/lib/clock.ts'
import { delivery, endpoint } from '../../schema.ts'
import type { SecretRotation } from '../../store/endpoints.ts'
import type { Writer } from './subscriptions.server.ts'

interface NewAddress {
  objectType: string
  url: string
  fieldFilter: string
  secretSealed: string
  active: boolean
  at: Millis
}

/** Inserts the endpoint of a webhook or an extra address. Returns its id. */
export function insertAddress(
  tx: Writer,
  accountUuid: string,
  owner: { webhookId: number } | { forwardingRuleId: number },
  { objectType, url, fieldFilter, secretSealed, active, at }: NewAddress,
): number {
  const { id } = tx
    .insert(endpoint)
    .values({
      accountUuid,
      ...owner,
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
    .returning({ id: endpoint.id })
    .get()
  return id
}

interface EndpointChange {
  fieldFilter: string | undefined
  url: string | undefined
  active: boolean | undefined
  at: Millis
}

/** Changes only the given fields. Resuming or a new address starts with a clean slate. */
export function changeEndpoint(
  tx: Writer,
  before: typeof endpoint.$inferSelect,
  { fieldFilter, url, active, at }: EndpointChange,
): void {
  if (fieldFilter !== undefined) tx.update(endpoint).set({ fieldFilter }).where(eq(endpoint.id, before.id)).run()
  const moved = url !== undefined && url !== before.url
  if (moved) tx.update(endpoint).set({ url }).where(eq(endpoint.id, before.id)).run()
  const paused = active === undefined ? before.state === 'paused' : !active
  if (paused && before.state !== 'paused') pause(tx, before.id, at)
  // A new address for a paused endpoint also starts with a clean slate, but stays paused.
  if (moved || (!paused && active === true && before.state !== 'active')) {
    startAfresh(tx, before, { state: paused ? 'paused' : 'active', moved, at })
  }
}

function pause(tx: Writer, endpointId: number, at: Millis): void {
  tx.update(endpoint)
    .set({ state: 'paused', stateReason: null, stateSince: at })
    .where(eq(endpoint.id, endpointId))
    .run()
}

/**
 * Clears failures and holds, and makes pending deliveries due now: with the same due time, ids (= age) decide the
 * order. `moved` = a new address, with no history yet.
 */
export function startAfresh(
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

/** Stops sending to it; the delivery engine then ends its pending deliveries in steps. */
export function endAddress(tx: Writer, endpointId: number, { reason, at }: { reason: string; at: Millis }): void {
  tx.update(endpoint)
    .set({ state: 'deleted', stateReason: reason, stateSince: at })
    .where(eq(endpoint.id, endpointId))
    .run()
}

/** See `EndpointStore.rotateSecret`. */
export function rotateSecretIn(
  tx: Writer,
  accountUuid: string,
  endpointId: number,
  {
    secretSealed,
    overlapMs,
    sameRequestMs,
    at,
  }: { secretSealed: string; overlapMs: number; sameRequestMs: number; at: Millis },
): SecretRotation | null {
  const mine = and(eq(endpoint.accountUuid, accountUuid), eq(endpoint.id, endpointId), ne(endpoint.state, 'deleted'))
  const before = tx.select().from(endpoint).where(mine).get()
  if (!before) return null
  const { previousSecretUntil } = before
  if (previousSecretUntil !== null && previousSecretUntil - overlapMs > at - sameRequestMs) {
    return { rotated: false, secretSealed: before.secretSealed, previousSecretUntil }
  }
  const rotated = {
    secretSealed,
    previousSecretSealed: before.secretSealed,
    previousSecretUntil: at + overlapMs,
  }
  tx.update(endpoint).set(rotated).where(mine).run()
  return { rotated: true, secretSealed, previousSecretUntil: rotated.previousSecretUntil }
}
