import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { days, hours } from '#app/lib/duration.ts'
import { anEvent, type EngineWorld, engineWorld } from '#tests/support/engine-world.server.ts'
import { onServer } from '#tests/support/test-app.server.ts'
import { chooseEndpoints } from '../fan-out.ts'
import { forgetOldEvents } from './retention.server.ts'

let world: EngineWorld
beforeEach(() => {
  world = engineWorld()
})
afterEach(async () => {
  await world.close()
})

async function accept(count: number, body = '{}'): Promise<void> {
  await world.store.events.acceptEvents(
    Array.from({ length: count }, () => anEvent(world, { body })),
    {
      choose: chooseEndpoints,
      limit: { deliveries: 50_000, bytes: 50_000_000 },
      retryFor: hours(72),
      stoppedReason: '',
    },
  )
}

const counts = () =>
  world.row(
    'SELECT (SELECT count(*) FROM event) AS events, (SELECT count(*) FROM event_body) AS bodies, (SELECT count(*) FROM delivery) AS deliveries',
  )
const setAll = (state: string) =>
  world.client.sql.prepare("UPDATE delivery SET state = ? WHERE state = 'pending'").run(state)

async function forget(keepMs: number): Promise<void> {
  let over = false
  const done = forgetOldEvents(world.app, { keepMs }).finally(() => {
    over = true
  })
  // A server answers at its own time, in which this clock must not run for hours.
  while (!over) {
    await world.clock.run(1_000)
    if (onServer) await setTimeout(5)
  }
  await done
}

describe('keeping the file bounded', () => {
  it('removes bodies of delivered events after a week, and events after as long as they are kept', async () => {
    world.endpoint()
    await accept(250)
    setAll('delivered')
    await world.clock.run(days(1))
    await accept(50)
    setAll('expired')
    await forget(days(30))
    expect(counts()).toEqual({ events: 300, bodies: 300, deliveries: 300 })
    await world.clock.run(days(7))
    await forget(days(30))
    expect(counts()).toEqual({ events: 300, bodies: 50, deliveries: 300 })
    await world.clock.run(days(22))
    await forget(days(30))
    expect(counts()).toEqual({ events: 50, bodies: 50, deliveries: 50 })
    await world.clock.run(days(1))
    await forget(days(30))
    expect(counts()).toEqual({ events: 0, bodies: 0, deliveries: 0 })
    expect(world.row('SELECT count(*) AS n FROM attempt')).toEqual({ n: 0 })
  })

  it('never removes what waits, however old', async () => {
    world.endpoint({ state: 'paused' })
    await accept(10)
    await world.clock.run(days(400))
    await forget(days(30))
    expect(counts()).toEqual({ events: 10, bodies: 10, deliveries: 10 })
  })

  it('keeps events at least as long as the platform repeats them', async () => {
    await accept(10)
    await world.clock.run(days(3))
    await forget(1)
    expect(counts()).toMatchObject({ events: 10 })
    await world.clock.run(days(2))
    await forget(1)
    expect(counts()).toMatchObject({ events: 0 })
  })
})
