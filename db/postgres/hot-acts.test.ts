// Long: one comparison with its parts. The acts for whole batches say and store what the common ones do, one row after the other: SQLite, PostgreSQL row by
// row, and PostgreSQL in batches are asked the same and compared. HOT_CASES=400 asks longer.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { systemClock } from '#app/lib/clocks.server.ts'
import { hours } from '#app/lib/duration.ts'
import { SETTLING } from '#tests/support/engine-world.server.ts'
import { freshDatabase, POSTGRES_WITHIN_MS, postgresForTests, postgresSchema } from '#tests/support/postgres.ts'
import type { Database } from '../database.ts'
import { JOB } from '../sql/hot/claim.server.ts'
import { sqlStore } from '../sql/store.server.ts'
import { openClient } from '../sqlite/client.server.ts'
import type { AttemptReport, DeliveryJob } from '../store/deliveries.ts'
import type { AcceptOptions, IncomingEvent } from '../store/events.ts'
import type { Store } from '../store.ts'
import { connectPostgres } from './client.server.ts'
import { postgresStore } from './store.server.ts'

const CASES = Number(process.env.HOT_CASES ?? 12)
const LIMITS: AcceptOptions = {
  choose: chooseEndpoints,
  limit: { deliveries: 9, bytes: 150_000 },
  retryFor: hours(72),
  stoppedReason: 'Stopped.',
}
const NOW = 1_790_000_000_000

interface Side {
  name: string
  db: Database
  store: Store
}
let sides: Side[] = []
let conflicts = 0
const closing: (() => unknown)[] = []

beforeAll(async () => {
  if ((await postgresForTests()).outcome === 'none') return
  const schema = postgresSchema()
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-hot-'))
  const file = openClient(join(folder, 'test.db'), 'db/migrations')
  closing.push(
    () => file.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  )
  const server = async () => {
    const { url, close } = await freshDatabase(schema)
    const client = connectPostgres(url, { counts: { conflict: () => conflicts++ } })
    closing.push(() => client.close().then(close))
    return client
  }
  const [rows, sets] = [await server(), await server()]
  sides = [
    { name: 'SQLite', db: file.db, store: sqlStore(file, systemClock()) },
    { name: 'row by row', db: rows.db, store: sqlStore(rows, systemClock()) },
    { name: 'batches', db: sets.db, store: postgresStore(sets, systemClock()) },
  ]
}, POSTGRES_WITHIN_MS)
afterAll(async () => {
  for (const close of closing) await close()
})
beforeEach(({ skip }) => {
  if (sides.length === 0) skip('no PostgreSQL')
})

type Rows = Record<string, unknown>[]
const all = (side: Side, text: string, ...values: (string | number | null)[]): Promise<Rows> =>
  side.db.read(() => side.db.prepare<unknown[], Record<string, unknown>>(text).all(...values))()
const run = async (side: Side, text: string, ...values: (string | number | null)[]): Promise<number> =>
  (await side.db.write(() => side.db.prepare(text).run(...values))()).changes

const TABLES = [
  'attempt',
  'delivery',
  'event_body',
  'event',
  'replay',
  'endpoint_hour',
  'endpoint',
  'account_load',
  'usage_day',
  'touched_record',
  'automation',
  'account',
]
const ENDPOINTS = [
  ['A', 'job', '', 'active'],
  ['A', 'job', 'status', 'paused'],
  ['A', 'job', '', 'stopped'],
  ['A', 'company', '', 'failing'],
  ['A', 'job', '', 'deleted'],
  ['B', 'job', 'status,date', 'active'],
  ['B', 'company', '', 'active'],
] as const

async function seed(side: Side): Promise<void> {
  for (const table of TABLES) await run(side, `DELETE FROM ${table}`)
  for (const account of ['A', 'B', 'C']) {
    await run(
      side,
      "INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES (?, 'x', 'UTC', 0, 0)",
      account,
    )
  }
  for (const [index, [account, object, fields, state]] of ENDPOINTS.entries()) {
    await run(
      side,
      `INSERT INTO endpoint (id, account_uuid, object_type, field_filter, url, secret_sealed, state, state_since, breaker,
         breaker_probes, failure_streak, failure_events, redirect_streak, pending_count, created_at)
       VALUES (?, ?, ?, ?, ?, 's', ?, 5, 'closed', 0, 0, '[]', 0, 0, 5)`,
      index + 1,
      account,
      object,
      fields,
      `https://r${index}.example.com/`,
      state,
    )
  }
  await run(
    side,
    `INSERT INTO automation (account_uuid, name, active, trigger_source, watched_object, version, definition, baselined,
       execution_count, created_at, updated_at) VALUES ('A', 'rule', 1, 'webhook', 'job', 1, '{}', 1, 0, 0, 0)`,
  )
  await run(
    side,
    `INSERT INTO replay (id, account_uuid, endpoint_id, since, status, state, next_seq, until_seq, total, made, delivered,
       undelivered, created_at) VALUES (1, 'A', 1, 0, 'all', 'running', 0, 9, 9, 0, 0, 0, 0)`,
  )
}

