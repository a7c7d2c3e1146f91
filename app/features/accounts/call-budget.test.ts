import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CallPriority } from '#app/adapters/platform.ts'
import {
  CALLS_A_DAY,
  CALLS_IN_WINDOW,
  countFrom,
  judgeCall,
  noCalls,
  noteCall,
  WINDOW,
} from '#app/domain/call-budget.ts'
import { dayOf } from '#app/domain/time/local-time.ts'
import { type FixedClock, fixedClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { callRows } from '#db/postgres/call-rows.server.ts'
import type { PostgresClient } from '#db/postgres/client.server.ts'
import type { CallRows } from '#db/store/shared.ts'
import { POSTGRES_WITHIN_MS } from '#tests/support/postgres.ts'
import { type SharedDatabase, sharedDatabase } from '#tests/support/shared-database.ts'
import { createCallBudget } from './call-budget.server.ts'

const ACCOUNT = 'aaaaaaaa-0000-4000-8000-000000000001'
const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => QUIET }
const START = Date.UTC(2026, 0, 5, 9, 0, 0)

let database: SharedDatabase | null
let instances: PostgresClient[] = []
beforeAll(async () => {
  database = await sharedDatabase()
  if (!database) return
  instances = [await database.instance('one'), await database.instance('other')]
  for (const uuid of [ACCOUNT, 'another'])
    await database.run(
      `INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES ('${uuid}', '', 'UTC', 1, 1)`,
    )
}, POSTGRES_WITHIN_MS)
beforeEach(() => database?.run('DELETE FROM call_budget'))
afterAll(() => database?.close())

/** Statements that are under way. */
let asking = 0

/** The rows as instance `n` sees them. */
function rowsOf(n: number, clock: FixedClock | null): CallRows {
  const client = instances[n]
  if (!client) throw new Error('no PostgreSQL')
  const rows = callRows(client.db, WINDOW, clock?.now ?? null)
  const told = Object.entries(rows).map(([name, ask]) => [
    name,
    async (...given: never[]) => {
      asking += 1
      try {
        return await (ask as (...given: never[]) => Promise<unknown>)(...given)
      } finally {
        asking -= 1
      }
    },
  ])
  return Object.fromEntries(told)
}

const KEEPERS = [
  { where: 'in memory', rows: () => undefined },
  { where: 'in rows', rows: (clock: FixedClock) => rowsOf(0, clock) },
]

function after(calls: number, at = START) {
  const count = noCalls(at)
  for (let made = 0; made < calls; made += 1) noteCall(count, at)
  return count
}

describe('the share of an account', () => {
  it('lets rules make 150 calls a minute and leaves the rest to screens', () => {
    const count = after(CALLS_IN_WINDOW.background)
    expect(judgeCall(count, 'background', START)).toEqual({ verdict: 'wait', until: START + WINDOW, why: 'minute' })
    expect(judgeCall(count, 'screen', START)).toEqual({ verdict: 'go' })
    const full = after(CALLS_IN_WINDOW.screen)
    expect(judgeCall(full, 'screen', START)).toEqual({ verdict: 'wait', until: START + WINDOW, why: 'minute' })
  })

  it('says when enough of them have left the minute, not when the first one has', () => {
    const count = noCalls(START)
    for (let made = 0; made < 160; made += 1) noteCall(count, START + made * 100)
    expect(judgeCall(count, 'background', START + 16_000)).toEqual({
      verdict: 'wait',
      until: START + 10 * 100 + WINDOW,
      why: 'minute',
    })
  })

  it('lets rules make 18,000 calls a UTC day, screens 20,000', () => {
    const count = { ...noCalls(START), inDay: CALLS_A_DAY.background }
    const midnight = Date.UTC(2026, 0, 6)
    expect(judgeCall(count, 'background', START)).toEqual({ verdict: 'wait', until: midnight, why: 'day' })
    expect(judgeCall(count, 'screen', START)).toEqual({ verdict: 'go' })
    expect(judgeCall({ ...count, inDay: CALLS_A_DAY.screen }, 'screen', START)).toMatchObject({ why: 'day' })
    expect(judgeCall(count, 'background', midnight)).toEqual({ verdict: 'go' })
  })

  it('is closed to everybody while the platform itself says no', () => {
    const count = { ...noCalls(START), pausedUntil: START + 5_000 }
    for (const priority of ['screen', 'background'] as const) {
      expect(judgeCall(count, priority, START)).toEqual({ verdict: 'wait', until: START + 5_000, why: 'platform' })
      expect(judgeCall(count, priority, START + 5_000)).toEqual({ verdict: 'go' })
    }
  })

  it('begins after a restart with what was written down', () => {
    const at = Array.from({ length: 150 }, (_, index) => START - 30_000 + index)
    const count = countFrom({ at: [...at, START - WINDOW], inDay: 17_000 }, START)
    expect(count).toMatchObject({ recent: { length: 150 }, inDay: 17_000, day: dayOf(START) })
    expect(judgeCall(count, 'background', START)).toMatchObject({ verdict: 'wait', why: 'minute' })
  })
})

