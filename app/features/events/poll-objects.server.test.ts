import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { POLL_EVERY } from '#app/domain/polling.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { type PolledWorld, polledWorld } from '#tests/support/polled-world.server.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { chooseEndpoints } from './fan-out.ts'
import { trimSnapshots } from './poll-objects.server.ts'

let world: WebhookWorld
let polled: PolledWorld
beforeEach(async () => {
  world = await openWebhookWorld()
  polled = polledWorld(world)
})
afterEach(() => world.close())

/** Somebody wants all events of job contacts. */
async function wanted(account = LEEDS): Promise<void> {
  expect(await world.app.beginPolling(account, 'jobcontact')).toEqual({ outcome: 'looking' })
  await world.app.store.endpoints.saveEndpoint(account, {
    kind: 'webhook',
    objectType: 'jobcontact',
    fields: '',
    url: 'https://example.com/in',
    fieldFilter: '',
    active: true,
    secretSealed: '',
    subscription: null,
    at: world.clock.now(),
  })
}

describe('a crash', () => {
  test('between the list and the store loses nothing and repeats nothing', async () => {
    await wanted()
    polled.add('new')
    const { acceptPolled } = world.app
    world.app.acceptPolled = () => Promise.reject(new Error('the disk is gone'))
    await polled.look()
    expect(polled.events()).toEqual([])
    world.app.acceptPolled = acceptPolled
    await polled.look(hours(1))
    await polled.look()
    expect(polled.events().map(({ uuid }) => uuid)).toEqual(['new'])
  })

  test('between the store and its answer repeats nothing', async () => {
    await wanted()
    polled.add('new')
    const { acceptPolled } = world.app
    world.app.acceptPolled = async (take) => {
      await acceptPolled(take)
      throw new Error('killed')
    }
    await polled.look()
    world.app.acceptPolled = acceptPolled
    await polled.look(hours(1))
    expect(polled.events().map(({ uuid }) => uuid)).toEqual(['new'])
  })

  test('in the middle of many goes on where it was', async () => {
    await wanted()
    const many = Array.from({ length: 450 }, (_, n) => `new-${n}`)
    polled.add(...many)
    const { acceptPolled } = world.app
    let steps = 0
    world.app.acceptPolled = (take) => {
      steps += 1
      return steps === 2 ? Promise.reject(new Error('killed')) : acceptPolled(take)
    }
    await polled.look()
    expect(polled.events()).toHaveLength(50)
    const before = await polled.cursor()
    await polled.look(hours(1))
    expect(polled.events().map(({ uuid }) => uuid)).toEqual(many)
    expect((await polled.cursor())?.watermark).not.toBe(before?.watermark)
  })

  test('while a look is under way keeps the next one waiting for five minutes only', async () => {
    await wanted()
    polled.add('new')
    const { acceptPolled } = world.app
    world.app.acceptPolled = () => new Promise(() => undefined)
    world.clock.advance(POLL_EVERY + minutes(1))
    void polled.poll()
    await expect.poll(() => world.platform.asked.length).toBe(2)
    // The process is gone; another one starts on the same file.
    world.app.acceptPolled = acceptPolled
    await polled.poll()
    expect(polled.events()).toEqual([])
    await polled.look()
    expect(polled.events()).toHaveLength(1)
  })
})

describe('a look that does not work', () => {
  test('because of a limit waits as long as the platform asks', async () => {
    await wanted()
    world.clock.advance(POLL_EVERY + minutes(1))
    const retryAt = world.clock.now() + minutes(40)
    world.platform.failures.page.push({ outcome: 'rate_limited', status: 429, message: 'per minute', retryAt })
    await polled.poll()
    const asked = world.platform.asked.length
    await polled.look(minutes(39))
    expect(world.platform.asked).toHaveLength(asked)
    await polled.look(minutes(1))
    expect(world.platform.asked).toHaveLength(asked + 1)
  })

  test('of one account stops no other', async () => {
    await wanted()
    await wanted(BRISBANE)
    world.connected.delete(LEEDS)
    // In Brisbane it is ten hours later.
    world.platform.put(BRISBANE, 'jobcontact', polled.contact('new', { edit_date: '2026-01-05 19:01:00' }))
    await polled.look()
    expect(polled.events().map(({ account, uuid }) => [account, uuid])).toEqual([[BRISBANE, 'new']])
  })

  test('within a list of several pages changes nothing that was not read to its end', async () => {
    await wanted()
    world.platform.account(LEEDS).options.pageSize = 2
    polled.add('a', 'b', 'c', 'd')
    world.clock.advance(POLL_EVERY + minutes(1))
    let pages = 0
    world.platform.after = () => {
      pages += 1
      if (pages === 1) world.platform.failures.page.push({ outcome: 'unavailable', status: null, message: 'gone' })
    }
    const before = await polled.cursor()
    await polled.poll()
    expect((await polled.cursor())?.watermark).toBe(before?.watermark)
    await polled.look(hours(1))
    expect(
      polled
        .events()
        .map(({ uuid }) => uuid)
        .sort(),
    ).toEqual(['a', 'b', 'c', 'd'])
  })
})

