// Creates, changes and ends an endpoint together with its owner. Always inside the caller's transaction.
import { and, eq, ne, sql } from 'drizzle-orm'
import type { Millis } from '#app/lib/clock.ts'
import type { Step } from '../../database.ts'
import { change, type Orm, one } from '../../orm.ts'
import { delivery, endpoint } from '../../schema.ts'
import type { NewAddress, SecretRotation } from '../../store/endpoints.ts'

/** Inserts the endpoint of a webhook or an extra address. Returns its id. */
export function* insertAddress(
  orm: Orm,
  accountUuid: string,
  owner: { webhookId: number } | { forwardingRuleId: number },
  { objectType, url, fieldFilter, secretSealed, active, at }: Omit<NewAddress, 'subscription'>,
): Generator<unknown, number> {
  const insert = orm
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
  return (yield* one(insert)).id
}

interface EndpointChange {
  fieldFilter: string | undefined
  url: string | undefined
  active: boolean | undefined
  at: Millis
}

/** Changes only the given fields. Resuming or a new address starts with a clean slate. */
export function* changeEndpoint(
  orm: Orm,
  before: typeof endpoint.$inferSelect,
  { fieldFilter, url, active, at }: EndpointChange,
): Generator<unknown, void> {
  const { id } = before
  if (fieldFilter !== undefined) yield* change(orm.update(endpoint).set({ fieldFilter }).where(eq(endpoint.id, id)))
  const moved = url !== undefined && url !== before.url
  if (moved) yield* change(orm.update(endpoint).set({ url }).where(eq(endpoint.id, id)))
  const paused = active === undefined ? before.state === 'paused' : !active
  if (paused && before.state !== 'paused') yield* pause(orm, id, at)
  // A new address for a paused endpoint also starts with a clean slate, but stays paused.
  if (moved || (!paused && active === true && before.state !== 'active')) {
    yield* startAfresh(orm, before, { state: paused ? 'paused' : 'active', moved, at })
  }
}

function pause(orm: Orm, endpointId: number, at: Millis): Step<unknown> {
  const paused = { state: 'paused', stateReason: null, stateSince: at }
  return change(orm.update(endpoint).set(paused).where(eq(endpoint.id, endpointId)))
}

/**
 * Clears failures and holds, and makes pending deliveries due now: with the same due time, ids (= age) decide the
 * order. `moved` = a new address, with no history yet.
 */
export function* startAfresh(
  orm: Orm,
  before: { id: number; state: string; stateSince: Millis },
  { state, moved, at }: { state: 'active' | 'paused'; moved: boolean; at: Millis },
): Generator<unknown, void> {
  const afresh = {
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
  }
  yield* change(orm.update(endpoint).set(afresh).where(eq(endpoint.id, before.id)))
  const all = and(eq(delivery.endpointId, before.id), sql`${delivery.state} = 'pending'`, ne(delivery.cause, 'test'))
  yield* change(orm.update(delivery).set({ dueAt: at }).where(all))
}

/**
 * Stops sending to it; the delivery engine then ends its pending deliveries in steps. A deletion needs no reason: its row
 * keeps the state before there, for an undo.
 */
export function endAddress(orm: Orm, before: { id: number; state: string }, at: Millis): Step<unknown> {
  const ended = { state: 'deleted', stateReason: before.state, stateSince: at }
  return change(orm.update(endpoint).set(ended).where(eq(endpoint.id, before.id)))
}

/** A paused or stopped one sends nothing after an undo either. */
export function stateAfterUndo(deleted: { stateReason: string | null }): 'active' | 'paused' {
  return deleted.stateReason === 'paused' || deleted.stateReason === 'stopped' ? 'paused' : 'active'
}

/** See `EndpointStore.rotateSecret`. */
export function* rotateSecretIn(
  orm: Orm,
  accountUuid: string,
  endpointId: number,
  {
    secretSealed,
    overlapMs,
    sameRequestMs,
    at,
  }: { secretSealed: string; overlapMs: number; sameRequestMs: number; at: Millis },
): Generator<unknown, SecretRotation | null> {
  const mine = and(eq(endpoint.accountUuid, accountUuid), eq(endpoint.id, endpointId), ne(endpoint.state, 'deleted'))
  const before = yield* one(orm.select().from(endpoint).where(mine))
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
  yield* change(orm.update(endpoint).set(rotated).where(mine))
  return { rotated: true, secretSealed, previousSecretUntil: rotated.previousSecretUntil }
}
