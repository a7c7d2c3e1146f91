// Plans the repairs that make the platform's list of subscriptions and ours agree. Pure.
import type { KnownSubscription } from '#app/domain/endpoints/upstream.ts'
import { isPolled } from '#app/domain/object-catalog.ts'
import type { Millis } from '#app/lib/clock.ts'

/** One entry of the platform's list that posts to our address. `ownId` is null when its token is unknown (by now). */
export interface ListedSubscription {
  uuid: string
  ownId: number | null
  active: boolean
  fields: readonly string[]
  lastFailureReason: string | null
}

export type Repair =
  /** The platform lists it under this uuid, and it works. */
  | { act: 'note'; id: number; platformUuid: string }
  /** Left pending by a crash after the platform's answer: it is live there and nothing better is, so use it. */
  | { act: 'adopt'; id: number; object: string; fields: readonly string[]; platformUuid: string }
  /** No live subscription serves it. `reason` = the platform's explanation; null when it is simply not listed. */
  | { act: 'subscribe'; object: string; reason: string | null }
  /** Live at the platform but no longer needed; `id` = our row for it. */
  | { act: 'remove'; platformUuid: string; id: number | null }
  /** The platform needs no further call about this row. */
  | { act: 'settle'; id: number; state: 'replaced' | 'deleted' }
  /** The subscription never became live. */
  | { act: 'drop'; id: number }
  /** Nothing needs its object any more. */
  | { act: 'end'; id: number }

/**
 * Plans the repairs. `own` must be read after `listed`, while no subscribe call of the account is under way: a pending
 * row is then left over from a crash. `needed` = objects that need events; polled objects have no subscription, so the
 * plan ignores them.
 */
export function planRepairs(input: {
  own: readonly KnownSubscription[]
  listed: readonly ListedSubscription[]
  needed: readonly string[]
  now: Millis
}): Repair[] {
  const { own, listed, now } = input
  const needed = input.needed.filter((object) => !isPolled(object))
  const isNeeded = (row: KnownSubscription) => needed.includes(row.object)
  const liveEntryOf = (row: KnownSubscription) => listed.find((entry) => entry.active && entry.ownId === row.id)

  const active = own.filter((row) => row.state === 'active')
  const repairs: Repair[] = active.flatMap((row) => repairOfActive(row, liveEntryOf(row), isNeeded(row)) ?? [])
  // Objects that have a live subscription, or will have one after these repairs.
  const served = new Set(active.filter((row) => isNeeded(row) && liveEntryOf(row)).map((row) => row.object))
  for (const row of own.filter((one) => one.state === 'pending')) {
    const repair = repairOfPending(row, liveEntryOf(row), isNeeded(row) && !served.has(row.object))
    if (repair.act === 'adopt') served.add(repair.object)
    repairs.push(repair)
  }
  for (const object of needed.filter((one) => !served.has(one))) {
    const row = active.find((one) => one.object === object)
    const reason = row && listed.find((entry) => entry.ownId === row.id)?.lastFailureReason
    repairs.push({ act: 'subscribe', object, reason: reason || null })
  }
  repairs.push(...own.flatMap((row) => (liveEntryOf(row) ? [] : (repairOfPast(row, now) ?? []))))

  const isKept = (row: KnownSubscription) => {
    if (row.state === 'pending') return repairs.some((repair) => repair.act === 'adopt' && repair.id === row.id)
    if (!isNeeded(row)) return false
    // A replaced one still brings events (accepted for 72 hours), so remove it only when its successor is live.
    return row.state === 'active' || (row.state === 'replaced' && !served.has(row.object))
  }
  for (const entry of listed.filter((one) => one.active)) {
    const row = own.find((one) => one.id === entry.ownId)
    if (!row || !isKept(row)) repairs.push({ act: 'remove', platformUuid: entry.uuid, id: row?.id ?? null })
  }
  return repairs
}

function repairOfActive(
  row: KnownSubscription,
  live: ListedSubscription | undefined,
  isNeeded: boolean,
): Repair | null {
  if (!isNeeded) return { act: 'end', id: row.id }
  const isNoted = row.platformUuid === live?.uuid && row.stateReason === null
  return live && !isNoted ? { act: 'note', id: row.id, platformUuid: live.uuid } : null
}

function repairOfPending(
  { id, object }: KnownSubscription,
  live: ListedSubscription | undefined,
  isWanted: boolean,
): Repair {
  if (!live) return { act: 'drop', id }
  return isWanted ? { act: 'adopt', id, object, fields: live.fields, platformUuid: live.uuid } : { act: 'end', id }
}

/** Plans the repair of a replaced or deleted subscription that the platform no longer lists. */
function repairOfPast({ id, state, stateReason, endsAt }: KnownSubscription, now: Millis): Repair | null {
  if (state !== 'replaced' && state !== 'deleted') return null
  const over = state === 'deleted' || (endsAt !== null && endsAt <= now)
  const isSettled = stateReason === null && (state === 'deleted' || !over)
  return isSettled ? null : { act: 'settle', id, state: over ? 'deleted' : 'replaced' }
}
