import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hours, minutes } from '#app/lib/duration.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import type { EventLogQuery } from '../../store/activity.ts'

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
  world.client.sql
    .prepare(
      `INSERT INTO endpoint (id, account_uuid, object_type, field_filter, url, secret_sealed, state, state_since, breaker,
         breaker_probes, failure_streak, failure_events, redirect_streak, pending_count, created_at)
       VALUES (1, ?, 'job', '', 'https://example.com/in', '', 'active', 0, 'closed', 0, 0, '[]', 0, 0, 0)`,
    )
    .run(LEEDS)
})

afterEach(() => world.close())

const ALL: EventLogQuery = {
  object: 'job',
  since: null,
  forwarding: 'all',
  before: null,
  limit: 10,
  withBody: false,
  withResponses: true,
}

function list(query: Partial<EventLogQuery> = {}, accountUuid = LEEDS) {
  return world.app.store.events.listEventLog(accountUuid, { ...ALL, ...query })
}

/** Stores an event and, if asked, a delivery with attempts; returns its seq. */
function event(
  name: string,
  input: {
    accountUuid?: string
    object?: string
    receivedAt?: number
    body?: string
    delivery?: { state: string; outcomes: string[] }
  } = {},
): number {
  const { accountUuid = LEEDS, object = 'job', receivedAt = world.clock.now(), body = '{}', delivery } = input
  const { sql } = world.client
  const seq = Number(
    sql
      .prepare(
        `INSERT INTO event (id, account_uuid, source, object, object_uuid, changed_fields, received_at, dedupe)
         VALUES (@name, @accountUuid, 'object', @object, @name, '["status"]', @receivedAt, @name)`,
      )
      .run({ name, accountUuid, object, receivedAt }).lastInsertRowid,
  )
  sql.prepare('INSERT INTO event_body (seq, body) VALUES (?, ?)').run(seq, body)
  if (!delivery) return seq
  const id = Number(
    sql
      .prepare(
        `INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, due_at, deadline_at,
           attempts, steps, created_at) VALUES (?, 1, ?, ?, 'live', 0, ?, 5, 9, ?, 0, 1)`,
      )
      .run(seq, accountUuid, name, delivery.state, delivery.outcomes.length).lastInsertRowid,
  )
  delivery.outcomes.forEach((outcome, index) => {
    sql
      .prepare(
        `INSERT INTO attempt (delivery_id, account_uuid, endpoint_id, url, number, at, duration_ms, outcome, status_code,
           sentence, response_body) VALUES (?, ?, 1, 'https://example.com/in', ?, 1, 20, ?, 200, 'said', 'answer')`,
      )
      .run(id, accountUuid, index + 1, outcome)
  })
  return seq
}

/** Events named `e0`, `e1` …, without deliveries, in two statements. */
function manyEvents(count: number, receivedAt: number): void {
  const { sql } = world.client
  sql
    .prepare(
      `WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < ${count - 1})
       INSERT INTO event (id, account_uuid, source, object, object_uuid, changed_fields, received_at, dedupe)
       SELECT 'e' || n, ?, 'object', 'job', 'e' || n, '["status"]', CAST(? AS bigint), 'e' || n FROM number ORDER BY n`,
    )
    .run(LEEDS, receivedAt)
  sql.exec("INSERT INTO event_body (seq, body) SELECT seq, '{}' FROM event WHERE id LIKE 'e%'")
}

const names = async (query: Partial<EventLogQuery> = {}) => (await list(query)).map((row) => row.id)

