import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { deliveryRows } from '#tests/support/delivery-rows.server.ts'
import { aboutTheFile } from '#tests/support/test-app.server.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import type { DeliverySearch } from '../../store/search.ts'

let world: WebhookWorld
let rows: ReturnType<typeof deliveryRows>
let now: number

beforeEach(async () => {
  world = await openWebhookWorld()
  rows = deliveryRows(world.client)
  now = world.clock.now()
})

afterEach(() => world.close())

const EVERYTHING: DeliverySearch = {
  object: null,
  endpointId: null,
  seqs: null,
  from: null,
  until: null,
  before: null,
  withCodes: false,
  matches: () => true,
  limit: 10,
  scanAtMost: 10_000,
}

function search(over: Partial<DeliverySearch> = {}, account = LEEDS) {
  return world.app.store.events.searchDeliveries(account, { ...EVERYTHING, ...over })
}

/** `seq.delivery` of what was found. */
async function found(over: Partial<DeliverySearch> = {}, account = LEEDS) {
  return (await search(over, account)).hits.map((hit) => `${hit.seq}.${hit.delivery?.id ?? 0}`)
}

function event(over: Partial<Parameters<typeof rows.event>[0]> = {}): number {
  return rows.event({ account: LEEDS, receivedAt: now, ...over }).seq
}

function delivery(seq: number, over: Partial<Parameters<typeof rows.delivery>[0]> = {}): number {
  return rows.delivery({ account: LEEDS, seq, endpointId: 1, at: now, ...over })
}

