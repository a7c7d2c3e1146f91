// Long: one table of acts on deliveries, with the same few helpers.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ReplayRequest } from '#app/domain/deliveries/stored-delivery.ts'
import { nextStep } from '#app/features/events/delivering/delivery.ts'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import {
  anEvent,
  BRISBANE,
  countReplayed,
  type EngineWorld,
  engineWorld,
  LEEDS,
} from '#tests/support/engine-world.server.ts'
import { aboutTheFile } from '#tests/support/test-app.server.ts'
import type { AttemptReport, DeliveryJob, SettleOptions } from '../../store/deliveries.ts'
import type { IncomingEvent } from '../../store/events.ts'

let world: EngineWorld
beforeEach(() => {
  world = engineWorld()
})
afterEach(async () => {
  await world.close()
})

const TIDY = { alone: true, spreadMs: { from: 1_000, to: 60_000 }, graceMs: hours(1), sampleReason: 'interrupted' }
const EXPIRE = { graceMs: minutes(2), pausedForMs: days(30), reason: () => 'too late', failure: () => null }

async function accepted(count: number, given: Partial<IncomingEvent> = {}): Promise<number[]> {
  const events = Array.from({ length: count }, () => anEvent(world, given))
  const answers = await world.store.events.acceptEvents(events, {
    choose: chooseEndpoints,
    limit: { deliveries: 50_000, bytes: 50_000_000 },
    retryFor: hours(72),
    stoppedReason: 'Stopped.',
  })
  return answers.flatMap((answer) => (answer.outcome === 'stored' ? answer.deliveries.map(({ id }) => id) : []))
}

async function load(id: number): Promise<DeliveryJob> {
  const [job] = await world.store.deliveries.loadDeliveries([id])
  if (!job) throw new Error(`delivery ${id} does not wait`)
  return job
}

function report(job: DeliveryJob, status: number): AttemptReport {
  const now = world.clock.now()
  const outcome = status === 200 ? 'delivered' : status === 410 ? 'gone' : 'http_error'
  return {
    job,
    probe: false,
    startedAt: now,
    endedAt: now,
    result: {
      kind: 'sent',
      verdict: { outcome, statusCode: status, retryAfterMs: null, sentence: `It answered ${status}.` },
      durationMs: 12,
      dnsMs: 1,
      connectMs: 2,
      tlsMs: 3,
      firstByteMs: 10,
      peerIp: '203.0.113.9',
      responseBody: 'ok',
    },
  }
}

const SETTLE: SettleOptions = {
  decide: (report, verdict, endpoint, moved) =>
    nextStep(report.job, endpoint, verdict, { now: report.endedAt, random: () => 0, probe: report.probe, moved }),
  reasons: { deliveredByAnother: 'by another', stopped: 'stopped' },
}
const settle = (reports: AttemptReport[]) => world.store.deliveries.settleAttempts(reports, SETTLE)
const counters = () =>
  world.row(
    'SELECT (SELECT sum(pending_count) FROM endpoint) AS endpoints, (SELECT pending_count FROM account_load) AS account, (SELECT pending_bytes FROM account_load) AS bytes',
  )

