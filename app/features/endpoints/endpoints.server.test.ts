// Long: one stage for every way a webhook is made, changed and deleted.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EndpointRef } from '#app/domain/endpoint-key.ts'
import { findObjectKind } from '#app/domain/object-catalog.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { withMethods } from '#app/lib/families.ts'
import { hashToken } from '#app/lib/token.server.ts'
import type { EndpointUpdate } from '#db/store/endpoints.ts'
import {
  BRISBANE,
  HANGS,
  LEEDS,
  ORIGIN,
  openWebhookWorld,
  type WebhookWorld,
} from '#tests/support/webhook-world.server.ts'
import { createEndpoint, deleteEndpoint, listEndpoints, updateEndpoint } from './endpoints.server.ts'

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
})

afterEach(() => world.close())

const FORM = { callback_url: 'https://example.com/in', object: 'job', fields: 'status', accountUUID: LEEDS }

function create(form: Record<string, unknown> = {}, admin = false, accountUuid = LEEDS) {
  return createEndpoint(world.app, accountUuid, 'webhook', { ...FORM, ...form }, { admin })
}

async function created(form: Record<string, unknown> = {}, accountUuid = LEEDS) {
  const made = await create(form, false, accountUuid)
  if (made.outcome !== 'created' && made.outcome !== 'replaced') throw new Error(`not made: ${JSON.stringify(made)}`)
  return made.endpoint
}

async function onlyWebhook(accountUuid = LEEDS) {
  const all = await listEndpoints(world.app, accountUuid, 'webhook')
  expect(all).toHaveLength(1)
  return all[0] as (typeof all)[number]
}

function tokenHashOf(forwardingUrl: string): string {
  return hashToken(forwardingUrl.slice(`${ORIGIN}/hooks/platform/`.length))
}

const states = async (accountUuid = LEEDS) =>
  (await world.app.store.endpoints.listSubscriptions(accountUuid)).map((row) => row.state)

const live = () => world.platform.listed().filter((one) => one.active)