describe('the log of events', () => {
  test('is newest first, bounded, and goes on from where it was left', async () => {
    for (const name of ['a', 'b', 'c', 'd']) event(name)
    expect(await names({ limit: 3 })).toEqual(['d', 'c', 'b'])
    const [, , third] = await list({ limit: 3 })
    expect(await names({ before: third?.seq ?? 0 })).toEqual(['a'])
  })

  test('shows events of the account and the object that are asked for, and no others', async () => {
    event('mine')
    event('other object', { object: 'note' })
    event('other account', { accountUuid: BRISBANE })
    expect(await names()).toEqual(['mine'])
    expect(await names({ object: null })).toEqual(['other object', 'mine'])
    expect((await list({ object: null }, BRISBANE)).map((row) => row.id)).toEqual(['other account'])
  })

  test('holds deliveries with their attempts in order', async () => {
    event('failed then fine', { delivery: { state: 'delivered', outcomes: ['http_error', 'delivered'] } })
    const [row] = await list()
    expect(row).toMatchObject({
      changedFields: ['status'],
      body: null,
      deliveries: [
        {
          url: 'https://example.com/in',
          state: 'delivered',
          attempts: [
            { number: 1, outcome: 'http_error', durationMs: 20, responseBody: 'answer' },
            { number: 2, outcome: 'delivered' },
          ],
        },
      ],
    })
  })

  test('leaves answers and texts out unless they are asked for', async () => {
    event('one', { body: '{"a":1}', delivery: { state: 'delivered', outcomes: ['delivered'] } })
    const [without] = await list({ withResponses: false })
    expect(without?.deliveries[0]?.attempts[0]?.responseBody).toBeNull()
    const [withBody] = await list({ withBody: true })
    expect(withBody?.body).toBe('{"a":1}')
    world.client.sql.exec('DELETE FROM event_body')
    expect((await list({ withBody: true }))[0]?.body).toBeNull()
  })

  test('of one endpoint shows what was meant for it, and what became of it there', async () => {
    const { sql } = world.client
    sql.exec(
      `INSERT INTO forwarding_rule (id, account_uuid, name, object_type, created_at, updated_at)
       VALUES (1, '${LEEDS}', 'Accounting', 'job', 0, 0)`,
    )
    sql.exec(
      `INSERT INTO endpoint (id, account_uuid, forwarding_rule_id, object_type, field_filter, url, secret_sealed, state,
         state_since, breaker, breaker_probes, failure_streak, failure_events, redirect_streak, pending_count, created_at)
       VALUES (2, '${LEEDS}', 1, 'job', '', 'https://example.com/rule', '', 'active', 0, 'closed', 0, 0, '[]', 0, 0, 0)`,
    )
    event('first only', { delivery: { state: 'delivered', outcomes: ['delivered'] } })
    const seq = event('both', { delivery: { state: 'delivered', outcomes: ['delivered'] } })
    event('nobody')
    sql
      .prepare(
        `INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, due_at, deadline_at,
           attempts, steps, created_at) VALUES (?, 2, ?, 'both', 'live', 0, 'pending', 5, 9, 1, 0, 1)`,
      )
      .run(seq, LEEDS)
    expect(await names({ endpointId: 2 })).toEqual(['both'])
    expect(await names({ endpointId: 1, limit: 1 })).toEqual(['both'])
    expect(await names({ endpointId: 2, forwarding: 'success' })).toEqual([])
    expect(await names({ endpointId: 2, forwarding: 'failed' })).toEqual(['both'])
    expect(await names({ endpointId: null })).toEqual(['nobody', 'both', 'first only'])
    const [alone] = await list({ endpointId: 2 })
    expect(alone?.deliveries).toMatchObject([{ url: 'https://example.com/rule', rule: 'Accounting' }])
    const [, together] = await list()
    expect(together?.deliveries.map((one) => one.rule)).toEqual([null, 'Accounting'])
  })

  test('is filtered by what became of the events', async () => {
    event('nobody')
    event('waiting', { delivery: { state: 'pending', outcomes: [] } })
    event('retrying', { delivery: { state: 'pending', outcomes: ['timeout'] } })
    event('delivered', { delivery: { state: 'delivered', outcomes: ['http_error', 'delivered'] } })
    event('expired', { delivery: { state: 'expired', outcomes: ['timeout'] } })
    event('stopped untried', { delivery: { state: 'stopped', outcomes: [] } })
    event('expired untried', { delivery: { state: 'expired', outcomes: [] } })
    expect(await names({ forwarding: 'forwarded' })).toEqual(['expired', 'delivered', 'retrying'])
    expect(await names({ forwarding: 'not_forwarded' })).toEqual([
      'expired untried',
      'stopped untried',
      'waiting',
      'nobody',
    ])
    expect(await names({ forwarding: 'success' })).toEqual(['delivered'])
    expect(await names({ forwarding: 'failed' })).toEqual(['expired untried', 'stopped untried', 'expired', 'retrying'])
    expect(await names({ forwarding: 'all' })).toHaveLength(7)
  })

  test('is filtered by time', async () => {
    const now = world.clock.now()
    event('old', { receivedAt: now - hours(25) })
    event('of today', { receivedAt: now - hours(2) })
    event('new', { receivedAt: now - minutes(1) })
    expect(await names({ since: now - hours(24) })).toEqual(['new', 'of today'])
    expect(await names({ since: now - hours(1) })).toEqual(['new'])
    expect(await names({ since: now - minutes(1) })).toEqual(['new'])
  })

  test('finds a rare one among many without holding up the process', async () => {
    const now = world.clock.now()
    event('rare', { delivery: { state: 'expired', outcomes: ['timeout'] } })
    manyEvents(5000, now)
    let turns = 0
    const counting = setInterval(() => turns++, 0)
    expect(await names({ forwarding: 'failed', since: now - hours(1) })).toEqual(['rare'])
    clearInterval(counting)
    expect(turns).toBeGreaterThan(0)
  })

  test('stops at the edge of its time range instead of reading everything', async () => {
    const now = world.clock.now()
    manyEvents(3000, now - hours(30))
    event('new')
    expect(await names({ since: now - hours(1) })).toEqual(['new'])
  })

  test('tells of each attempt where its time went, as far as that was measured', async () => {
    event('timed', { delivery: { state: 'delivered', outcomes: ['http_error', 'delivered'] } })
    world.client.sql.exec(
      'UPDATE attempt SET dns_ms = 4, connect_ms = 12, tls_ms = 30, first_byte_ms = 210 WHERE number = 1',
    )
    const [row] = await list()
    const unknown = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null }
    expect(row?.deliveries[0]?.attempts).toMatchObject([
      { dnsMs: 4, connectMs: 12, tlsMs: 30, firstByteMs: 210 },
      unknown,
    ])
  })

  test('knows which objects have a log at all', async () => {
    event('one', { object: 'staff' })
    expect(await world.app.store.events.knowsObject(LEEDS, 'staff')).toBe(true)
    expect(await world.app.store.events.knowsObject(BRISBANE, 'staff')).toBe(false)
    expect(await world.app.store.events.knowsObject(LEEDS, 'potato')).toBe(false)
  })

  test('knows the latest event of an account', async () => {
    expect(await world.app.store.events.lastEventAt(LEEDS)).toBeNull()
    event('one', { object: 'note' })
    expect(await world.app.store.events.lastEventAt(LEEDS)).toBe(world.clock.now())
    expect(await world.app.store.events.lastEventAt(BRISBANE)).toBeNull()
  })
})