describe('settling', () => {
  it('writes attempt, next due time, endpoint and counters together', async () => {
    const endpointId = world.endpoint()
    const [first = 0, second = 0] = await accepted(2)
    const jobs = [await load(first), await load(second)] as const
    const slow = report(jobs[0], 500)
    if (slow.result.kind === 'sent') slow.result.durationMs = 13_300
    const settled = await settle([slow, report(jobs[1], 200)])
    expect(settled).toMatchObject([
      { deliveryId: first, endpointId, dueAt: world.clock.now() + 5_000, outcome: 'http_error' },
      { deliveryId: second, endpointId, dueAt: null, outcome: 'delivered', endpoint: { failureStreak: 0 } },
    ])
    expect(
      world.rows(
        'SELECT delivery_id, number, duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, peer_ip, response_body FROM attempt',
      ),
    ).toHaveLength(2)
    expect(world.row('SELECT state, due_at, attempts, steps, last_code FROM delivery WHERE id = ?', first)).toEqual({
      state: 'pending',
      due_at: world.clock.now() + 5_000,
      attempts: 1,
      steps: 1,
      last_code: 500,
    })
    expect(counters()).toEqual({ endpoints: 1, account: 1, bytes: jobs[0].body?.length })
    expect(world.row('SELECT events, delivered, failed, duration_sum_ms, duration_max_ms FROM endpoint_hour')).toEqual({
      events: 2,
      delivered: 1,
      failed: 1,
      duration_sum_ms: 12,
      duration_max_ms: 12,
    })
  })

  it('of something that ended meanwhile records the attempt and leaves the end as it is', async () => {
    world.endpoint()
    const [id = 0] = await accepted(1)
    const job = await load(id)
    world.client.sql.prepare("UPDATE delivery SET state = 'stopped', state_reason = 'deleted' WHERE id = ?").run(id)
    expect(await settle([report(job, 500)])).toMatchObject([{ dueAt: null }])
    expect(await settle([report(job, 200)])).toMatchObject([{ dueAt: null }])
    expect(world.row('SELECT state, state_reason, attempts FROM delivery')).toEqual({
      state: 'stopped',
      state_reason: 'deleted',
      attempts: 2,
    })
    expect(world.row('SELECT count(*) AS n FROM attempt')).toEqual({ n: 2 })
  })

  it('rolls everything back when one report cannot be written', async () => {
    world.endpoint()
    const [first = 0, second = 0] = await accepted(2)
    const good = report(await load(first), 200)
    const bad = report(await load(second), 200)
    if (bad.result.kind === 'sent') bad.result.durationMs = 0.5
    await expect(settle([good, bad])).rejects.toThrow()
    expect(world.row('SELECT count(*) AS n FROM attempt')).toEqual({ n: 0 })
    expect(world.row("SELECT count(*) AS n FROM delivery WHERE state = 'pending'")).toEqual({ n: 2 })
  })

  it('of a 410 ends what waits for the endpoint, the first part at once and the rest in steps', async () => {
    const endpointId = world.endpoint()
    const other = world.endpoint({ object: 'company' })
    const [id = 0] = await accepted(501)
    await accepted(1, { object: 'company' })
    await settle([report(await load(id), 410)])
    expect(world.row('SELECT state FROM endpoint WHERE id = ?', endpointId)).toEqual({ state: 'stopped' })
    expect(
      world.row("SELECT count(*) AS n FROM delivery WHERE state = 'pending' AND endpoint_id = ?", endpointId),
    ).toEqual({ n: 300 })
    const { listEndings, endStoppedStep } = world.store.deliveries
    const [ending = null, ...others] = await listEndings(world.clock.now(), world.clock.now())
    expect([ending, others]).toEqual([{ endpointId, because: 'stopped' }, []])
    const step = () => ending && endStoppedStep(ending, 'Stopped.', world.clock.now(), 200)
    expect([await step(), await step(), await step()]).toEqual([200, 100, 0])
    expect(await listEndings(world.clock.now(), world.clock.now())).toEqual([])
    expect(world.row("SELECT count(*) AS n FROM attempt WHERE outcome = 'stopped'")).toEqual({ n: 500 })
    expect(world.row('SELECT pending_count FROM endpoint WHERE id = ?', other)).toEqual({ pending_count: 1 })
    expect(counters()).toMatchObject({ endpoints: 1, account: 1 })
    // Listed, and started again before the next step.
    const outdated = { endpointId, because: 'stopped' } as const
    await world.store.deliveries.resumeEndpoint(LEEDS, endpointId, world.clock.now())
    await accepted(2)
    expect(await endStoppedStep(outdated, 'Stopped.', world.clock.now(), 200)).toBe(0)
  })
})

