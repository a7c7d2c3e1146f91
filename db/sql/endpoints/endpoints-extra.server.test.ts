import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hours, minutes } from '#app/lib/duration.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import type { NewEndpoint } from '../../store/endpoints.ts'

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
})

afterEach(() => world.close())

const now = () => world.clock.now()

let tokens = 0

async function pendingSubscription(accountUuid = LEEDS, object = 'job'): Promise<number> {
  const tokenHash = `hash-${++tokens}`
  return world.app.store.endpoints.beginSubscription(accountUuid, {
    object,
    fields: 'status',
    tokenHash,
    tokenSealed: `sealed-${tokenHash}`,
    at: now(),
  })
}

async function switchTo(accountUuid = LEEDS, object = 'job') {
  return { id: await pendingSubscription(accountUuid, object), fields: 'status', replacedUntil: now() + hours(72) }
}

function save(input: Partial<Extract<NewEndpoint, { kind: 'extra' }>> = {}, accountUuid = LEEDS) {
  return world.app.store.endpoints.saveEndpoint(accountUuid, {
    kind: 'extra',
    name: 'Accounting',
    objectType: 'job',
    url: 'https://example.com/in',
    fieldFilter: 'status',
    active: true,
    secretSealed: 'sealed-secret',
    subscription: null,
    at: now(),
    ...input,
  })
}

async function record(id: number) {
  const found = await world.app.store.endpoints.findEndpoint(LEEDS, { kind: 'extra', id })
  if (!found) throw new Error(`rule ${id} is not there`)
  return found
}

const states = async () => (await world.app.store.endpoints.listSubscriptions(LEEDS)).map((row) => row.state)

/** What the delivery engine writes after failures. */
function letFail(endpointId: number): void {
  world.client.sql
    .prepare(
      `UPDATE endpoint SET breaker = 'open', next_probe_at = 99, failing_since = 5, failure_streak = 9, hold_until = 77,
         last_code = 500, last_sentence = 'It failed.', last_success_at = 3, pending_count = 2 WHERE id = ?`,
    )
    .run(endpointId)
}

function letWait(endpointId: number, dueAt: number): void {
  const { sql } = world.client
  const { lastInsertRowid } = sql
    .prepare(
      `INSERT INTO event (id, account_uuid, source, object, object_uuid, changed_fields, received_at, dedupe)
       VALUES (@name, @account, 'object', 'job', 'r', '[]', @at, @name)`,
    )
    .run({ name: `event-${dueAt}`, account: LEEDS, at: now() })
  sql
    .prepare(
      `INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, due_at, deadline_at,
         attempts, steps, created_at) VALUES (?, ?, ?, 'r', 'live', 0, 'pending', ?, 9, 1, 1, 1)`,
    )
    .run(lastInsertRowid, endpointId, LEEDS, dueAt)
}

