import { afterEach, beforeEach, expect, it } from 'vitest'
import { minutes, seconds } from '#app/lib/duration.ts'
import type { PolledTake } from '#db/store/records.ts'
import { anEvent, type EngineWorld, engineWorld, LEEDS } from '#tests/support/engine-world.server.ts'

let world: EngineWorld
beforeEach(() => {
  world = engineWorld()
})
afterEach(async () => {
  await world.close()
})

const SOURCE = 'webhook:jobcontact'

/** Two contacts changed, of which one is of interest to somebody, and nobody is told of a third. */
function found(claimedUntil: number): PolledTake {
  const at = world.clock.now()
  const record = (recordUuid: string) => ({ recordUuid, editDate: '2026-01-05 09:00:00', fields: {} })
  const event = (objectUuid: string, changedFields: string[]) =>
    anEvent(world, { object: 'jobcontact', objectUuid, changedFields })
  const records = [
    { record: record('first'), event: null },
    { record: record('second'), event: event('second', ['mobile']) },
    { record: record('third'), event: event('third', ['email']) },
  ]
  const cursor = { watermark: '2026-01-05 09:00:00', nextAt: at + minutes(6) }
  return { accountUuid: LEEDS, source: SOURCE, object: 'jobcontact', claimedUntil, records, cursor, at }
}

it('what was read from a list is sent at once, to those who want it, like what is posted', async () => {
  world.endpoint({ object: 'jobcontact', fields: 'email' })
  const engine = world.engine()
  engine.start()
  await world.clock.settle()
  const until = world.clock.now() + minutes(5)
  await world.store.records.claimPoll(LEEDS, SOURCE, null, until)
  expect(await engine.acceptPolled(found(until))).toMatchObject({ outcome: 'taken', accepted: [{}, {}] })
  await world.clock.run(seconds(1))
  expect(world.outbound.sent).toHaveLength(1)
  expect(world.rows('SELECT object_uuid AS uuid, state FROM delivery')).toEqual([{ uuid: 'third', state: 'delivered' }])
  expect(world.rows("SELECT kind, count FROM usage_day WHERE kind = 'webhook_received'")).toEqual([
    { kind: 'webhook_received', count: 2 },
  ])
})

it('nothing is sent of what somebody else has taken over', async () => {
  world.endpoint({ object: 'jobcontact' })
  const engine = world.engine()
  engine.start()
  await world.clock.settle()
  const until = world.clock.now() + minutes(5)
  await world.store.records.claimPoll(LEEDS, SOURCE, null, until)
  expect(await engine.acceptPolled(found(until + 1))).toEqual({ outcome: 'overtaken' })
  await world.clock.run(seconds(1))
  expect(world.outbound.sent).toHaveLength(0)
})
