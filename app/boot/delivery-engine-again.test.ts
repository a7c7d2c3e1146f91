import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  cancelReplay,
  countReplayed,
  replaySince,
  sendAgain,
  sendTest,
} from '#app/features/events/delivering/send-again.server.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { ADDRESS, anEvent, BRISBANE, type EngineWorld, engineWorld, LEEDS } from '#tests/support/engine-world.server.ts'

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

describe('pausing', () => {
  it('holds everything, however long, and resuming sends it oldest first', async () => {
    const endpointId = world.endpoint()
    const engine = world.engine({ beatMs: minutes(10) })
    engine.start()
    await world.clock.settle()
    world.pause(endpointId)
    engine.wake(endpointId)
    for (let n = 0; n < 10; n++) await engine.acceptEvent(anEvent(world, { body: `{"n":${n}}` }))
    await world.clock.run(hours(24 * 5))
    expect(world.outbound.sent).toHaveLength(0)
    expect(world.row('SELECT pending_count FROM endpoint')).toEqual({ pending_count: 10 })
    await world.store.deliveries.resumeEndpoint(LEEDS, endpointId, world.clock.now())
    engine.wake(endpointId)
    await world.clock.run(seconds(1))
    expect(world.outbound.sent.map(({ body }) => JSON.parse(body).n)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })
})

it('resuming sends a change that had failed before a newer one of the same job', async () => {
  const endpointId = world.endpoint()
  const { sql } = world.client
  const newWebhook = sql.prepare(
    "INSERT INTO webhook (account_uuid, object_type, fields, created_at, updated_at) VALUES (?, 'job', '', 0, 0)",
  )
  const webhookId = Number(newWebhook.run(LEEDS).lastInsertRowid)
  sql.prepare('UPDATE endpoint SET webhook_id = ? WHERE id = ?').run(webhookId, endpointId)
  world.outbound.when(ADDRESS, (_request, count) => ({ status: count === 1 ? 500 : 200 }))
  const engine = await started()
  const active = (on: boolean) =>
    world.store.endpoints.updateEndpoint(
      LEEDS,
      { kind: 'webhook', id: webhookId },
      { active: on, subscription: null, at: world.clock.now() },
    )
  await engine.acceptEvent(anEvent(world, { body: '{"n":1}' }))
  await world.clock.run(10)
  await active(false)
  await engine.acceptEvent(anEvent(world, { body: '{"n":2}' }))
  await world.clock.run(minutes(5))
  await active(true)
  engine.wake(endpointId)
  await world.clock.run(seconds(1))
  expect(world.outbound.sent.map(({ body }) => JSON.parse(body).n)).toEqual([1, 1, 2])
})

it('an endpoint that somebody else has paused is left alone, even if nobody told the engine', async () => {
  const endpointId = world.endpoint()
  const engine = await started()
  await engine.acceptEvent(anEvent(world))
  await world.clock.run(seconds(1))
  world.pause(endpointId)
  await engine.acceptEvent(anEvent(world))
  await world.clock.run(minutes(1))
  expect(world.outbound.sent).toHaveLength(1)
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
      { cause: 'live', state: 'delivered', state_reason: 'Delivered by another sending of the same event.' },
      { cause: 'retry', state: 'delivered', state_reason: null },
    ])
    expect(world.row('SELECT pending_count, pending_bytes FROM account_load')).toEqual({
      pending_count: 0,
      pending_bytes: 0,
    })
  })

  it('one by hand that failed ends with its stopped endpoint; one that is asked for then is tried once', async () => {
    world.endpoint()
    world.outbound.when(ADDRESS, (_request, count) => ({ status: count === 3 ? 410 : 500 }))
    const engine = await started()
    const accepted = await engine.acceptEvent(anEvent(world))
    await world.clock.run(seconds(1))
    const deliveryId = accepted.outcome === 'stored' ? (accepted.deliveries[0]?.id ?? 0) : 0
    const app = { ...world.app, wakeDeliveries: engine.wake }
    const states = () => world.rows('SELECT cause, state, attempts FROM delivery ORDER BY id')
    await sendAgain(app, LEEDS, deliveryId)
    await world.clock.run(seconds(10))
    const ended = [
      { cause: 'live', state: 'stopped', attempts: 2 },
      { cause: 'retry', state: 'stopped', attempts: 1 },
    ]
    expect(states()).toEqual(ended)

    await sendAgain(app, LEEDS, deliveryId)
    await world.clock.run(minutes(2))
    expect(world.outbound.sent).toHaveLength(4)
    expect(states()).toEqual([...ended, { cause: 'retry', state: 'stopped', attempts: 1 }])
    expect(world.row('SELECT pending_count FROM endpoint')).toEqual({ pending_count: 0 })
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
    expect(await countReplayed(app, LEEDS, endpointId, request)).toBe(700)
    expect(await replaySince(app, BRISBANE, endpointId, request)).toEqual({ outcome: 'not_found' })
    world.outbound.when(ADDRESS, { afterMs: 1_000 })
    const begun = await replaySince(app, LEEDS, endpointId, request)
    const replayId = begun.outcome === 'started' ? begun.replayId : 0
    await world.clock.run(seconds(20))
    const progress = await app.store.deliveries.findReplay(LEEDS, replayId)
    expect(progress).toMatchObject({ state: 'running', total: 700 })
    expect(progress?.delivered).toBeGreaterThan(10)
    expect((progress?.made ?? 0) - (progress?.delivered ?? 0)).toBeLessThanOrEqual(500)

    expect(await cancelReplay(app, BRISBANE, replayId)).toBe(false)
    expect(await cancelReplay(app, LEEDS, replayId)).toBe(true)
    await world.clock.run(minutes(2))
    const ended = await app.store.deliveries.findReplay(LEEDS, replayId)
    expect(ended).toMatchObject({ state: 'cancelled' })
    expect(ended?.made).toBe((ended?.delivered ?? 0) + (ended?.undelivered ?? 0))
    expect(world.row("SELECT count(*) AS n FROM delivery WHERE state = 'pending'")).toEqual({ n: 0 })
    expect(world.row('SELECT pending_count, pending_bytes FROM account_load')).toEqual({
      pending_count: 0,
      pending_bytes: 0,
    })
  })

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
    })
    await world.clock.run(seconds(2))
    const at = world.clock.now()
    await engine.acceptEvent(anEvent(world, { body: '{"live":true}' }))
    await world.clock.run(minutes(2))
    const live = world.outbound.sent.find(({ body }) => body === '{"live":true}')
    expect((live?.at ?? 0) - at).toBeLessThanOrEqual(500)
    expect(
      await app.store.deliveries.findReplay(LEEDS, begun.outcome === 'started' ? begun.replayId : 0),
    ).toMatchObject({
      state: 'done',
      total: 50,
      made: 50,
      delivered: 50,
      undelivered: 0,
    })
  })

  it.each([410, 429, 500])('a test that is answered %i is shown, and leaves the webhook as it was', async (status) => {
    const endpointId = world.endpoint()
    const engine = await started()
    world.outbound.when(ADDRESS, (_request, count) => ({ status: count <= 6 ? status : 200 }))
    const app = { ...world.app, deliverNow: engine.deliverNow }
    const sample = { object: 'job', objectUuid: 'sample', changedFields: ['status'], body: '{"object":"job"}' }
    const before = world.row('SELECT * FROM endpoint')
    for (let n = 0; n < 6; n++) {
      expect(await sendTest(app, LEEDS, endpointId, sample)).toMatchObject({
        outcome: 'tested',
        success: false,
        verdict: { statusCode: status, sentence: expect.stringContaining(`Your address answered ${status}`) },
      })
      await world.clock.run(seconds(30))
    }
    expect(world.row('SELECT * FROM endpoint')).toEqual(before)
    expect(world.rows('SELECT DISTINCT cause, state FROM delivery')).toEqual([{ cause: 'test', state: 'expired' }])
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(seconds(1))
    expect(world.rows("SELECT state FROM delivery WHERE cause = 'live'")).toEqual([{ state: 'delivered' }])
  })

  it.each([410, 500])('a test that is sent again by hand and answered %i is still a test', async (status) => {
    const endpointId = world.endpoint()
    const engine = await started()
    world.outbound.when(ADDRESS, () => ({ status }))
    const app = { ...world.app, deliverNow: engine.deliverNow, wakeDeliveries: engine.wake }
    const sample = { object: 'job', objectUuid: 'sample', changedFields: ['status'], body: '{"object":"job"}' }
    const tested = await sendTest(app, LEEDS, endpointId, sample)
    await sendAgain(app, LEEDS, tested.outcome === 'tested' ? tested.deliveryId : 0)
    await world.clock.run(hours(1))
    expect(world.outbound.sent).toHaveLength(2)
    expect(world.row('SELECT state, failing_since FROM endpoint')).toEqual({ state: 'active', failing_since: null })
    expect(world.rows("SELECT state FROM delivery WHERE cause = 'retry'")).toEqual([{ state: 'expired' }])
  })

  it('a test that gets through does not switch on what was switched off after 72 hours', async () => {
    const endpointId = world.endpoint({ state: 'failing' })
    const engine = await started()
    const app = { ...world.app, deliverNow: engine.deliverNow }
    const sample = { object: 'job', objectUuid: 'sample', changedFields: ['status'], body: '{"object":"job"}' }
    expect(await sendTest(app, LEEDS, endpointId, sample)).toMatchObject({ outcome: 'tested', success: true })
    expect(world.row('SELECT state FROM endpoint')).toEqual({ state: 'failing' })
  })

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
