import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { withMethods } from '#app/lib/families.ts'
import { ADDRESS, anEvent, type EngineWorld, engineWorld, LEEDS } from '#tests/support/engine-world.server.ts'
import { HANGS } from '#tests/support/memory-outbound.ts'

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

describe('restarts and overlaps', () => {
  it('on a full disk it ends in good order, though its lease cannot be given back', async () => {
    const releaseLease = () => Promise.reject(new Error('SQLITE_FULL'))
    const engine = world.engine({ store: withMethods(world.store, { releaseLease }) })
    engine.start()
    await world.clock.settle()
    await expect(engine.drain()).resolves.toBeUndefined()
  })

  it('what was not settled is sent by the next process, new events at once, retries spread', async () => {
    world.endpoint()
    world.endpoint({ url: 'https://hangs.example.com/', object: 'company' })
    world.outbound.when('https://hangs.example.com/', HANGS)
    world.outbound.when(ADDRESS, { status: 500 })
    const first = await started()
    for (let n = 0; n < 5; n++) await first.acceptEvent(anEvent(world))
    await world.clock.run(seconds(1))
    // Taken in while nobody delivers: as if the process had died right after the commit.
    first.beginDrain()
    await first.acceptEvent(anEvent(world, { object: 'company' }))
    await world.clock.run(minutes(20))
    const drained = first.drain()
    await world.clock.run(seconds(20))
    await drained
    const before = world.outbound.sent.length
    world.outbound.when(ADDRESS, {})

    const second = world.engine({ random: () => 0.5 })
    second.start()
    const restartedAt = world.clock.now()
    await world.clock.run(seconds(2))
    const firstOnes = world.outbound.sent.slice(before)
    expect(firstOnes.map(({ url }) => url)).toContain('https://hangs.example.com/')
    await world.clock.run(minutes(2))
    const retries = world.outbound.sent.slice(before).filter(({ url }) => url === ADDRESS)
    expect(retries).toHaveLength(5)
    for (const { at } of retries) {
      expect(at - restartedAt).toBeGreaterThanOrEqual(1_000)
      expect(at - restartedAt).toBeLessThanOrEqual(61_000)
    }
  })

  it('two processes never send the same delivery: the second waits for the lease, and notices what the other took in', async () => {
    world.endpoint()
    const first = await started()
    const second = world.engine()
    second.start()
    await world.clock.run(seconds(5))
    expect([first.status().owner, second.status().owner]).toEqual([true, false])
    await second.acceptEvent(anEvent(world))
    await first.acceptEvent(anEvent(world))
    await world.clock.run(seconds(4))
    expect(world.outbound.sent).toHaveLength(2)

    const drained = first.drain()
    await world.clock.run(seconds(1))
    await drained
    await second.acceptEvent(anEvent(world))
    await world.clock.run(seconds(4))
    expect([first.status().owner, second.status().owner]).toEqual([false, true])
    expect(world.outbound.sent).toHaveLength(3)
    expect(world.row('SELECT max(attempts) AS most FROM delivery')).toEqual({ most: 1 })
  })

  it('what another process changes about an endpoint is noticed by the owner: resumed, due at once, never known before', async () => {
    const paused = world.endpoint()
    world.outbound.when('https://other.example.com/', (_request, count) => ({ status: count === 1 ? 500 : 200 }))
    const waits = world.endpoint({ url: 'https://other.example.com/', object: 'company' })
    const first = await started()
    const second = world.engine()
    second.start()
    await world.clock.run(seconds(5))
    world.pause(paused)
    first.wake(paused)
    await first.acceptEvent(anEvent(world, { object: 'company' }))
    await world.clock.run(seconds(1))
    expect(world.outbound.sent).toHaveLength(1)

    // As the other process does it: with its own connection, and nobody tells the owner.
    const { deliveries } = world.otherStore()
    await deliveries.resumeEndpoint(LEEDS, paused, world.clock.now())
    await deliveries.resumeEndpoint(LEEDS, waits, world.clock.now())
    await world.clock.run(seconds(3))
    expect(world.outbound.sentTo('https://other.example.com/')).toHaveLength(2)
    // Nothing waited for it when it was resumed: the gate in memory must be open all the same.
    await first.acceptEvent(anEvent(world))
    await world.clock.run(seconds(1))
    expect(world.outbound.sentTo(ADDRESS)).toHaveLength(1)
  })

  it('an owner that does not renew its lease begins nothing more, and another one takes over', async () => {
    world.endpoint()
    const first = await started()
    await world.clock.run(seconds(1))
    world.client.sql.prepare("UPDATE lease SET owner = 'somebody else', expires_at = ?").run(world.clock.now() + 8_000)
    await world.clock.run(seconds(3))
    await first.acceptEvent(anEvent(world))
    await world.clock.run(seconds(3))
    expect(first.status().owner).toBe(false)
    expect(world.outbound.sent).toHaveLength(0)
    await world.clock.run(seconds(6))
    expect(first.status().owner).toBe(true)
    expect(world.outbound.sent).toHaveLength(1)
  })

  it('a process that was killed is replaced at once, without waiting for its lease', async () => {
    world.endpoint()
    const first = await started()
    first.beginDrain()
    await first.acceptEvent(anEvent(world))
    const [machine, namespace, , , name] = String(world.row('SELECT owner FROM lease').owner).split('|')
    const drained = first.drain()
    await world.clock.run(seconds(1))
    await drained
    world.client.sql
      .prepare("INSERT INTO lease (name, owner, expires_at) VALUES ('deliveries', ?, ?)")
      .run([machine, namespace, '4194305', '1', name].join('|'), world.clock.now() + 10_000)
    const second = world.engine()
    second.start()
    await world.clock.settle()
    expect(second.status().owner).toBe(machine !== '' && namespace !== '')
    await world.clock.run(seconds(10))
    expect(world.outbound.sent).toHaveLength(1)
  })

  it('draining waits for what is in flight and writes it down', async () => {
    world.endpoint()
    world.outbound.when(ADDRESS, { afterMs: 5_000 })
    const engine = await started()
    await engine.acceptEvent(anEvent(world))
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(seconds(1))
    const drained = engine.drain()
    expect((await engine.ready()).reasons).toEqual(['shutting down'])
    await world.clock.run(seconds(5))
    await drained
    expect(world.outbound.sent).toHaveLength(1)
    expect(world.row("SELECT count(*) AS n FROM delivery WHERE state = 'delivered'")).toEqual({ n: 1 })
    expect(world.row('SELECT count(*) AS n FROM lease')).toEqual({ n: 0 })
  })

  it('a machine that slept past retries and its own lease goes on', async () => {
    world.endpoint()
    world.outbound.when(ADDRESS, (_request, count) => ({ status: count === 1 ? 500 : 200 }))
    const engine = await started()
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(seconds(1))
    world.clock.leap(hours(2))
    await world.clock.run(seconds(1))
    expect(world.row('SELECT state FROM delivery')).toEqual({ state: 'delivered' })
  })
})

