// Long: one search, found by every way there is.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { deliveryRows } from '#tests/support/delivery-rows.server.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { sendAgain } from './delivering/send-again.server.ts'
import { loadDelivery } from './delivery-detail.server.ts'
import type { PastedId } from './pasted-id.ts'
import { deliveryNamed, resolve, searchDeliveries, searchForPage, searchJson, volumeByDay } from './search.server.ts'
import { readSearchQuery } from './search-filter.ts'
import { type SearchAnswer, troublesOf } from './search-view.ts'

let world: WebhookWorld
let rows: ReturnType<typeof deliveryRows>

beforeAll(async () => {
  world = await openWebhookWorld()
  rows = deliveryRows(world.client)
})

afterAll(() => world.close())

/** As a call would ask it. */
function ask(account: string, query: Record<string, string>, scanAtMost?: number): Promise<SearchAnswer> {
  const read = readSearchQuery(new URLSearchParams(query), [])
  if (read.outcome !== 'question') throw new Error(read.message)
  return searchDeliveries(world.app, account, read.question, scanAtMost)
}

/** The delivery whose page the search opens. */
const named = async (account: string, pasted: PastedId | null, app = world.app) =>
  deliveryNamed(await resolve(app, account, pasted))

const idsOf = (answer: SearchAnswer) => answer.hits.map((hit) => hit.delivery?.id ?? null)

// ---- a small store and a naive search over it --------------------------------------------------------------------

const OBJECTS = ['job', 'note', 'task']
const RECORDS = ['r-1', 'r-2', 'r-3']
const FIELDS = ['status', 'date', 'Badges']
const CODES = [200, 404, 410, 500, 503, null]

/** One trouble at a time, so that each is met often. */
const endpointModel = fc.constantFrom(
  { state: 'active', breaker: 'closed', held: false } as const,
  { state: 'paused', breaker: 'closed', held: false } as const,
  { state: 'failing', breaker: 'closed', held: false } as const,
  { state: 'active', breaker: 'open', held: false } as const,
  { state: 'active', breaker: 'closed', held: true } as const,
)

const deliveryModel = fc.record({
  endpoint: fc.nat({ max: 2 }),
  state: fc.constantFrom('pending', 'pending', 'delivered', 'expired', 'stopped'),
  cause: fc.constantFrom('live', 'retry', 'test'),
  codes: fc.array(fc.constantFrom(...CODES), { maxLength: 3 }),
})

const eventModel = fc.record({
  object: fc.constantFrom(...OBJECTS),
  record: fc.constantFrom(...RECORDS),
  fields: fc.uniqueArray(fc.constantFrom(...FIELDS)),
  /** Minutes after the event before it. */
  gap: fc.nat({ max: 90 }),
  deliveries: fc.array(deliveryModel, { maxLength: 3 }),
})

type EndpointModel = typeof endpointModel extends fc.Arbitrary<infer T> ? T : never
type DeliveryModel = typeof deliveryModel extends fc.Arbitrary<infer T> ? T : never
type EventModel = typeof eventModel extends fc.Arbitrary<infer T> ? T : never

/** Mostly open: with every filter set at once nothing would ever be found. */
const mostlyOpen = <T>(open: T, ...choices: T[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(open) }, { weight: 1, arbitrary: fc.constantFrom(...choices) })

const askModel = fc.record({
  status: fc.constantFrom('', 'waiting', 'delivered', 'failed', 'held', 'stopped', 'not_forwarded'),
  code: mostlyOpen('', '200', '404', '4xx', '5xx', 'none'),
  object: mostlyOpen('', ...OBJECTS),
  record: mostlyOpen('', ...RECORDS),
  field: mostlyOpen('', 'status', 'BADGES'),
  /** In events from the first one; -1 = open. */
  from: mostlyOpen(-1, 0, 1, 2, 3, 4, 5),
  until: mostlyOpen(-1, 2, 3, 4, 5, 6, 7),
  limit: fc.integer({ min: 1, max: 4 }),
  scanAtMost: fc.integer({ min: 1, max: 9 }),
})

interface Line {
  id: number | null
  event: EventModel
  delivery: DeliveryModel | null
  receivedAt: number
}

