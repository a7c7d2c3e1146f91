import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { days, hours } from '#app/lib/duration.ts'
import { aboutTheFile, onServer } from '#tests/support/test-app.server.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { firstSince, OPERATOR_QUERIES, ROOM_SOURCES } from './operator.server.ts'

let world: WebhookWorld
beforeEach(async () => {
  world = await openWebhookWorld()
})
afterEach(() => world.close())

const store = () => world.app.store
const run = (sql: string, ...values: (string | number | null)[]) => world.client.sql.prepare(sql).run(...values)

/** An address with the given columns; its id. */
async function endpoint(accountUuid: string, columns: Record<string, string | number | null> = {}): Promise<number> {
  const { endpointId } = await store().endpoints.saveEndpoint(accountUuid, {
    kind: 'extra',
    name: 'rule',
    objectType: 'job',
    url: 'https://receiver.example.com/in',
    fieldFilter: '',
    active: true,
    secretSealed: 'sealed',
    subscription: null,
    at: world.clock.now(),
  })
  for (const [name, value] of Object.entries(columns))
    run(`UPDATE endpoint SET ${name} = ? WHERE id = ?`, value, endpointId)
  return endpointId
}

/** Events that are so and so long, one a minute, the last one now. */
function events(accountUuid: string, count: number, bytes = 200): void {
  const insert = world.client.sql.prepare(
    `INSERT INTO event (id, account_uuid, source, object, object_uuid, changed_fields, received_at, dedupe)
     VALUES (?, ?, 'object', 'job', 'job-1', '[]', ?, ?)`,
  )
  const body = world.client.sql.prepare('INSERT INTO event_body (seq, body) VALUES (?, ?)')
  world.client.sql.transaction(() => {
    for (let n = count - 1; n >= 0; n--) {
      const at = world.clock.now() - n * 60_000
      const { lastInsertRowid } = insert.run(`${accountUuid}-${at}`, accountUuid, at, `${accountUuid}-${at}`)
      body.run(lastInsertRowid, 'x'.repeat(bytes))
    }
  })()
}

