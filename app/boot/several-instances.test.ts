// Three instances on one PostgreSQL, in one process, with beats of a tenth of their length.
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { newSigningSecret } from '#app/adapters/standard-webhooks.server.ts'
import { createRunPump } from '#app/engine/run-pump.server.ts'
import { createShares, type Shares } from '#app/engine/shares.server.ts'
import { systemClock } from '#app/lib/clocks.server.ts'
import { joinCluster, type PostgresMember } from '#db/postgres/cluster.server.ts'
import { postgresStore } from '#db/postgres/store.server.ts'
import type { Store } from '#db/store.ts'
import { aRule, aWish } from '#tests/support/automation-world.server.ts'
import { anEvent } from '#tests/support/engine-world.server.ts'
import { memoryOutbound } from '#tests/support/memory-outbound.ts'
import { freshDatabase, POSTGRES_WITHIN_MS, postgresForTests, postgresSchema } from '#tests/support/postgres.ts'
import { QUIET, sealAtOnce, TEST_SETTINGS } from '#tests/support/test-app.server.ts'
import { createDeliveryEngine, type DeliveryEngine } from './delivery-engine.server.ts'

const TIMING = { beatMs: 100, leaseMs: 500, marginMs: 100 }
const missing = (await postgresForTests()).outcome === 'none'
const clock = systemClock()
const secrets = createSecretBox(`k1:${Buffer.alloc(32, 7).toString('base64')}`)

interface Instance {
  engine: DeliveryEngine
  shares: Shares
  member: PostgresMember
  store: Store
  /** Its beats reach nobody, as if its network was cut. */
  cut(): void
}

let database: Awaited<ReturnType<typeof freshDatabase>>
let outbound: ReturnType<typeof memoryOutbound>
let instances: Instance[]

beforeEach(async () => {
  if (missing) return
  database = await freshDatabase(postgresSchema())
  outbound = memoryOutbound(clock)
  instances = []
}, POSTGRES_WITHIN_MS)
afterEach(async () => {
  if (missing) return
  await Promise.all(instances.map(({ engine, shares }) => engine.drain().then(shares.leave)))
  await Promise.all(instances.map(({ member }) => member.close()))
  await database.close()
})

async function instance(timing: Partial<typeof TIMING> = {}): Promise<Instance> {
  const id = `i${instances.length}`
  const member = await joinCluster(database.url, { id, process: id, version: '1', clock })
  const store = postgresStore(member.client.own, clock)
  let isCut = false
  const cluster = {
    ...member.cluster,
    beat: (takes: boolean) => (isCut ? Promise.reject(new Error('cut')) : member.cluster.beat(takes)),
  }
  const shares = createShares({
    ...{ cluster, clock, log: QUIET, timing: { ...TIMING, ...timing }, onGone() {} },
    elapsed: () => performance.now(),
    isGone: () => false,
  })
  const engine = createDeliveryEngine({
    ...{ store, clock, log: QUIET, outbound, secrets, settings: TEST_SETTINGS, shares, gatherMs: 0 },
  })
  shares.start()
  engine.start()
  const cut = () => {
    isCut = true
  }
  const made = { engine, shares, member, store, cut }
  instances.push(made)
  return made
}

const until = (what: () => boolean) => vi.waitFor(() => expect(what()).toBe(true), { timeout: 30_000, interval: 20 })
const counts = () => instances.map(({ shares }) => shares.status().owned)
const settled = async () => {
  await until(
    () => counts().reduce((sum, count) => sum + count, 0) === 64 && Math.max(...counts()) <= 64 / counts().length + 1,
  )
}