describe('a rest at a handover', () => {
  const rest = (id: number, endpointId: number) => {
    const now = world.clock.now()
    return world.store.deliveries.restEndpoints([{ id, endpointId }], now, now + 16_000).then(() => now + 16_000)
  }
  const held = () => world.row('SELECT hold_until AS until, hold_reason AS reason FROM endpoint')

  it('holds the endpoint and what is being sent, and ends with the last attempt', async () => {
    const endpointId = world.endpoint()
    const [id = 0, other = 0] = await accepted(2)
    const until = await rest(id, endpointId)
    expect(held()).toEqual({ until, reason: null })
    expect([(await load(id)).dueAt, (await load(other)).dueAt]).toEqual([until, world.clock.now()])
    await world.store.deliveries.endRest(endpointId, until - 1)
    expect(held()).toEqual({ until, reason: null })
    await world.store.deliveries.endRest(endpointId, until)
    expect(held()).toEqual({ until: null, reason: null })
  })

  it.each([
    [0, 1],
    [1, 0],
  ])('within another ends alone: the other goes on until its own attempts have ended', async (first, then) => {
    const endpointId = world.endpoint()
    const [id = 0, byHand = 0] = await accepted(2)
    const one = await rest(id, endpointId)
    await world.clock.run(5_000)
    const ends = [one, await rest(byHand, endpointId)]
    await world.store.deliveries.endRest(endpointId, ends[first] ?? 0)
    expect(held()).toEqual({ until: ends[then], reason: null })
    await world.store.deliveries.endRest(endpointId, ends[then] ?? 0)
    expect(held()).toEqual({ until: null, reason: null })
  })

  it('leaves a wait that a receiver asked for, and takes no reason from one that is over', async () => {
    const endpointId = world.endpoint()
    const [id = 0] = await accepted(1)
    const asked = world.client.sql.prepare("UPDATE endpoint SET hold_until = ?, hold_reason = 'Slower.'")
    asked.run(world.clock.now() + 60_000)
    await world.store.deliveries.endRest(endpointId, await rest(id, endpointId))
    expect(held()).toEqual({ until: world.clock.now() + 60_000, reason: 'Slower.' })
    asked.run(world.clock.now() - 1)
    const until = await rest(id, endpointId)
    expect(held()).toEqual({ until, reason: null })
  })
})

describe('held endpoints', () => {
  it('give up what is past its deadline, except paused ones, which keep it for 30 days', async () => {
    const failing = world.endpoint({ state: 'failing' })
    const paused = world.endpoint({ state: 'paused', url: 'https://paused.example.com/' })
    const active = world.endpoint({ url: 'https://active.example.com/' })
    const emptied = world.endpoint({ url: 'https://emptied.example.com/' })
    await accepted(600)
    world.client.sql.prepare("UPDATE endpoint SET url = '' WHERE id = ?").run(emptied)
    const round = async () => {
      let ended = 0
      let cursor: Parameters<typeof world.store.deliveries.expireHeldStep>[1] = null
      do {
        const step: Awaited<ReturnType<typeof world.store.deliveries.expireHeldStep>> =
          await world.store.deliveries.expireHeldStep(world.clock.now(), cursor, EXPIRE)
        ended += step.ended
        cursor = step.next
      } while (cursor)
      return ended
    }
    await world.clock.run(hours(72))
    expect(await round()).toBe(0)
    await world.clock.run(minutes(3))
    expect(await round()).toBe(1200)
    await world.clock.run(days(27) + hours(1))
    expect(await round()).toBe(600)
    expect(world.rows('SELECT id, pending_count FROM endpoint ORDER BY id')).toEqual([
      { id: failing, pending_count: 0 },
      { id: paused, pending_count: 0 },
      { id: active, pending_count: 600 },
      { id: emptied, pending_count: 0 },
    ])
    expect(world.row("SELECT count(*) AS n FROM attempt WHERE outcome = 'expired' AND sentence = 'too late'")).toEqual({
      n: 1800,
    })
  })

  it('that come back get 72 hours for what waited', async () => {
    const id = world.endpoint()
    world.pause(id)
    await accepted(3)
    await world.clock.run(days(10))
    await world.store.deliveries.resumeEndpoint(LEEDS, id, world.clock.now())
    const [lane, none] = await world.store.deliveries.adoptEndpoints([id, 9_999], hours(72))
    expect(none).toBeNull()
    expect(lane).toMatchObject({ endpointId: id, hasAddress: true, health: { state: 'active' } })
    expect(world.row('SELECT min(deadline_at) AS least, max(deadline_at) AS most FROM delivery')).toEqual({
      least: world.clock.now() + hours(72),
      most: world.clock.now() + hours(72),
    })
  })
})