/** What ids mean, so that two databases can be compared whose numbers differ. */
async function names(side: Side) {
  const events = await all(side, 'SELECT seq, account_uuid AS account, dedupe FROM event')
  const event = new Map(events.map(({ seq, account, dedupe }) => [seq, plain(`${account}|${dedupe}`)]))
  const deliveries = await all(
    side,
    'SELECT id, event_seq AS seq, endpoint_id AS endpoint, cause, cause_no AS no FROM delivery',
  )
  const delivery = new Map(
    deliveries.map(({ id, seq, endpoint, cause, no }) => [id as number, `${event.get(seq)}>${endpoint}${cause}${no}`]),
  )
  return { event, delivery }
}
const plain = (text: string) => text.replaceAll('\0', '\ufffd')

type Names = Awaited<ReturnType<typeof names>>
function named(value: unknown, { event, delivery }: Names): unknown {
  return JSON.parse(JSON.stringify(value), (key, given) => {
    if (given === null) return null
    if (/^(seq|event_seq)$/.test(key)) return event.get(given)
    if (/^(delivery_id|deliveryId|id)$/.test(key) && typeof given === 'number') return delivery.get(given) ?? 'unknown'
    if (key === 'failureEvents') return (given as number[]).map((seq) => event.get(seq))
    if (key === 'failure_events') return (JSON.parse(given) as number[]).map((seq) => event.get(seq))
    if (key === 'message') return 'said'
    return typeof given === 'string' ? plain(given) : given
  })
}

const sorted = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort()

async function everything(side: Side, known: Names) {
  const dump: Record<string, string[]> = {}
  const texts: Record<string, string> = {
    event:
      'SELECT seq, account_uuid, subscription_id, source, object, object_uuid, changed_fields, received_at, dedupe FROM event',
    event_body: 'SELECT seq, body FROM event_body',
    delivery: `SELECT id, event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, state_reason, due_at, deadline_at,
      attempts, steps, last_code, created_at, settled_at FROM delivery`,
    attempt: `SELECT delivery_id, account_uuid, endpoint_id, url, number, at, duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms,
      outcome, status_code, sentence, peer_ip, response_body, retry_after_ms FROM attempt`,
    endpoint: `SELECT id AS endpoint, state, state_reason, state_since, hold_until, hold_reason, hold_since, breaker, breaker_probes,
      next_probe_at, failing_since, failure_streak, failure_events, redirect_streak, last_success_at, last_attempt_at, last_code,
      last_sentence, pending_count FROM endpoint`,
    replay: 'SELECT made, delivered, undelivered FROM replay',
    touched_record:
      'SELECT account_uuid, object, record_uuid, changed_fields, created, event_seq, first_at, due_at, turn, tries FROM touched_record',
  }
  for (const table of ['endpoint_hour', 'account_load', 'usage_day']) texts[table] = `SELECT * FROM ${table}`
  for (const [table, text] of Object.entries(texts)) {
    dump[table] = sorted((await all(side, text)).map((row) => named(row, known)))
  }
  return dump
}

// ---- what is asked

// No NUL in a body: SQLite counts its characters up to there, so the engines differ by themselves.
const event = fc.record({
  accountUuid: fc.constantFrom('A', 'A', 'B', 'C'),
  object: fc.constantFrom('job', 'job', 'company'),
  objectUuid: fc.constantFrom('r1', 'r2', 'r\0'),
  changedFields: fc.constantFrom([], ['status'], ['uuid', 'date'], ['a"b\\', 'é{}']),
  receivedAt: fc.constantFrom(NOW, NOW + 1_500, NOW + hours(1)),
  dedupe: fc.oneof(fc.constantFrom('d1', 'd2', 'd\0'), fc.uuid()),
  body: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('{}', '{"a":"b\\\\c\\"{,}"}', 'NULL', '', 'é😀') },
    { weight: 1, arbitrary: fc.constant('x'.repeat(60_000)) },
  ),
  source: fc.oneof({ weight: 40, arbitrary: fc.constant('object') }, { weight: 1, arbitrary: fc.constant('nonsense') }),
})
/** One that cannot be stored and is known all the same is a duplicate in batches, and refused row by row. */
const neverSeen = <E extends { source: string; dedupe: string }>(one: E): E =>
  one.source === 'nonsense' ? { ...one, dedupe: `never ${one.dedupe}` } : one