describe('the walk', () => {
  beforeEach(() => {
    rows.endpoint({ account: LEEDS })
    rows.endpoint({ account: LEEDS })
  })

  test('goes from the newest event back, and for one event from the newest delivery, the forgotten event included', async () => {
    delivery(event())
    event()
    const last = event()
    for (const endpointId of [1, 2]) delivery(last, { endpointId })
    expect(await found()).toEqual(['3.3', '3.2', '2.0', '1.1'])
  })

  test('stops at a full page and goes on behind it, in the middle of an event too', async () => {
    const seq = event()
    for (const causeNo of [0, 1, 2]) delivery(seq, { causeNo })
    event()
    const first = await search({ limit: 2 })
    expect(first).toMatchObject({ end: 'full', next: { seq: 1, deliveryId: 3 }, lookedBackTo: now })
    const second = await search({ limit: 2, before: first.next })
    expect(second.hits.map((hit) => hit.delivery?.id)).toEqual([2, 1])
    // Exactly a page was left: nobody is sent to an empty one.
    expect(second).toMatchObject({ end: 'all', next: null })
    // Behind an event that has no delivery comes the event before it.
    expect(await found({ before: { seq: 2, deliveryId: 0 } })).toEqual(['1.3', '1.2', '1.1'])
  })

  test('says of what ended undelivered whether its address got it later', async () => {
    const seq = event()
    const lost = event()
    delivery(seq, { state: 'expired' })
    delivery(seq, { state: 'delivered', causeNo: 1 })
    delivery(lost, { state: 'stopped' })
    delivery(lost, { state: 'delivered', endpointId: 2 })
    const { hits } = await search({ matches: (row) => row.delivery?.state !== 'delivered' })
    expect(hits.map((hit) => [hit.seq, hit.delivery?.deliveredSince])).toEqual([
      [lost, undefined],
      [seq, true],
    ])
  })

  test('looks at so many rows and no more, and says how far it came', async () => {
    world.client.sql.transaction(() => {
      for (let n = 0; n < 1_300; n++) event({ receivedAt: now + n })
    })()
    const nothing = await search({ matches: () => false, scanAtMost: 700 })
    expect(nothing).toEqual({
      hits: [],
      end: 'limit',
      next: { seq: 601, deliveryId: 0 },
      looked: 700,
      lookedBackTo: now + 600,
    })
    const rest = await search({ matches: (row) => row.seq === 1, before: nothing.next })
    expect(rest).toMatchObject({ hits: [{ seq: 1 }], end: 'all', next: null, looked: 600 })
  })

  test('begins at the end of the time asked for, and ends at its beginning', async () => {
    world.client.sql.transaction(() => {
      for (let n = 0; n < 200; n++) event({ receivedAt: now + n * hours(1) })
    })()
    const asked = { from: now + hours(100), until: now + hours(102) }
    const { hits, looked } = await search({
      ...asked,
      matches: (row) => row.receivedAt >= asked.from && row.receivedAt <= asked.until,
    })
    expect(hits.map((hit) => hit.seq)).toEqual([103, 102, 101])
    // An hour of slack on either side, in case the clock was set meanwhile.
    expect(looked).toBeLessThanOrEqual(6)
  })

  test('of one object, or of one event, passes over everything else', async () => {
    for (let n = 0; n < 20; n++) event({ object: n % 2 ? 'job' : 'note' })
    expect((await search({ object: 'job', limit: 50 })).looked).toBe(10)
    expect(await search({ seqs: [7] })).toMatchObject({ hits: [{ seq: 7 }], looked: 1, end: 'all' })
    const two = { seqs: [3, 7], limit: 1 }
    expect(await search(two)).toMatchObject({ hits: [{ seq: 7 }], looked: 1, end: 'full', next: { seq: 7 } })
    expect(await search({ ...two, before: { seq: 7, deliveryId: 0 } })).toMatchObject({
      hits: [{ seq: 3 }],
      end: 'all',
    })
    expect(await found({ seqs: [7], before: { seq: 7, deliveryId: 0 } })).toEqual([])
  })

  test('to one endpoint passes over deliveries to others, and counts each event once', async () => {
    const [first, second] = [event(), event({ object: 'note' })]
    for (const endpointId of [1, 2]) delivery(first, { endpointId, attempts: [{ code: 200 }] })
    delivery(second, { endpointId: 1 })
    delivery(second, { endpointId: 2, causeNo: 1 })
    delivery(second, { endpointId: 2, causeNo: 2 })
    event()
    expect(await found({ endpointId: 2 })).toEqual(['3.0', '2.5', '2.4', '1.2'])
    expect(await search({ endpointId: 2, matches: () => false })).toMatchObject({ looked: 4, end: 'all' })
    expect(await found({ endpointId: 2, before: { seq: 2, deliveryId: 5 } })).toEqual(['2.4', '1.2'])
    expect(await found({ endpointId: 2, object: 'note' })).toEqual(['2.5', '2.4'])
    expect((await search({ endpointId: 2, withCodes: true, seqs: [first] })).hits[0]?.delivery?.codes).toEqual([200])
  })

  test('sees nothing of another account', async () => {
    delivery(event())
    event({ account: BRISBANE })
    expect(await found({}, BRISBANE)).toEqual(['2.0'])
    expect(await found({ seqs: [1] }, BRISBANE)).toEqual([])
  })

  test('knows the answers of each attempt when somebody asks, without what was never sent', async () => {
    delivery(event(), {
      state: 'expired',
      attempts: [{ code: 500 }, { code: null, outcome: 'timeout' }, { outcome: 'expired' }],
    })
    const codes = async (withCodes: boolean) => (await search({ withCodes })).hits[0]?.delivery?.codes
    expect(await codes(true)).toEqual([500, null])
    expect(await codes(false)).toEqual([])
  })

  test('brings along what a list says about a hit', async () => {
    const seq = event({ fields: ['status', 'date'], record: 'r-9', source: 'test', body: null })
    delivery(seq, {
      attempts: [
        { code: 500, sentence: 'First.' },
        { code: 404, sentence: 'Second.', url: 'https://b' },
      ],
    })
    const { hits } = await search()
    expect(hits[0]).toMatchObject({
      source: 'test',
      objectUuid: 'r-9',
      changedFields: ['status', 'date'],
      bodyKept: false,
      delivery: { attempts: 2, lastCode: 404, lastSentence: 'Second.', lastUrl: 'https://b', endpointId: 1 },
    })
  })

  test.skipIf(aboutTheFile('plans of SQLite')).each([
    [null, false],
    ['job', false],
    [null, true],
    ['job', true],
  ])('sorts nothing but the deliveries of one event (object %s, one endpoint: %s)', (object, one) => {
    const index = object === null ? 'events_of_an_account_newest_first' : 'events_of_an_object_newest_first'
    const plan = world.client.sql
      .prepare<[], { detail: string }>(
        `EXPLAIN QUERY PLAN SELECT e.seq FROM event e INDEXED BY ${index} LEFT JOIN delivery d ON d.event_seq = e.seq
         ${one ? 'AND d.endpoint_id = 7' : ''} WHERE e.account_uuid = 'a' ${object === null ? '' : "AND e.object = 'job'"} AND e.seq >= 0 AND e.seq <= 9
           AND (e.seq < 9 OR d.id < 4) ORDER BY e.seq DESC, d.id DESC LIMIT 5`,
      )
      .all()
      .map(({ detail }) => detail)
    expect(plan[0]).toMatch(new RegExp(`SEARCH e USING (COVERING )?INDEX ${index} `))
    expect(plan[1]).toMatch(
      /SEARCH d USING (COVERING )?INDEX delivery_once_per_cause \(event_seq=\?( AND endpoint_id=\?)?\)/,
    )
    expect(plan[1]?.includes('endpoint_id')).toBe(one)
    expect(plan.slice(2)).toEqual(['USE TEMP B-TREE FOR LAST TERM OF ORDER BY'])
  })
})