describe.each(KEEPERS)('the gate, counted $where', ({ where, rows }) => {
  beforeEach(({ skip }) => skip(where === 'in rows' && database === null, 'no PostgreSQL'))

  it('tells rules at once about a long wait, and waits for a short one', async () => {
    const clock = fixedClock(START)
    const budget = createCallBudget({ clock, log: QUIET, store: {}, callRows: rows(clock) })
    const gate = budget.gateOf(ACCOUNT, 'background')
    for (let made = 0; made < 150; made += 1) expect(await gate.admit()).toBeNull()
    expect(await gate.admit()).toEqual({
      outcome: 'rate_limited',
      status: 429,
      message: expect.stringContaining('180 ServiceM8 calls'),
      retryAt: START + WINDOW,
    })
    clock.set(START + WINDOW - 1_500)
    const waiting = gate.admit()
    await settled()
    clock.advance(1_500)
    expect(await waiting).toBeNull()
  })

  it('says what is left of it, without counting the question', async () => {
    const store = { recentApiCalls: async () => ({ at: [START - 5, START - 4], inDay: 900 }) }
    const clock = fixedClock(START)
    const budget = createCallBudget({ clock, log: QUIET, store, callRows: rows(clock) })
    expect(await budget.leftOf(ACCOUNT)).toEqual({ minute: 178, day: 19_100, pausedUntil: null })
    const gate = budget.gateOf(ACCOUNT, 'screen')
    await gate.admit()
    gate.limited(START + 500)
    await settled()
    expect(await budget.leastLeft()).toBe(0)
    expect(await budget.leftOf(ACCOUNT)).toEqual({ minute: 177, day: 19_099, pausedUntil: START + 500 })
    clock.advance(500)
    expect(await budget.leastLeft()).toBe(177)
    clock.advance(WINDOW)
    expect(await budget.leftOf(ACCOUNT)).toEqual({ minute: 180, day: 19_099, pausedUntil: null })
  })

  it('keeps accounts apart', async () => {
    const clock = fixedClock(START)
    const budget = createCallBudget({ clock, log: QUIET, store: {}, callRows: rows(clock) })
    for (let made = 0; made < 150; made += 1) await budget.gateOf(ACCOUNT, 'background').admit()
    expect(await budget.gateOf('another', 'background').admit()).toBeNull()
  })

  it('does not stop the account when the log of calls cannot be read', async () => {
    const store = { recentApiCalls: () => Promise.reject(new Error('disk I/O error')) }
    const clock = fixedClock(START)
    const budget = createCallBudget({ clock, log: QUIET, store, callRows: rows(clock) })
    expect(await budget.gateOf(ACCOUNT, 'background').admit()).toBeNull()
  })
})

describe('two instances', () => {
  beforeEach(({ skip }) => skip(database === null, 'no PostgreSQL'))

  it('make 180 calls of an account in 61 s together, of which rules leave 30, by the clock of the database', async () => {
    // Clocks that are 40 s apart: only the database's counts.
    const budgets = [0, 1].map((n) =>
      createCallBudget({ clock: fixedClock(START + n * 40_000), log: QUIET, store: {}, callRows: rowsOf(n, null) }),
    )
    const ask = (times: number, priority: CallPriority) =>
      Promise.all(Array.from({ length: times }, (_, n) => budgets[n % 2]?.gateOf(ACCOUNT, priority).admit()))
    const background = await ask(170, 'background')
    expect(background.filter((held) => held === null)).toHaveLength(150)
    const screens = await ask(50, 'screen')
    expect(screens.filter((held) => held === null)).toHaveLength(30)
    for (const [n, budget] of budgets.entries()) {
      expect(await budget.leftOf(ACCOUNT)).toMatchObject({ minute: 0, day: 19_820 })
      expect(await budget.leastLeft()).toBe(0)
      const held = await budget.gateOf(ACCOUNT, 'screen').admit()
      // Told in the instance's own time.
      expect((held?.retryAt ?? 0) - (START + n * 40_000)).toBeGreaterThan(20_000)
      expect((held?.retryAt ?? 0) - (START + n * 40_000)).toBeLessThanOrEqual(WINDOW)
    }
  })

  it('both stop when the platform told one of them to', async () => {
    const clock = fixedClock(START)
    const [told, other] = [0, 1].map((n) =>
      createCallBudget({ clock, log: QUIET, store: {}, callRows: rowsOf(n, clock) }),
    )
    told?.gateOf(ACCOUNT, 'screen').limited(START + 9_000)
    await settled()
    expect(await other?.gateOf(ACCOUNT, 'screen').admit()).toMatchObject({ retryAt: START + 9_000 })
    clock.advance(9_000)
    expect(await other?.gateOf(ACCOUNT, 'screen').admit()).toBeNull()
  })
})

