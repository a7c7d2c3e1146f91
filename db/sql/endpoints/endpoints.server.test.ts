import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hours, minutes } from '#app/lib/duration.ts'
import { aboutTheFile } from '#tests/support/test-app.server.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import type { NewEndpoint } from '../../store/endpoints.ts'

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
})

afterEach(() => world.close())

let tokens = 0

async function pendingSubscription(accountUuid = LEEDS, object = 'job'): Promise<number> {
  const tokenHash = `hash-${++tokens}`
  return world.app.store.endpoints.beginSubscription(accountUuid, {
    object,
    fields: 'status',
    tokenHash,
    tokenSealed: `sealed-${tokenHash}`,
    at: world.clock.now(),
  })
}

async function save(input: Partial<Extract<NewEndpoint, { kind: 'webhook' }>> = {}, accountUuid = LEEDS) {
  const objectType = input.objectType ?? 'job'
  return world.app.store.endpoints.saveEndpoint(accountUuid, {
    kind: 'webhook',
    objectType,
    fields: 'status',
    url: 'https://example.com/in',
    fieldFilter: 'status',
    active: true,
    secretSealed: 'sealed-secret',
    subscription: {
      id: await pendingSubscription(accountUuid, objectType),
      fields: 'status',
      replacedUntil: world.clock.now() + hours(72),
    },
    at: world.clock.now(),
    ...input,
  })
}

async function record(id: number, accountUuid = LEEDS) {
  const found = await world.app.store.endpoints.findEndpoint(accountUuid, { kind: 'webhook', id })
  if (!found) throw new Error(`webhook ${id} is not there`)
  return found
}

/** What the delivery engine writes after failures. */
function letFail(endpointId: number): void {
  world.client.sql
    .prepare(
      `UPDATE endpoint SET breaker = 'open', breaker_probes = 3, next_probe_at = 99, failing_since = 5, failure_streak = 9,
         failure_events = '[1,2,3]', redirect_streak = 2, hold_until = 77, hold_reason = 'why', hold_since = 6, last_code = 500,
         last_sentence = 'It failed.', last_success_at = 3, last_attempt_at = 4, pending_count = 2 WHERE id = ?`,
    )
    .run(endpointId)
}

function letWait(endpointId: number, dueAt: number, state = 'pending'): void {
  const { sql } = world.client
  const name = `event-${dueAt}-${state}`
  const seq = sql
    .prepare(
      `INSERT INTO event (id, account_uuid, source, object, object_uuid, changed_fields, received_at, dedupe)
       VALUES (@name, @account, 'object', 'job', 'r', '[]', @at, @name)`,
    )
    .run({ name, account: LEEDS, at: world.clock.now() }).lastInsertRowid
  sql
    .prepare(
      `INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, due_at, deadline_at,
         attempts, steps, created_at) VALUES (?, ?, ?, 'r', 'live', 0, ?, ?, 9, 1, 1, 1)`,
    )
    .run(seq, endpointId, LEEDS, state, dueAt)
}

const dueTimes = () =>
  world.client.sql.prepare('SELECT state, due_at AS dueAt FROM delivery ORDER BY id').all() as {
    state: string
    dueAt: number
  }[]

describe('saving a webhook', () => {
  test('switches the subscription in the same act', async () => {
    const first = await save()
    const second = await save({ url: 'https://example.com/new', fields: '' })
    expect(second).toEqual({
      id: first.id,
      endpointId: first.endpointId,
      replaced: expect.objectContaining({ url: 'https://example.com/new' }),
    })
    const rows = await world.app.store.endpoints.listSubscriptions(LEEDS)
    expect(rows.map((row) => row.state)).toEqual(['replaced', 'active'])
    expect((await record(first.id)).subscription?.id).toBe(rows[1]?.id)
  })

  test('stores nothing when the subscription cannot become active', async () => {
    const id = await pendingSubscription()
    await world.app.store.endpoints.updateSubscription(LEEDS, id, { state: 'deleted', at: 1 })
    const subscription = { id, fields: 'status', replacedUntil: 9 }
    await expect(save({ subscription })).rejects.toThrow(/cannot become active/)
    expect(await world.app.store.endpoints.listEndpoints(LEEDS, 'webhook')).toEqual([])
    const foreign = { id: await pendingSubscription(BRISBANE), fields: 'status', replacedUntil: 9 }
    await expect(save({ subscription: foreign })).rejects.toThrow(/cannot become active/)
  })

  test('of another object leaves the first alone', async () => {
    const job = await save()
    const note = await save({ objectType: 'note' })
    expect(note.replaced).toBeNull()
    expect((await world.app.store.endpoints.listEndpoints(LEEDS, 'webhook')).map((one) => one.id)).toEqual([
      job.id,
      note.id,
    ])
    expect((await world.app.store.endpoints.findWebhookOfObject(LEEDS, 'note'))?.id).toBe(note.id)
    expect(await world.app.store.endpoints.findWebhookOfObject(BRISBANE, 'note')).toBeNull()
  })

  test('that replaces forgets the failures, and of another address the successes too', async () => {
    const { id, endpointId } = await save()
    letFail(endpointId)
    await save()
    expect((await record(id)).endpoint).toMatchObject({
      breaker: 'closed',
      failingSince: null,
      holdUntil: null,
      lastCode: null,
      lastSuccessAt: 3,
    })
    await save({ url: 'https://example.com/new' })
    expect((await record(id)).endpoint).toMatchObject({ url: 'https://example.com/new', lastSuccessAt: null })
  })
})