describe('an id', () => {
  test('of an event is found by the moment in it, also among many of the same moment', async () => {
    const early = rows.event({ account: LEEDS, receivedAt: now - hours(3) })
    const others = Array.from({ length: 5 }, () => rows.event({ account: LEEDS, receivedAt: now }))
    const wanted = rows.event({ account: LEEDS, receivedAt: now })
    rows.event({ account: LEEDS, receivedAt: now + minutes(1) })
    const seqOf = (id: string, receivedAt: number, account = LEEDS) =>
      world.app.store.events.findEventSeq(account, { id, receivedAt })
    expect(await seqOf(wanted.id, now)).toBe(wanted.seq)
    expect(await seqOf(others[0]?.id ?? '', now)).toBe(others[0]?.seq)
    expect(await seqOf(early.id, now - hours(3))).toBe(early.seq)
    // The clock was set a little in between.
    expect(await seqOf(wanted.id, now + seconds(5))).toBe(wanted.seq)
    expect(await seqOf(wanted.id, now, BRISBANE)).toBeNull()
    expect(await seqOf('nobody', now)).toBeNull()
  })

  test('is found, and replays begin where they should, although instances wrote a minute across each other', async () => {
    rows.endpoint({ account: LEEDS })
    // By turns: 29 s late, 29 s early, on time.
    const events = Array.from({ length: 90 }, (_, n) => {
      const receivedAt = now + n * seconds(2) + seconds([-29, 29, 0][n % 3] ?? 0)
      return { receivedAt, ...rows.event({ account: LEEDS, receivedAt }) }
    })
    const { events: store, deliveries } = world.app.store
    const found = await Promise.all(events.map(({ id, receivedAt }) => store.findEventSeq(LEEDS, { id, receivedAt })))
    expect(found).toEqual(events.map(({ seq }) => seq))
    for (const { receivedAt: since } of events) {
      const request = { since, status: 'all', objectUuid: null } as const
      const page = await deliveries.findReplayableEvents(LEEDS, 1, request, null)
      const wanted = events.filter(({ receivedAt }) => receivedAt >= since).map(({ seq }) => seq)
      expect(page?.events.map(({ seq }) => seq)).toEqual(wanted)
    }
  })

  test('of a delivery leads to its event, for its own account', async () => {
    rows.endpoint({ account: LEEDS })
    const id = delivery(event())
    expect(await world.app.store.events.eventOfDelivery(LEEDS, id)).toBe(1)
    expect(await world.app.store.events.eventOfDelivery(BRISBANE, id)).toBeNull()
    expect(await world.app.store.events.eventOfDelivery(LEEDS, 99)).toBeNull()
    expect(await world.app.store.events.hasEvent(LEEDS, 1)).toBe(true)
    expect(await world.app.store.events.hasEvent(BRISBANE, 1)).toBe(false)
  })
})