const verdict = fc.constantFrom(
  { outcome: 'delivered', statusCode: 200, retryAfterMs: null, sentence: 'Delivered.' },
  { outcome: 'delivered', statusCode: 204, retryAfterMs: null, sentence: 'Delivered.' },
  { outcome: 'http_error', statusCode: 500, retryAfterMs: null, sentence: 'Failed.' },
  { outcome: 'timeout', statusCode: null, retryAfterMs: null, sentence: 'Too slow.' },
  { outcome: 'redirect', statusCode: 302, retryAfterMs: null, sentence: 'Elsewhere.' },
  { outcome: 'rate_limited', statusCode: 429, retryAfterMs: 30_000, sentence: 'Slower.' },
  { outcome: 'gone', statusCode: 410, retryAfterMs: null, sentence: 'Gone.' },
)
const report = fc.record({
  which: fc.nat(),
  verdict: fc.option(verdict, { freq: 8 }),
  /** Past the deadline = exhausted. */
  later: fc.constantFrom(100, 100, 5_000, hours(2), hours(80)),
  probe: fc.boolean(),
  /** Sent to an address that was replaced meanwhile. */
  moved: fc.constantFrom(false, false, false, true),
})
const ask = fc.oneof(
  { weight: 5, arbitrary: fc.record({ accept: fc.array(event.map(neverSeen), { minLength: 1, maxLength: 12 }) }) },
  { weight: 5, arbitrary: fc.record({ settle: fc.array(report, { minLength: 1, maxLength: 10 }) }) },
  { weight: 2, arbitrary: fc.record({ again: fc.nat(), cause: fc.constantFrom('retry', 'replay'), tried: fc.nat(1) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      endpoint: fc.integer({ min: 1, max: 7 }),
      state: fc.constantFrom('active', 'paused', 'stopped'),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ unknown: true as const }) },
)
interface GivenReport {
  verdict: object | null
  later: number
  probe: boolean
  moved?: boolean
}
type Ask = typeof ask extends fc.Arbitrary<infer T> ? T : never

async function jobOf(side: Side, id: number): Promise<DeliveryJob> {
  const statement = side.db
    .prepare<[number], unknown[]>(
      `SELECT ${JOB.columns} FROM delivery d JOIN event e ON e.seq = d.event_seq JOIN endpoint p ON p.id = d.endpoint_id
       LEFT JOIN event_body b ON b.seq = d.event_seq WHERE d.id = ?`,
    )
    .raw()
  const values = await side.db.read(() => statement.get(id))()
  return JOB.rowOf(values ?? [])
}

async function reportOf(side: Side, id: number, given: GivenReport) {
  const present = await jobOf(side, id)
  const job = given.moved ? { ...present, url: 'https://old.example.com/' } : present
  const startedAt = job.receivedAt + given.later
  const result = given.verdict
    ? {
        kind: 'sent',
        verdict: given.verdict,
        durationMs: 7,
        dnsMs: 1,
        connectMs: null,
        tlsMs: 2,
        firstByteMs: 3,
        peerIp: '10.0.0.1',
        responseBody: 'o\0k"',
      }
    : { kind: 'not_sent', reason: 'No body.' }
  return { job, probe: given.probe, startedAt, endedAt: startedAt + 7, result } as unknown as AttemptReport
}

