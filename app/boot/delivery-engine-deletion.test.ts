import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WEBHOOK_DELETED } from '#app/features/events/delivering/delivery.ts'
import { replaySince } from '#app/features/events/delivering/send-again.server.ts'
import { minutes, seconds } from '#app/lib/duration.ts'
import { UNDO_KEPT } from '#app/lib/undo.ts'
import { ADDRESS, anEvent, type EngineWorld, engineWorld, LEEDS } from '#tests/support/engine-world.server.ts'
import type { DeliveryEngine } from './delivery-engine.server.ts'

let world: EngineWorld
beforeEach(() => {
  world = engineWorld()
})
afterEach(async () => {
  await world.close()
})

function webhook(): { id: number; endpointId: number } {
  const endpointId = world.endpoint()
  const { sql } = world.client
  const { lastInsertRowid } = sql
    .prepare(
      "INSERT INTO webhook (account_uuid, object_type, fields, created_at, updated_at) VALUES (?, 'job', '', 0, 0)",
    )
    .run(LEEDS)
  sql.prepare('UPDATE endpoint SET webhook_id = ? WHERE id = ?').run(lastInsertRowid, endpointId)
  return { id: Number(lastInsertRowid), endpointId }
}

async function started(): Promise<DeliveryEngine> {
  const engine = world.engine()
  engine.start()
  await world.clock.settle()
  return engine
}

const remove = (id: number) =>
  world.store.endpoints.deleteEndpoint(
    LEEDS,
    { kind: 'webhook', id: id },
    {
      endSubscriptions: true,
      at: world.clock.now(),
    },
  )

/** Deliveries by state and reason, each with the sentence of its last row in the log. */
const ends = () =>
  world.rows(
    `SELECT d.state, d.state_reason AS reason, count(*) AS count,
       (SELECT a.outcome || ': ' || a.sentence FROM attempt a WHERE a.delivery_id = d.id ORDER BY a.number DESC LIMIT 1) AS log
     FROM delivery d GROUP BY 1, 2, 4`,
  )
const NOT_SENT = { state: 'stopped', reason: WEBHOOK_DELETED, log: `stopped: ${WEBHOOK_DELETED}` }
const NOTHING_WAITS = { endpoint: 0, deliveries: 0, bytes: 0 }
const waiting = () =>
  world.row(
    'SELECT p.pending_count AS endpoint, l.pending_count AS deliveries, l.pending_bytes AS bytes FROM endpoint p, account_load l',
  )

describe('deleting a webhook', () => {
  it('ends a large backlog in small steps, each delivery with a row in the log', async () => {
    const { id, endpointId } = webhook()
    world.pause(endpointId)
    const engine = await started()
    for (let n = 0; n < 1_300; n++) void engine.acceptEvent(anEvent(world))
    await world.clock.run(seconds(1))
    expect(world.row('SELECT pending_count FROM endpoint')).toEqual({ pending_count: 1_300 })
    await remove(id)
    engine.wake(endpointId)
    await world.clock.run(seconds(1))
    // Until nobody can undo it, all of it waits, and counts.
    expect(waiting()).toMatchObject({ deliveries: 1_300 })
    expect(ends()).toEqual([{ state: 'pending', reason: null, count: 1_300, log: null }])
    await world.clock.run(UNDO_KEPT + minutes(1))
    expect(ends()).toEqual([{ ...NOT_SENT, count: 1_300 }])
    expect(waiting()).toEqual(NOTHING_WAITS)
    expect(world.outbound.sent).toHaveLength(0)
    expect(world.logged.filter((line) => line === 'deliveries.stopped').length).toBeGreaterThan(6)
  })

  it('sends nothing more from the moment it is deleted, even if nobody tells the engine', async () => {
    const { id } = webhook()
    world.outbound.when(ADDRESS, { status: 500 })
    const engine = await started()
    for (let n = 0; n < 3; n++) await engine.acceptEvent(anEvent(world))
    await world.clock.run(seconds(2))
    const sent = world.outbound.sent.length
    await remove(id)
    await world.clock.run(UNDO_KEPT + minutes(2))
    expect(world.outbound.sent).toHaveLength(sent)
    expect(world.rows('SELECT state, state_reason AS reason, count(*) AS count FROM delivery GROUP BY 1, 2')).toEqual([
      { state: 'stopped', reason: WEBHOOK_DELETED, count: 3 },
    ])
    expect(waiting()).toEqual(NOTHING_WAITS)
  })

  it('an attempt under way is written down as what it was, and nothing follows from it', async () => {
    const { id, endpointId } = webhook()
    world.outbound.when(ADDRESS, { status: 500, afterMs: 3_000 })
    const engine = await started()
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(seconds(1))
    await remove(id)
    engine.wake(endpointId)
    await world.clock.run(UNDO_KEPT + minutes(2))
    expect(world.rows('SELECT outcome, status_code AS code FROM attempt ORDER BY id')).toEqual([
      { outcome: 'http_error', code: 500 },
      { outcome: 'stopped', code: null },
    ])
    expect(world.row('SELECT state FROM delivery')).toEqual({ state: 'stopped' })
    expect(waiting()).toEqual(NOTHING_WAITS)
  })

  it('while no process runs is finished by the next one that starts', async () => {
    const { id } = webhook()
    const engine = world.engine()
    for (let n = 0; n < 250; n++) void engine.acceptEvent(anEvent(world))
    await world.clock.settle()
    await remove(id)
    expect(world.row("SELECT count(*) AS n FROM delivery WHERE state = 'pending'")).toEqual({ n: 250 })
    engine.start()
    await world.clock.run(UNDO_KEPT + minutes(1))
    expect(ends()).toEqual([{ ...NOT_SENT, count: 250 }])
    expect(world.outbound.sent).toHaveLength(0)
  })
})