describe('too much at once', () => {
  test('waits at the platform until there is room, and then comes in order', async () => {
    await wanted()
    polled.add('a', 'b', 'c')
    const full = { deliveries: 2, bytes: 1_000_000 }
    const { acceptPolled } = world.app
    world.app.acceptPolled = (take) =>
      world.app.store.records.takeInPolled(take, {
        choose: chooseEndpoints,
        limit: full,
        retryFor: hours(72),
        stoppedReason: '',
      })
    await polled.look()
    expect(polled.events().map(({ uuid }) => uuid)).toEqual(['a', 'b'])
    expect((await polled.cursor())?.lastError).toContain('Too many events are waiting.')
    world.app.acceptPolled = acceptPolled
    await polled.look(minutes(1))
    expect(polled.events().map(({ uuid }) => uuid)).toEqual(['a', 'b', 'c'])
  })

  test('is not taken in while storage is nearly full', async () => {
    await wanted()
    polled.add('a')
    const { space } = world.app
    world.app.space = { ...space, admit: () => 'full' }
    await polled.look()
    expect(polled.events()).toEqual([])
    world.app.space = space
    await polled.look(minutes(1))
    expect(polled.events()).toHaveLength(1)
  })

  test('comes page by page, all of it', async () => {
    await wanted()
    world.platform.account(LEEDS).options.pageSize = 60
    polled.add(...Array.from({ length: 450 }, (_, n) => `new-${n}`))
    await polled.look()
    expect(polled.events()).toHaveLength(450)
    await polled.look()
    expect(polled.events()).toHaveLength(450)
  })

  test('is not read twice by two who look at the same time', async () => {
    await wanted()
    polled.add('a')
    world.clock.advance(POLL_EVERY + minutes(1))
    const before = world.platform.asked.length
    await Promise.all([polled.poll(), polled.poll()])
    expect(world.platform.asked).toHaveLength(before + 1)
    expect(polled.events()).toHaveLength(1)
  })

  test('of snapshots is forgotten, the longest unedited first and none that a look still reads', async () => {
    await wanted()
    const { sql } = world.client
    const COLUMNS = '(account_uuid, object, record_uuid, edit_date, fields, first_seen_at, updated_at)'
    const insert = sql.prepare(
      `INSERT INTO record_snapshot ${COLUMNS} SELECT ?, 'jobcontact', 'filler-' || value, value, '{}', 0, 0
       FROM json_each(?)`,
    )
    const fillers = Array.from({ length: 20_100 }, (_, n) => {
      return new Date(Date.UTC(2025, 0, 1) + n * minutes(1)).toISOString().slice(0, 19).replace('T', ' ')
    })
    insert.run(LEEDS, JSON.stringify(fillers))
    await trimSnapshots(world.app)
    expect(polled.count('record_snapshot')).toBe(20_000)
    const oldest = sql.prepare<[], string>('SELECT min(edit_date) FROM record_snapshot').pluck().get()
    expect(oldest).toBe('2025-01-01 01:41:00')
    // Everything was edited just now: nothing may go.
    sql.prepare('UPDATE record_snapshot SET edit_date = ?').run(polled.now())
    insert.run(LEEDS, JSON.stringify([polled.now()]))
    await trimSnapshots(world.app)
    expect(polled.count('record_snapshot')).toBe(20_001)
  })
})