describe('creating a webhook', () => {
  test('subscribes at the platform with an address of its own and stores both', async () => {
    const { view, servicem8Id } = await created()
    expect(view).toMatchObject({
      objectType: 'job',
      label: 'Job',
      callbackUrl: 'https://example.com/in',
      fields: ['status'],
      active: true,
      status: 'waiting',
      statusMessage: 'Waiting for the first event.',
      pending: 0,
      createdAt: world.clock.now(),
    })
    expect(view.forwardingUrl).toMatch(/^https:\/\/hooks\.example\.com\/hooks\/platform\/[\w-]{43}$/)
    expect(view.signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(live()).toMatchObject([{ subject: 'job', callbackUrl: view.forwardingUrl, fields: ['status'] }])
    expect(servicem8Id).toBe(live()[0]?.uuid)
    const ingress = await world.app.store.events.findIngress(tokenHashOf(view.forwardingUrl))
    expect(ingress).toMatchObject({ accountUuid: LEEDS, object: 'job', state: 'active' })
  })

  test('keeps neither token nor secret in the file as they are', async () => {
    const { view } = await created()
    const token = view.forwardingUrl.split('/').at(-1) as string
    const rows = JSON.stringify([
      world.client.sql.prepare('SELECT * FROM subscription').all(),
      world.client.sql.prepare('SELECT * FROM endpoint').all(),
    ])
    expect(rows).not.toContain(token)
    expect(rows).not.toContain(view.signingSecret)
  })

  test('asks for every field of the object when none is named', async () => {
    await created({ fields: '' })
    expect(world.platform.askedFields).toEqual([[...(findObjectKind('job')?.watchFields ?? [])].sort()])
  })

  test('is told as pending to the ingress while the platform holds its call open', async () => {
    const seen: (string | undefined)[] = []
    const { challenge } = world.platform
    world.platform.challenge = async (callbackUrl) => {
      seen.push((await world.app.store.events.findIngress(tokenHashOf(callbackUrl)))?.state)
      return challenge(callbackUrl)
    }
    await created()
    expect(seen).toEqual(['pending'])
  })

  test('works without a callback address: nothing is forwarded', async () => {
    const { view } = await created({ callback_url: '' })
    expect(view).toMatchObject({ callbackUrl: '', status: 'no_address' })
  })

  test('may begin paused', async () => {
    expect((await created({ active: false })).view).toMatchObject({ active: false, status: 'paused' })
  })

  test('refuses what the form refuses, before anybody is asked', async () => {
    expect(await create({ object: '' })).toEqual({
      outcome: 'invalid',
      message: 'Please specify an object type',
      errors: { object: ['Object type is required'] },
    })
    expect(await create({ callback_url: 'nonsense' })).toMatchObject({
      outcome: 'invalid',
      message: 'Must be a valid HTTPS URL',
    })
    expect(await create({ accountUUID: '' })).toMatchObject({ message: 'Account UUID is required' })
    expect(world.platform.asked).toEqual([])
    expect(await states()).toEqual([])
  })

  test('asks for no subscription to job contacts, which the platform does not have', async () => {
    const made = await create({ object: 'jobcontact' })
    expect(made).toMatchObject({ outcome: 'created', endpoint: { servicem8Id: null } })
    expect(world.platform.asked).toEqual(['page jobcontact'])
  })

  test('leaves types outside the catalogue to admins', async () => {
    expect(await create({ object: 'staff' })).toMatchObject({ outcome: 'forbidden' })
    expect(await create({ object: 'staff', fields: '' }, true)).toMatchObject({ outcome: 'created' })
    expect(world.platform.askedFields).toEqual([['active', 'edit_date', 'uuid']])
    expect((await onlyWebhook()).view).toMatchObject({ objectType: 'staff', label: 'staff' })
  })

  test('refuses a private address in the words of the guard, and plain http in those of the specification', async () => {
    const sentence = 'This address leads into a private network.'
    world.addresses.set('https://10.0.0.1/', { verdict: 'blocked', sentence })
    world.addresses.set('HTTPS://10.0.0.1/', { verdict: 'blocked', sentence })
    world.addresses.set('http://example.com/', { verdict: 'blocked', sentence })
    expect(await create({ callback_url: 'https://10.0.0.1/' })).toEqual({
      outcome: 'invalid',
      message: sentence,
      errors: { callback_url: [sentence] },
    })
    expect(await create({ callback_url: 'HTTPS://10.0.0.1/' })).toMatchObject({ message: sentence })
    expect(await create({ callback_url: 'http://example.com/' })).toMatchObject({
      message: 'Must be a valid HTTPS URL',
    })
    expect(world.platform.asked).toEqual([])
  })

  test('accepts an address that has no answer now, with a warning', async () => {
    const sentence = 'The name soon.example.com does not exist yet.'
    world.addresses.set('https://soon.example.com/', { verdict: 'unresolved', sentence })
    expect(await create({ callback_url: 'https://soon.example.com/' })).toMatchObject({
      outcome: 'created',
      warning: sentence,
    })
  })

  test('needs credentials', async () => {
    world.connected.delete(LEEDS)
    expect(await create()).toEqual({ outcome: 'no_credentials', message: 'No authentication credentials found' })
    expect(await states()).toEqual([])
  })

  test('leaves out the fields the platform does not know, and says so', async () => {
    const { view } = await created({ fields: 'status,statsu,date' })
    expect(live()[0]?.fields).toEqual(['date', 'status'])
    expect(view.fields).toEqual(['status', 'statsu', 'date'])
    expect(view.statusMessage).toBe('Waiting for the first event. ServiceM8 does not report statsu for Job.')
  })

  test('fails when the platform knows none of the fields', async () => {
    expect(await create({ fields: 'statsu' })).toMatchObject({
      outcome: 'platform_refused',
      message: expect.stringMatching(
        /^ServiceM8 knows none of these fields of Job: statsu. It said: .* is not a valid field for subscription$/,
      ),
    })
    expect(await states()).toEqual([])
  })

  test('tries the other spellings of an object once', async () => {
    const unknown = { outcome: 'refused', status: 400, message: 'Object does not support subscription' } as const
    world.platform.failures.subscribe.push(unknown, unknown)
    await created({ object: 'jobactivity', fields: 'staff_uuid' })
    expect(world.platform.asked.slice(0, 3)).toEqual([
      'subscribe jobactivity',
      'subscribe JobActivity',
      'subscribe job_activity',
    ])
    expect((await onlyWebhook()).view.status).toBe('waiting')
  })

  test("watches all of a company when only a contact's fields are named, and forwards every event", async () => {
    const { view } = await created({ object: 'company', fields: 'first,last,phone' })
    expect(live()[0]?.fields).toContain('billing_address')
    expect(view.statusMessage).toMatch(/every change is forwarded\.$/)
    const endpoint = world.client.sql.prepare('SELECT field_filter FROM endpoint').get()
    expect(endpoint).toEqual({ field_filter: '' })
  })

  test('of one account says nothing to another', async () => {
    await created()
    expect(await listEndpoints(world.app, BRISBANE, 'webhook')).toEqual([])
    await created({ accountUUID: BRISBANE }, BRISBANE)
    expect((await onlyWebhook(BRISBANE)).accountUuid).toBe(BRISBANE)
    expect((await onlyWebhook(LEEDS)).accountUuid).toBe(LEEDS)
  })
})

describe('replacing a webhook', () => {
  test('keeps id and secret, moves to the new address and removes the old subscription', async () => {
    const old = await created()
    const replaced = await create({ callback_url: 'https://example.com/new', fields: 'date' })
    expect(replaced).toMatchObject({ outcome: 'replaced' })
    const now = await onlyWebhook()
    expect(now.view).toMatchObject({ id: old.view.id, callbackUrl: 'https://example.com/new', fields: ['date'] })
    expect(now.view.signingSecret).toBe(old.view.signingSecret)
    expect(now.view.forwardingUrl).not.toBe(old.view.forwardingUrl)
    expect(live().map((one) => one.callbackUrl)).toEqual([now.view.forwardingUrl])
    expect(await states()).toEqual(['replaced', 'active'])
  })

  test('goes on taking what arrives at the old address for 72 hours', async () => {
    const old = await created()
    await created()
    const ingress = await world.app.store.events.findIngress(tokenHashOf(old.view.forwardingUrl))
    expect(ingress).toMatchObject({ state: 'replaced', endsAt: world.clock.now() + hours(72) })
  })

  test('works on a platform that keeps one subscription per object as well', async () => {
    world.platform.account(LEEDS).options.oneSubscriptionPerObject = true
    await created()
    const second = await created({ fields: 'date' })
    expect(live()).toMatchObject([{ callbackUrl: second.view.forwardingUrl, fields: ['date'] }])
    expect(second.servicem8Id).toBe(live()[0]?.uuid)
  })

  test('by two at once ends with one webhook and one live subscription', async () => {
    await Promise.all([create({ fields: 'status' }), create({ fields: 'date' }), create({ fields: 'badges' })])
    const { view } = await onlyWebhook()
    expect(view.fields).toEqual(['badges'])
    expect(live().map((one) => one.callbackUrl)).toEqual([view.forwardingUrl])
    expect((await states()).filter((state) => state === 'active')).toHaveLength(1)
  })
})

describe('changing a webhook', () => {
  test('of its fields asks the platform for them', async () => {
    const { view } = await created()
    const changed = await updateEndpoint(world.app, LEEDS, view.id, { fields: ' date, status ' })
    expect(changed).toMatchObject({ outcome: 'updated', endpoint: { view: { fields: ['date', 'status'] } } })
    expect(live().map((one) => one.fields)).toEqual([['date', 'status']])
  })

  test('hands the store, which tells of each part, only the parts that differ', async () => {
    const { view } = await created()
    const changes: string[][] = []
    const { updateEndpoint: update } = world.app.store.endpoints
    const store = withMethods(world.app.store, {
      updateEndpoint: (
        account: string,
        ref: EndpointRef,
        { at: _at, subscription: _one, ...change }: EndpointUpdate,
      ) => {
        changes.push(Object.keys(change))
        return update(account, ref, { ...change, subscription: null, at: world.clock.now() })
      },
    })
    const save = (form: object) => updateEndpoint({ ...world.app, store }, LEEDS, view.id, { ...FORM, ...form })
    await save({ active: true })
    await save({ active: true, fields: 'date' })
    await save({ active: false, callback_url: 'https://example.com/b' })
    expect(changes).toEqual([[], ['fields'], ['fields', 'url', 'active']])
  })

  test('to fewer fields is saved even when the platform does not answer', async () => {
    const { view } = await created({ fields: 'status,date' })
    world.platform.failures.subscribe.push(HANGS)
    const changed = await updateEndpoint(world.app, LEEDS, view.id, { fields: 'status' })
    expect(changed).toMatchObject({ outcome: 'updated', endpoint: { view: { fields: ['status'], status: 'waiting' } } })
  })

  test('to the same fields, of the address or of the switch does not bother the platform', async () => {
    const { view } = await created()
    const asked = world.platform.asked.length
    await updateEndpoint(world.app, LEEDS, view.id, { fields: 'status' })
    await updateEndpoint(world.app, LEEDS, view.id, { callback_url: 'https://example.com/b' })
    await updateEndpoint(world.app, LEEDS, view.id, { active: false })
    expect(world.platform.asked).toHaveLength(asked)
    expect((await onlyWebhook()).view).toMatchObject({ callbackUrl: 'https://example.com/b', active: false })
  })

  test('pauses and resumes, and tells the engine', async () => {
    const { view } = await created()
    world.woken.length = 0
    world.clock.advance(hours(1))
    const paused = await updateEndpoint(world.app, LEEDS, view.id, { active: false })
    expect(paused).toMatchObject({ endpoint: { view: { active: false, status: 'paused' } } })
    const resumed = await updateEndpoint(world.app, LEEDS, view.id, { active: true })
    expect(resumed).toMatchObject({ endpoint: { view: { active: true, status: 'waiting' } } })
    expect(world.woken).toHaveLength(2)
  })

  test('may take the address away', async () => {
    const { view } = await created()
    const changed = await updateEndpoint(world.app, LEEDS, view.id, { callback_url: '' })
    expect(changed).toMatchObject({ endpoint: { view: { callbackUrl: '', status: 'no_address' } } })
  })

  test('checks a new address like the first one', async () => {
    const { view } = await created()
    world.addresses.set('https://10.0.0.1/', { verdict: 'blocked', sentence: 'Private.' })
    const changed = await updateEndpoint(world.app, LEEDS, view.id, { callback_url: 'https://10.0.0.1/' })
    expect(changed).toEqual({ outcome: 'invalid', message: 'Private.', errors: { callback_url: ['Private.'] } })
  })

  test('subscribes again when its subscription is in trouble', async () => {
    const { view } = await created()
    const [row] = await world.app.store.endpoints.listSubscriptions(LEEDS)
    await world.app.store.endpoints.updateSubscription(LEEDS, row?.id ?? 0, {
      stateReason: 'Switched off.',
      at: world.clock.now(),
    })
    expect((await onlyWebhook()).view.status).toBe('unsubscribed')
    const resumed = await updateEndpoint(world.app, LEEDS, view.id, { active: true })
    expect(resumed).toMatchObject({ endpoint: { view: { status: 'waiting' } } })
  })

  test("of another account's webhook finds nothing and changes nothing", async () => {
    const { view } = await created()
    expect(await updateEndpoint(world.app, BRISBANE, view.id, { fields: '', active: false })).toEqual({
      outcome: 'not_found',
    })
    expect(await updateEndpoint(world.app, LEEDS, 999, {})).toEqual({ outcome: 'not_found' })
    expect((await onlyWebhook()).view).toEqual(view)
  })
})

describe('deleting a webhook', () => {
  test('unsubscribes at the platform and leaves a tombstone at its address', async () => {
    const { view } = await created()
    expect(await deleteEndpoint(world.app, LEEDS, view.id)).toEqual({ outcome: 'deleted' })
    expect(await listEndpoints(world.app, LEEDS, 'webhook')).toEqual([])
    expect(live()).toEqual([])
    expect(await states()).toEqual(['deleted'])
    const rows = await world.app.store.endpoints.listSubscriptions(LEEDS)
    expect(rows.map((row) => row.stateReason)).toEqual([null])
    const ingress = await world.app.store.events.findIngress(tokenHashOf(view.forwardingUrl))
    expect(ingress?.state).toBe('deleted')
  })

  test('works while the platform is down: its address answers "gone" and it is told later', async () => {
    const { view } = await created()
    world.platform.failures.list.push(HANGS)
    expect(await deleteEndpoint(world.app, LEEDS, view.id)).toEqual({ outcome: 'deleted' })
    expect(await listEndpoints(world.app, LEEDS, 'webhook')).toEqual([])
    expect(live()).toHaveLength(1)
    expect((await world.app.store.events.findIngress(tokenHashOf(view.forwardingUrl)))?.state).toBe('deleted')
    expect(await world.app.store.endpoints.accountsToReconcile()).toContain(LEEDS)
  })

  test('ends its endpoint and wakes the engine, which ends what waits', async () => {
    const { view } = await created()
    world.woken.length = 0
    await deleteEndpoint(world.app, LEEDS, view.id)
    expect(world.client.sql.prepare('SELECT state, state_reason AS reason FROM endpoint').all()).toEqual([
      { state: 'deleted', reason: 'active' },
    ])
    expect(world.woken).toHaveLength(1)
  })

  test('leaves the object free for a new one', async () => {
    const { view } = await created()
    await deleteEndpoint(world.app, LEEDS, view.id)
    const next = await create()
    expect(next).toMatchObject({ outcome: 'created' })
    expect((await onlyWebhook()).view.signingSecret).not.toBe(view.signingSecret)
  })

  test('of another account finds nothing, and twice finds nothing the second time', async () => {
    const { view } = await created()
    expect(await deleteEndpoint(world.app, BRISBANE, view.id)).toEqual({ outcome: 'not_found' })
    expect(live()).toHaveLength(1)
    await deleteEndpoint(world.app, LEEDS, view.id)
    expect(await deleteEndpoint(world.app, LEEDS, view.id)).toEqual({ outcome: 'not_found' })
  })
})

test('a webhook is tried next when an event is due and its hold is over, also while one event at a time is tried', async () => {
  await created()
  const now = world.clock.now()
  world.client.sql
    .prepare("UPDATE endpoint SET pending_count = 1, breaker = 'open', next_probe_at = ?, hold_until = ?")
    .run(now + hours(1), now + hours(6))
  world.client.sql.exec(
    `INSERT INTO event (id, account_uuid, source, object, object_uuid, changed_fields, received_at, dedupe)
     SELECT 'e', account_uuid, 'object', 'job', 'r', '[]', 1, 'e' FROM endpoint`,
  )
  const wait = world.client.sql.prepare(
    `INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, due_at, deadline_at,
       attempts, steps, created_at)
     SELECT e.seq, p.id, p.account_uuid, 'r', 'live', 0, 'pending', ?, ?, 1, 1, 1 FROM endpoint p JOIN event e ON e.id = 'e'`,
  )
  wait.run(now + hours(8), now + hours(72))
  expect((await onlyWebhook()).view.nextAttemptAt).toBe(now + hours(8))
  world.client.sql.exec('UPDATE delivery SET due_at = 1')
  expect((await onlyWebhook()).view.nextAttemptAt).toBe(now + hours(6))
})

test('a webhook that fails while its receiver asked us to wait says so, and not of our own rest', async () => {
  await created()
  const now = world.clock.now()
  const set = world.client.sql.prepare(
    `UPDATE endpoint SET pending_count = 5, failing_since = ?, failure_events = '[1,2,3]', redirect_streak = ?, hold_until = ?,
       hold_reason = 'Your address answered 429.'`,
  )
  set.run(now - minutes(20), 0, now + hours(1))
  expect((await onlyWebhook()).view).toMatchObject({ status: 'failing', asked: true })
  set.run(now - minutes(20), 3, now + hours(1))
  expect((await onlyWebhook()).view).toMatchObject({ status: 'failing', asked: false })
})