describe('when the database is in trouble', () => {
  it('is tried at most once in three seconds, however many ask', async () => {
    let writes = 0
    let broken = true
    const trialWrite = async () => {
      writes++
      if (broken) throw new Error('disk full')
    }
    const engine = world.engine({ store: withMethods(world.store, { trialWrite }) })
    engine.start()
    await world.clock.settle()
    const ask = async () => (await Promise.all(Array.from({ length: 50 }, engine.ready))).map(({ ready }) => ready)
    expect([new Set(await ask()), writes]).toEqual([new Set([false]), 1])
    broken = false
    await world.clock.run(2_900)
    expect([new Set(await ask()), writes]).toEqual([new Set([false]), 1])
    await world.clock.run(100)
    expect([new Set(await ask()), writes]).toEqual([new Set([true]), 2])
  })

  it('what was stored without an answer is found and sent, though the platform hears it is known', async () => {
    world.endpoint()
    let silent = false
    const store = withMethods(world.store, {
      acceptEvents: async (...input: Parameters<typeof world.store.events.acceptEvents>) => {
        const accepted = await world.store.events.acceptEvents(...input)
        if (silent) throw new Error('the disk refused to sync')
        return accepted
      },
    })
    const engine = world.engine({ store })
    engine.start()
    await world.clock.settle()
    const event = anEvent(world)
    silent = true
    await expect(engine.acceptEvent(event)).rejects.toMatchObject({ code: 'commit_failed' })
    silent = false
    expect(await engine.acceptEvent(event)).toMatchObject({ outcome: 'duplicate' })
    await world.clock.settle()
    expect(world.outbound.sent).toHaveLength(1)
  })

  it('nothing is acknowledged, and nothing is sent twice once it is back', async () => {
    world.endpoint()
    let broken = false
    const store = withMethods(world.store, {
      acceptEvents: (...input: Parameters<typeof world.store.events.acceptEvents>) =>
        broken ? Promise.reject(new Error('disk full')) : world.store.events.acceptEvents(...input),
      settleAttempts: (...input: Parameters<typeof world.store.deliveries.settleAttempts>) =>
        broken ? Promise.reject(new Error('disk full')) : world.store.deliveries.settleAttempts(...input),
      trialWrite: () => (broken ? Promise.reject(new Error('disk full')) : world.store.ops.trialWrite()),
    })
    const engine = world.engine({ store })
    engine.start()
    await world.clock.settle()
    world.outbound.when(ADDRESS, { afterMs: 1_000 })
    for (let n = 0; n < 3; n++) await engine.acceptEvent(anEvent(world))
    await world.clock.run(500)
    broken = true
    await expect(engine.acceptEvent(anEvent(world))).rejects.toMatchObject({ code: 'commit_failed' })
    expect((await engine.ready()).reasons).toEqual(['the database cannot be written'])
    await world.clock.run(minutes(2))
    expect(world.outbound.sent).toHaveLength(1)
    broken = false
    await world.clock.run(minutes(2))
    expect(world.outbound.sent).toHaveLength(3)
    expect(world.row("SELECT count(*) AS n, max(attempts) AS most FROM delivery WHERE state = 'delivered'")).toEqual({
      n: 3,
      most: 1,
    })
  })
})

describe('fairness', () => {
  it('one hanging address in twenty costs the others nothing', async () => {
    const urls = Array.from({ length: 20 }, (_, n) => `https://r${n}.example.com/`)
    urls.forEach((url, n) => {
      world.endpoint({ url, object: `object${n}` })
      world.outbound.when(url, n === 0 ? HANGS : { afterMs: 3 })
    })
    const engine = await started()
    const receivedAt = new Map<string, number>()
    for (let n = 0; n < 200; n++) {
      const event = anEvent(world, { object: `object${n % 20}`, body: `{"n":${n}}` })
      receivedAt.set(event.body, world.clock.now())
      void engine.acceptEvent(event)
      await world.clock.run(5)
    }
    await world.clock.run(seconds(1))
    const healthy = world.outbound.sent.filter(({ url }) => url !== urls[0])
    expect(healthy).toHaveLength(190)
    const worst = Math.max(...healthy.map(({ at, body }) => at - (receivedAt.get(body) ?? 0)))
    expect(worst).toBeLessThanOrEqual(10)
    expect(world.outbound.mostAtOnce(urls[0] ?? '')).toBe(1)
  })
})