describe('saving a rule', () => {
  test('makes it with an endpoint of its own, which belongs to no webhook', async () => {
    const { id, endpointId } = await save()
    expect(await record(id)).toMatchObject({
      kind: 'extra',
      id,
      accountUuid: LEEDS,
      name: 'Accounting',
      objectType: 'job',
      createdAt: now(),
      updatedAt: now(),
      endpoint: { id: endpointId, url: 'https://example.com/in', fieldFilter: 'status', state: 'active' },
      subscription: null,
      nextDueAt: null,
      lastEventAt: null,
      recentDelivered: 0,
      replays: [],
    })
    const [row] = world.client.sql.prepare('SELECT webhook_id, forwarding_rule_id FROM endpoint').all()
    expect(row).toEqual({ webhook_id: null, forwarding_rule_id: id })
  })

  test('twice gives two, oldest first, also of one object and address', async () => {
    const first = await save()
    const second = await save({ name: 'Another' })
    const paused = await save({ objectType: 'note', active: false })
    const rules = await world.app.store.endpoints.listEndpoints(LEEDS, 'extra')
    expect(rules.map((one) => one.id)).toEqual([first.id, second.id, paused.id])
    expect(rules.map((one) => one.endpoint.state)).toEqual(['active', 'active', 'paused'])
    expect(await world.app.store.endpoints.listEndpoints(BRISBANE, 'extra')).toEqual([])
  })

  test('switches the subscription in the same act, or stores nothing', async () => {
    const { id } = await save({ subscription: await switchTo() })
    expect(await states()).toEqual(['active'])
    expect((await record(id)).subscription).toMatchObject({ state: 'active', fields: 'status' })
    const foreign = await switchTo(BRISBANE)
    await expect(save({ subscription: foreign })).rejects.toThrow(/cannot become active/)
    expect(await world.app.store.endpoints.listEndpoints(LEEDS, 'extra')).toHaveLength(1)
    expect(await world.app.store.endpoints.countEndpoints(LEEDS)).toBe(1)
  })

  test('makes its events go to its endpoint as well as to the webhook’s', async () => {
    const webhook = await world.app.store.endpoints.saveEndpoint(LEEDS, {
      kind: 'webhook',
      objectType: 'job',
      fields: '',
      url: 'https://example.com/first',
      fieldFilter: '',
      active: true,
      secretSealed: 'sealed',
      subscription: await switchTo(),
      at: now(),
    })
    const { endpointId } = await save()
    const offered: number[] = []
    await world.app.store.events.acceptEvents(
      [
        {
          accountUuid: LEEDS,
          subscriptionId: null,
          source: 'object',
          object: 'job',
          objectUuid: 'r-1',
          changedFields: ['status'],
          receivedAt: now(),
          dedupe: 'one',
          body: '{}',
        },
      ],
      {
        choose: (_event, endpoints) => {
          offered.push(...endpoints.map((endpoint) => endpoint.id))
          return [...endpoints]
        },
        limit: { deliveries: 10, bytes: 1000 },
        retryFor: hours(72),
        stoppedReason: 'stopped',
      },
    )
    expect(offered).toEqual([webhook.endpointId, endpointId])
    expect(
      (await world.app.store.endpoints.findEndpoint(LEEDS, { kind: 'webhook', id: webhook.id }))?.endpoint.pendingCount,
    ).toBe(1)
  })
})

describe('changing a rule', () => {
  test('sets what is named and leaves the rest', async () => {
    const { id, endpointId } = await save()
    letFail(endpointId)
    world.clock.advance(minutes(1))
    const change = { name: 'Books', fields: { chosen: '', filter: '' }, subscription: null, at: now() }
    expect(await world.app.store.endpoints.updateEndpoint(LEEDS, { kind: 'extra', id }, change)).toEqual({ endpointId })
    expect(await record(id)).toMatchObject({
      name: 'Books',
      createdAt: now() - minutes(1),
      updatedAt: now(),
      endpoint: { fieldFilter: '', url: 'https://example.com/in', breaker: 'open' },
    })
  })

  test('to another address forgets the failures and makes what waits due', async () => {
    const { id, endpointId } = await save()
    letFail(endpointId)
    letWait(endpointId, now() + minutes(10))
    const change = { url: 'https://example.com/new', subscription: null, at: now() }
    await world.app.store.endpoints.updateEndpoint(LEEDS, { kind: 'extra', id }, change)
    expect(await record(id)).toMatchObject({
      endpoint: { url: 'https://example.com/new', breaker: 'closed', failingSince: null, lastSuccessAt: null },
      nextDueAt: now(),
      lastEventAt: now(),
    })
  })

  test('pauses and resumes', async () => {
    const { id } = await save()
    const set = (active: boolean) =>
      world.app.store.endpoints.updateEndpoint(LEEDS, { kind: 'extra', id }, { active, subscription: null, at: now() })
    await set(false)
    expect((await record(id)).endpoint).toMatchObject({ state: 'paused', stateSince: now() })
    await set(true)
    expect((await record(id)).endpoint.state).toBe('active')
  })

  test("of another account's, or with a subscription that cannot be, changes nothing", async () => {
    const { id } = await save()
    const before = await record(id)
    const change = { name: 'Mine', url: '', active: false, subscription: null, at: 1 }
    expect(await world.app.store.endpoints.updateEndpoint(BRISBANE, { kind: 'extra', id }, change)).toBeNull()
    expect(await world.app.store.endpoints.findEndpoint(BRISBANE, { kind: 'extra', id })).toBeNull()
    const foreign = await switchTo(BRISBANE)
    await expect(
      world.app.store.endpoints.updateEndpoint(LEEDS, { kind: 'extra', id }, { ...change, subscription: foreign }),
    ).rejects.toThrow(/cannot become active/)
    expect(await record(id)).toEqual(before)
  })

  test('gives it a new secret by its endpoint, and nobody else’s', async () => {
    const { endpointId } = await save()
    const input = { secretSealed: 'sealed-new', overlapMs: hours(24), sameRequestMs: minutes(1), at: now() }
    expect(await world.app.store.endpoints.rotateSecret(BRISBANE, endpointId, input)).toBeNull()
    expect(await world.app.store.endpoints.rotateSecret(LEEDS, endpointId, input)).toEqual({
      rotated: true,
      secretSealed: 'sealed-new',
      previousSecretUntil: now() + hours(24),
    })
  })
})

