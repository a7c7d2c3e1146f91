import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { hours } from '#app/lib/duration.ts'
import { anEvent, type EngineWorld, engineWorld } from '#tests/support/engine-world.server.ts'
import { aboutTheFile, refuseWrites } from '#tests/support/test-app.server.ts'
import { openClient } from '../../sqlite/client.server.ts'

let world: EngineWorld
beforeEach(() => {
  world = engineWorld()
})
afterEach(async () => {
  await world.close()
})

describe('the lease', () => {
  const take = (owner: string, takeFrom: string | null = null) =>
    world.store.ops.acquireLease('deliveries', owner, world.clock.now(), world.clock.now() + 10_000, takeFrom)

  it('has one owner, who can renew it', async () => {
    expect(await take('first')).toBe(true)
    expect(await take('second')).toBe(false)
    expect(await take('first')).toBe(true)
    expect(await world.store.ops.findLease('deliveries')).toEqual({
      owner: 'first',
      expiresAt: world.clock.now() + 10_000,
    })
  })

  it('can be taken when it has expired, was given up, or its owner is known to be gone', async () => {
    await take('first')
    await world.clock.run(9_999)
    expect(await take('second')).toBe(false)
    await world.clock.run(1)
    expect(await take('second')).toBe(true)
    await world.store.ops.releaseLease('deliveries', 'first')
    expect(await take('third')).toBe(false)
    expect(await take('third', 'first')).toBe(false)
    expect(await take('third', 'second')).toBe(true)
    await world.store.ops.releaseLease('deliveries', 'third')
    expect(await take('fourth')).toBe(true)
  })
})

describe('health', () => {
  it('a trial write leaves no trace, and fails when nothing can be written', async () => {
    await world.store.ops.trialWrite()
    expect(world.rows("SELECT name FROM lease WHERE name LIKE 'trial%'")).toEqual([])
    const allow = refuseWrites(world.client)
    await expect(world.store.ops.trialWrite()).rejects.toThrow()
    allow()
    await world.store.ops.trialWrite()
  })

  it.skipIf(aboutTheFile('PostgreSQL is asked every time: another instance may write at any time'))(
    'notices what another process has written, once',
    async () => {
      await world.store.ops.changedElsewhere()
      world.endpoint()
      expect(await world.store.ops.changedElsewhere()).toBe(false)
      const other = openClient(world.client.sql.name, 'db/migrations')
      other.sql.prepare("UPDATE endpoint SET field_filter = 'status'").run()
      other.close()
      expect([await world.store.ops.changedElsewhere(), await world.store.ops.changedElsewhere()]).toEqual([
        true,
        false,
      ])
    },
  )

  it.skipIf(aboutTheFile('pages of the file'))(
    'knows how much space is used, and gives back what is free',
    async () => {
      await accept(300, 'x'.repeat(2_000))
      world.client.sql.prepare('DELETE FROM event').run()
      const before = await world.store.ops.spaceUsed()
      expect(before.freeBytes).toBeGreaterThan(400_000)
      await world.store.ops.vacuumStep(100)
      const after = await world.store.ops.spaceUsed()
      expect(before.fileBytes - after.fileBytes).toBe(100 * 4096)
      await world.store.ops.checkpoint('truncate')
      expect((await world.store.ops.spaceUsed()).walBytes).toBe(0)
    },
  )
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
