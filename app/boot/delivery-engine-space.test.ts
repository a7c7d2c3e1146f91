import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NO_ROOM_FOR_REPLAYS, type Space, type SpaceLevel, switchesOf } from '#app/domain/space.ts'
import { countReplayed, replaySince, sendAgain, sendTest } from '#app/features/events/delivering/send-again.server.ts'
import { minutes, seconds } from '#app/lib/duration.ts'
import { ADDRESS, anEvent, type EngineWorld, engineWorld, LEEDS } from '#tests/support/engine-world.server.ts'

let world: EngineWorld
let level: SpaceLevel
const space: Space = {
  admit: () => 'admitted',
  settled: () => {},
  switches: () => switchesOf(level),
  isOverShare: () => false,
}
beforeEach(() => {
  world = engineWorld()
  level = 'enough'
})
afterEach(async () => {
  await world.close()
})

async function started() {
  const engine = world.engine({ space })
  engine.start()
  await world.clock.settle()
  return engine
}
const snippets = () => world.rows('SELECT response_body AS body, sentence FROM attempt ORDER BY id')

describe('while storage is nearly full', () => {
  it('answers of receivers are not kept, but what became of the attempt is; with room they are kept again', async () => {
    const endpointId = world.endpoint()
    world.outbound.when(ADDRESS, { body: 'Thank you.' })
    const engine = await started()
    const one = async () => {
      await engine.acceptEvent(anEvent(world))
      await world.clock.run(seconds(1))
    }
    await one()
    level = 'lean'
    await one()
    const sample = { object: 'job', objectUuid: 'record', changedFields: [], body: '{}' }
    const app = { ...world.app, wakeDeliveries: engine.wake, deliverNow: engine.deliverNow }
    expect(await sendTest(app, LEEDS, endpointId, sample)).toMatchObject({ outcome: 'tested', success: true })
    level = 'shorten'
    await one()
    expect(snippets().map(({ body }) => body)).toEqual(['Thank you.', null, null, 'Thank you.'])
    expect(new Set(snippets().map(({ sentence }) => sentence)).size).toBe(1)
    expect(world.outbound.sent).toHaveLength(4)
  })

  it('no replay begins, but it can be counted, and one event can be sent again by hand', async () => {
    const endpointId = world.endpoint()
    const engine = await started()
    const accepted = await engine.acceptEvent(anEvent(world))
    await world.clock.run(seconds(1))
    level = 'lean'
    const app = { ...world.app, space, wakeDeliveries: engine.wake }
    const request = { since: 0, status: 'all' as const, objectUuid: null }
    expect(await countReplayed(app, LEEDS, endpointId, request)).toBe(1)
    expect(await replaySince(app, LEEDS, endpointId, request)).toEqual({
      outcome: 'no_room',
      message: NO_ROOM_FOR_REPLAYS,
    })
    expect(world.row('SELECT count(*) AS n FROM replay')).toEqual({ n: 0 })
    const deliveryId = accepted.outcome === 'stored' ? (accepted.deliveries[0]?.id ?? 0) : 0
    expect(await sendAgain(app, LEEDS, deliveryId)).toMatchObject({ outcome: 'sent' })
    level = 'shorten'
    expect(await replaySince(app, LEEDS, endpointId, request)).toMatchObject({
      outcome: 'started',
    })
  })

  it('from 95 % on a running replay stands still, and goes on by itself when there is room', async () => {
    const endpointId = world.endpoint()
    const engine = await started()
    for (let n = 0; n < 900; n++) void engine.acceptEvent(anEvent(world))
    await world.clock.run(minutes(1))
    world.outbound.when(ADDRESS, { afterMs: 20 })
    const app = { ...world.app, space, wakeDeliveries: engine.wake }
    const begun = await replaySince(app, LEEDS, endpointId, {
      since: 0,
      status: 'all',
      objectUuid: null,
    })
    const replayId = begun.outcome === 'started' ? begun.replayId : 0
    await world.clock.run(100)
    level = 'share'
    await world.clock.run(seconds(5))
    const made = (await app.store.deliveries.findReplay(LEEDS, replayId))?.made ?? 0
    expect(made).toBeLessThan(900)
    await world.clock.run(minutes(5))
    expect((await app.store.deliveries.findReplay(LEEDS, replayId))?.made).toBe(made)
    level = 'lean'
    await world.clock.run(minutes(5))
    expect(await app.store.deliveries.findReplay(LEEDS, replayId)).toMatchObject({
      state: 'done',
      made: 900,
      delivered: 900,
    })
  })

  it('what waits is still sent, whatever the level', async () => {
    world.endpoint()
    const engine = await started()
    for (const one of ['warn', 'shorten', 'lean', 'share', 'full'] as const) {
      level = one
      await engine.acceptEvent(anEvent(world))
      await world.clock.run(seconds(1))
    }
    expect(world.outbound.sent).toHaveLength(5)
  })
})
