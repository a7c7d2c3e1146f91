import { afterEach, beforeEach, expect, it } from 'vitest'
import { minutes, seconds } from '#app/lib/duration.ts'
import { ADDRESS, anEvent, type EngineWorld, engineWorld } from '#tests/support/engine-world.server.ts'
import type { MemoryAnswer } from '#tests/support/memory-outbound.ts'

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

/** One event every second, while the address behaves so. Returns when that began. */
async function downFor(ms: number, engine: Awaited<ReturnType<typeof started>>, answer: MemoryAnswer): Promise<number> {
  world.outbound.when(ADDRESS, answer)
  const began = world.clock.now()
  while (world.clock.now() - began < ms) {
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(seconds(1))
  }
  return began
}

const delivered = () => Number(world.row("SELECT count(*) AS n FROM delivery WHERE state = 'delivered'").n)

it.each([
  ['a minute', minutes(1)],
  ['ten minutes, longer than the breaker needs', minutes(10)],
])('an address that could not be reached for %s has everything within ten seconds of its return', async (_, ms) => {
  world.endpoint()
  const engine = await started()
  await downFor(ms, engine, { fails: 'refused' })
  expect(delivered()).toBe(0)
  world.outbound.when(ADDRESS, {})
  await world.clock.run(seconds(10))
  expect(delivered()).toBe(ms / 1_000)
})

it('is dialled at most every five seconds, and no more once it is back', async () => {
  world.endpoint()
  const engine = await started()
  await downFor(minutes(2), engine, { fails: 'dns' })
  const { knocked } = world.outbound
  expect(knocked.length).toBeGreaterThan(15)
  for (const [index, { at }] of knocked.entries()) {
    if (index > 0) expect(at - (knocked[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(seconds(5))
  }
  world.outbound.when(ADDRESS, {})
  await world.clock.run(seconds(10))
  const until = knocked.length
  await world.clock.run(minutes(5))
  expect(knocked).toHaveLength(until)
})

it('a live event that arrives first brings the others with it', async () => {
  world.endpoint()
  const engine = await started()
  await downFor(seconds(40), engine, { fails: 'refused' })
  world.outbound.when(ADDRESS, {})
  await engine.acceptEvent(anEvent(world))
  await world.clock.run(100)
  expect(delivered()).toBe(41)
})

it('an address that connects but fails is asked by the schedule, with one delivery more', async () => {
  world.endpoint()
  const engine = await started()
  await downFor(seconds(20), engine, { fails: 'refused' })
  const before = world.outbound.sent.length
  world.outbound.when(ADDRESS, { status: 500 })
  await world.clock.run(seconds(6))
  const { knocked, sent } = world.outbound
  const until = knocked.length
  await world.clock.run(minutes(5))
  expect(knocked).toHaveLength(until)
  // Steps of 5 s, 30 s, 2 min and so on for each of twenty.
  expect(sent.length - before).toBeLessThanOrEqual(20 * 3 + 1)
})

it('an address that answers with errors is never dialled', async () => {
  world.endpoint()
  const engine = await started()
  for (const answer of [{ status: 500 }, { status: 429 }, { status: 404 }, { fails: 'protocol' }] as const) {
    await downFor(seconds(30), engine, answer)
  }
  expect(world.outbound.knocked).toEqual([])
})

it.each(['reset', 'timeout'] as const)(
  'an address that ends a kept connection (%s) keeps its schedule',
  async (fails) => {
    world.endpoint()
    const engine = await started()
    await engine.acceptEvent(anEvent(world))
    await world.clock.settle()
    world.outbound.when(ADDRESS, { fails, reached: true })
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(minutes(2))
    expect(world.outbound.knocked).toEqual([])
    // At once, after 5 s and after 30 s.
    expect(world.outbound.sent).toHaveLength(1 + 3)
  },
)

it('a webhook that is changed, or ends, is dialled no more', async () => {
  const endpoint = world.endpoint()
  const engine = await started()
  await downFor(seconds(20), engine, { fails: 'refused' })
  world.client.sql.exec("UPDATE endpoint SET state = 'paused'")
  engine.wake(endpoint)
  const until = world.outbound.knocked.length
  await world.clock.run(minutes(10))
  expect(world.outbound.knocked).toHaveLength(until)
})

it('when nothing waits any more, dialling ends', async () => {
  world.endpoint()
  const engine = await started()
  await downFor(seconds(5), engine, { fails: 'refused' })
  world.client.sql.exec("UPDATE delivery SET state = 'expired', settled_at = 0")
  await world.clock.run(minutes(25))
  const until = world.outbound.knocked.length
  await world.clock.run(minutes(30))
  expect(world.outbound.knocked).toHaveLength(until)
})
