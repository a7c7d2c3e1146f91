// What several instances do one at a time, or count together, by rows of their database.
import { minutes } from '#app/lib/duration.ts'
import type { TakenToken } from '#app/lib/rate-limiter.ts'
import type { Database } from '../database.ts'
import type { SharedStore } from '../store/shared.ts'
import { NOW, type TestClock } from './clock.ts'
import { turnsOnServer } from './turns.server.ts'

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