describe('after a restart', () => {
  it('counters are counted anew, overdue retries are spread, and what was never tried gets its hour', async () => {
    world.endpoint()
    const [tried = 0, untried = 0, future = 0] = await accepted(3)
    await settle([report(await load(tried), 500), report(await load(future), 500)])
    world.client.sql.prepare('UPDATE endpoint SET pending_count = 99').run()
    world.client.sql.prepare('UPDATE account_load SET pending_count = 0, pending_bytes = 7').run()
    world.client.sql.prepare('UPDATE delivery SET due_at = ? WHERE id = ?').run(world.clock.now() + days(9), future)
    await world.clock.run(hours(71) + minutes(30))
    const now = world.clock.now()
    expect(await world.store.deliveries.tidyAfterRestart(now, TIDY)).toEqual({ spread: 1 })
    const due = Number(world.row('SELECT due_at FROM delivery WHERE id = ?', tried).due_at)
    expect(due - now).toBeGreaterThanOrEqual(1_000)
    expect(due - now).toBeLessThan(60_000)
    expect(world.row('SELECT due_at < ? AS past, deadline_at FROM delivery WHERE id = ?', now, untried)).toEqual({
      past: 1,
      deadline_at: now + hours(1),
    })
    expect(counters()).toMatchObject({ endpoints: 3, account: 3 })
    expect(Number(counters().bytes)).toBeGreaterThan(100)
  })

  it('samples nobody waits for are ended', async () => {
    const endpointId = world.endpoint()
    const sample = { object: 'job', objectUuid: 'sample', changedFields: [], body: '{}' }
    const id = (await world.store.events.createTestDelivery(LEEDS, endpointId, sample, world.clock.now())) ?? 0
    expect(await world.store.deliveries.dueDeliveries([{ endpointId, kind: 'live', limit: 10 }])).toEqual([[]])
    await world.store.deliveries.tidyAfterRestart(world.clock.now(), TIDY)
    expect(world.row('SELECT state, state_reason FROM delivery WHERE id = ?', id)).toEqual({
      state: 'expired',
      state_reason: 'interrupted',
    })
    expect(counters()).toEqual({ endpoints: 0, account: null, bytes: null })
  })
})

describe('what waits', () => {
  it.skipIf(aboutTheFile('plans of SQLite'))('is found by the index made for it, however much there is', async () => {
    world.endpoint()
    await accepted(10)
    const plan = (where: string, index: string) =>
      world
        .rows(
          `EXPLAIN QUERY PLAN SELECT id FROM delivery INDEXED BY ${index} WHERE endpoint_id = 1 AND state = 'pending' ${where} ORDER BY due_at, id LIMIT 5`,
        )
        .map(({ detail }) => detail)
    expect(plan("AND cause IN ('live', 'retry')", 'due_deliveries_of_an_endpoint')).toEqual([
      'SEARCH delivery USING INDEX due_deliveries_of_an_endpoint (endpoint_id=?)',
    ])
    expect(plan("AND cause <> 'live' AND cause = 'replay'", 'due_again_of_an_endpoint')).toEqual([
      'SEARCH delivery USING INDEX due_again_of_an_endpoint (endpoint_id=?)',
    ])
  })

  it('is listed per endpoint with the earliest due first, replays apart', async () => {
    const id = world.endpoint()
    const ids = await accepted(3)
    await settle([report(await load(ids[0] ?? 0), 500)])
    const lists = [
      { endpointId: id, kind: 'replay', limit: 10 },
      { endpointId: id, kind: 'live', limit: 10 },
      { endpointId: id, kind: 'live', limit: 2 },
    ] as const
    const found = await world.store.deliveries.dueDeliveries(lists)
    expect(found.map((list) => list.map((row) => row.id))).toEqual([[], [ids[1], ids[2], ids[0]], [ids[1], ids[2]]])
    expect(await world.store.deliveries.endpointsWithWork()).toMatchObject([{ endpointId: id, accountUuid: LEEDS }])
    expect(await world.store.deliveries.waitingTotals()).toMatchObject({ deliveries: 3 })
  })

  it('is not loaded once it has ended or its endpoint has no address', async () => {
    const id = world.endpoint()
    const [first = 0, second = 0] = await accepted(2)
    await settle([report(await load(first), 200)])
    expect(await world.store.deliveries.loadDeliveries([first, 9_999])).toEqual([null, null])
    await world.store.deliveries.retryDelivery(LEEDS, second, world.clock.now(), hours(72))
    const byHand = async () =>
      (await world.store.deliveries.dueDeliveries([{ endpointId: id, kind: 'by_hand', limit: 10 }]))[0]
    expect(await byHand()).toHaveLength(1)
    world.client.sql.prepare("UPDATE endpoint SET url = '' WHERE id = ?").run(id)
    expect(await world.store.deliveries.loadDeliveries([second])).toEqual([null])
    expect(await byHand()).toEqual([])
  })
})