describe('accounts', () => {
  it('are told by their states and counters', async () => {
    const at = world.clock.now()
    await endpoint(LEEDS)
    await endpoint(LEEDS, { failing_since: at - 500 })
    await endpoint(LEEDS, { state: 'failing', state_since: at - 900, failing_since: null })
    await endpoint(LEEDS, { state: 'stopped' })
    await endpoint(LEEDS, { state: 'deleted', failing_since: 1 })
    await endpoint(LEEDS, { state: 'paused', failing_since: 2 })
    run('INSERT INTO account_load (account_uuid, pending_count, pending_bytes) VALUES (?, 7, 70)', LEEDS)
    await store().billing.ensurePlan(LEEDS, days(14), at)
    const tokens = { accessTokenSealed: 'a', refreshTokenSealed: 'b', expiresAt: at, scope: '' }
    await store().accounts.saveCredential(LEEDS, tokens)
    const outlines = await store().ops.accountOutlines()
    expect(outlines.find(({ uuid }) => uuid === LEEDS)).toEqual({
      uuid: LEEDS,
      name: 'Leeds Electrical',
      createdAt: at,
      connection: 'connected',
      plan: { status: 'trial', trialEndsAt: at + days(14), cancelAtPeriodEnd: false, heldSince: null },
      waiting: 7,
      endpoints: 5,
      failing: 2,
      failingSince: at - 900,
      stopped: 1,
    })
    expect(outlines.find(({ uuid }) => uuid === BRISBANE)).toMatchObject({
      connection: null,
      plan: null,
      waiting: 0,
      endpoints: 0,
      failing: 0,
      failingSince: null,
    })
    // The row that an erasure leaves behind tells the operator nothing.
    await store().accounts.endErasure(LEEDS, { answerGone: true })
    expect((await store().ops.accountOutlines()).map(({ uuid }) => uuid)).toEqual([BRISBANE])
  })

  it('have addresses that fail: the longest first, with the kind and without the address', async () => {
    const at = world.clock.now()
    await endpoint(LEEDS, { failing_since: at - 10, last_code: 503 })
    const silent = await endpoint(BRISBANE, { failing_since: at - 20, last_code: null })
    await endpoint(BRISBANE, { state: 'failing', failing_since: at - 30, last_code: null })
    events(BRISBANE, 1)
    run(
      `INSERT INTO delivery (id, event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, due_at, deadline_at, attempts, steps, created_at)
       VALUES (1, 1, ?, ?, 'job-1', 'live', 0, 'pending', 0, 0, 2, 2, 0)`,
      silent,
      BRISBANE,
    )
    for (const [number, outcome] of [
      [1, 'dns'],
      [2, 'timeout'],
    ] as const) {
      run(
        `INSERT INTO attempt (delivery_id, account_uuid, endpoint_id, url, number, at, duration_ms, outcome, sentence)
         VALUES (1, ?, ?, 'https://canary.example/path', ?, ?, 1, ?, 'canary')`,
        BRISBANE,
        silent,
        number,
        number,
        outcome,
      )
    }
    const failing = await store().ops.troubledEndpoints(10)
    expect(failing).toEqual([
      {
        accountUuid: BRISBANE,
        accountName: 'Brisbane Plumbing',
        since: at - 30,
        switchedOff: true,
        code: null,
        outcome: null,
      },
      {
        accountUuid: BRISBANE,
        accountName: 'Brisbane Plumbing',
        since: at - 20,
        switchedOff: false,
        code: null,
        outcome: 'timeout',
      },
      {
        accountUuid: LEEDS,
        accountName: 'Leeds Electrical',
        since: at - 10,
        switchedOff: false,
        code: 503,
        outcome: null,
      },
    ])
    expect(await store().ops.troubledEndpoints(1)).toHaveLength(1)
  })

  it('have deliveries that wait on purpose, or for an address that fails', async () => {
    const now = world.clock.now()
    await endpoint(LEEDS, { pending_count: 1 })
    await endpoint(LEEDS, { pending_count: 2, state: 'paused' })
    await endpoint(LEEDS, { pending_count: 4, url: '' })
    await endpoint(LEEDS, { pending_count: 8, breaker: 'open' })
    await endpoint(LEEDS, { pending_count: 16, hold_until: now + 1 })
    await endpoint(LEEDS, { pending_count: 32, hold_until: now })
    await endpoint(LEEDS, { pending_count: 128, failing_since: now })
    await endpoint(BRISBANE, { pending_count: 64 })
    const plan = await store().billing.ensurePlan(BRISBANE, days(14), now)
    await store().billing.savePlan(
      BRISBANE,
      plan.updatedAt,
      { status: 'unpaid', heldSince: now, holdReason: 'why' },
      now,
    )
    expect(await store().ops.waitingSplit(now)).toEqual({ held: 2 + 4 + 64, backingOff: 8 + 16 + 128 })
    // The metrics and the doctor count the same.
    const { pending, held } = await store().ops.readBacklog(now, [])
    expect([pending.live, held.live]).toEqual([1 + 32, 2 + 4 + 8 + 16 + 64 + 128])
  })
})

describe('room', () => {
  it('is counted where there is little', async () => {
    events(LEEDS, 10)
    const taken = await store().ops.roomTaken()
    expect(taken.find(({ kind }) => kind === 'events')).toMatchObject({ rows: 10, estimated: false })
    expect(taken.find(({ kind }) => kind === 'runs')).toEqual({ kind: 'runs', rows: 0, bytes: 0, estimated: false })
  })

  it('is estimated well where there is much, with gaps and uneven sizes', async () => {
    events(LEEDS, 4_000, 100)
    events(BRISBANE, 4_000, 1_000)
    run('DELETE FROM event WHERE seq BETWEEN 1000 AND 3000 AND seq % 3 > 0')
    const real = world.client.sql
      .prepare<[], { rows: number; bytes: number }>(
        'SELECT count(*) AS rows, sum(octet_length(b.body) + 360 + 2 + 16) AS bytes FROM event e JOIN event_body b ON b.seq = e.seq',
      )
      .get()
    const taken = await store().ops.roomTaken()
    const found = taken.find(({ kind }) => kind === 'events')
    expect(found?.estimated).toBe(true)
    const off = [Number(found?.rows) / Number(real?.rows), Number(found?.bytes) / Number(real?.bytes)]
    for (const part of off) expect(Math.abs(part - 1)).toBeLessThan(0.1)
  })

  it('that came since a moment is told from the order of arrival', async () => {
    events(LEEDS, 600, 500)
    const now = world.clock.now()
    const { reader } = world.client
    const first = await reader.read(() => firstSince(reader, 'event', now - hours(2)))()
    const at = world.client.sql.prepare('SELECT received_at FROM event WHERE seq = ?').pluck().get(first) as number
    expect(at).toBe(now - hours(2))
    expect(await reader.read(() => firstSince(reader, 'event', now + 1))()).toBeNull()
    expect(await reader.read(() => firstSince(reader, 'event', 0))()).toBe(1)
    const { bytes, oldestEventAt } = await store().ops.roomSince(now - hours(2))
    expect(oldestEventAt).toBe(now - 599 * 60_000)
    expect(bytes).toBe(121 * (500 + 360 + 2 + 16))
    expect(await store().ops.roomSince(now + 1)).toMatchObject({ bytes: 0 })
  })
})

