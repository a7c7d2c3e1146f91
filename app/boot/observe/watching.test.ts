// What is counted and looked at while the real engine works on a real file.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ADDRESS_SENTENCES } from '#app/adapters/outbound/safe-address.ts'
import type { App } from '#app/context/app-context.ts'
import type { Shares } from '#app/engine/shares.server.ts'
import { hours, seconds } from '#app/lib/duration.ts'
import { withMethods } from '#app/lib/families.ts'
import { loader as metricsRoute } from '#app/routes/ops/metrics.ts'
import { loader as readyRoute } from '#app/routes/ops/readyz.ts'
import { ADDRESS, anEvent, type EngineWorld, engineWorld } from '#tests/support/engine-world.server.ts'
import type { DeliveryEngine } from '../delivery-engine.server.ts'
import { measureOAuth } from './measured-parts.server.ts'
import { type ObservedParts, observeParts } from './observed-parts.server.ts'
import { createWatching } from './watching.server.ts'

let world: EngineWorld
let observed: ObservedParts
let engine: DeliveryEngine
let folder: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-watching-'))
  world = engineWorld()
  observed = await observeParts({ log: world.log, version: '1.2.3', tracing: null })
  engine = world.engine({ store: observed.store(world.store), outbound: observed.outbound(world.outbound) })
  engine.start()
  await world.clock.settle()
})
afterEach(async () => {
  await observed.stop()
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

type Given = Partial<Parameters<typeof createWatching>[0]>

function watching(token: string | null = null, shares: Shares | null = null, given: Given = {}): App['watching'] {
  const { store, clock, log } = world
  return createWatching({
    ...{ store, clock, log, engine, token, version: '1.2.3', budgetBytes: 1e9 },
    ...{ measures: observed.measures, load: observed.load },
    ...{ shares, folder: shares === null ? folder : null },
    runs: {
      status: () => ({ owner: true, draining: false, inFlight: 2, known: 1, lastBeatAt: clock.now(), turns: 4 }),
    },
    budget: { leastLeft: async () => 42 },
    schedulerTurns: () => 3,
    apart: { waiting: () => 0 },
    newestBackup: async () => clock.now() - hours(1),
    isCopy: () => false,
    spaceSentence: () => 'There is room.',
    ...given,
  })
}
const lines = async (shares: Shares | null = null, given: Given = {}) =>
  new Set((await watching(null, shares, given).metrics()).text.split('\n'))

/** One of three instances, as its engine and its figures know it. */
function oneOfThree(now: { leads?: boolean; holds?: boolean; clockAhead?: number; lastBeatAt?: number } = {}): Shares {
  const { leads = false, holds = true, clockAhead = 0, lastBeatAt = world.clock.now() } = now
  const status = () => ({ members: 3, owned: 21, unowned: 1, clockAhead, lastBeatAt })
  const ownership = () => ({
    release: async () => {},
    ...{ start() {}, holds: () => holds, owns: () => true },
    lastRunAt: () => null,
    turns: () => 0,
  })
  const cluster = { onRing() {} }
  return { leads: () => leads, holds: () => holds, status, ownership, cluster } as unknown as Shares
}

describe('an event on its way', () => {
  it('is counted where it comes in, is committed, tried and delivered', async () => {
    world.endpoint()
    world.outbound.when(ADDRESS, (_request, count) => ({ status: count === 1 ? 500 : 200, afterMs: 40 }))
    const event = anEvent(world)
    await engine.acceptEvent(event)
    await engine.acceptEvent(event)
    await world.clock.run(seconds(120))
    const seen = await lines()
    expect(seen).toContain('fieldhook_events_total{outcome="stored"} 1')
    expect(seen).toContain('fieldhook_events_total{outcome="duplicate"} 1')
    expect(seen).toContain('fieldhook_commit_events_count 2')
    expect(seen).toContain('fieldhook_attempts_total{outcome="http_error"} 1')
    expect(seen).toContain('fieldhook_attempts_total{outcome="delivered"} 1')
    expect(seen).toContain('fieldhook_deliveries_total{result="delivered"} 1')
    expect(seen).toContain('fieldhook_first_attempt_delay_seconds_count 1')
    expect(seen).toContain('fieldhook_oldest_due_delivery_seconds 0')
    expect(seen).toContain('fieldhook_lease_held{lease="deliveries"} 1')
    expect(seen).toContain('fieldhook_backup_age_seconds 3600')
    expect(seen).toContain('fieldhook_platform_budget_left 42')
    expect(seen).toContain('fieldhook_loop_turns_total{loop="scheduler"} 3')
  })

  it('is in flight while it is being sent, and the one number stays at nothing', async () => {
    world.endpoint()
    world.outbound.when(ADDRESS, { afterMs: 9_000 })
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(seconds(5))
    const seen = await lines()
    expect(seen).toContain('fieldhook_deliveries_in_flight{lane="live"} 1')
    expect(seen).toContain('fieldhook_oldest_due_delivery_seconds 0')
  })

  it('makes the one number grow when the engine stands still', async () => {
    world.endpoint()
    await engine.drain()
    await engine.acceptEvent(anEvent(world))
    world.clock.leap(seconds(90))
    expect(await lines()).toContain('fieldhook_oldest_due_delivery_seconds 90')
  })
})

describe('what goes wrong', () => {
  it('in the database is counted by its code, and by the line in the log', async () => {
    const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    const store = observed.store(withMethods(world.store, { trialWrite: () => Promise.reject(full) }))
    await expect(store.ops.trialWrite()).rejects.toBe(full)
    observed.log.error({}, 'something.failed')
    observed.log.child({ part: 'x' }).warn({}, 'something.odd')
    const seen = await lines()
    expect(seen).toContain('fieldhook_storage_errors_total{code="SQLITE_FULL"} 1')
    expect(seen).toContain('fieldhook_log_lines_total{level="error"} 1')
    expect(seen).toContain('fieldhook_log_lines_total{level="warn"} 1')
    expect(world.logged).toContain('something.failed')
  })

  it('at the guard is counted by its reason', async () => {
    const sentence = ADDRESS_SENTENCES.private_address
    const outbound = observed.outbound({
      ...world.outbound,
      check: async () => ({ verdict: 'blocked' as const, sentence, refused: 'private_address' as const }),
    })
    await outbound.check('https://10.0.0.1/')
    expect(await lines()).toContain('fieldhook_guard_refusals_total{reason="private_address"} 1')
  })

  it('with a token is counted by how its renewal ended', async () => {
    const refresh = async () => ({ outcome: 'unauthorized' as const, status: 401, message: 'no' })
    await measureOAuth({ refresh } as unknown as App['oauth'], observed.measures).refresh('old')
    expect(await lines()).toContain('fieldhook_token_refreshes_total{result="unauthorized"} 1')
  })

  it('when the backlog cannot be read, its series say so and the others are told all the same', async () => {
    const store = world.store
    world.store = withMethods(store, { readBacklog: () => Promise.reject(new Error('busy')) })
    const seen = await lines()
    world.store = store
    expect(seen).toContain('fieldhook_oldest_due_delivery_seconds Nan')
    expect(seen).toContain('fieldhook_reading_failed{part="backlog"} 1')
    expect(seen).toContain('fieldhook_platform_budget_left 42')
  })

  it('a backup or a budget that cannot be read is not one that is missing', async () => {
    const unreadable = async () => Promise.reject(new Error('busy'))
    const seen = await lines(null, { newestBackup: unreadable, budget: { leastLeft: unreadable } })
    expect(seen).toContain('fieldhook_backup_age_seconds Nan')
    expect(seen).toContain('fieldhook_platform_budget_left Nan')
    for (const part of ['backup', 'budget']) expect(seen).toContain(`fieldhook_reading_failed{part="${part}"} 1`)
    const none = await lines(null, { newestBackup: async () => null })
    expect(none).toContain('fieldhook_backup_age_seconds +Inf')
    expect(none).toContain('fieldhook_reading_failed{part="backup"} 0')
  })

  it('a held copy makes no backups, and tells of none that is old', async () => {
    const seen = await lines(null, { newestBackup: async () => world.clock.now() - hours(9), isCopy: () => true })
    expect([...seen].filter((line) => line.startsWith('fieldhook_backup_age'))).toEqual([])
    expect(seen).toContain('fieldhook_reading_failed{part="backup"} 0')
  })
})

it('the details are told also while the database hangs', async () => {
  const store = world.store
  world.store = withMethods(store, { readBacklog: () => new Promise(() => {}) })
  const told = watching().details()
  world.store = store
  await world.clock.run(seconds(1))
  expect(await told).toMatchObject({ oldestDueDeliverySeconds: null, version: '1.2.3' })
})

describe('one of several instances', () => {
  it('tells of itself, and only the one that leads tells of the database', async () => {
    const seen = await lines(oneOfThree({ clockAhead: -1_500 }))
    expect(seen).toContain('fieldhook_members 3')
    expect(seen).toContain('fieldhook_shares_owned 21')
    expect(seen).toContain('fieldhook_shares_unowned 1')
    expect(seen).toContain('fieldhook_clock_ahead_seconds -1.5')
    const ofDatabase = (all: Set<string>) =>
      [...all].filter((line) =>
        /^fieldhook_(oldest|schedule|deliveries_(pending|held)|database_|disk|backup)/.test(line),
      )
    expect(ofDatabase(seen)).toEqual([])
    for (const part of ['backlog', 'space', 'disk', 'backup', 'budget'])
      expect(seen).toContain(`fieldhook_reading_failed{part="${part}"} 0`)
    const led = await lines(oneOfThree({ leads: true }))
    expect(led).toContain('fieldhook_oldest_due_delivery_seconds 0')
    expect(led).toContain('fieldhook_deliveries_pending{lane="live"} 0')
    // The disk and the backups are the server's.
    expect(ofDatabase(led).filter((line) => /disk|backup/.test(line))).toEqual([])
    expect(await watching(null, oneOfThree()).details()).toMatchObject({ instances: { members: 3, sharesOwned: 21 } })
  })

  it('without others it is the only member, and has no shares to tell of', async () => {
    const seen = await lines()
    expect(seen).toContain('fieldhook_members 1')
    expect(seen).toContain('fieldhook_shares_owned Nan')
  })

  it('is ready while it lives and the clocks agree, whether it delivers or not', async () => {
    const reasons = async (now: Parameters<typeof oneOfThree>[0]) => {
      const { ready, reasons: all } = await world.engine({ shares: oneOfThree(now) }).ready()
      return ready ? [] : all
    }
    const silent = ['the database has had no sign of this instance for 3 s']
    const wrong = ['the clock of this machine is wrong by more than 30 s']
    expect(await reasons({})).toEqual([])
    expect(await reasons({ lastBeatAt: world.clock.now() - 3_000 })).toEqual([])
    expect(await reasons({ lastBeatAt: world.clock.now() - 3_001 })).toEqual(silent)
    expect(await reasons({ holds: false })).toEqual(silent)
    expect(await reasons({ clockAhead: 30_000 })).toEqual([])
    expect(await reasons({ clockAhead: -30_001 })).toEqual(wrong)
  })
})

describe('who may look', () => {
  const call = (route: typeof readyRoute, token: string | null, authorization?: string, clientIp = '203.0.113.9') => {
    const request = new Request('https://hooks.example.com/x', authorization ? { headers: { authorization } } : {})
    const app = { ...world.app, ready: engine.ready, watching: watching(token) } as unknown as App
    return route({ request, params: {}, context: { app, clientIp, nonce: '' } })
  }

  it('metrics are for the private network without a token, and want it as a bearer when there is one', async () => {
    expect((await call(metricsRoute, null)).status).toBe(401)
    expect((await call(metricsRoute, null, undefined, 'fdaa:0:1::3')).status).toBe(200)
    for (const wrong of [undefined, 'Bearer t0ken-of-the-operator', 'Basic token', 'Bearer']) {
      const refused = await call(metricsRoute, 'token-of-the-operator', wrong)
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    }
    const answer = await call(metricsRoute, 'token-of-the-operator', 'Bearer token-of-the-operator')
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
      'no-store',
    ])
  })

  it('the world learns only whether it is ready', async () => {
    for (const [token, authorization] of [
      [null, undefined],
      [null, 'Bearer anything'],
      ['token-of-the-operator', 'Bearer wrong'],
    ] as const) {
      expect(await (await call(readyRoute, token, authorization)).text()).toBe('ready\n')
    }
  })

  it('the operator learns why, and how it does', async () => {
    const good = 'Bearer token-of-the-operator'
    expect(await (await call(readyRoute, 'token-of-the-operator', good)).json()).toMatchObject({
      ready: true,
      reasons: [],
      version: '1.2.3',
      deliveries: { owner: true, inFlight: 0 },
      oldestDueDeliverySeconds: 0,
      space: 'There is room.',
    })
    world.clock.leap(seconds(6))
    const answer = await call(readyRoute, 'token-of-the-operator', good)
    expect([answer.status, ((await answer.json()) as { reasons: string[] }).reasons]).toEqual([
      503,
      ['the delivery engine is silent'],
    ])
  })

  it('the world writes nothing by asking: one small write answers everybody for three seconds', async () => {
    const { trialWrite } = world.store.ops
    let written = 0
    const counting = world.engine({
      store: withMethods(world.store, {
        async trialWrite() {
          written++
          await trialWrite()
        },
      }),
    })
    await Promise.all(Array.from({ length: 50 }, () => counting.ready()))
    for (let n = 0; n < 50; n++) await counting.ready()
    expect(written).toBe(1)
    world.clock.leap(seconds(3))
    await counting.ready()
    expect(written).toBe(2)
  })

  it('a database that does not answer is not ready after 2 s, and nobody waits longer', async () => {
    const hanging = world.engine({
      store: withMethods(world.store, { trialWrite: () => new Promise<never>(() => {}) }),
    })
    const asked = hanging.ready()
    await world.clock.run(seconds(3))
    expect((await asked).reasons).toContain('the database takes longer than 2 s for a small write')
  })

  it('a database that takes longer than 2 s for a small write is not ready', async () => {
    const { trialWrite } = world.store.ops
    const slow = world.engine({
      store: withMethods(world.store, {
        async trialWrite() {
          await trialWrite()
          world.clock.leap(2_001)
        },
      }),
    })
    expect((await slow.ready()).reasons).toContain('the database takes longer than 2 s for a small write')
  })
})