it("every question a person can ask is answered for one's own account only", async () => {
  const endpointId = world.endpoint()
  world.endpoint({ account: BRISBANE })
  const [deliveryId = 0] = await accepted(1)
  const { store, clock } = world
  const now = clock.now()
  const request = { since: 0, status: 'all' as const, objectUuid: null }
  const replayId = (await store.deliveries.startReplay(LEEDS, endpointId, request, 1, now)) ?? 0
  const sample = { object: 'job', objectUuid: 'sample', changedFields: [], body: '{}' }
  expect(await store.deliveries.retryDelivery(BRISBANE, deliveryId, now, hours(72))).toEqual({ outcome: 'not_found' })
  expect(await store.deliveries.resumeEndpoint(BRISBANE, endpointId, now)).toBe(false)
  expect(await countReplayed(world, BRISBANE, endpointId, request)).toBeNull()
  expect(await store.deliveries.startReplay(BRISBANE, endpointId, request, 1, now)).toBeNull()
  expect(await store.deliveries.findReplay(BRISBANE, replayId)).toBeNull()
  expect(await store.deliveries.cancelReplay(BRISBANE, replayId, now)).toBe(false)
  expect(await store.events.createTestDelivery(BRISBANE, endpointId, sample, now)).toBeNull()
  expect(world.row('SELECT state FROM endpoint WHERE id = ?', endpointId)).toEqual({ state: 'active' })
  expect(world.row('SELECT count(*) AS n FROM delivery')).toEqual({ n: 1 })
})

describe('a manual retry', () => {
  it('asked for twice before it was sent is one', async () => {
    world.endpoint()
    const [id = 0] = await accepted(1)
    const { store, clock } = world
    const first = await store.deliveries.retryDelivery(LEEDS, id, clock.now(), hours(72))
    expect(await store.deliveries.retryDelivery(LEEDS, id, clock.now(), hours(72))).toEqual({
      ...first,
      outcome: 'waiting',
    })
    expect(counters()).toMatchObject({ endpoints: 2, account: 2 })
  })

  it('is refused without an address, or when what would be sent is gone', async () => {
    const endpointId = world.endpoint()
    const [id = 0] = await accepted(1)
    world.client.sql.prepare('DELETE FROM event_body').run()
    expect(await world.store.deliveries.retryDelivery(LEEDS, id, world.clock.now(), hours(72))).toEqual({
      outcome: 'body_gone',
    })
    world.client.sql.prepare("UPDATE endpoint SET url = '' WHERE id = ?").run(endpointId)
    expect(await world.store.deliveries.retryDelivery(LEEDS, id, world.clock.now(), hours(72))).toEqual({
      outcome: 'no_address',
    })
  })
})