async function answerOf(side: Side, asked: Ask): Promise<unknown> {
  const { delivery } = await names(side)
  const inOrder = [...delivery].sort(([, a], [, b]) => (a < b ? -1 : 1)).map(([id]) => id)
  const pick = (which: number) => inOrder[which % inOrder.length] ?? 0
  if ('accept' in asked) {
    const events = asked.accept.map((one) => ({ ...one, subscriptionId: null })) as unknown as IncomingEvent[]
    const answers = await side.store.events.acceptEvents(events, LIMITS)
    return answers.map((one) =>
      one.outcome === 'stored'
        ? { ...one, deliveries: one.deliveries.toSorted((a, b) => a.endpointId - b.endpointId) }
        : one,
    )
  }
  if ('endpoint' in asked) return run(side, 'UPDATE endpoint SET state = ? WHERE id = ?', asked.state, asked.endpoint)
  if (inOrder.length === 0) return 'nothing yet'
  if ('settle' in asked) {
    const reports: AttemptReport[] = []
    for (const one of asked.settle) reports.push(await reportOf(side, pick(one.which), one))
    const jobs = await side.store.deliveries.loadDeliveries(reports.map(({ job }) => job.id))
    const loaded = jobs.map((job) => job && { ...job, eventSeq: null, eventId: null })
    const settled = await side.store.deliveries.settleAttempts(reports, SETTLING)
    const known = await names(side)
    const written = await everything(side, known)
    // As after a commit whose answer got lost.
    const again = await side.store.deliveries.settleAttempts(reports, { ...SETTLING, again: true })
    expect(await everything(side, known)).toEqual(written)
    expect(again.map(({ outcome }) => outcome)).toEqual(settled.map(({ outcome }) => outcome))
    return [loaded, settled, again]
  }
  if ('again' in asked) {
    const known = await all(
      side,
      'SELECT event_seq AS seq, endpoint_id AS endpoint, account_uuid AS account FROM delivery WHERE id = ?',
      pick(asked.again),
    )
    const [row] = known
    return run(
      side,
      `INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, due_at, deadline_at, attempts,
         steps, created_at) VALUES (?, ?, ?, 'r', ?, 1, 'pending', ?, ?, ?, 0, ?) ON CONFLICT DO NOTHING`,
      Number(row?.seq),
      Number(row?.endpoint),
      String(row?.account),
      asked.cause,
      NOW + hours(9),
      NOW + hours(99),
      asked.tried,
      NOW,
    )
  }
  const [first] = inOrder
  const known = await reportOf(side, first ?? 0, {
    verdict: { outcome: 'delivered', statusCode: 200, retryAfterMs: null, sentence: 'Delivered.' },
    later: 100,
    probe: false,
  })
  const unknown = { ...known, job: { ...known.job, id: 999_999_999 } }
  return side.store.deliveries.settleAttempts([known, unknown], SETTLING).catch(() => 'refused')
}

test(
  `batches answer and store what row by row does (${CASES} lists of random acts)`,
  async () => {
    const seen = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(fc.array(ask, { minLength: 2, maxLength: 9 }), async (asks) => {
        for (const side of sides) await seed(side)
        for (const [step, asked] of asks.entries()) {
          const results: { answer: unknown; rows: unknown }[] = []
          for (const side of sides) {
            const answer = await answerOf(side, asked)
            const known = await names(side)
            results.push({ answer: named({ answer }, known), rows: await everything(side, known) })
          }
          const [model, rowByRow, batches] = results
          for (const found of JSON.stringify(model?.answer).match(/"outcome":"\w+"|refused/g) ?? [])
            seen.set(found, (seen.get(found) ?? 0) + 1)
          expect({ step, ...rowByRow }).toEqual({ step, ...model })
          expect({ step, ...batches }).toEqual({ step, ...model })
        }
      }),
      { numRuns: CASES, endOnFailure: true, ...(process.env.HOT_SEED && { seed: Number(process.env.HOT_SEED) }) },
    )
    // A comparison of nothing would pass too.
    for (const outcome of ['stored', 'duplicate', 'delivered'])
      expect(seen.get(`"outcome":"${outcome}"`)).toBeGreaterThan(0)
  },
  POSTGRES_WITHIN_MS + CASES * 5_000,
)

const events = (object: string, count: number) =>
  Array.from(
    { length: count },
    (_, n): IncomingEvent => ({
      ...{
        accountUuid: n % 2 ? 'A' : 'B',
        object,
        objectUuid: `r${n}`,
        changedFields: ['status'],
        subscriptionId: null,
      },
      ...{ receivedAt: NOW + n, source: 'object', dedupe: `${object}${count}-${n}`, body: '{}' },
    }),
  )
const ROOMY = { ...LIMITS, limit: { deliveries: 9_999, bytes: 9_999_999 } }