describe('deleting a rule', () => {
  const input = { endSubscriptions: true, at: 5 }

  test('ends everything of it, and gives back what the platform has to be told', async () => {
    const { id, endpointId } = await save({ subscription: await switchTo() })
    expect(await world.app.store.endpoints.deleteEndpoint(BRISBANE, { kind: 'extra', id }, input)).toBeNull()
    expect(await world.app.store.endpoints.deleteEndpoint(LEEDS, { kind: 'extra', id }, input)).toMatchObject({
      endpointId,
      objectType: 'job',
      ended: [{ state: 'deleted' }],
    })
    expect(world.client.sql.prepare('SELECT state, state_reason AS reason FROM endpoint').all()).toEqual([
      { state: 'deleted', reason: 'active' },
    ])
    expect(await world.app.store.endpoints.findEndpoint(LEEDS, { kind: 'extra', id })).toBeNull()
    expect(
      await world.app.store.endpoints.updateEndpoint(LEEDS, { kind: 'extra', id }, { subscription: null, at: 6 }),
    ).toBeNull()
    expect(await world.app.store.endpoints.deleteEndpoint(LEEDS, { kind: 'extra', id }, input)).toBeNull()
    const secret = { secretSealed: 'x', overlapMs: 1, sameRequestMs: 1, at: 6 }
    expect(await world.app.store.endpoints.rotateSecret(LEEDS, endpointId, secret)).toBeNull()
  })

  test('ends what waits with a reason that names the rule', async () => {
    const { id, endpointId } = await save()
    letWait(endpointId, now())
    await world.app.store.endpoints.deleteEndpoint(LEEDS, { kind: 'extra', id }, input)
    const [ending = null] = await world.app.store.deliveries.listEndings(now(), now())
    expect(ending).toEqual({ endpointId, because: 'rule_deleted' })
    await (ending && world.app.store.deliveries.endStoppedStep(ending, 'rule gone', now(), 10))
    expect(world.client.sql.prepare('SELECT outcome, sentence FROM attempt').all()).toEqual([
      { outcome: 'stopped', sentence: 'rule gone' },
    ])
  })

  test('leaves a subscription alone that somebody else needs', async () => {
    const { id } = await save({ subscription: await switchTo() })
    await world.app.store.endpoints.deleteEndpoint(LEEDS, { kind: 'extra', id }, { ...input, endSubscriptions: false })
    expect(await states()).toEqual(['active'])
  })

  test('gives its place back', async () => {
    const { id } = await save()
    await save({ name: 'Second' })
    expect(await world.app.store.endpoints.countEndpoints(LEEDS)).toBe(2)
    expect(await world.app.store.endpoints.countEndpoints(BRISBANE)).toBe(0)
    await world.app.store.endpoints.deleteEndpoint(LEEDS, { kind: 'extra', id }, input)
    expect(await world.app.store.endpoints.countEndpoints(LEEDS)).toBe(1)
  })
})

test('an account with a rule is compared with the platform, although it has no webhook', async () => {
  const { id } = await save()
  expect(await world.app.store.endpoints.accountsToReconcile()).toEqual([LEEDS])
  await world.app.store.endpoints.deleteEndpoint(LEEDS, { kind: 'extra', id }, { endSubscriptions: false, at: 5 })
  expect(await world.app.store.endpoints.accountsToReconcile()).toEqual([])
})

test('an object is known by a rule alone', async () => {
  expect(await world.app.store.events.knowsObject(LEEDS, 'staff')).toBe(false)
  await save({ objectType: 'staff' })
  expect(await world.app.store.events.knowsObject(LEEDS, 'staff')).toBe(true)
  expect(await world.app.store.events.knowsObject(BRISBANE, 'staff')).toBe(false)
})
