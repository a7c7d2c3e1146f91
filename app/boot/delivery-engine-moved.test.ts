import { afterEach, beforeEach, expect, it } from 'vitest'
import { seconds } from '#app/lib/duration.ts'
import { ADDRESS, anEvent, type EngineWorld, engineWorld } from '#tests/support/engine-world.server.ts'
import type { MemoryAnswer } from '#tests/support/memory-outbound.ts'

const NEW_ADDRESS = 'https://new.example.com/hook'

let world: EngineWorld
beforeEach(() => {
  world = engineWorld()
})
afterEach(() => world.close())

/** Three events; while the first is on its way, the endpoint gets a new address. Then the old one answers. */
async function movedUnderWay(answer: MemoryAnswer) {
  const id = world.endpoint()
  const engine = world.engine()
  engine.start()
  await world.clock.settle()
  world.outbound.when(ADDRESS, { ...answer, afterMs: seconds(5) })
  for (let n = 0; n < 3; n++) await engine.acceptEvent(anEvent(world))
  await world.clock.run(seconds(1))
  world.client.sql.prepare('UPDATE endpoint SET url = ? WHERE id = ?').run(NEW_ADDRESS, id)
  engine.wake(id)
  await world.clock.run(seconds(10))
  return engine
}

const sentTo = (url: string) => world.outbound.sentTo(url).length
const endpoint = () => world.row('SELECT state, hold_until, failure_streak, last_code FROM endpoint')

it.each([
  ['410', { status: 410 }],
  ['429', { status: 429, headers: { 'retry-after': '300' } }],
  ['500', { status: 500 }],
  ['failure to connect', { fails: 'refused' }],
] satisfies [string, MemoryAnswer][])(
  'after a late %s of the old address the new one gets everything at once',
  async (_, answer: MemoryAnswer) => {
    await movedUnderWay(answer)
    expect(world.row("SELECT count(*) AS n FROM delivery WHERE state = 'delivered' AND steps = 0")).toEqual({ n: 3 })
    expect(sentTo(NEW_ADDRESS)).toBe(3)
    expect(endpoint()).toEqual({ state: 'active', hold_until: null, failure_streak: 0, last_code: 200 })
    expect(world.outbound.knocked).toEqual([])
    const logged = world.rows('SELECT url FROM attempt').map(({ url }) => url)
    expect(logged.filter((url) => url === ADDRESS)).toHaveLength(sentTo(ADDRESS))
  },
)

it('what the old address took is delivered, and is no success of the new one', async () => {
  world.outbound.when(NEW_ADDRESS, { status: 500 })
  await movedUnderWay({})
  const took = sentTo(ADDRESS)
  expect(took).toBeGreaterThan(0)
  expect(world.row("SELECT count(*) AS n FROM delivery WHERE state = 'delivered'")).toEqual({ n: took })
  expect(world.row('SELECT last_success_at, last_code FROM endpoint')).toMatchObject({ last_success_at: null })
})