/** What the words of the page say, written down once more and differently. */
function naively(lines: Line[], asked: Record<string, string>, endpoints: EndpointModel[]): (number | null)[] {
  const statusOf = ({ delivery }: Line): string => {
    if (delivery === null) return 'not_forwarded'
    if (delivery.state === 'expired') return 'failed'
    if (delivery.state !== 'pending') return delivery.state
    const byHand = delivery.cause === 'test' || (delivery.cause === 'retry' && delivery.codes.length === 0)
    const { state, held } = endpoints[delivery.endpoint] as EndpointModel
    return !byHand && (state !== 'active' || held) ? 'held' : 'waiting'
  }
  const answered = (code: number | null): boolean => {
    if (asked.code === 'none') return code === null
    return code !== null && (String(code) === asked.code || `${String(code)[0]}xx` === asked.code)
  }
  return lines
    .filter((line) => !asked.status || statusOf(line) === asked.status)
    .filter((line) => !asked.code || (line.delivery?.codes ?? []).some(answered))
    .filter((line) => !asked.object || line.event.object === asked.object)
    .filter((line) => !asked.record || line.event.record === asked.record)
    .filter((line) => !asked.field || line.event.fields.some((one) => one.toUpperCase() === asked.field?.toUpperCase()))
    .filter((line) => !asked.from || line.receivedAt >= Date.parse(asked.from))
    .filter((line) => !asked.until || line.receivedAt <= Date.parse(asked.until))
    .map((line) => line.id)
}