describe('undoing it', () => {
  const undo = (id: number) => {
    const input = { since: 0, subscription: null, at: world.clock.now() }
    return world.store.endpoints.restoreEndpoint(LEEDS, { kind: 'webhook', id }, input)
  }

  it('sends what waited, each event once', async () => {
    const { id, endpointId } = webhook()
    world.outbound.when(ADDRESS, { status: 500 })
    const engine = await started()
    for (let n = 0; n < 3; n++) await engine.acceptEvent(anEvent(world))
    await world.clock.run(seconds(2))
    await remove(id)
    engine.wake(endpointId)
    await world.clock.run(seconds(8))
    expect(waiting()).toMatchObject({ endpoint: 3, deliveries: 3 })
    world.outbound.when(ADDRESS, { status: 200 })
    const before = world.outbound.sent.length
    expect(await undo(id)).toMatchObject({ endpointId })
    engine.wake(endpointId)
    await world.clock.run(seconds(5))
    expect(world.rows('SELECT state, count(*) AS n FROM delivery GROUP BY 1')).toEqual([{ state: 'delivered', n: 3 }])
    expect(world.outbound.sent).toHaveLength(before + 3)
    expect(waiting()).toEqual(NOTHING_WAITS)
    await world.clock.run(UNDO_KEPT + minutes(2))
    expect(world.outbound.sent).toHaveLength(before + 3)
  })

  describe('while “Send everything since …” runs', () => {
    const SENDING = 700
    const replay = () => world.row('SELECT state, made, delivered FROM replay')

    async function deletedWhileSending() {
      const { id, endpointId } = webhook()
      const engine = await started()
      for (let n = 0; n < SENDING; n++) void engine.acceptEvent(anEvent(world))
      await world.clock.run(minutes(2))
      world.outbound.when(ADDRESS, { status: 500 })
      const app = { ...world.app, wakeDeliveries: engine.wake }
      const asked = { since: 0, status: 'all', objectUuid: null } as const
      expect(await replaySince(app, LEEDS, endpointId, asked)).toMatchObject({ count: SENDING })
      await world.clock.run(seconds(5))
      await remove(id)
      engine.wake(endpointId)
      await world.clock.run(minutes(1))
      expect(replay()).toEqual({ state: 'running', made: 500, delivered: 0 })
      return { id, endpointId, engine }
    }

    it('goes on with it', async () => {
      const { id, endpointId, engine } = await deletedWhileSending()
      world.outbound.when(ADDRESS, { status: 200 })
      expect(await undo(id)).toMatchObject({ endpointId })
      engine.wake(endpointId)
      await world.clock.run(minutes(5))
      expect(replay()).toEqual({ state: 'done', made: SENDING, delivered: SENDING })
    })

    it('cannot bring it back later: it was cancelled, and nothing of it waits', async () => {
      await deletedWhileSending()
      await world.clock.run(UNDO_KEPT + minutes(1))
      expect(replay()).toEqual({ state: 'cancelled', made: 500, delivered: 0 })
      expect(waiting()).toEqual(NOTHING_WAITS)
    })
  })

  it.each([
    ['active', 'active'],
    ['paused', 'paused'],
    ['stopped', 'paused'],
    ['failing', 'active'],
  ])('brings a webhook that was %s back as %s, whatever was under way', async (before, after) => {
    const { id, endpointId } = webhook()
    world.outbound.when(ADDRESS, { status: 500, afterMs: 3_000 })
    const engine = await started()
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(seconds(1))
    world.client.sql.prepare('UPDATE endpoint SET state = ?').run(before)
    await remove(id)
    await world.clock.run(seconds(5))
    expect(world.row('SELECT count(*) AS attempts FROM attempt')).toEqual({ attempts: 1 })
    expect(await undo(id)).toEqual({ endpointId, objectType: 'job', paused: after === 'paused' })
    expect(world.row('SELECT state, state_reason AS reason FROM endpoint')).toEqual({ state: after, reason: null })
  })

  it('after its time changes nothing: what waited has ended', async () => {
    const { id, endpointId } = webhook()
    world.pause(endpointId)
    const engine = await started()
    await engine.acceptEvent(anEvent(world))
    await remove(id)
    await world.clock.run(UNDO_KEPT + minutes(1))
    const input = { since: world.clock.now() - UNDO_KEPT, subscription: null, at: world.clock.now() }
    expect(await world.store.endpoints.restoreEndpoint(LEEDS, { kind: 'webhook', id }, input)).toBeNull()
    expect(ends()).toEqual([{ ...NOT_SENT, count: 1 }])
    expect(waiting()).toEqual(NOTHING_WAITS)
  })
})