test('a batch of 64 goes to the server and back as often as one event does', async () => {
  const batches = sides[2]
  if (!batches) throw new Error('no PostgreSQL')
  await seed(batches)
  // Each window counts its own queries: one of before may still be under way.
  let now = { underWay: 0, trips: 0 }
  const query = pg.Client.prototype.query as (...args: unknown[]) => Promise<unknown>
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const its = now
    if (its.underWay++ === 0) its.trips++
    return query.apply(this, args).finally(() => its.underWay--)
  } as never)
  const during = async <T>(work: () => Promise<T>): Promise<[number, T]> => {
    const its = { underWay: 0, trips: 0 }
    now = its
    const value = await work()
    return [its.trips, value]
  }
  try {
    for (const count of [1, 64]) {
      const [watched] = await during(() => batches.store.events.acceptEvents(events('job', Math.max(2, count)), ROOMY))
      const [plainly, accepted] = await during(() => batches.store.events.acceptEvents(events('company', count), ROOMY))
      const ids = accepted.flatMap((one) => (one.outcome === 'stored' ? one.deliveries.map(({ id }) => id) : []))
      const delivered = {
        verdict: { outcome: 'delivered', statusCode: 200, retryAfterMs: null, sentence: 'Delivered.' },
        later: 100,
        probe: false,
      }
      const reports: AttemptReport[] = []
      for (const id of ids) reports.push(await reportOf(batches, id, delivered))
      const [loading] = await during(() => batches.store.deliveries.loadDeliveries(ids))
      const [settling, settled] = await during(() => batches.store.deliveries.settleAttempts(reports, SETTLING))
      expect([ids.length, settled.length]).toEqual([count, count])
      expect({ watched, plainly, loading, settling }).toEqual({ watched: 3, plainly: 2, loading: 1, settling: 2 })
    }
  } finally {
    spy.mockRestore()
  }
})

test('batches in opposite order wait for each other and never both; the same events are stored once', async () => {
  const batches = sides[2]
  if (!batches) throw new Error('no PostgreSQL')
  await seed(batches)
  const { acceptEvents } = batches.store.events
  conflicts = 0
  for (let round = 0; round < 10; round++) {
    const of = (part: string) => events('job', 20).map((one) => ({ ...one, dedupe: `${part}-${round}-${one.dedupe}` }))
    await Promise.all([acceptEvents(of('a'), ROOMY), acceptEvents(of('b').reverse(), ROOMY)])
  }
  expect(conflicts).toBe(0)
  const twice = events('job', 20)
  const answers = (await Promise.all([acceptEvents(twice, ROOMY), acceptEvents(twice.toReversed(), ROOMY)])).flat()
  const count = (outcome: string) => answers.filter((one) => one.outcome === outcome).length
  expect([count('stored'), count('duplicate')]).toEqual([20, 20])
  const [waiting] = await all(
    batches,
    'SELECT (SELECT sum(pending_count) FROM endpoint) AS told, (SELECT count(*) FROM delivery WHERE state = ?) AS real',
    'pending',
  )
  expect(waiting?.told).toBe(waiting?.real)
})

test('beside a busy account, long acts wait for its events and run once; a short one is not overtaken for ever', async () => {
  const batches = sides[2]
  if (!batches) throw new Error('no PostgreSQL')
  await seed(batches)
  const { acceptEvents } = batches.store.events
  const { deliveries } = batches.store
  await acceptEvents(events('job', 200), ROOMY)
  const [sending] = await all(
    batches,
    "SELECT id, account_uuid AS account FROM endpoint WHERE object_type = 'job' AND url <> '' AND state = 'active' LIMIT 1",
  )
  const endpoint = Number(sending?.id)
  const request = { since: NOW - 1, status: 'all' as const, objectUuid: null }
  let busy = true
  let taken = 0
  const flood = async (part: string) => {
    for (let round = 0; busy; round++) {
      await acceptEvents(
        events('job', 4).map((one) => ({ ...one, dedupe: `${part}-${round}-${one.dedupe}` })),
        ROOMY,
      )
      taken += 4
    }
  }
  const flooding = ['a', 'b', 'c'].map(flood)
  const replayId = Number(await deliveries.startReplay(String(sending?.account), endpoint, request, 100, NOW + 500))
  conflicts = 0
  const growing = { ...ROOMY, waitingPerReplay: 500, step: 100 }
  const grown = await deliveries.growReplayStep(replayId, NOW + 600, growing)
  expect(conflicts).toBe(0)
  await run(batches, "UPDATE endpoint SET state = 'deleted', state_since = 0 WHERE id = ?", endpoint)
  conflicts = 0
  const [ending = null] = await deliveries.listEndings(NOW + 700, NOW)
  expect(ending).toEqual({ endpointId: endpoint, because: 'deleted' })
  let ended = 0
  for (let step = 1; ending && step > 0; ended += step)
    step = await deliveries.endStoppedStep(ending, 'd', NOW + 700, 100)
  busy = false
  await Promise.all(flooding)
  expect(grown).toHaveLength(100)
  expect(ended).toBeGreaterThan(190)
  expect(taken).toBeGreaterThan(40)
  expect(conflicts).toBe(0)
  const [waiting] = await all(
    batches,
    'SELECT (SELECT sum(pending_count) FROM endpoint) AS told, (SELECT count(*) FROM delivery WHERE state = ?) AS real',
    'pending',
  )
  expect(waiting?.told).toBe(waiting?.real)
})