describe('the search', () => {
  let turn = 0
  let clock = 0

  /** Stores the model for an account of its own; gives its lines newest first, and when each event came. */
  async function store(events: EventModel[], endpoints: EndpointModel[]) {
    turn++
    clock ||= world.clock.now() - hours(20_000)
    const account = `cccccccc-0000-4000-8000-${String(turn).padStart(12, '0')}`
    await world.app.store.accounts.ensureAccount({ uuid: account, name: 'Any', timezone: 'UTC' })
    const moments: number[] = []
    const lines: Line[] = []
    world.client.sql.transaction(() => {
      const endpointIds = endpoints.map(({ state, breaker, held }) =>
        rows.endpoint({ account, state, breaker, holdUntil: held ? world.clock.now() + seconds(9) : null }),
      )
      for (const event of events) {
        clock += minutes(event.gap)
        moments.push(clock)
        const { object, record, fields } = event
        const { seq } = rows.event({ account, object, record, fields, receivedAt: clock })
        const own = event.deliveries.map((delivery, causeNo): Line => {
          const { state, cause, codes } = delivery
          const endpointId = endpointIds[delivery.endpoint] ?? 0
          const attempts = codes.map((code) => ({ code, outcome: code === null ? 'timeout' : 'http_error' }))
          const note = state === 'expired' || state === 'stopped' ? [{ outcome: state }] : []
          const input = { account, seq, endpointId, state, cause, causeNo, at: clock, attempts: [...attempts, ...note] }
          return { id: rows.delivery(input), event, delivery, receivedAt: clock }
        })
        lines.unshift(
          ...(own.length > 0 ? own.reverse() : [{ id: null, event, delivery: null, receivedAt: clock } satisfies Line]),
        )
      }
    })()
    return { account, lines, moments }
  }

  test('finds, page by page, what a naive filter finds, whatever the bounds of one request', async () => {
    const three = fc.tuple(endpointModel, endpointModel, endpointModel)
    const several = fc.array(askModel, { minLength: 3, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(fc.array(eventModel, { maxLength: 9 }), three, several, async (events, endpoints, questions) => {
        const { account, lines, moments } = await store(events, endpoints)
        for (const { from, until, limit, scanAtMost, ...texts } of questions) {
          const begin = moments[from]
          const end = moments[until]
          const bounded = begin !== undefined && end !== undefined && end < begin ? undefined : end
          const asked = {
            ...texts,
            from: begin === undefined ? '' : new Date(begin).toISOString(),
            until: bounded === undefined ? '' : new Date(bounded).toISOString(),
          }
          const wanted = naively(lines, asked, endpoints)
          const found: (number | null)[] = []
          let before = ''
          for (let page = 0; page < 100; page++) {
            const answer = await ask(account, { ...asked, before, limit: String(limit) }, scanAtMost)
            expect(answer.hits.length).toBeLessThanOrEqual(limit)
            expect(answer.looked).toBeLessThanOrEqual(scanAtMost)
            found.push(...idsOf(answer))
            if (answer.next === null) break
            before = answer.next
          }
          expect(found).toEqual(wanted)
        }
      }),
      { numRuns: 150 },
    )
  })
})

test('what is tried one event at a time is not sent again all at once', async () => {
  for (const breaker of ['open', 'closed'] as const) {
    const account = `dddddddd-0000-4000-8000-00000000000${breaker.length}`
    await world.app.store.accounts.ensureAccount({ uuid: account, name: 'Any', timezone: 'UTC' })
    const at = world.clock.now()
    const endpointId = rows.endpoint({ account, breaker })
    const ids = [1, 2].map(() => {
      const { seq } = rows.event({ account, receivedAt: at })
      return rows.delivery({ account, seq, endpointId, state: 'pending', at, attempts: [{ code: 500 }] })
    })
    const [trouble] = troublesOf((await ask(account, { status: 'waiting' })).hits)
    expect(trouble).toMatchObject({ count: 2, again: breaker === 'open' ? [] : ids.reverse() })
  }
})

describe('a pasted id', () => {
  let endpoint: number
  let other: number
  let sent: { seq: number; id: string }
  let ids: number[]

  beforeAll(() => {
    const account = LEEDS
    const receivedAt = world.clock.now()
    endpoint = rows.endpoint({ account })
    other = rows.endpoint({ account, url: 'https://other.example.com' })
    sent = rows.event({ account, receivedAt, record: '5f1c3a52-7a33-4f0e-9c41-2f4e7a0b1c9d' })
    ids = [
      rows.delivery({ account, seq: sent.seq, endpointId: endpoint, state: 'delivered', attempts: [{ code: 200 }] }),
      rows.delivery({ account, seq: sent.seq, endpointId: other }),
    ]
    rows.event({ account, receivedAt: receivedAt + 1, record: 'r-2' })
  })

  const found = async (id: string, account = LEEDS) => idsOf(await ask(account, { id }))

  test('of a delivery finds that one', async () => {
    expect(await found(String(ids[0]))).toEqual([ids[0]])
    expect(await named(LEEDS, { kind: 'number', number: ids[0] ?? 0 })).toBe(ids[0])
    expect(await named(BRISBANE, { kind: 'number', number: ids[0] ?? 0 })).toBeNull()
    expect(await named(LEEDS, null)).toBeNull()
  })

  test('that is the number of an event, and of no delivery, finds what was sent of it', async () => {
    let seq = 0
    world.client.sql.transaction(() => {
      while (seq <= Math.max(...ids)) seq = rows.event({ account: LEEDS, receivedAt: world.clock.now() + 2 }).seq
    })()
    expect(await found(String(seq))).toEqual([null])
  })

  test('that is the number of an event and of a delivery of another event finds both', async () => {
    const [account, { sql }] = [LEEDS, world.client]
    const { seq: number } = rows.event({ account, receivedAt: world.clock.now() + 2, record: 'r-9' })
    const receivedAt = world.clock.now() + 3
    for (let between = 0; between < 30; between++) rows.event({ account, receivedAt })
    const later = rows.event({ account, receivedAt })
    const sentLater = rows.delivery({ account, seq: later.seq, endpointId: endpoint })
    sql.prepare('UPDATE delivery SET id = ? WHERE id = ?').run(number, sentLater)
    const { hits, looked } = await ask(LEEDS, { id: String(number) })
    expect(hits.map(({ objectUuid, delivery }) => delivery?.id ?? objectUuid)).toEqual([number, 'r-9'])
    expect(looked).toBe(2)
    expect(await named(LEEDS, { kind: 'number', number })).toBeNull()
    sql.prepare('DELETE FROM delivery WHERE id = ?').run(number)
  })

  test('of an event finds every delivery of it, the newest first', async () => {
    expect(await found(sent.id)).toEqual([ids[1], ids[0]])
    expect(await found(sent.id.toUpperCase())).toEqual([ids[1], ids[0]])
  })

  test('that a receiver saw finds what was sent to that address', async () => {
    const plain = sent.id.replaceAll('-', '')
    expect(await found(`evt_${plain}_${endpoint}`)).toEqual([ids[0]])
    expect(await found(`evt_${plain}_${other}`)).toEqual([ids[1]])
    expect(await found(`evt_${plain}_99999`)).toEqual([])
  })

  test('of a record finds everything about it', async () => {
    expect(await found('5F1C3A52-7a33-4f0e-9c41-2f4e7a0b1c9d')).toEqual([ids[1], ids[0]])
    expect(await found('r-2')).toEqual([null])
    // Time-ordered as ours are, and no event's: then it is a record's.
    const recordId = '01890a5d-ac96-774b-bcce-b302099a8057'
    rows.event({ account: LEEDS, receivedAt: world.clock.now() + 3, record: recordId })
    expect(await found(recordId)).toEqual([null])
  })

  test('of somebody else finds nothing', async () => {
    for (const id of [String(ids[0]), sent.id, String(sent.seq), '5f1c3a52-7a33-4f0e-9c41-2f4e7a0b1c9d']) {
      expect(await ask(BRISBANE, { id })).toMatchObject({ hits: [], end: 'all', next: null })
    }
  })

  test('goes together with the other filters', async () => {
    expect(idsOf(await ask(LEEDS, { id: sent.id, status: 'delivered' }))).toEqual([ids[0]])
    expect(idsOf(await ask(LEEDS, { id: sent.id, record: 'r-2' }))).toEqual([])
  })
})

test('a line says how it stands, and a call answers it with dates', async () => {
  const account = BRISBANE
  const receivedAt = world.clock.now()
  const endpointId = rows.endpoint({ account })
  const { seq, id } = rows.event({ account, receivedAt, source: 'test' })
  const attempts = [{ code: 500, sentence: 'Your address answered 500.' }]
  const deliveryId = rows.delivery({
    account,
    seq,
    endpointId,
    at: receivedAt,
    dueAt: receivedAt + minutes(2),
    attempts,
  })
  const answer = searchJson(await ask(account, {}))
  expect(answer).toEqual({
    deliveries: [
      {
        deliveryId,
        status: 'waiting',
        cause: 'live',
        url: 'https://example.com/in',
        rule: null,
        attempts: 1,
        lastStatusCode: 500,
        sentence: 'Your address answered 500. We retry automatically.',
        nextAttemptAt: '2026-01-05T09:02:00.000Z',
        canSendAgain: true,
        event: {
          id,
          test: true,
          objectType: 'job',
          objectUuid: 'r-1',
          recordName: 'Job',
          changedFields: ['status'],
          receivedAt: '2026-01-05T09:00:00.000Z',
        },
      },
    ],
    next: null,
    complete: true,
    lookedBackTo: '2026-01-05T09:00:00.000Z',
  })
})

describe('what people call it', () => {
  const JOB = '0d24f8a3-d372-50f6-9a4c-00f9d7a322da'
  let ofJob: number
  let lookAlike: number

  beforeAll(() => {
    const receivedAt = world.clock.now() + minutes(9)
    const endpointId = rows.endpoint({ account: LEEDS })
    const keep = world.client.sql.prepare(
      `INSERT INTO record_snapshot (account_uuid, object, record_uuid, edit_date, fields, first_seen_at, updated_at)
       VALUES (?, ?, ?, '', ?, 0, 0)`,
    )
    keep.run(LEEDS, 'rules:job', JOB, JSON.stringify({ generated_job_id: '77031', company_uuid: 'joan' }))
    keep.run(LEEDS, 'rules:company', 'joan', JSON.stringify({ name: 'Joan Hartley' }))
    const about = (record: string) =>
      rows.delivery({
        account: LEEDS,
        seq: rows.event({ account: LEEDS, receivedAt, record }).seq,
        endpointId,
        state: 'delivered',
        attempts: [{ code: 200 }],
      })
    ofJob = about(JOB)
    lookAlike = about('ccbe68cb-29f2-5bf5-9726-1d1f8fb3f124')
    // A delivery has the number of another job.
    keep.run(
      LEEDS,
      'rules:job',
      'ccbe68cb-29f2-5bf5-9726-1d1f8fb3f124',
      JSON.stringify({ generated_job_id: String(ofJob) }),
    )
  })

  test.each(['77031', 'joan', ' HARTLEY '])('%j finds its deliveries, with its name', async (id) => {
    const answer = await ask(LEEDS, { id })
    expect(idsOf(answer)).toEqual([ofJob])
    expect(answer.hits[0]).toMatchObject({ what: 'Job 77031', who: 'Joan Hartley' })
    expect(idsOf(await ask(BRISBANE, { id }))).toEqual([])
  })

  test.each(['Nobody Atall', 'Nobody', "O'Brien", 'Müller'])(
    '%s, which no record is called, needs no search',
    async (id) => {
      const nobody = await ask(LEEDS, { id }, 1)
      expect([nobody.hits, nobody.end, nobody.looked]).toEqual([[], 'all', 0])
    },
  )

  test('a word with a digit may be an id', async () => {
    expect(await ask(LEEDS, { id: 'R-1' }, 1)).toMatchObject({ end: 'limit', looked: 1 })
  })

  /** Older than both, an event may have the number too. */
  const behind = (account: string, number: number) =>
    world.client.sql
      .prepare(
        `SELECT d.id FROM event e LEFT JOIN delivery d ON d.event_seq = e.seq
         WHERE e.seq = ? AND e.account_uuid = ? ORDER BY d.id DESC`,
      )
      .pluck()
      .all(number, account)

  test('a number that is both finds the job and the delivery', async () => {
    expect(idsOf(await ask(LEEDS, { id: String(ofJob) }))).toEqual([lookAlike, ofJob, ...behind(LEEDS, ofJob)])
    expect(await named(LEEDS, { kind: 'number', number: ofJob })).toBeNull()
  })

  test('a job that nothing here knows is asked for at ServiceM8', async () => {
    const filters: (string | undefined)[] = []
    const unseen = '3cf4c915-3335-5760-9a32-19da9d8bdbf4'
    const { id } = rows.event({ account: BRISBANE, receivedAt: world.clock.now(), record: unseen })
    const endpointId = rows.endpoint({ account: BRISBANE, url: 'https://other.example.com' })
    const [elsewhere, plain] = [1, 2].map((later) => {
      const { seq } = rows.event({ account: BRISBANE, receivedAt: world.clock.now() + later })
      return rows.delivery({ account: BRISBANE, seq, endpointId })
    })
    const callAsAccount = (async (_account: string, call: (api: object, token: string) => unknown) =>
      call(
        {
          list: async (_token: string, _object: string, { filter }: { filter?: string }) => {
            filters.push(filter)
            const known = filter?.includes("'88001'") || filter?.includes(`'${elsewhere}'`)
            return { outcome: 'ok', value: known ? [{ uuid: unseen }] : [] }
          },
        },
        '',
      )) as unknown as WebhookWorld['app']['callAsAccount']
    const app = { ...world.app, callAsAccount }
    const read = (id: string) => {
      const asked = readSearchQuery(new URLSearchParams({ id }), [])
      if (asked.outcome !== 'question') throw new Error(asked.message)
      return searchDeliveries(app, BRISBANE, asked.question)
    }
    expect((await read('88001')).hits.map(({ what, objectUuid }) => [what, objectUuid])).toEqual([
      ['Job 88001', unseen],
    ])
    expect((await read('88002')).hits).toEqual([])
    // The job is found beside a delivery or an event of the same number.
    const { hits } = await read(String(elsewhere))
    expect(hits.map(({ delivery, eventId }) => delivery?.id ?? (eventId === id ? id : null))).toEqual([
      elsewhere,
      id,
      ...behind(BRISBANE, elsewhere ?? 0),
    ])
    expect(await named(BRISBANE, { kind: 'number', number: elsewhere ?? 0 }, app)).toBeNull()
    expect(await named(BRISBANE, { kind: 'number', number: plain ?? 0 }, app)).toBe(plain)
    expect(filters).toEqual(
      [88001, 88002, elsewhere, elsewhere, plain].map((number) => `generated_job_id eq '${number}'`),
    )
  })

  test('a customer with 700 jobs is found on each of them, and a search says when it takes no more', async () => {
    const add = (from: number, to: number, company: string) =>
      world.client.sql.transaction(() => {
        for (let at = from; at < to; at += 1)
          keep.run(LEEDS, 'rules:job', `big-${at + 10_000}`, JSON.stringify({ company_uuid: company }))
      })()
    const keep = world.client.sql.prepare(
      `INSERT INTO record_snapshot (account_uuid, object, record_uuid, edit_date, fields, first_seen_at, updated_at)
       VALUES (?, ?, ?, '', ?, 0, 0)`,
    )
    keep.run(LEEDS, 'rules:company', 'rentals', JSON.stringify({ name: 'Rentals of Leeds' }))
    add(0, 700, 'rentals')
    keep.run(LEEDS, 'rules:note', 'of-the-last', JSON.stringify({ related_object_uuid: 'big-10699' }))
    for (const record of ['big-10699', 'of-the-last'])
      rows.event({ account: LEEDS, receivedAt: world.clock.now(), record })
    const answer = await ask(LEEDS, { id: 'rentals' })
    expect(answer.hits.map(({ objectUuid }) => objectUuid)).toEqual(['of-the-last', 'big-10699'])
    expect(searchJson(answer).complete).toBe(true)
    add(700, 10_000, 'rentals')
    expect(searchJson(await ask(LEEDS, { id: 'rentals' }))).toMatchObject({ next: null, complete: false })
  })

  test('the page counts every status and shows the last days', async () => {
    const asked = readSearchQuery(new URLSearchParams({ id: 'joan', status: 'waiting' }), [])
    if (asked.outcome !== 'question') throw new Error(asked.message)
    const found = await resolve(world.app, LEEDS, asked.question.pasted)
    const { answer, statuses, volume } = await searchForPage(world.app, LEEDS, asked.question, { zone: 'UTC', found })
    expect(answer.hits).toEqual([])
    expect(statuses).toMatchObject({ complete: true, counts: { delivered: 1, waiting: 0 } })
    expect(volume).toHaveLength(30)
  })
})

test('hours are counted on the day of the account, and older ones not at all', () => {
  const now = Date.UTC(2026, 10, 21, 3)
  const hour = (day: number, of: number) => Math.floor(Date.UTC(2026, 10, day, of) / hours(1))
  const counts = [
    { hour: hour(18, 3), delivered: 9, failed: 9 },
    { hour: hour(20, 12), delivered: 2, failed: 1 },
    { hour: hour(20, 14), delivered: 4, failed: 0 },
    { hour: hour(21, 2), delivered: 1, failed: 3 },
  ]
  // In Sydney the 21st began at 13:00 of the 20th.
  expect(volumeByDay(counts, { now, zone: 'Australia/Sydney' }, 3)).toEqual([
    { date: '2026-11-19', delivered: 0, failed: 0 },
    { date: '2026-11-20', delivered: 2, failed: 1 },
    { date: '2026-11-21', delivered: 5, failed: 3 },
  ])
})

test('a delivery of a deleted rule says whose it was: in the search, on its page and when it is sent again', async () => {
  const { store, clock } = world.app
  const at = clock.now()
  const rule = { kind: 'extra', name: 'Accounting', objectType: 'rule', url: 'https://example.com/in' } as const
  const more = { fieldFilter: '', active: true, secretSealed: '-', subscription: null, at }
  const { id, endpointId } = await store.endpoints.saveEndpoint(LEEDS, { ...rule, ...more })
  const { seq } = rows.event({ account: LEEDS, object: 'rule', receivedAt: at })
  const deliveryId = rows.delivery({ account: LEEDS, seq, endpointId, at })
  await store.endpoints.deleteEndpoint(LEEDS, { kind: 'extra', id }, { endSubscriptions: false, at })
  const why = 'The forwarding rule was deleted.'
  expect((await ask(LEEDS, { object: 'rule' })).hits).toMatchObject([
    { delivery: { rule: 'Accounting', sentence: expect.stringContaining(why) } },
  ])
  const delivery = await loadDelivery(world.app, LEEDS, deliveryId)
  expect(delivery).toMatchObject({ owner: { label: 'Accounting rule (deleted)' }, whyNotAgain: why })
  const again = { ...world.app, wakeDeliveries: () => {} }
  expect(await sendAgain(again, LEEDS, deliveryId)).toEqual({ outcome: 'no_address', message: why })
})
