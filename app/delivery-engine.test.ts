import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ADDRESS, anEvent, BRISBANE, type EngineWorld, engineWorld, LEEDS } from '#tests/support/engine-world.server.ts'
import { HANGS } from '#tests/support/memory-outbound.ts'
import { newSigningSecret } from './adapters/standard-webhooks.server.ts'
import {
  cancelReplay,
  replayProgress,
  replaySince,
  sendAgain,
  sendTest,
} from './features/deliveries/send-again.server.ts'
import { hours, minutes, seconds } from './lib/duration.ts'

let world: EngineWorld
beforeEach(() => {
  world = engineWorld()
})
afterEach(async () => {
  await world.close()
})

async function started() {
  const engine = world.engine()
  engine.start()
  await world.clock.settle()
  return engine
}

describe('an event on its way', () => {
  it('is stored, sent at once and written down', async () => {
    const endpointId = world.endpoint()
    const engine = await started()
    const event = anEvent(world)
    expect(await engine.acceptEvent(event)).toMatchObject({ outcome: 'stored', deliveries: [{ endpointId }] })
    await engine.idle()
    expect(world.outbound.sent).toHaveLength(1)
    expect(world.outbound.sent[0]).toMatchObject({ url: ADDRESS, body: event.body })
    expect(world.row('SELECT state, attempts, last_code FROM delivery')).toEqual({
      state: 'delivered',
      attempts: 1,
      last_code: 200,
    })
    expect(world.row('SELECT number, outcome, status_code, sentence FROM attempt')).toEqual({
      number: 1,
      outcome: 'delivered',
      status_code: 200,
      sentence: 'Delivered: your address answered 200.',
    })
    expect(world.row('SELECT pending_count, last_code FROM endpoint')).toEqual({ pending_count: 0, last_code: 200 })
    expect(world.row('SELECT pending_count, pending_bytes FROM account_load')).toEqual({
      pending_count: 0,
      pending_bytes: 0,
    })
    expect(world.rows('SELECT kind, count FROM usage_day ORDER BY kind')).toEqual([
      { kind: 'webhook_forwarded', count: 1 },
      { kind: 'webhook_received', count: 1 },
    ])
    expect(world.row('SELECT events, delivered, failed FROM endpoint_hour')).toEqual({
      events: 1,
      delivered: 1,
      failed: 0,
    })
  })

  it('carries headers a receiver can check', async () => {
    const endpointId = world.endpoint()
    const engine = await started()
    await engine.acceptEvent(anEvent(world, { body: '{"é":1}' }))
    await engine.idle()
    const { headers = {}, body } = world.outbound.sent[0] ?? {}
    const eventId = String(world.row('SELECT id FROM event').id).replaceAll('-', '')
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Fieldhook/1.2.3',
      'webhook-id': `evt_${eventId}_${endpointId}`,
      'webhook-timestamp': String(world.clock.now() / 1000),
      'x-fieldhook-attempt': '1',
    })
    const sealed = String(world.row('SELECT secret_sealed FROM endpoint').secret_sealed)
    const secret = world.app.secrets.open(`endpoint|${LEEDS}|secret`, sealed).slice('whsec_'.length)
    const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const expected = createHmac('sha256', Buffer.from(secret, 'base64')).update(text).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${expected}`)
  })

  it('goes to every endpoint of its object whose filter it passes, and to nobody else', async () => {
    world.endpoint({ url: 'https://a.example.com/' })
    world.endpoint({ url: 'https://b.example.com/', fields: 'status,date' })
    world.endpoint({ url: 'https://c.example.com/', fields: 'date' })
    world.endpoint({ url: 'https://d.example.com/', object: 'company' })
    world.endpoint({ url: 'https://e.example.com/', account: BRISBANE })
    const engine = await started()
    await engine.acceptEvent(anEvent(world))
    await engine.idle()
    expect(world.outbound.sent.map(({ url }) => url).sort()).toEqual([
      'https://a.example.com/',
      'https://b.example.com/',
    ])
  })

  it('is sent once however often the platform repeats it', async () => {
    world.endpoint()
    const engine = await started()
    const event = anEvent(world)
    const answers = await Promise.all([engine.acceptEvent(event), engine.acceptEvent(event), engine.acceptEvent(event)])
    await engine.acceptEvent(event)
    await engine.idle()
    expect(answers.map(({ outcome }) => outcome)).toEqual(['stored', 'duplicate', 'duplicate'])
    expect(world.outbound.sent).toHaveLength(1)
  })

  it('of one record arrives in the order received, never two at a time, while others pass', async () => {
    world.endpoint()
    world.outbound.when(ADDRESS, { afterMs: 100 })
    const engine = await started()
    for (let n = 0; n < 30; n++) {
      await engine.acceptEvent(anEvent(world, { objectUuid: n % 3 === 0 ? 'same' : `other-${n}`, body: `{"n":${n}}` }))
      await world.clock.run(10)
    }
    await world.clock.run(seconds(10))
    expect(world.outbound.sent).toHaveLength(30)
    const same = world.outbound.sent.filter(({ body }) => JSON.parse(body).n % 3 === 0)
    expect(same.map(({ body }) => JSON.parse(body).n)).toEqual([0, 3, 6, 9, 12, 15, 18, 21, 24, 27])
    for (const [index, request] of same.entries()) {
      expect(request.at - (same[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(100)
    }
    expect(world.outbound.mostAtOnce(ADDRESS)).toBeGreaterThan(1)
    expect(world.outbound.mostAtOnce(ADDRESS)).toBeLessThanOrEqual(4)
  })
})

describe('signing', () => {
  it('uses both secrets while one replaces the other, and only the new one afterwards', async () => {
    world.endpoint()
    const engine = await started()
    const old = world.row('SELECT secret_sealed FROM endpoint').secret_sealed
    const fresh = world.app.secrets.seal(`endpoint|${LEEDS}|secret`, newSigningSecret())
    world.client.sql
      .prepare('UPDATE endpoint SET secret_sealed = ?, previous_secret_sealed = ?, previous_secret_until = ?')
      .run(fresh, old, world.clock.now() + minutes(1))
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(minutes(1))
    await engine.acceptEvent(anEvent(world))
    await engine.idle()
    const signatures = world.outbound.sent.map(({ headers }) => headers['webhook-signature']?.split(' ').length)
    expect(signatures).toEqual([2, 1])
  })

  it('that is not possible sends nothing, is tried again, and is not held against the address', async () => {
    world.endpoint()
    world.client.sql.prepare("UPDATE endpoint SET secret_sealed = 'v1.k9.x.x.x'").run()
    const engine = await started()
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(minutes(1))
    expect(world.outbound.sent).toHaveLength(0)
    expect(world.row('SELECT outcome, sentence FROM attempt')).toEqual({
      outcome: 'internal',
      sentence: 'We could not send this because of a fault on our side. It is tried again.',
    })
    expect(world.row('SELECT failing_since, failure_streak FROM endpoint')).toEqual({
      failing_since: null,
      failure_streak: 0,
    })
    expect(world.row('SELECT state, attempts FROM delivery')).toEqual({ state: 'pending', attempts: 3 })
  })
})

describe('an address that fails', () => {
  it('is tried again after 5 s, 30 s, 2 min and so on, with the same id, until it works', async () => {
    world.endpoint()
    world.outbound.when(ADDRESS, (_request, count) => ({ status: count < 5 ? 500 : 200 }))
    const engine = await started()
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(minutes(30))
    const { sent } = world.outbound
    expect(sent.map((request, n) => request.at - (sent[n - 1]?.at ?? request.at))).toEqual([
      0, 5_500, 33_000, 132_000, 660_000,
    ])
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(sent.map(({ headers }) => headers['x-fieldhook-attempt'])).toEqual(['1', '2', '3', '4', '5'])
    expect(world.row('SELECT state, attempts FROM delivery')).toEqual({ state: 'delivered', attempts: 5 })
    expect(world.row('SELECT failing_since, failure_streak FROM endpoint')).toEqual({
      failing_since: null,
      failure_streak: 0,
    })
  })

  it('gets a last try exactly at the deadline, and then the event is given up', async () => {
    world.endpoint()
    world.outbound.when(ADDRESS, { status: 500 })
    const engine = world.engine({ beatMs: minutes(10) })
    engine.start()
    const receivedAt = world.clock.now()
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(hours(73))
    const { sent } = world.outbound
    expect(sent.at(-1)?.at).toBe(receivedAt + hours(72))
    expect(world.row('SELECT state, state_reason, attempts FROM delivery')).toMatchObject({
      state: 'expired',
      state_reason: expect.stringContaining('Not delivered within 72 hours.'),
      attempts: sent.length,
    })
    expect(world.row('SELECT count(*) AS attempts FROM attempt')).toEqual({ attempts: sent.length })
    expect(world.row('SELECT pending_count FROM account_load')).toEqual({ pending_count: 0 })
  })

  it('with 410 is stopped: nothing more is sent, what waits is kept for later', async () => {
    const endpointId = world.endpoint()
    world.outbound.when(ADDRESS, (_request, count) => (count === 1 ? { status: 410, afterMs: 1_000 } : { status: 200 }))
    const engine = await started()
    for (let n = 0; n < 5; n++) await engine.acceptEvent(anEvent(world))
    await world.clock.run(minutes(5))
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(minutes(5))
    expect(world.outbound.sent).toHaveLength(1)
    expect(world.row('SELECT state, pending_count FROM endpoint')).toEqual({ state: 'stopped', pending_count: 0 })
    expect(world.row("SELECT count(*) AS n FROM delivery WHERE state = 'stopped'")).toEqual({ n: 6 })
    expect(
      world.row("SELECT count(*) AS n FROM attempt WHERE outcome = 'stopped' AND sentence LIKE 'Not sent%'"),
    ).toEqual({ n: 5 })

    const app = { ...world.app, wakeDeliveries: engine.wake }
    expect(await world.store.resumeEndpoint(LEEDS, endpointId, world.clock.now())).toBe(true)
    const replay = await replaySince(app, LEEDS, endpointId, {
      since: 0,
      status: 'failed',
      objectUuid: null,
      dryRun: false,
    })
    expect(replay).toMatchObject({ outcome: 'started', count: 6 })
    await world.clock.run(minutes(5))
    expect(world.outbound.sent).toHaveLength(7)
    expect(new Set(world.outbound.sent.map(({ headers }) => headers['webhook-id'])).size).toBe(6)
  })

  it('with 429 is left alone as long as it asks, for all its events, and no step is used up', async () => {
    world.endpoint()
    world.outbound.when(ADDRESS, (_request, count) =>
      count === 1 ? { status: 429, headers: { 'retry-after': '300' } } : { status: 200 },
    )
    const engine = await started()
    const first = world.clock.now()
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(seconds(10))
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(minutes(4))
    expect(world.outbound.sent).toHaveLength(1)
    expect(world.row('SELECT hold_until, hold_reason, failing_since FROM endpoint')).toEqual({
      hold_until: first + minutes(5),
      hold_reason: 'Your address answered 429 and asked us to wait 5 minutes. We pause and send more slowly.',
      failing_since: null,
    })
    await world.clock.run(minutes(2))
    expect(world.outbound.sent.map(({ at }) => at - first).slice(0, 2)).toEqual([0, minutes(5)])
    expect(world.outbound.sent).toHaveLength(3)
    expect(world.row('SELECT min(steps) AS least, max(steps) AS most FROM delivery')).toEqual({ least: 0, most: 0 })
  })

  it('for good is probed with one event after the other instead of all of them', async () => {
    world.endpoint()
    world.outbound.when(ADDRESS, { status: 500 })
    const engine = world.engine({ beatMs: minutes(1) })
    engine.start()
    for (let n = 0; n < 60; n++) {
      await engine.acceptEvent(anEvent(world))
      await world.clock.run(seconds(10))
    }
    const opened = world.outbound.sent.length
    expect(world.row('SELECT breaker, state FROM endpoint')).toEqual({ breaker: 'open', state: 'active' })
    await world.clock.run(hours(6))
    const probes = world.outbound.sent.slice(opened)
    expect(probes.length).toBeLessThan(35)
    expect(probes.length).toBeGreaterThan(20)
    const ids = probes.map(({ headers }) => headers['webhook-id'])
    for (const [index, id] of ids.entries()) expect(id).not.toBe(ids[index - 1])
    expect(new Set(ids).size).toBeGreaterThan(15)

    world.outbound.when(ADDRESS, {})
    await world.clock.run(minutes(16))
    expect(world.row("SELECT count(*) AS n FROM delivery WHERE state = 'delivered'")).toEqual({ n: 60 })
    expect(world.row('SELECT breaker, failing_since FROM endpoint')).toEqual({ breaker: 'closed', failing_since: null })
  }, 30_000)

  it('for 72 hours is switched off, keeps what arrives waiting, and starts again when told to', async () => {
    const endpointId = world.endpoint()
    world.outbound.when(ADDRESS, { fails: 'refused' })
    const engine = world.engine({ beatMs: minutes(10) })
    engine.start()
    for (let n = 0; n < 40; n++) {
      await engine.acceptEvent(anEvent(world))
      await world.clock.run(hours(2))
    }
    expect(world.row('SELECT state, state_reason FROM endpoint')).toMatchObject({
      state: 'failing',
      state_reason: expect.stringContaining('Nothing could be delivered for 72 hours.'),
    })
    const before = world.outbound.sent.length
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(hours(2))
    expect(world.outbound.sent).toHaveLength(before)
    world.outbound.when(ADDRESS, {})
    await world.store.resumeEndpoint(LEEDS, endpointId, world.clock.now())
    engine.wake(endpointId)
    await world.clock.run(minutes(1))
    expect(world.row("SELECT count(*) AS n FROM delivery WHERE state = 'pending'")).toEqual({ n: 0 })
    expect(world.outbound.sent.length).toBeGreaterThan(before)
  }, 30_000)
})

describe('pausing', () => {
  it('holds everything, however long, and resuming sends it oldest first', async () => {
    const endpointId = world.endpoint()
    const engine = world.engine({ beatMs: minutes(10) })
    engine.start()
    await world.clock.settle()
    await world.store.pauseEndpoint(LEEDS, endpointId, world.clock.now())
    engine.wake(endpointId)
    for (let n = 0; n < 10; n++) await engine.acceptEvent(anEvent(world, { body: `{"n":${n}}` }))
    await world.clock.run(hours(24 * 5))
    expect(world.outbound.sent).toHaveLength(0)
    expect(world.row('SELECT pending_count FROM endpoint')).toEqual({ pending_count: 10 })
    await world.store.resumeEndpoint(LEEDS, endpointId, world.clock.now())
    engine.wake(endpointId)
    await world.clock.run(seconds(1))
    expect(world.outbound.sent.map(({ body }) => JSON.parse(body).n)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  }, 30_000)
})

describe('sending again', () => {
  it('one by hand goes out at once although the endpoint is held, and its success ends the automatic one', async () => {
    world.endpoint()
    world.outbound.when(ADDRESS, (_request, count) =>
      count === 1 ? { status: 429, headers: { 'retry-after': '86400' } } : { status: 200 },
    )
    const engine = await started()
    const accepted = await engine.acceptEvent(anEvent(world))
    await world.clock.run(minutes(1))
    const deliveryId = accepted.outcome === 'stored' ? (accepted.deliveries[0]?.id ?? 0) : 0
    const app = { ...world.app, wakeDeliveries: engine.wake }
    expect(await sendAgain(app, BRISBANE, deliveryId)).toEqual({ outcome: 'not_found' })
    expect(await sendAgain(app, LEEDS, deliveryId)).toMatchObject({ outcome: 'sent' })
    await world.clock.run(seconds(1))
    expect(world.outbound.sent).toHaveLength(2)
    expect(new Set(world.outbound.sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(world.rows('SELECT cause, state, state_reason FROM delivery ORDER BY id')).toEqual([
      { cause: 'live', state: 'delivered', state_reason: 'Delivered by a later sending of the same event.' },
      { cause: 'retry', state: 'delivered', state_reason: null },
    ])
    expect(world.row('SELECT pending_count, pending_bytes FROM account_load')).toEqual({
      pending_count: 0,
      pending_bytes: 0,
    })
  })

  it('everything since a moment is counted first, made in steps, and can be cancelled', async () => {
    const endpointId = world.endpoint()
    const engine = await started()
    for (let n = 0; n < 20; n++) await engine.acceptEvent(anEvent(world))
    await world.clock.run(minutes(1))
    const since = world.clock.now()
    for (let n = 0; n < 700; n++) void engine.acceptEvent(anEvent(world))
    await world.clock.run(minutes(1))
    expect(world.outbound.sent).toHaveLength(720)

    const app = { ...world.app, wakeDeliveries: engine.wake }
    const request = { since, status: 'all' as const, objectUuid: null }
    expect(await replaySince(app, LEEDS, endpointId, { ...request, dryRun: true })).toEqual({
      outcome: 'counted',
      count: 700,
    })
    expect(await replaySince(app, BRISBANE, endpointId, { ...request, dryRun: true })).toEqual({ outcome: 'not_found' })
    world.outbound.when(ADDRESS, { afterMs: 1_000 })
    const begun = await replaySince(app, LEEDS, endpointId, { ...request, dryRun: false })
    const replayId = begun.outcome === 'started' ? begun.replayId : 0
    await world.clock.run(seconds(20))
    const progress = await replayProgress(app, LEEDS, replayId)
    expect(progress).toMatchObject({ state: 'running', total: 700 })
    expect(progress?.delivered).toBeGreaterThan(10)
    expect((progress?.made ?? 0) - (progress?.delivered ?? 0)).toBeLessThanOrEqual(500)

    expect(await cancelReplay(app, BRISBANE, replayId)).toBe(false)
    expect(await cancelReplay(app, LEEDS, replayId)).toBe(true)
    await world.clock.run(minutes(2))
    const ended = await replayProgress(app, LEEDS, replayId)
    expect(ended).toMatchObject({ state: 'cancelled' })
    expect(ended?.made).toBe((ended?.delivered ?? 0) + (ended?.undelivered ?? 0))
    expect(world.row("SELECT count(*) AS n FROM delivery WHERE state = 'pending'")).toEqual({ n: 0 })
    expect(world.row('SELECT pending_count, pending_bytes FROM account_load')).toEqual({
      pending_count: 0,
      pending_bytes: 0,
    })
  }, 30_000)

  it('a replay that runs to its end says so, and live events overtake it', async () => {
    const endpointId = world.endpoint()
    const engine = await started()
    for (let n = 0; n < 50; n++) void engine.acceptEvent(anEvent(world))
    await world.clock.run(minutes(1))
    world.outbound.when(ADDRESS, { afterMs: 500 })
    const app = { ...world.app, wakeDeliveries: engine.wake }
    const begun = await replaySince(app, LEEDS, endpointId, {
      since: 0,
      status: 'all',
      objectUuid: null,
      dryRun: false,
    })
    await world.clock.run(seconds(2))
    const at = world.clock.now()
    await engine.acceptEvent(anEvent(world, { body: '{"live":true}' }))
    await world.clock.run(minutes(2))
    const live = world.outbound.sent.find(({ body }) => body === '{"live":true}')
    expect((live?.at ?? 0) - at).toBeLessThanOrEqual(500)
    expect(await replayProgress(app, LEEDS, begun.outcome === 'started' ? begun.replayId : 0)).toMatchObject({
      state: 'done',
      total: 50,
      made: 50,
      delivered: 50,
      undelivered: 0,
    })
  }, 30_000)

  it('a test goes out once, at once, even when paused, and says how it went', async () => {
    const endpointId = world.endpoint({ state: 'paused' })
    const engine = await started()
    world.outbound.when(ADDRESS, (_request, count) => ({ status: count === 1 ? 404 : 204 }))
    const app = { ...world.app, deliverNow: engine.deliverNow }
    const sample = { object: 'job', objectUuid: 'sample', changedFields: ['status'], body: '{"object":"job"}' }
    expect(await sendTest(app, LEEDS, endpointId, sample)).toMatchObject({
      outcome: 'tested',
      success: false,
      verdict: { statusCode: 404, sentence: 'Your address answered 404. Is the scenario switched on?' },
    })
    expect(await sendTest(app, LEEDS, endpointId, sample)).toMatchObject({ success: true })
    expect(await sendTest(app, BRISBANE, endpointId, sample)).toEqual({ outcome: 'not_found' })
    await world.clock.run(minutes(10))
    expect(world.outbound.sent).toHaveLength(2)
    expect(world.rows('SELECT cause, state FROM delivery')).toEqual([
      { cause: 'test', state: 'expired' },
      { cause: 'test', state: 'delivered' },
    ])
    expect(world.row('SELECT state, pending_count FROM endpoint')).toEqual({ state: 'paused', pending_count: 0 })
  })
})

describe('restarts and overlaps', () => {
  it('what was not settled is sent by the next process, new events at once, retries spread', async () => {
    world.endpoint()
    world.endpoint({ url: 'https://hangs.example.com/', object: 'company' })
    world.outbound.when('https://hangs.example.com/', HANGS)
    world.outbound.when(ADDRESS, { status: 500 })
    const first = await started()
    for (let n = 0; n < 5; n++) await first.acceptEvent(anEvent(world))
    await world.clock.run(seconds(1))
    // Taken in while nobody delivers: as if the process had died right after the commit.
    first.beginDrain()
    await first.acceptEvent(anEvent(world, { object: 'company' }))
    await world.clock.run(minutes(20))
    const drained = first.drain()
    await world.clock.run(seconds(20))
    await drained
    const before = world.outbound.sent.length
    world.outbound.when(ADDRESS, {})

    const second = world.engine({ random: () => 0.5 })
    second.start()
    const restartedAt = world.clock.now()
    await world.clock.run(seconds(2))
    const firstOnes = world.outbound.sent.slice(before)
    expect(firstOnes.map(({ url }) => url)).toContain('https://hangs.example.com/')
    await world.clock.run(minutes(2))
    const retries = world.outbound.sent.slice(before).filter(({ url }) => url === ADDRESS)
    expect(retries).toHaveLength(5)
    for (const { at } of retries) {
      expect(at - restartedAt).toBeGreaterThanOrEqual(1_000)
      expect(at - restartedAt).toBeLessThanOrEqual(61_000)
    }
  })

  it('two processes never send the same delivery: the second waits for the lease, and notices what the other took in', async () => {
    world.endpoint()
    const first = await started()
    const second = world.engine()
    second.start()
    await world.clock.run(seconds(5))
    expect([first.status().owner, second.status().owner]).toEqual([true, false])
    await second.acceptEvent(anEvent(world))
    await first.acceptEvent(anEvent(world))
    await world.clock.run(seconds(4))
    expect(world.outbound.sent).toHaveLength(2)

    const drained = first.drain()
    await world.clock.run(seconds(1))
    await drained
    await second.acceptEvent(anEvent(world))
    await world.clock.run(seconds(4))
    expect([first.status().owner, second.status().owner]).toEqual([false, true])
    expect(world.outbound.sent).toHaveLength(3)
    expect(world.row('SELECT max(attempts) AS most FROM delivery')).toEqual({ most: 1 })
  })

  it('an owner that does not renew its lease begins nothing more, and another one takes over', async () => {
    world.endpoint()
    const first = await started()
    await world.clock.run(seconds(1))
    world.client.sql.prepare("UPDATE lease SET owner = 'somebody else', expires_at = ?").run(world.clock.now() + 8_000)
    await world.clock.run(seconds(3))
    await first.acceptEvent(anEvent(world))
    await world.clock.run(seconds(3))
    expect(first.status().owner).toBe(false)
    expect(world.outbound.sent).toHaveLength(0)
    await world.clock.run(seconds(6))
    expect(first.status().owner).toBe(true)
    expect(world.outbound.sent).toHaveLength(1)
  })

  it('a process that was killed is replaced at once, without waiting for its lease', async () => {
    world.endpoint()
    const first = await started()
    first.beginDrain()
    await first.acceptEvent(anEvent(world))
    const [machine, namespace, , , name] = String(world.row('SELECT owner FROM lease').owner).split('|')
    const drained = first.drain()
    await world.clock.run(seconds(1))
    await drained
    world.client.sql
      .prepare("INSERT INTO lease (name, owner, expires_at) VALUES ('deliveries', ?, ?)")
      .run([machine, namespace, '4194305', '1', name].join('|'), world.clock.now() + 10_000)
    const second = world.engine()
    second.start()
    await world.clock.settle()
    expect(second.status().owner).toBe(machine !== '' && namespace !== '')
    await world.clock.run(seconds(10))
    expect(world.outbound.sent).toHaveLength(1)
  })

  it('draining waits for what is in flight and writes it down', async () => {
    world.endpoint()
    world.outbound.when(ADDRESS, { afterMs: 5_000 })
    const engine = await started()
    await engine.acceptEvent(anEvent(world))
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(seconds(1))
    const drained = engine.drain()
    expect((await engine.ready()).reasons).toEqual(['shutting down'])
    await world.clock.run(seconds(5))
    await drained
    expect(world.outbound.sent).toHaveLength(1)
    expect(world.row("SELECT count(*) AS n FROM delivery WHERE state = 'delivered'")).toEqual({ n: 1 })
    expect(world.row('SELECT count(*) AS n FROM lease')).toEqual({ n: 0 })
  })

  it('a machine that slept past retries and its own lease goes on', async () => {
    world.endpoint()
    world.outbound.when(ADDRESS, (_request, count) => ({ status: count === 1 ? 500 : 200 }))
    const engine = await started()
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(seconds(1))
    world.clock.leap(hours(2))
    await world.clock.run(seconds(1))
    expect(world.row('SELECT state FROM delivery')).toEqual({ state: 'delivered' })
  })
})

describe('when the database is in trouble', () => {
  it('nothing is acknowledged, and nothing is sent twice once it is back', async () => {
    world.endpoint()
    let broken = false
    const store = {
      ...world.store,
      acceptEvents: (...input: Parameters<typeof world.store.acceptEvents>) =>
        broken ? Promise.reject(new Error('disk full')) : world.store.acceptEvents(...input),
      settleAttempts: (...input: Parameters<typeof world.store.settleAttempts>) =>
        broken ? Promise.reject(new Error('disk full')) : world.store.settleAttempts(...input),
      trialWrite: () => (broken ? Promise.reject(new Error('disk full')) : world.store.trialWrite()),
    }
    const engine = world.engine({ store })
    engine.start()
    await world.clock.settle()
    world.outbound.when(ADDRESS, { afterMs: 1_000 })
    for (let n = 0; n < 3; n++) await engine.acceptEvent(anEvent(world))
    await world.clock.run(500)
    broken = true
    await expect(engine.acceptEvent(anEvent(world))).rejects.toMatchObject({ code: 'commit_failed' })
    expect((await engine.ready()).reasons).toEqual(['the database cannot be written'])
    await world.clock.run(minutes(2))
    expect(world.outbound.sent).toHaveLength(1)
    broken = false
    await world.clock.run(minutes(2))
    expect(world.outbound.sent).toHaveLength(3)
    expect(world.row("SELECT count(*) AS n, max(attempts) AS most FROM delivery WHERE state = 'delivered'")).toEqual({
      n: 3,
      most: 1,
    })
  })
})

describe('fairness', () => {
  it('one hanging address in twenty costs the others nothing', async () => {
    const urls = Array.from({ length: 20 }, (_, n) => `https://r${n}.example.com/`)
    urls.forEach((url, n) => {
      world.endpoint({ url, object: `object${n}` })
      world.outbound.when(url, n === 0 ? HANGS : { afterMs: 3 })
    })
    const engine = await started()
    const receivedAt = new Map<string, number>()
    for (let n = 0; n < 200; n++) {
      const event = anEvent(world, { object: `object${n % 20}`, body: `{"n":${n}}` })
      receivedAt.set(event.body, world.clock.now())
      void engine.acceptEvent(event)
      await world.clock.run(5)
    }
    await world.clock.run(seconds(1))
    const healthy = world.outbound.sent.filter(({ url }) => url !== urls[0])
    expect(healthy).toHaveLength(190)
    const worst = Math.max(...healthy.map(({ at, body }) => at - (receivedAt.get(body) ?? 0)))
    expect(worst).toBeLessThanOrEqual(10)
    expect(world.outbound.mostAtOnce(urls[0] ?? '')).toBe(1)
  }, 30_000)
})