describe('changing a webhook', () => {
  const at = () => world.clock.now()

  test('to another address makes what waits due now, in the order it came', async () => {
    const { id, endpointId } = await save()
    letFail(endpointId)
    letWait(endpointId, at() + minutes(10))
    letWait(endpointId, at() + minutes(5))
    letWait(endpointId, at() - minutes(5))
    letWait(endpointId, at() + minutes(9), 'stopped')
    await world.app.store.endpoints.updateEndpoint(
      LEEDS,
      { kind: 'webhook', id },
      { url: 'https://example.com/b', subscription: null, at: at() },
    )
    expect(dueTimes()).toEqual([
      { state: 'pending', dueAt: at() },
      { state: 'pending', dueAt: at() },
      { state: 'pending', dueAt: at() },
      { state: 'stopped', dueAt: at() + minutes(9) },
    ])
    expect((await record(id)).endpoint).toMatchObject({ state: 'active', breaker: 'closed', failingSince: null })
  })

  test('to the same address changes nothing about failures', async () => {
    const { id, endpointId } = await save()
    letFail(endpointId)
    await world.app.store.endpoints.updateEndpoint(
      LEEDS,
      { kind: 'webhook', id },
      { url: 'https://example.com/in', subscription: null, at: at() },
    )
    expect((await record(id)).endpoint).toMatchObject({ breaker: 'open', lastCode: 500 })
  })

  test('pauses without forgetting anything, and resumes with a clean slate', async () => {
    const { id, endpointId } = await save()
    letFail(endpointId)
    world.clock.advance(minutes(1))
    await world.app.store.endpoints.updateEndpoint(
      LEEDS,
      { kind: 'webhook', id },
      { active: false, subscription: null, at: at() },
    )
    expect((await record(id)).endpoint).toMatchObject({ state: 'paused', stateSince: at(), breaker: 'open' })
    world.clock.advance(minutes(1))
    await world.app.store.endpoints.updateEndpoint(
      LEEDS,
      { kind: 'webhook', id },
      { active: false, fields: FIELDS, subscription: null, at: at() },
    )
    expect((await record(id)).endpoint.stateSince).toBe(at() - minutes(1))
    await world.app.store.endpoints.updateEndpoint(
      LEEDS,
      { kind: 'webhook', id },
      { active: true, subscription: null, at: at() },
    )
    expect((await record(id)).endpoint).toMatchObject({ state: 'active', stateSince: at(), breaker: 'closed' })
  })

  test.each(['stopped', 'failing'])('starts one again that was %s', async (state) => {
    const { id, endpointId } = await save()
    const set = () => world.client.sql.prepare('UPDATE endpoint SET state = ? WHERE id = ?').run(state, endpointId)
    set()
    await world.app.store.endpoints.updateEndpoint(
      LEEDS,
      { kind: 'webhook', id },
      { active: true, subscription: null, at: at() },
    )
    expect((await record(id)).endpoint.state).toBe('active')
    set()
    await world.app.store.endpoints.updateEndpoint(
      LEEDS,
      { kind: 'webhook', id },
      { url: 'https://example.com/c', subscription: null, at: at() },
    )
    expect((await record(id)).endpoint.state).toBe('active')
    set()
    await world.app.store.endpoints.updateEndpoint(
      LEEDS,
      { kind: 'webhook', id },
      { fields: FIELDS, subscription: null, at: at() },
    )
    expect((await record(id)).endpoint.state).toBe(state)
  })

  test('leaves a paused one paused when it moves', async () => {
    const { id } = await save({ active: false })
    await world.app.store.endpoints.updateEndpoint(
      LEEDS,
      { kind: 'webhook', id },
      { url: 'https://example.com/c', subscription: null, at: at() },
    )
    expect((await record(id)).endpoint).toMatchObject({ state: 'paused', url: 'https://example.com/c' })
  })

  test("of another account's changes nothing", async () => {
    const { id } = await save()
    const before = await record(id)
    const change = { url: '', active: false, fields: FIELDS, subscription: null, at: 1 }
    expect(await world.app.store.endpoints.updateEndpoint(BRISBANE, { kind: 'webhook', id }, change)).toBeNull()
    expect(await record(id)).toEqual(before)
  })
})

const FIELDS = { chosen: 'date', filter: 'date' }

