// What several instances do one at a time, or count together, by rows of their database.
import { setTimeout as pause } from 'node:timers/promises'
import { minutes } from '#app/lib/duration.ts'
import { type InTurn, TurnError, turnsInMemory } from '#app/lib/in-turn.server.ts'
import type { TakenToken } from '#app/lib/rate-limiter.ts'
import type { Database } from '../database.ts'
import type { SharedStore } from '../store/shared.ts'
import { NOW, type TestClock } from './clock.ts'

/** @param memberId this instance's row in `member` */
export function sharedOnServer(db: Database, memberId: string, now: TestClock = null): SharedStore {
  return { inTurn: turnsOnServer(db, memberId), takeTriggerCall: triggerCredit(db, now) }
}

interface Credit {
  automationId: number
  one: number
  full: number
  now: number | null
}

const FULL = 'CAST(@full AS bigint)'
const ONE = 'CAST(@one AS bigint)'

/** A bucket of tokens as `createRateLimiter` keeps it, in a row for each rule. A clock set back costs nobody credit. */
function triggerCredit(db: Database, now: TestClock): SharedStore['takeTriggerCall'] {
  const refilled = `least(${FULL}, trigger_credit.credit + greatest(0, ${NOW} - trigger_credit.at))`
  // One statement: it waits for the row, and then judges what the other instance has left.
  const takeOne = db
    .prepare<Credit, number>(
      `INSERT INTO trigger_credit (automation_id, credit, at) VALUES (@automationId, ${FULL} - ${ONE}, ${NOW})
       ON CONFLICT (automation_id) DO UPDATE SET credit = ${refilled} - ${ONE}, at = ${NOW} WHERE ${refilled} >= ${ONE}
       RETURNING 1`,
    )
    .pluck()
  const find = db
    .prepare<Credit, number>(`SELECT ${ONE} - ${refilled} FROM trigger_credit WHERE automation_id = @automationId`)
    .pluck()
  const take = db.read((credit: Credit) => takeOne.get(credit))
  const missing = db.read((credit: Credit) => find.get(credit))
  return async (automationId, perMinute): Promise<TakenToken> => {
    const credit = { automationId, one: Math.ceil(minutes(1) / perMinute), full: minutes(1), now: now?.() ?? null }
    if ((await take(credit)) !== undefined) return { outcome: 'taken' }
    return { outcome: 'wait', ms: Math.max(1, (await missing(credit)) ?? 1) }
  }
}

// Turns over all instances: first in the own process, then by a row that belongs to this instance. When an instance is
// declared gone, its rows go with it, so a dead holder keeps nobody waiting.
const TRY_EVERY_MS = 100
const LONGEST_WAIT_MS = 30_000
const RELEASE_AGAIN_MS = 1_000

/**
 * Each statement stands by itself: it is done at once or not at all, and needs no transaction.
 *
 * @param memberId this instance's row in `member`; without it nobody gets a turn
 */
export function turnsOnServer(
  db: Database,
  memberId: string,
  { longestWaitMs = LONGEST_WAIT_MS, releaseAgainMs = RELEASE_AGAIN_MS } = {},
): InTurn {
  // A row of our own that is still there was not released: within this process the turn is ours already.
  const insert = db
    .prepare<{ key: string; memberId: string }, number>(
      `INSERT INTO turn (name, member) VALUES (@key, @memberId)
       ON CONFLICT (name) DO UPDATE SET member = excluded.member WHERE turn.member = excluded.member RETURNING 1`,
    )
    .pluck()
  const remove = db.prepare<{ key: string; memberId: string }>(
    'DELETE FROM turn WHERE name = @key AND member = @memberId',
  )
  const take = db.read((key: string) => insert.get({ key, memberId }))
  const free = db.read((key: string) => remove.run({ key, memberId }))
  const inProcess = turnsInMemory()
  /** Turns whose row may still stand, because the database could not be asked. */
  const unreleased = new Set<string>()

  async function waitFor(key: string): Promise<void> {
    const until = performance.now() + longestWaitMs
    // Before it is asked: the row may be there although the answer is lost.
    unreleased.add(key)
    while ((await take(key)) === undefined) {
      if (performance.now() >= until) {
        unreleased.delete(key)
        throw new TurnError('Another part of Fieldhook is still working on this. Please try again in a moment.')
      }
      await pause(TRY_EVERY_MS)
    }
  }

  async function release(key: string): Promise<void> {
    try {
      await free(key)
      unreleased.delete(key)
    } catch {
      // In its turn, so that it never ends somebody's work that began meanwhile.
      setTimeout(() => void inProcess(key, () => releaseLeft(key)), releaseAgainMs).unref()
    }
  }

  async function releaseLeft(key: string): Promise<void> {
    if (unreleased.has(key)) await release(key)
  }

  return (key, work) =>
    inProcess(key, async () => {
      try {
        await waitFor(key)
        return await work()
      } finally {
        await releaseLeft(key)
      }
    })
}
