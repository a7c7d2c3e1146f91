import { afterEach, beforeEach, expect, test } from 'vitest'
import { type EngineWorld, engineWorld, LEEDS } from '#tests/support/engine-world.server.ts'
import { aboutTheFile, onServer, refuseWrites } from '#tests/support/test-app.server.ts'
import type { Turn, WriteTurn } from './write-turn.server.ts'

let world: EngineWorld
let turn: WriteTurn
let endpointId: number
beforeEach(() => {
  world = engineWorld()
  endpointId = world.endpoint()
  turn = world.client.turn
})
afterEach(async () => {
  await world.close()
})

function* rename(name: string): Generator<unknown, number> {
  return (yield* world.client.db.prepare('UPDATE account SET name = ?').run(name)).changes
}
const name = () => world.row('SELECT name FROM account').name
const waiting = () => world.row('SELECT pending_count FROM endpoint').pending_count

test.skipIf(aboutTheFile('spies on BEGIN of the file; PostgreSQL has a test of its own below'))(
  'what is asked for within one turn shares one transaction, and each gets its own answer',
  async () => {
    let begun = 0
    const count = () => {
      if (world.client.sql.inTransaction) begun++
      return world.client.sql.inTransaction
    }
    const both = ['first', 'second'].map((name) =>
      turn.run(function* () {
        return [yield* rename(name), count()]
      }),
    )
    expect(await Promise.all(both)).toEqual([
      [1, true],
      [1, true],
    ])
    expect([name(), begun]).toEqual(['second', 2])
  },
)

test.runIf(onServer)('what is asked for within one turn has the same number of a transaction', async () => {
  const number = world.client.db.prepare<[], string>('SELECT CAST(pg_current_xact_id() AS text)').pluck()
  const asked = () =>
    turn.run(function* () {
      yield* rename('any')
      return yield* number.get()
    })
  const [first, second] = await Promise.all([asked(), asked()])
  expect([first, (await asked()) === first]).toEqual([second, false])
})

test('what breaks one leaves the others, their counters too', async () => {
  const touch = world.client.db.prepare('UPDATE endpoint SET last_attempt_at = ?')
  function* add({ tally }: Turn, deliveries: number): Generator<unknown, void> {
    tally.waiting(LEEDS, endpointId, deliveries, 0)
    yield* touch.run(deliveries)
  }
  const results = await Promise.allSettled([
    turn.run((own) => add(own, 1)),
    turn.run(function* (own) {
      yield* add(own, 10)
      yield* rename('half done')
      throw new Error('cannot')
    }),
    turn.run((own) => add(own, 2)),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(results[1]).toMatchObject({ reason: new Error('cannot') })
  expect([name(), waiting()]).toEqual(['Leeds Electrical', 3])
})

test('one alone that breaks leaves nothing behind, and the next turn goes on', async () => {
  const broken = turn.run(function* () {
    yield* rename('half done')
    throw new Error('cannot')
  })
  await expect(broken).rejects.toThrow('cannot')
  expect(name()).toBe('Leeds Electrical')
  await turn.run(() => rename('whole'))
  expect(name()).toBe('whole')
})

test('when nothing can be written, everybody is told so', async () => {
  const allow = refuseWrites(world.client)
  const results = await Promise.allSettled([turn.run(() => rename('a')), turn.run(() => rename('b'))])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  allow()
  expect(await turn.run(() => rename('a'))).toBe(1)
})
