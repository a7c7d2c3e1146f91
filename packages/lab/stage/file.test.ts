import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { hours } from '#app/lib/duration.ts'
import { anEvent, type EngineWorld, engineWorld } from '#tests/support/engine-world.server.ts'
import { aboutTheFile } from '#tests/support/test-app.server.ts'
import { examineFile } from './file.ts'

let world: EngineWorld
beforeEach(async () => {
  world = engineWorld()
  world.endpoint()
  const events = ['one', 'two', 'three'].map((objectUuid) => anEvent(world, { objectUuid }))
  await world.store.events.acceptEvents(events, {
    choose: chooseEndpoints,
    limit: { deliveries: 100, bytes: 100_000 },
    retryFor: hours(72),
    stoppedReason: '',
  })
})
afterEach(async () => {
  await world.close()
})

const examine = (records: string[], gone?: Set<string>) => examineFile(world.client.sql.name, records, gone)
const change = (sql: string) => world.client.sql.prepare(sql).run()

describe.skipIf(aboutTheFile('it reads a file'))('what a proof finds in a file', () => {
  it('is nothing wrong while rows and counters agree', () => {
    expect(examine(['one', 'two', 'three'])).toEqual({
      integrity: 'ok',
      events: 3,
      missing: [],
      undelivered: ['one', 'two', 'three'],
      storedTwice: 0,
      waiting: 3,
      wrongCounters: [],
    })
  })

  it('is what was acknowledged and is not stored, unless it was allowed to go', () => {
    change("DELETE FROM event WHERE object_uuid = 'two'")
    expect(examine(['one', 'two', 'never sent']).missing).toEqual(['two', 'never sent'])
    expect(examine(['one', 'two'], new Set(['two'])).missing).toEqual([])
  })

  it('is what is stored twice', () => {
    change("UPDATE event SET object_uuid = 'one' WHERE object_uuid = 'two'")
    expect(examine(['one']).storedTwice).toBe(1)
  })

  it('is a counter that says something else than the rows', () => {
    change("UPDATE delivery SET state = 'delivered', attempts = 1 WHERE id = 1")
    const { wrongCounters, undelivered } = examine(['one', 'two', 'three'])
    expect(undelivered).toEqual(['two', 'three'])
    expect(wrongCounters).toEqual([
      'waiting deliveries of all endpoints: counted 3, found 2',
      'waiting deliveries of all accounts: counted 3, found 2',
      'deliveries whose attempts are not as many as their rows: counted 1, found 0',
      'events forwarded: counted 0, found 1',
    ])
  })

  it('is a row that belongs to nothing', () => {
    world.client.sql.pragma('foreign_keys = OFF')
    change('DELETE FROM event WHERE seq = 1')
    world.client.sql.pragma('foreign_keys = ON')
    expect(examine([]).integrity).toMatch(/^a row of (delivery|event_body) belongs to nothing$/)
  })
})
