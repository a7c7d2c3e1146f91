// What is to be done so that the platform's list of subscriptions and ours agree. Pure.

import { isPolled } from '#app/domain/object-catalog.ts'
import type { Millis } from '#app/lib/clock.ts'

/** One of our rows. */
export interface OwnSubscription {
  id: number
  object: string
  state: 'pending' | 'active' | 'replaced' | 'deleted'
  stateReason: string | null
  endsAt: Millis | null
  platformUuid: string | null
}

/** One entry of the platform's list that posts to our address. `ownId` null = with a token we do not know (any more). */
export interface ListedSubscription {
  uuid: string
  ownId: number | null
  active: boolean
  fields: readonly string[]
  lastFailureReason: string | null
}

export type Repair =
  /** The platform has it under this uuid, and it works. */
  | { act: 'note'; id: number; platformUuid: string }
  /** Left pending by a crash after the platform's answer: it is live there and nothing better is, so use it. */
  | { act: 'adopt'; id: number; object: string; fields: readonly string[]; platformUuid: string }
  /** Nothing live serves this object. `reason` = why, as far as the platform says; null = it is simply not there. */
  | { act: 'subscribe'; object: string; reason: string | null }
  /** Live at the platform but no longer wanted; `id` = our row for it. */
  | { act: 'remove'; platformUuid: string; id: number | null }
  /** Nothing is left to tell the platform about this row. */
  | { act: 'settle'; id: number; state: 'replaced' | 'deleted' }
  /** Never became anything. */
  | { act: 'drop'; id: number }
  /** Nobody needs its object any more. */
  | { act: 'end'; id: number }

/**
 * Compares. `own` must have been read after `listed`, and while no subscribe call of the account is under way: a pending
 * row is then what a crash left behind. `needed` = objects somebody wants events of; those we look for ourselves are no
 * business of the platform's list.
 */
export function planRepairs(input: {
  own: readonly OwnSubscription[]
  listed: readonly ListedSubscription[]
  needed: readonly string[]
  now: Millis
}): Repair[] {
  const { own, listed, now } = input
  const needed = input.needed.filter((object) => !isPolled(object))
  const repairs: Repair[] = []
  const entryOf = (row: OwnSubscription) =>
    listed.find((entry) => entry.ownId === row.id && entry.active) ?? listed.find((entry) => entry.ownId === row.id)

  // Objects that somebody serves, or will after these repairs.
  const served = new Set<string>()
  for (const row of own.filter((one) => one.state === 'active')) {
    const entry = entryOf(row)
    if (!needed.includes(row.object)) repairs.push({ act: 'end', id: row.id })
    else if (entry?.active) {
      served.add(row.object)
      if (row.platformUuid !== entry.uuid || row.stateReason !== null) {
        repairs.push({ act: 'note', id: row.id, platformUuid: entry.uuid })
      }
    }
  }
  for (const row of own.filter((one) => one.state === 'pending')) {
    const entry = entryOf(row)
    if (entry?.active && needed.includes(row.object) && !served.has(row.object)) {
      served.add(row.object)
      repairs.push({ act: 'adopt', id: row.id, object: row.object, fields: entry.fields, platformUuid: entry.uuid })
    } else if (entry?.active) repairs.push({ act: 'end', id: row.id })
    else repairs.push({ act: 'drop', id: row.id })
  }
  for (const object of needed.filter((one) => !served.has(one))) {
    const active = own.find((row) => row.object === object && row.state === 'active')
    repairs.push({ act: 'subscribe', object, reason: (active && entryOf(active)?.lastFailureReason) || null })
  }

  for (const row of own.filter((one) => one.state === 'replaced' || one.state === 'deleted')) {
    const over = row.state === 'deleted' || (row.endsAt !== null && row.endsAt <= now)
    const live = entryOf(row)?.active === true
    if (!live && (row.stateReason !== null || (over && row.state === 'replaced'))) {
      repairs.push({ act: 'settle', id: row.id, state: over ? 'deleted' : 'replaced' })
    }
  }
  for (const entry of listed.filter((one) => one.active)) {
    const row = own.find((one) => one.id === entry.ownId)
    const kept = row && (adopts(repairs, row.id) || (row.state === 'active' && needed.includes(row.object)))
    // One that was replaced still brings events (they are accepted for 72 hours): it goes when its successor is live.
    const bridges = row?.state === 'replaced' && needed.includes(row.object) && !served.has(row.object)
    if (!kept && !bridges) repairs.push({ act: 'remove', platformUuid: entry.uuid, id: row?.id ?? null })
  }
  return repairs
}

function adopts(repairs: readonly Repair[], id: number): boolean {
  return repairs.some((repair) => repair.act === 'adopt' && repair.id === id)
}