describe('one delivery', () => {
  test('comes with its event, its attempts newest first, and what else was sent of the event', async () => {
    rows.endpoint({ account: LEEDS, url: 'https://example.com/now', holdUntil: now + 5, holdReason: 'Wait.' })
    const seq = event({ record: 'r-3', body: '{"a":1}' })
    const first = delivery(seq, {
      attempts: [
        { code: 500, timing: [4, 12, 30, 210], peerIp: '203.0.113.9', responseBody: 'no' },
        { code: 404, timing: [null, null, null, 8] },
      ],
    })
    const again = delivery(seq, { cause: 'retry', causeNo: 1, state: 'delivered', attempts: [{ code: 200 }] })
    const stored = await world.app.store.events.findDelivery(LEEDS, first)
    expect(stored).toMatchObject({
      seq,
      objectUuid: 'r-3',
      body: '{"a":1}',
      bodyKept: true,
      delivery: { id: first, attempts: 2, address: { url: 'https://example.com/now', holdReason: 'Wait.' } },
      owner: { webhookId: null, forwardingRuleId: null, objectType: 'job' },
      attempts: [
        { number: 2, statusCode: 404, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: 8, peerIp: null },
        { number: 1, dnsMs: 4, connectMs: 12, tlsMs: 30, firstByteMs: 210, peerIp: '203.0.113.9', responseBody: 'no' },
      ],
      others: [{ id: again, cause: 'retry', state: 'delivered', lastCode: 200 }],
    })
  })

  test('has neighbours in the order of the list, in its own account', async () => {
    const first = event()
    const [one, other, foreign] = [LEEDS, LEEDS, BRISBANE].map((account) => rows.endpoint({ account }))
    const ids = [delivery(first, { endpointId: one ?? 0 }), delivery(first, { endpointId: other ?? 0 })]
    event()
    const last = event()
    ids.push(delivery(last, { endpointId: one ?? 0 }))
    const seq = event({ account: BRISBANE })
    rows.delivery({ account: BRISBANE, seq, endpointId: foreign ?? 0, at: now })
    const beside = (seq: number, deliveryId = 0) => world.app.store.events.deliveriesBeside(LEEDS, { seq, deliveryId })
    expect(await beside(first, ids[0])).toEqual({ newer: ids[1], older: null })
    expect(await beside(first, ids[1])).toEqual({ newer: ids[2], older: ids[0] })
    expect(await beside(last, ids[2])).toEqual({ newer: null, older: ids[1] })
  })

  test('counts attempts by hour, for its account', async () => {
    const endpointId = rows.endpoint({ account: LEEDS })
    const count = world.client.sql.prepare(
      `INSERT INTO endpoint_hour (endpoint_id, hour, events, delivered, failed, duration_sum_ms, duration_max_ms)
       VALUES (?, ?, 9, ?, ?, 0, 0)`,
    )
    count.run(endpointId, 90, 5, 5)
    count.run(endpointId, 100, 3, 1)
    count.run(rows.endpoint({ account: LEEDS }), 100, 4, 0)
    count.run(rows.endpoint({ account: BRISBANE }), 100, 50, 0)
    count.run(endpointId, 101, 0, 2)
    expect(await world.app.store.events.attemptsByHour(LEEDS, 100)).toEqual([
      { hour: 100, delivered: 7, failed: 1 },
      { hour: 101, delivered: 0, failed: 2 },
    ])
  })

  test('is not there for another account', async () => {
    rows.endpoint({ account: LEEDS })
    const id = delivery(event())
    expect(await world.app.store.events.findDelivery(BRISBANE, id)).toBeNull()
    expect(await world.app.store.events.findDelivery(LEEDS, id + 1)).toBeNull()
  })

  test('that was tried hundreds of times brings the latest hundred', async () => {
    rows.endpoint({ account: LEEDS })
    const attempts = Array.from({ length: 130 }, () => ({ code: 429 }))
    const id = world.client.sql.transaction(() => delivery(event(), { attempts }))()
    const stored = await world.app.store.events.findDelivery(LEEDS, id)
    expect(stored?.delivery.attempts).toBe(130)
    expect(stored?.attempts.map((attempt) => attempt.number)).toEqual(Array.from({ length: 100 }, (_, n) => 130 - n))
  })
})