/** An endpoint of the nth account, so that all shares get some. */
async function endpoint(number: number, url: string): Promise<string> {
  const account = `aaaaaaaa-0000-4000-8000-${String(number).padStart(12, '0')}`
  const { acts } = (instances[0] as Instance).member.client
  await acts.query("INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES ($1, '', 'UTC', 0, 0)", [
    account,
  ])
  await acts.query(
    `INSERT INTO endpoint (account_uuid, object_type, field_filter, url, secret_sealed, state, state_since, breaker,
       breaker_probes, failure_streak, failure_events, redirect_streak, pending_count, created_at)
     VALUES ($1, 'job', '', $2, $3, 'active', 0, 'closed', 0, 0, '[]', 0, 0, 0)`,
    [account, url, sealAtOnce(`endpoint|${account}|secret`, newSigningSecret())],
  )
  return account
}
const urlOf = (number: number) => `https://r${number}.example.com/`
const accounts = (count: number) => Promise.all(Array.from({ length: count }, (_, n) => endpoint(n, urlOf(n))))

test.skipIf(missing)('three share the work; what any of them takes in is sent once, by its owner', async () => {
  for (let made = 0; made < 3; made++) await instance()
  await settled()
  const all = await accounts(30)
  for (let round = 0; round < 3; round++) {
    await Promise.all(
      all.map((accountUuid, index) =>
        instances[(index + round) % 3]?.engine.acceptEvent(anEvent({ clock }, { accountUuid })),
      ),
    )
  }
  await until(() => outbound.sent.length >= 90)
  await pause(300)
  expect(outbound.sent).toHaveLength(90)
  const sentBy = instances.map(({ engine }) => engine.status().endpoints)
  expect(Math.min(...sentBy)).toBeGreaterThan(0)
})

test.skipIf(missing)(
  'one leaves in good order: the others have its shares at once, and go on with what waits',
  async () => {
    // Long before its lease would end.
    const timing = { leaseMs: 60_000 }
    const [first] = [await instance(timing), await instance(timing)]
    await settled()
    const all = await accounts(20)
    first?.engine.beginDrain()
    first?.shares.beginLeave()
    await until(() => counts()[1] === 64)
    await Promise.all(all.map((accountUuid) => first?.engine.acceptEvent(anEvent({ clock }, { accountUuid }))))
    await until(() => outbound.sent.length === 20)
  },
)

test.skipIf(missing)('one falls silent: it stops by itself, is removed, and the others send what it had', async () => {
  const [first, second] = [await instance(), await instance()]
  await settled()
  const all = await accounts(20)
  first?.cut()
  await until(() => first?.shares.holds() === false)
  await until(() => counts()[1] === 64)
  // It still has its connections: as an owner, it writes nothing any more.
  await expect(first?.store.ops.trialWrite()).rejects.toThrow('no longer a member')
  await Promise.all(all.map((accountUuid) => second?.engine.acceptEvent(anEvent({ clock }, { accountUuid }))))
  await until(() => outbound.sent.length === 20)
})

test.skipIf(missing)(
  'an attempt that hangs while its share is given is met by no other, also one by hand; then its address goes on at once',
  async () => {
    const first = await instance()
    await until(() => counts()[0] === 64)
    const all = await accounts(20)
    const [again, live] = [all.slice(0, 10), all.slice(10)]
    const take = (accountUuid: string) => first.engine.acceptEvent(anEvent({ clock }, { accountUuid }))
    await Promise.all(again.map(take))
    const rowsOf = async (text: string) => (await first.member.client.acts.query(text)).rows
    await expect.poll(() => rowsOf("SELECT 1 FROM delivery WHERE state = 'delivered'")).toHaveLength(10)
    for (const index of all.keys()) outbound.when(urlOf(index), { afterMs: 5_000 })
    await Promise.all(live.map(take))
    for (const { id, account, endpoint } of await rowsOf(
      "SELECT id, account_uuid AS account, endpoint_id AS endpoint FROM delivery WHERE state = 'delivered'",
    )) {
      await first.store.deliveries.retryDelivery(account, id, clock.now(), 60_000)
      first.engine.wake(endpoint)
    }
    await until(() => outbound.sent.length === 30)
    await instance()
    await settled()
    expect(outbound.inFlight()).toBe(20)
    const waiting = "SELECT 1 FROM delivery WHERE state <> 'delivered'"
    // A rest of the addresses would end later.
    await expect.poll(() => rowsOf(waiting), { timeout: 12_000 }).toEqual([])
    await pause(300)
    expect(outbound.sent).toHaveLength(30)
    // What hangs now would only hold the end up.
    for (const index of all.keys()) outbound.when(urlOf(index), {})
    await Promise.all(all.map(take))
    await expect.poll(() => outbound.sent, { timeout: 12_000 }).toHaveLength(50)
  },
)