test('what was refused is counted, of the last entries only', async () => {
  const now = world.clock.now()
  const entry = (action: string, outcome: 'done' | 'refused', at: number, detail = {}) =>
    store().audit.appendAudit({
      at,
      accountUuid: LEEDS,
      actor: 'stranger',
      staffUuid: null,
      action,
      target: 'canary',
      outcome,
      ip: null,
      detail,
    })
  await entry('call.refused', 'refused', now - days(2))
  await entry('call.refused', 'refused', now - 9)
  await entry('call.refused', 'refused', now - 8)
  await entry('calls.refused', 'refused', now - 7, { count: 40 })
  await entry('webhook.created', 'done', now - 6)
  await entry('keys.put_in_front', 'done', now - 5)
  expect(await store().ops.countAudit(now - days(1), ['keys.put_in_front'], 100)).toEqual({
    counts: [
      { action: 'calls.refused', outcome: 'refused', count: 40, latestAt: now - 7 },
      { action: 'call.refused', outcome: 'refused', count: 2, latestAt: now - 8 },
      { action: 'keys.put_in_front', outcome: 'done', count: 1, latestAt: now - 5 },
    ],
    all: true,
  })
  expect(await store().ops.countAudit(now - days(1), [], 3)).toMatchObject({ counts: [{ count: 40 }], all: false })
})

test('an account’s own numbers are counted up to a limit, with the oldest moment', async () => {
  events(LEEDS, 30)
  events(BRISBANE, 5)
  const now = world.clock.now()
  expect(await store().ops.countKept(LEEDS, 100)).toEqual({
    events: { count: 30, oldestAt: now - 29 * 60_000 },
    runs: { count: 0, oldestAt: null },
    exchanges: { count: 0, oldestAt: null },
    audit: { count: 0, oldestAt: null },
  })
  expect((await store().ops.countKept(LEEDS, 10)).events).toEqual({ count: 10, oldestAt: now - 29 * 60_000 })
})

test('the machine says what it is', async () => {
  const machine = await store().ops.machineFacts()
  expect(machine).toEqual({
    database: expect.stringMatching(onServer ? /^PostgreSQL \d+\.\d+/ : /^SQLite 3\.\d+\.\d+$/),
    schema: expect.any(Number),
    diskFreeBytes: onServer ? null : expect.any(Number),
  })
  expect([machine.schema > (onServer ? 1 : 4), (machine.diskFreeBytes ?? 0) > 0]).toEqual([true, !onServer])
})

test.skipIf(aboutTheFile('plans of SQLite'))('however much there is, no question walks through a big table', () => {
  const plan = (sql: string) =>
    world.client.sql
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(Object.fromEntries([...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, 1])))
      .map((row) => (row as { detail: string }).detail)
  // Accounts and addresses are hundreds: those are gone through, and what was cut out by an index before.
  const small = /^SCAN ((a|p|c|own|l|e|few|latest|json_each)\b|\(subquery-)/
  for (const [name, sql] of Object.entries(OPERATOR_QUERIES)) {
    const walks = plan(sql).filter((step) => /SCAN/.test(step) && !small.test(step) && !/VIRTUAL TABLE/.test(step))
    expect({ name, walks }).toEqual({ name, walks: [] })
  }
  for (const { kind, from, id, bytes } of ROOM_SOURCES) {
    const sample = plan(`SELECT ${id}, ${bytes} FROM ${from} WHERE ${id} >= @start ORDER BY ${id} LIMIT @limit`)
    const end = plan(`SELECT min(${id}) FROM ${from.split(' LEFT ')[0]}`)
    const walks = [...sample, ...end].filter((step) => /SCAN|TEMP B-TREE/.test(step))
    expect({ kind, walks }).toEqual({ kind, walks: [] })
  }
})