describe('exchanges with the platform', () => {
  const CALL = {
    accountUuid: LEEDS,
    activityType: 'api_call',
    endpoint: '/webhook_subscriptions/object',
    method: 'POST',
    requestData: '{"object":"job","callback_url":"https://hooks.example.com/hooks/platform/abc"}',
    responseData: 'OK',
    statusCode: 200,
    userAgent: null,
    remoteIp: null,
    durationMs: 31,
  } as const

  const used = (accountUuid: string) =>
    world.client.sql
      .prepare("SELECT coalesce(sum(count), 0) AS n FROM usage_day WHERE kind = 'api_call' AND account_uuid = ?")
      .get(accountUuid)

  test('are kept without secrets, newest first, for their account', async () => {
    await world.app.store.events.recordApiActivity(CALL)
    world.clock.advance(5)
    await world.app.store.events.recordApiActivity({ ...CALL, activityType: 'challenge_response', statusCode: null })
    const rows = await world.app.store.events.listApiActivity(LEEDS, 100)
    expect(rows.map((row) => [row.activityType, row.createdAt - world.clock.now()])).toEqual([
      ['challenge_response', 0],
      ['api_call', -5],
    ])
    expect(rows[1]?.requestData).toContain('/hooks/platform/[hidden]')
    expect(await world.app.store.events.listApiActivity(BRISBANE, 100)).toEqual([])
    expect(await world.app.store.events.listApiActivity(LEEDS, 1)).toHaveLength(1)
  })

  test('count as used when an automation made them', async () => {
    await world.app.store.events.recordApiActivity({ ...CALL, counts: true })
    await world.app.store.events.recordApiActivity({ ...CALL, counts: true })
    await world.app.store.events.recordApiActivity(CALL)
    await world.app.store.events.recordApiActivity({ ...CALL, activityType: 'challenge_response', counts: true })
    expect(used(LEEDS)).toEqual({ n: 2 })
    expect(used(BRISBANE)).toEqual({ n: 0 })
  })

  test('are bounded in number per account', async () => {
    world.client.sql.transaction(() => {
      const insert = world.client.sql.prepare(
        "INSERT INTO api_activity (account_uuid, activity_type, endpoint, method, created_at) VALUES (?, 'api_call', '/x', 'GET', 0)",
      )
      for (let n = 0; n < 1200; n++) insert.run(LEEDS)
      insert.run(BRISBANE)
    })()
    for (let n = 0; n < 50; n++) await world.app.store.events.recordApiActivity(CALL)
    const count = world.client.sql.prepare('SELECT count(*) AS n FROM api_activity WHERE account_uuid = ?')
    expect((count.get(LEEDS) as { n: number }).n).toBeLessThan(1050)
    expect(count.get(BRISBANE)).toEqual({ n: 1 })
  })
})
