import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hours, minutes } from '#app/lib/duration.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import type { AcceptOptions, IncomingEvent } from '../../store/events.ts'
import type { PolledTake, RecordStore } from '../../store/records.ts'

let world: WebhookWorld
let store: RecordStore
beforeEach(async () => {
  world = await openWebhookWorld()
  store = world.app.store.records
})
afterEach(() => world.close())

const SOURCE = 'webhook:jobcontact'
const OPTIONS: AcceptOptions = {
  choose: (_event, endpoints) => [...endpoints],
  limit: { deliveries: 10, bytes: 10_000 },
  retryFor: hours(72),
  stoppedReason: '',
}

const record = (recordUuid: string, mobile = '1') => ({
  recordUuid,
  editDate: '2026-01-05 09:00:00',
  fields: { mobile },
})

function event(objectUuid: string, dedupe = objectUuid): IncomingEvent {
  return {
    accountUuid: LEEDS,
    subscriptionId: null,
    source: 'object',
    object: 'jobcontact',
    objectUuid,
    changedFields: ['mobile'],
    receivedAt: world.clock.now(),
    dedupe,
    body: '{}',
  }
}

/** A cursor that is ours for five minutes. */
async function claimed(account = LEEDS): Promise<number> {
  const until = world.clock.now() + minutes(5)
  expect(await store.claimPoll(account, SOURCE, null, until)).toBe(true)
  return until
}

function take(claimedUntil: number, over: Partial<PolledTake> = {}): PolledTake {
  const cursor = { watermark: '2026-01-05 09:00:00', nextAt: world.clock.now() + minutes(5) + 1 }
  const base = { accountUuid: LEEDS, source: SOURCE, object: 'jobcontact', records: [], at: world.clock.now() }
  return { ...base, claimedUntil, cursor, ...over }
}

describe('a cursor', () => {
  test('belongs to one at a time', async () => {
    const until = await claimed()
    expect(await store.claimPoll(LEEDS, SOURCE, null, until + 1)).toBe(false)
    expect(await store.claimPoll(LEEDS, SOURCE, until - 1, until + 1)).toBe(false)
    expect(await store.claimPoll(LEEDS, SOURCE, until, until + 1)).toBe(true)
    expect(await store.findPollCursor(LEEDS, SOURCE)).toEqual({
      accountUuid: LEEDS,
      source: SOURCE,
      watermark: '',
      lastOkAt: null,
      lastError: null,
      nextAt: until + 1,
    })
    expect(await store.findPollCursor(BRISBANE, SOURCE)).toBeNull()
  })

  test('says what went wrong, until a look works', async () => {
    const until = await claimed()
    expect(await store.failPoll(LEEDS, SOURCE, until + 1, { sentence: 'x', nextAt: 1 })).toBe(false)
    expect(await store.failPoll(LEEDS, SOURCE, until, { sentence: 'It did not answer.', nextAt: 77 })).toBe(true)
    expect(await store.findPollCursor(LEEDS, SOURCE)).toMatchObject({ lastError: 'It did not answer.', nextAt: 77 })
    await store.claimPoll(LEEDS, SOURCE, 77, until)
    await store.takeInPolled(take(until), OPTIONS)
    expect(await store.findPollCursor(LEEDS, SOURCE)).toMatchObject({
      watermark: '2026-01-05 09:00:00',
      lastError: null,
      lastOkAt: world.clock.now(),
    })
  })

  test('that never read anything goes without a trace, one that did stays', async () => {
    const until = await claimed()
    await store.dropUnreadPoll(LEEDS, SOURCE, until + 1)
    expect(await store.findPollCursor(LEEDS, SOURCE)).not.toBeNull()
    await store.takeInPolled(take(until, { cursor: { watermark: 'w', nextAt: until } }), OPTIONS)
    await store.dropUnreadPoll(LEEDS, SOURCE, until)
    expect(await store.findPollCursor(LEEDS, SOURCE)).not.toBeNull()
  })
})

describe('taking in', () => {
  test('stores events, snapshots and cursor together', async () => {
    const until = await claimed()
    const records = [
      { record: record('a'), event: event('a') },
      { record: record('b'), event: null },
    ]
    const taken = await store.takeInPolled(take(until, { records }), OPTIONS)
    expect(taken).toEqual({ outcome: 'taken', accepted: [{ outcome: 'stored', seq: 1, deliveries: [] }] })
    expect(await store.loadSnapshots(LEEDS, 'jobcontact', ['a', 'b', 'c'])).toEqual([
      { ...record('a'), takenAt: world.clock.now() },
      { ...record('b'), takenAt: world.clock.now() },
    ])
    expect(await store.loadSnapshots(BRISBANE, 'jobcontact', ['a', 'b'])).toEqual([])
    expect(await store.loadSnapshots(LEEDS, 'jobmaterial', ['a', 'b'])).toEqual([])
  })

  test('writes nothing for somebody whose claim is over', async () => {
    const until = await claimed()
    const records = [{ record: record('a'), event: event('a') }]
    expect(await store.takeInPolled(take(until + 1, { records }), OPTIONS)).toEqual({ outcome: 'overtaken' })
    expect(await store.takeInPolled(take(until, { accountUuid: BRISBANE, records }), OPTIONS)).toEqual({
      outcome: 'overtaken',
    })
    expect(await store.loadSnapshots(LEEDS, 'jobcontact', ['a'])).toEqual([])
    expect(world.client.sql.prepare('SELECT count(*) AS n FROM event').get()).toEqual({ n: 0 })
  })

  test('writes nothing at all when something breaks it', async () => {
    const until = await claimed()
    const broken = {
      ...record('b'),
      fields: null as unknown as Record<string, string>,
      editDate: null as unknown as string,
    }
    const records = [
      { record: record('a'), event: event('a') },
      { record: broken, event: event('b') },
    ]
    await expect(store.takeInPolled(take(until, { records }), OPTIONS)).rejects.toThrow()
    expect(await store.loadSnapshots(LEEDS, 'jobcontact', ['a'])).toEqual([])
    expect(world.client.sql.prepare('SELECT count(*) AS n FROM event').get()).toEqual({ n: 0 })
    expect(await store.findPollCursor(LEEDS, SOURCE)).toMatchObject({ watermark: '', nextAt: until })
  })

  test('recognises what is stored already', async () => {
    const until = await claimed()
    const records = [{ record: record('a'), event: event('a', 'same') }]
    await store.takeInPolled(take(until, { records, cursor: null }), OPTIONS)
    const again = await store.takeInPolled(take(until, { records, cursor: null }), OPTIONS)
    expect(again).toEqual({ outcome: 'taken', accepted: [{ outcome: 'duplicate', seq: 1 }] })
  })
})