describe('a replay', () => {
  it('counts what the endpoint would have got: its object, its fields, its record, since a moment', async () => {
    const endpointId = world.endpoint({ fields: 'status' })
    const count = (given: Partial<ReplayRequest> = {}) =>
      countReplayed(world, LEEDS, endpointId, { since: 0, status: 'all', objectUuid: null, ...given })
    await accepted(700)
    await accepted(5, { changedFields: ['date'] })
    await accepted(5, { object: 'company' })
    await accepted(5, { accountUuid: BRISBANE })
    await world.clock.run(hours(1))
    const since = world.clock.now()
    await accepted(3)
    await accepted(2, { objectUuid: 'wanted' })
    expect(await count()).toBe(705)
    expect(await count({ since })).toBe(5)
    expect(await count({ since: since - 1 })).toBe(5)
    expect(await count({ since: since + 1 })).toBe(0)
    expect(await count({ objectUuid: 'wanted' })).toBe(2)
    expect(await count({ status: 'failed' })).toBe(0)
  })

  it('of what failed leaves out what was delivered or still waits', async () => {
    const endpointId = world.endpoint()
    const ids = await accepted(4)
    await settle([report(await load(ids[0] ?? 0), 200)])
    world.client.sql.prepare("UPDATE delivery SET state = 'expired' WHERE id IN (?, ?)").run(ids[1], ids[2])
    await world.store.deliveries.retryDelivery(LEEDS, ids[2] ?? 0, world.clock.now(), hours(72))
    expect(await countReplayed(world, LEEDS, endpointId, { since: 0, status: 'failed', objectUuid: null })).toBe(1)
  })

  it('that is cancelled before its next step grows no more', async () => {
    const endpointId = world.endpoint()
    for (const id of await accepted(5)) await settle([report(await load(id), 200)])
    const { startReplay, cancelReplay, growReplayStep } = world.store.deliveries
    const request = { since: 0, status: 'all', objectUuid: null } as const
    const replayId = (await startReplay(LEEDS, endpointId, request, 5, world.clock.now())) ?? 0
    expect(await cancelReplay(LEEDS, replayId, world.clock.now())).toBe(true)
    const limits = { limit: { deliveries: 1_000, bytes: 1_000_000 }, waitingPerReplay: 100, step: 20 }
    expect(
      await growReplayStep(replayId, world.clock.now(), { choose: chooseEndpoints, ...limits, retryFor: hours(72) }),
    ).toBe('ended')
    expect(counters()).toMatchObject({ endpoints: 0, account: 0 })
    expect((await world.store.deliveries.findReplay(LEEDS, replayId))?.state).toBe('cancelled')
  })

  it.each(['its stop', 'the removal of its address'])('that has sent everything before %s is done', async (end) => {
    const endpointId = world.endpoint()
    for (const id of await accepted(5)) await settle([report(await load(id), 200)])
    const { startReplay, cancelReplay, findReplay, growReplayStep } = world.store.deliveries
    const request = { since: 0, status: 'all', objectUuid: null } as const
    const replayId = (await startReplay(LEEDS, endpointId, request, 5, world.clock.now())) ?? 0
    const limits = { limit: { deliveries: 1_000, bytes: 1_000_000 }, waitingPerReplay: 100, step: 20 }
    const grow = () =>
      growReplayStep(replayId, world.clock.now(), { choose: chooseEndpoints, ...limits, retryFor: hours(72) })
    const made = await grow()
    for (const { id } of typeof made === 'string' ? [] : made) await settle([report(await load(id), 200)])
    if (end === 'its stop') expect(await cancelReplay(LEEDS, replayId, world.clock.now())).toBe(false)
    else world.client.sql.prepare("UPDATE endpoint SET url = '' WHERE id = ?").run(endpointId)
    expect(await grow()).toBe('ended')
    expect(await findReplay(LEEDS, replayId)).toMatchObject({ state: 'done', made: 5, delivered: 5 })
  })

  it('leaves room for what is live: within the account limit, and so many at a time', async () => {
    const endpointId = world.endpoint()
    for (const id of await accepted(50)) await settle([report(await load(id), 200)])
    await world.store.deliveries.startReplay(
      LEEDS,
      endpointId,
      { since: 0, status: 'all', objectUuid: null },
      50,
      world.clock.now(),
    )
    const [replayId = 0] = await world.store.deliveries.listRunningReplays()
    const grow = (given: { waitingPerReplay?: number; deliveries?: number } = {}) =>
      world.store.deliveries.growReplayStep(replayId, world.clock.now(), {
        choose: chooseEndpoints,
        limit: { deliveries: given.deliveries ?? 1_000, bytes: 1_000_000 },
        waitingPerReplay: given.waitingPerReplay ?? 1_000,
        step: 20,
        retryFor: hours(72),
      })
    expect(await grow({ waitingPerReplay: 8 })).toHaveLength(8)
    expect(await grow({ waitingPerReplay: 8 })).toBe('waits')
    expect(await grow({ deliveries: 10 })).toHaveLength(2)
    expect(await grow()).toHaveLength(20)
    expect(await grow()).toHaveLength(20)
    expect(await grow()).toBe('waits')
    expect(counters()).toMatchObject({ endpoints: 50, account: 50 })
  })
})
