import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { days, hours } from '#app/lib/duration.ts'
import { type SpaceWorld, spaceWorld } from '#tests/support/space-world.server.ts'
import { aboutTheFile, onServer } from '#tests/support/test-app.server.ts'
import { openClient } from '../../sqlite/client.server.ts'

const A = 'aaaaaaaa-0000-4000-8000-000000000001'
const B = 'bbbbbbbb-0000-4000-8000-000000000002'

let world: SpaceWorld
beforeEach(() => {
  world = spaceWorld()
})
afterEach(() => {
  world.close()
})

async function weighAll(limit: number): Promise<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (let from: number | null = 0; from !== null; ) {
    const step: Awaited<ReturnType<typeof world.store.ops.weighEventsStep>> = await world.store.ops.weighEventsStep(
      from,
      limit,
    )
    for (const { accountUuid, bytes } of step.bytes) sums[accountUuid] = (sums[accountUuid] ?? 0) + bytes
    from = step.nextSeq
  }
  return sums
}

const usedBytes = async () => {
  const { fileBytes, freeBytes } = await world.store.ops.spaceUsed()
  return fileBytes - freeBytes
}
const bodiesOf = (account: string) =>
  world.all('SELECT b.seq, b.body FROM event_body b JOIN event e ON e.seq = b.seq WHERE e.account_uuid = ?', account)

/** Steps until nothing old is left. */
async function shortenAll(kind: 'bodies' | 'log', account: string, before: number): Promise<number> {
  const step = kind === 'bodies' ? world.store.ops.shortenBodiesStep : world.store.ops.shortenLogStep
  let removed = 0
  for (let from = 0, done = false; !done; ) {
    const result = await step(account, before, from, 100)
    expect(result.removed).toBeLessThanOrEqual(100)
    removed += result.removed
    from = result.nextSeq
    done = result.done
  }
  return removed
}

describe('weighing', () => {
  it('comes to what the file really holds, within a fifth, in steps of any size', async () => {
    world.account(A)
    world.account(B)
    const empty = await usedBytes()
    for (let round = 0; round < 10; round++) {
      await world.receive(A, 100)
      await world.receive(B, 40, { bytes: 2_000 })
    }
    world.deliver([A, B], 'Thank you.')
    const weights = await weighAll(250)
    const total = (weights[A] ?? 0) + (weights[B] ?? 0)
    const real = (await usedBytes()) - empty
    // A server counts its pages and dead rows in its own time.
    if (!onServer) expect(total).toBeGreaterThan(real * 0.8)
    if (!onServer) expect(total).toBeLessThan(real * 1.2)
    expect(await weighAll(7)).toEqual(weights)
    expect(weights[B]).toBeGreaterThan(400 * 2_000)
  })

  it('of nothing is nothing', async () => {
    expect(await weighAll(250)).toEqual({})
  })
})

describe('shortening one account', () => {
  beforeEach(async () => {
    world.account('a')
    world.account('b')
    world.account('waits', 'paused')
    for (let round = 0; round < 20; round++) {
      await world.receive('a', 60)
      await world.receive('b', 10)
      await world.receive('waits', 5)
    }
    world.deliver(['a', 'b'], 'Thank you.')
  })

  it('removes its delivered bodies and nothing else, and what stays is the same to the byte', async () => {
    const before = { b: bodiesOf('b'), waits: bodiesOf('waits') }
    world.clock.advance(hours(25))
    expect(await shortenAll('bodies', 'a', world.clock.now() - hours(24))).toBe(1_200)
    expect(bodiesOf('a')).toEqual([])
    expect({ b: bodiesOf('b'), waits: bodiesOf('waits') }).toEqual(before)
    expect(world.one('SELECT count(*) AS n FROM event')).toEqual({ n: 1_500 })
    if (onServer) return
    expect(world.all('PRAGMA foreign_key_check')).toEqual([])
    expect(world.one('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' })
  })

  it.skipIf(aboutTheFile('pages of the file'))('leaves no half-empty pages behind', async () => {
    const before = await usedBytes()
    world.clock.advance(hours(25))
    await shortenAll('bodies', 'a', world.clock.now() - hours(24))
    const held = 1_200 * 316
    expect(before - (await usedBytes())).toBeGreaterThan(held * 0.85)
  })

  it('removes only what is older, and goes on from there later', async () => {
    world.clock.advance(hours(10))
    await world.receive('a', 300)
    world.deliver(['a'])
    world.clock.advance(hours(15))
    expect(await shortenAll('bodies', 'a', world.clock.now() - hours(24))).toBe(1_200)
    expect(bodiesOf('a')).toHaveLength(300)
    world.clock.advance(hours(10))
    expect(await shortenAll('bodies', 'a', world.clock.now() - hours(24))).toBe(300)
  })

  it('never removes what waits or was given up, neither bodies nor log, however old', async () => {
    await world.receive('a', 50)
    world.client.sql
      .prepare("UPDATE delivery SET state = 'expired' WHERE account_uuid = 'a' AND state = 'pending'")
      .run()
    world.clock.advance(days(400))
    expect(await shortenAll('bodies', 'waits', world.clock.now())).toBe(0)
    expect(await shortenAll('log', 'waits', world.clock.now())).toBe(0)
    expect(bodiesOf('waits')).toHaveLength(100)
    expect(await shortenAll('log', 'a', world.clock.now())).toBe(1_200)
    expect(bodiesOf('a')).toHaveLength(50)
    expect(world.one("SELECT count(*) AS n FROM attempt WHERE account_uuid = 'a'")).toEqual({ n: 0 })
    expect(world.one("SELECT count(*) AS n FROM attempt WHERE account_uuid = 'b'")).toEqual({ n: 200 })
  })
})

describe.skipIf(aboutTheFile('its log'))('emptying the log', () => {
  it('works, unless a reader is in the way: then it is not waited for long', async () => {
    world.account('a')
    await world.receive('a', 200)
    const other = openClient(world.client.sql.name, 'db/migrations')
    const reading = other.sql.prepare('SELECT seq FROM event').iterate()
    reading.next()
    await world.receive('a', 200)
    const startedAt = performance.now()
    expect(await world.store.ops.emptyLog(20)).toBe(false)
    expect(performance.now() - startedAt).toBeLessThan(3_000)
    reading.return?.()
    other.close()
    expect(await world.store.ops.emptyLog(20)).toBe(true)
    expect((await world.store.ops.spaceUsed()).walBytes).toBe(0)
    expect(world.client.sql.pragma('busy_timeout', { simple: true })).toBe(5_000)
  })
})