describe('deleting a webhook', () => {
  const input = { endSubscriptions: true, at: 5 }

  test('ends everything of it, and gives back what the platform has to be told', async () => {
    const { id, endpointId } = await save()
    await save()
    const deleted = await world.app.store.endpoints.deleteEndpoint(LEEDS, { kind: 'webhook', id }, input)
    expect(deleted).toMatchObject({
      endpointId,
      objectType: 'job',
      ended: [{ state: 'deleted' }, { state: 'deleted' }],
    })
    expect(await world.app.store.endpoints.findEndpoint(LEEDS, { kind: 'webhook', id })).toBeNull()
    expect(
      await world.app.store.endpoints.updateEndpoint(LEEDS, { kind: 'webhook', id }, { subscription: null, at: 6 }),
    ).toBeNull()
    expect(await world.app.store.endpoints.deleteEndpoint(LEEDS, { kind: 'webhook', id }, input)).toBeNull()
  })

  test('leaves subscriptions alone that somebody else needs, and those of other objects always', async () => {
    const { id } = await save()
    await save({ objectType: 'note' })
    await world.app.store.endpoints.deleteEndpoint(
      LEEDS,
      { kind: 'webhook', id },
      { ...input, endSubscriptions: false },
    )
    const states = async () => (await world.app.store.endpoints.listSubscriptions(LEEDS)).map((row) => row.state)
    expect(await states()).toEqual(['active', 'active'])
    const again = await save()
    await world.app.store.endpoints.deleteEndpoint(LEEDS, { kind: 'webhook', id: again.id }, input)
    expect(await states()).toEqual(['deleted', 'active', 'deleted'])
  })

  test('of another account is not possible', async () => {
    const { id } = await save()
    expect(await world.app.store.endpoints.deleteEndpoint(BRISBANE, { kind: 'webhook', id }, input)).toBeNull()
    expect((await record(id)).endpoint.state).toBe('active')
  })
})

describe('what a card shows', () => {
  test('comes from counters and indexes', async () => {
    const { id, endpointId } = await save()
    expect(await record(id)).toMatchObject({
      nextDueAt: null,
      lastEventAt: null,
      recentDelivered: 0,
      recentMeanMs: null,
    })
    letWait(endpointId, 500)
    letWait(endpointId, 400)
    letFail(endpointId)
    const hour = Math.floor(world.clock.now() / hours(1))
    const insert = world.client.sql.prepare('INSERT INTO endpoint_hour VALUES (?, ?, 0, ?, ?, ?, 0)')
    insert.run(endpointId, hour, 2, 1, 900)
    insert.run(endpointId, hour - 1, 1, 0, 100)
    insert.run(endpointId, hour - 2, 50, 0, 999_999)
    expect(await record(id)).toMatchObject({
      nextDueAt: 400,
      lastEventAt: world.clock.now(),
      firstHour: hours(hour - 23),
      recentDelivered: 3,
      recentMeanMs: 333,
    })
  })

  test.skipIf(aboutTheFile('plans of SQLite'))('does not read what waits to find what is due next', () => {
    const plan = world.client.sql
      .prepare(
        "EXPLAIN QUERY PLAN SELECT due_at FROM delivery WHERE endpoint_id = ? AND state = 'pending' ORDER BY due_at, id LIMIT 1",
      )
      .all(1)
    expect(JSON.stringify(plan)).toContain('due_deliveries_of_an_endpoint')
    expect(JSON.stringify(plan)).not.toContain('TEMP B-TREE')
  })
})

describe('subscriptions', () => {
  test('are only dropped while they are pending, and only by their account', async () => {
    const id = await pendingSubscription()
    await world.app.store.endpoints.dropPendingSubscription(BRISBANE, id)
    expect(await world.app.store.endpoints.listSubscriptions(LEEDS)).toHaveLength(1)
    await world.app.store.endpoints.switchSubscription(LEEDS, { id, fields: 'a', replacedUntil: 9, at: 1 })
    await world.app.store.endpoints.dropPendingSubscription(LEEDS, id)
    expect(await world.app.store.endpoints.listSubscriptions(LEEDS)).toMatchObject([{ state: 'active', fields: 'a' }])
  })

  test('are changed by nobody else', async () => {
    const id = await pendingSubscription()
    await world.app.store.endpoints.updateSubscription(BRISBANE, id, { stateReason: 'mine now', at: 1 })
    expect(await world.app.store.endpoints.listSubscriptions(LEEDS)).toMatchObject([{ stateReason: null }])
    await expect(
      world.app.store.endpoints.switchSubscription(BRISBANE, { id, fields: '', replacedUntil: 9, at: 1 }),
    ).rejects.toThrow()
  })

  test('make their account one to compare until nothing is left to say', async () => {
    expect(await world.app.store.endpoints.accountsToReconcile()).toEqual([])
    const id = await pendingSubscription()
    expect(await world.app.store.endpoints.accountsToReconcile()).toEqual([LEEDS])
    expect(await world.app.store.endpoints.accountsToReconcile(LEEDS)).toEqual([LEEDS])
    expect(await world.app.store.endpoints.accountsToReconcile(BRISBANE)).toEqual([])
    await world.app.store.endpoints.updateSubscription(LEEDS, id, { state: 'deleted', stateReason: 'not told', at: 1 })
    expect(await world.app.store.endpoints.accountsToReconcile()).toEqual([LEEDS])
    await world.app.store.endpoints.updateSubscription(LEEDS, id, { stateReason: null, at: 1 })
    expect(await world.app.store.endpoints.accountsToReconcile()).toEqual([])
  })
})
