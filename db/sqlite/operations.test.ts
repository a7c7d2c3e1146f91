import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { forgetOldEvents } from '#app/features/deliveries/retention.server.ts'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { days, hours } from '#app/lib/duration.ts'
import { anEvent, type EngineWorld, engineWorld } from '#tests/support/engine-world.server.ts'
import { openClient } from './client.server.ts'

let world: EngineWorld
beforeEach(() => {
  world = engineWorld()
})
afterEach(async () => {
  await world.close()
})

describe('the lease', () => {
  const take = (owner: string, takeFrom: string | null = null) =>
    world.store.acquireLease('deliveries', owner, world.clock.now(), world.clock.now() + 10_000, takeFrom)

  it('has one owner, who can renew it', async () => {
    expect(await take('first')).toBe(true)
    expect(await take('second')).toBe(false)
    expect(await take('first')).toBe(true)
    expect(await world.store.findLease('deliveries')).toEqual({ owner: 'first', expiresAt: world.clock.now() + 10_000 })
  })

  it('can be taken when it has expired, was given up, or its owner is known to be gone', async () => {
    await take('first')
    await world.clock.run(9_999)
    expect(await take('second')).toBe(false)
    await world.clock.run(1)
    expect(await take('second')).toBe(true)
    await world.store.releaseLease('deliveries', 'first')
    expect(await take('third')).toBe(false)
    expect(await take('third', 'first')).toBe(false)
    expect(await take('third', 'second')).toBe(true)
    await world.store.releaseLease('deliveries', 'third')
    expect(await take('fourth')).toBe(true)
  })
})

describe('health', () => {
  it('a trial write leaves no trace, and fails when nothing can be written', async () => {
    await world.store.trialWrite()
    expect(await world.store.findLease('trial')).toBeNull()
    world.client.sql.pragma('query_only = ON')
    await expect(world.store.trialWrite()).rejects.toThrow()
    world.client.sql.pragma('query_only = OFF')
    await world.store.trialWrite()
  })

  it('notices what another process has written, once', async () => {
    await world.store.changedElsewhere()
    world.endpoint()
    expect(await world.store.changedElsewhere()).toBe(false)
    const other = openClient(world.client.sql.name, 'db/migrations')
    other.sql.prepare("UPDATE endpoint SET field_filter = 'status'").run()
    other.close()
    expect([await world.store.changedElsewhere(), await world.store.changedElsewhere()]).toEqual([true, false])
  })

  it('knows how much space is used, and gives back what is free', async () => {
    await accept(300, 'x'.repeat(2_000))
    world.client.sql.prepare('DELETE FROM event').run()
    const before = await world.store.spaceUsed()
    expect(before.freeBytes).toBeGreaterThan(400_000)
    await world.store.vacuumStep(100)
    const after = await world.store.spaceUsed()
    expect(before.fileBytes - after.fileBytes).toBe(100 * 4096)
    await world.store.checkpoint('truncate')
    expect((await world.store.spaceUsed()).walBytes).toBe(0)
  })
})

async function accept(count: number, body = '{}'): Promise<void> {
  await world.store.acceptEvents(
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
  const done = forgetOldEvents(world.app, { keepMs })
  await world.clock.run(60_000)
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
  }, 20_000)

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