test.skipIf(missing)('of an account that is given away, no run begins while one is still under way', async () => {
  const begun: string[] = []
  let end = () => {}
  const hangs = new Promise<void>((resolve) => (end = resolve))
  const runsOf = ({ shares, store }: Instance, owner: string) => {
    const pump = createRunPump({
      ...{ clock, log: QUIET, ownership: shares.ownership, beatsPerClaim: 1, limits: { perAccount: 1 } },
      ports: {
        async due(now, most) {
          const due = await store.runs.dueRuns(now, most)
          return due.map(({ id, accountUuid: account, begun }) => ({ id, account, keys: [], begun }))
        },
        nextDueAt: store.runs.nextRunDueAt,
        rest: (ids, at) => store.runs.restRuns(ids, owner, at),
        async work({ id, account }) {
          if (!(await store.runs.claimRun(account, id, owner, clock.now()))) return null
          begun.push(`${owner} ${id}`)
          if (owner === 'one') await hangs
          const fence = { accountUuid: account, runId: id, owner }
          const stamp = (await store.runs.readJournal(fence))?.stamp ?? ''
          const ended = { cancelledReason: { code: 'broken_off' }, told: [], forgets: false, at: clock.now() }
          await store.runs.finishRun(fence, stamp, { outcome: 'success', reason: null, ...ended })
          return null
        },
      },
    })
    pump.start()
    return pump
  }
  const first = await instance({ leaseMs: 60_000 })
  await settled()
  const [account = ''] = await accounts(1)
  const at = { active: true, nextRunAt: null, baselined: true, triggerKey: null, at: clock.now() }
  const { automations, runs } = first.store
  const rule = await automations.createAutomation(account, { name: 'R', definition: aRule([]), ...at })
  for (const job of ['job-1', 'job-1']) await runs.startRuns(account, [aWish(rule, [job], clock.now())], clock.now())
  const pumps = [runsOf(first, 'one')]
  await until(() => begun.length === 1)
  pumps.push(runsOf(await instance(), 'other'))
  pumps[0]?.beginDrain()
  first.shares.beginLeave()
  await until(() => counts()[1] === 64)
  await pause(500)
  expect(begun).toEqual(['one 1'])
  end()
  await until(() => begun.length === 2)
  expect(begun).toEqual(['one 1', 'other 2'])
  await Promise.all(pumps.map((pump) => pump.drain()))
})

test.skipIf(missing)(
  'a replay goes on with whoever takes its account over, also alone and with nothing else to do',
  async () => {
    const first = await instance()
    await settled()
    const [account = ''] = await accounts(1)
    await first.engine.acceptEvent(anEvent({ clock }, { accountUuid: account }))
    await until(() => outbound.sent.length === 1)
    // It still owns the account, and grows nothing any more.
    await first.engine.drain()
    const since = clock.now() - 60_000
    const [found] = (await first.member.client.acts.query('SELECT id FROM endpoint')).rows
    const request = { since, status: 'all' as const, objectUuid: null }
    const replay = first.store.deliveries.startReplay(account, Number(found?.id), request, 1, clock.now())
    expect(await replay).not.toBeNull()
    await first.member.cluster.takeNews()
    await first.shares.leave()
    instances = []
    await instance()
    await first.member.close()
    await until(() => outbound.sent.length === 2)
  },
)
