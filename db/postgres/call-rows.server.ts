// The calls of the accounts in rows. Each statement stands by itself: it waits for the row of another instance, and then
// judges what is in it, where a transaction would have to run again.
import { days } from '#app/lib/duration.ts'
import type { Database } from '../database.ts'
import type { CallLimits, CallRows, CountedCalls } from '../store/shared.ts'
import { NOW, type TestClock } from './clock.ts'

interface CountRow extends Omit<CountedCalls, 'recent'> {
  recent: string
}

/** @param window how long a call counts, in ms */
export function callRows(db: Database, window: number, clock: TestClock = null): CallRows {
  const TODAY = `${NOW} / ${days(1)}`
  const RECENT = `SELECT call FROM unnest(recent) AS call WHERE call > ${NOW} - ${window}`
  const IN_DAY = `CASE WHEN day = ${TODAY} THEN in_day ELSE 0 END`
  const COUNT = `SELECT array_to_string(ARRAY(${RECENT} ORDER BY call), ',') AS recent, ${TODAY} AS day, ${IN_DAY} AS inDay,
    paused_until AS pausedUntil, ${NOW} AS now FROM call_budget`
  const now = () => clock?.() ?? null

  const take = db.prepare<CallLimits & { accountUuid: string; now: number | null }>(
    `UPDATE call_budget SET recent = ARRAY(${RECENT}) || ${NOW}, day = ${TODAY}, in_day = ${IN_DAY} + 1
     WHERE account_uuid = @accountUuid AND paused_until <= ${NOW} AND ${IN_DAY} < CAST(@inDay AS bigint)
       AND (SELECT count(*) FROM (${RECENT}) AS own) < CAST(@inWindow AS bigint)`,
  )
  const find = db.prepare<{ accountUuid: string; now: number | null }, CountRow>(
    `${COUNT} WHERE account_uuid = @accountUuid`,
  )
  const begin = db.prepare<{ accountUuid: string; recent: string; inDay: number; now: number | null }>(
    `INSERT INTO call_budget (account_uuid, recent, day, in_day)
     VALUES (@accountUuid, CAST(@recent AS bigint[]), ${TODAY}, CAST(@inDay AS bigint)) ON CONFLICT DO NOTHING`,
  )
  const wait = db.prepare<{ accountUuid: string; ms: number; now: number | null }>(
    `UPDATE call_budget SET paused_until = greatest(paused_until, ${NOW} + CAST(@ms AS bigint)) WHERE account_uuid = @accountUuid`,
  )
  const findRecent = db.prepare<{ now: number | null }, CountRow>(
    `${COUNT} WHERE paused_until > ${NOW} OR EXISTS (${RECENT})`,
  )

  return {
    takeCall: db.read(function* (accountUuid, limits) {
      return (yield* take.run({ accountUuid, ...limits, now: now() })).changes === 1
    }),
    findCalls: db.read(function* (accountUuid) {
      const row = yield* find.get({ accountUuid, now: now() })
      return row ? toCount(row) : null
    }),
    beginCalls: db.read(function* (accountUuid, { at, inDay }) {
      yield* begin.run({ accountUuid, recent: `{${at.join(',')}}`, inDay: Math.max(inDay, at.length), now: now() })
    }),
    pauseCalls: db.read(function* (accountUuid, ms) {
      yield* wait.run({ accountUuid, ms: Math.ceil(ms), now: now() })
    }),
    recentCounts: db.read(function* () {
      return (yield* findRecent.all({ now: now() })).map(toCount)
    }),
  }
}

function toCount({ recent, ...count }: CountRow): CountedCalls {
  return { ...count, recent: recent === '' ? [] : recent.split(',').map(Number) }
}