type Act =
  | { act: 'call'; priority: CallPriority; times: number }
  | { act: 'pass'; ms: number }
  | { act: 'restart' }
  | { act: 'limited'; ms: number }

const acts = fc.array(
  fc.oneof(
    fc.record({
      act: fc.constant('call' as const),
      priority: fc.constantFrom<CallPriority>('screen', 'background'),
      times: fc.integer({ min: 1, max: 90 }),
    }),
    fc.record({ act: fc.constant('pass' as const), ms: fc.oneof(fc.nat(3_000), fc.nat(70_000)) }),
    fc.record({ act: fc.constant('restart' as const) }),
    fc.record({ act: fc.constant('limited' as const), ms: fc.nat(30_000) }),
  ) as fc.Arbitrary<Act>,
  { maxLength: 60 },
)

describe.each(KEEPERS)('whatever happens, counted $where', ({ where, rows }) => {
  beforeEach(({ skip }) => skip(where === 'in rows' && database === null, 'no PostgreSQL'))

  it('never are more than 180 calls made in a minute, nor by rules beyond 150, nor while the platform says no', async () => {
    await fc.assert(
      fc.asyncProperty(acts, async (script) => {
        const clock = fixedClock(START)
        await database?.run('DELETE FROM call_budget')
        const made: { at: number; priority: CallPriority }[] = []
        let pausedUntil = 0
        const store = {
          recentApiCalls: async (_account: string, { since }: { since: number }) => {
            const at = made.map((call) => call.at).filter((one) => one > since)
            return { at, inDay: made.length }
          },
        }
        let budget = createCallBudget({ clock, log: QUIET, store, callRows: rows(clock) })
        const open: Promise<void>[] = []
        const call = async (priority: CallPriority) => {
          const process = budget
          const held = await process.gateOf(ACCOUNT, priority).admit()
          // What waits in a process that ended is never made.
          if (process !== budget) return
          if (held) {
            expect(held.retryAt).toBeGreaterThan(clock.now())
            return
          }
          const at = clock.now()
          expect(at).toBeGreaterThanOrEqual(pausedUntil)
          made.push({ at, priority })
          const minute = made.filter((one) => one.at > at - 60_000).length
          expect(minute).toBeLessThanOrEqual(priority === 'screen' ? 180 : 150)
        }
        for (const one of script) {
          switch (one.act) {
            case 'call':
              for (let time = 0; time < one.times; time += 1) open.push(call(one.priority))
              break
            case 'pass':
              clock.advance(one.ms)
              break
            case 'restart':
              await settled()
              budget = createCallBudget({ clock, log: QUIET, store, callRows: rows(clock) })
              break
            case 'limited':
              budget.gateOf(ACCOUNT, 'screen').limited(clock.now() + one.ms)
              await settled()
              pausedUntil = Math.max(pausedUntil, clock.now() + one.ms)
              break
          }
          await settled()
          // A new process does not know what the platform told the old one, unless it is written down.
          if (one.act === 'restart' && where === 'in memory') pausedUntil = 0
        }
        for (let turn = 0; turn < 40; turn += 1) {
          clock.advance(2_000)
          await settled()
        }
        await Promise.all(open)
      }),
      { numRuns: where === 'in memory' ? 60 : 12 },
    )
  })
})

async function settled(): Promise<void> {
  for (let quiet = 0; quiet < 4; quiet = asking > 0 ? 0 : quiet + 1) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}
