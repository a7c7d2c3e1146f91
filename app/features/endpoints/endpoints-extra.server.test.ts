import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type EndpointKey, MOST_ENDPOINTS } from '#app/domain/endpoint-key.ts'
import { findObjectKind } from '#app/domain/object-catalog.ts'
import { BRISBANE, HANGS, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { rotateSecret } from './controls/rotate-secret.server.ts'
import { createEndpoint, deleteEndpoint, listEndpoints, updateEndpoint } from './endpoints.server.ts'
import { neededObjects, repairSubscriptions } from './subscriptions/repair-subscriptions.server.ts'

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
})

afterEach(() => world.close())

const FORM = {
  name: 'Accounting',
  objectType: 'job',
  forwardUrl: 'https://accounts.example.com/in',
  fieldFilters: 'status',
  accountUUID: LEEDS,
}

function create(form: Record<string, unknown> = {}, admin = false, accountUuid = LEEDS) {
  return createEndpoint(world.app, accountUuid, 'extra', { ...FORM, ...form }, { admin })
}

async function created(form: Record<string, unknown> = {}) {
  const made = await create(form)
  if (made.outcome !== 'created') throw new Error(`not made: ${JSON.stringify(made)}`)
  return made.endpoint
}

async function webhook(form: Record<string, unknown> = {}): Promise<EndpointKey> {
  const whole = { callback_url: 'https://example.com/in', object: 'job', fields: 'date', accountUUID: LEEDS, ...form }
  const made = await createEndpoint(world.app, LEEDS, 'webhook', whole, { admin: false })
  if (made.outcome !== 'created' && made.outcome !== 'replaced') throw new Error(`not made: ${JSON.stringify(made)}`)
  return made.endpoint.view.id
}

const live = () => world.platform.listed().filter((one) => one.active)
const watched = () => live().map((one) => [one.subject, one.fields])
const rules = (accountUuid = LEEDS) => listEndpoints(world.app, accountUuid, 'extra')
const states = async () => (await world.app.store.endpoints.listSubscriptions(LEEDS)).map((row) => row.state)

describe('adding a rule', () => {
  test('for an object without a webhook makes the subscription', async () => {
    const { view, endpointId } = await created()
    expect(view).toMatchObject({
      id: expect.stringMatching(/^rule-\d+$/),
      name: 'Accounting',
      objectType: 'job',
      label: 'Job',
      callbackUrl: 'https://accounts.example.com/in',
      fields: ['status'],
      active: true,
      status: 'waiting',
      statusMessage: 'Waiting for the first event.',
      pending: 0,
    })
    expect(view.signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(watched()).toEqual([['job', ['status']]])
    expect(world.woken).toEqual([endpointId])
    expect((await rules()).map((rule) => rule.view)).toEqual([view])
    expect(await rules(BRISBANE)).toEqual([])
  })

  test('beside a webhook makes the platform watch what both need', async () => {
    await webhook()
    await created()
    expect(watched()).toEqual([['job', ['date', 'status']]])
    expect(await states()).toEqual(['replaced', 'active'])
  })

  test('asks the platform nothing when it watches enough already', async () => {
    await webhook({ fields: '' })
    world.platform.asked.length = 0
    world.connected.clear()
    const made = await create()
    expect([made.outcome, world.platform.asked]).toEqual(['created', []])
  })

  test('has a secret of its own, sealed in the file', async () => {
    await webhook()
    const first = await created()
    const second = await created({ name: 'Second' })
    expect(first.view.signingSecret).not.toBe(second.view.signingSecret)
    expect(JSON.stringify(world.client.sql.prepare('SELECT * FROM endpoint').all())).not.toContain('whsec_')
  })

  test('for an object the platform sends no webhooks for asks it for no subscription', async () => {
    const { view } = await created({ objectType: 'jobcontact', fieldFilters: 'mobile' })
    expect(view).toMatchObject({ objectType: 'jobcontact', label: 'Job Contact', fields: ['mobile'], active: true })
    expect(world.platform.asked.filter((one) => one.startsWith('subscribe'))).toEqual([])
    expect(await deleteEndpoint(world.app, LEEDS, view.id)).toEqual({ outcome: 'deleted' })
  })

  test('may begin paused', async () => {
    expect((await created({ active: false })).view).toMatchObject({ active: false, status: 'paused' })
  })

  test('refuses what the form refuses, before anybody is asked', async () => {
    expect(await create({ name: '', forwardUrl: 'nope', objectType: '' })).toEqual({
      outcome: 'invalid',
      message: 'Rule name is required',
      errors: {
        name: ['Rule name is required'],
        forwardUrl: ['Must be a valid HTTPS URL'],
        objectType: ['Object type is required'],
      },
    })
    expect(world.platform.asked).toEqual([])
    expect(await rules()).toEqual([])
  })

  test('knows the same objects as webhooks: others need an admin', async () => {
    expect(await create({ objectType: 'queue' })).toMatchObject({ outcome: 'forbidden' })
    expect(await create({ objectType: 'queue', fieldFilters: 'name' }, true)).toMatchObject({ outcome: 'created' })
    const typed = { useCustom: 'on', customObject: 'Staff', fieldFilters: '' }
    expect(await create(typed, true)).toMatchObject({ endpoint: { view: { objectType: 'staff' } } })
    expect(await create(typed)).toMatchObject({ endpoint: { view: { objectType: 'job' } } })
    expect(await create({ useCustom: 'on', customObject: '1?' }, true)).toMatchObject({
      outcome: 'invalid',
      errors: { customObject: [expect.stringContaining('cannot be an object type')] },
    })
  })

  test('asks the guard about the address', async () => {
    world.addresses.set(FORM.forwardUrl, { verdict: 'blocked', sentence: 'This address is inside a private network.' })
    expect(await create()).toMatchObject({
      outcome: 'invalid',
      errors: { forwardUrl: ['This address is inside a private network.'] },
    })
    expect(world.platform.asked).toEqual([])
    world.addresses.set(FORM.forwardUrl, { verdict: 'unresolved', sentence: 'The name does not exist yet.' })
    expect(await create()).toMatchObject({ outcome: 'created', warning: 'The name does not exist yet.' })
  })

  test('with a filter the platform reports nothing of forwards everything, and says so', async () => {
    const made = await create({ objectType: 'company', fieldFilters: 'email' })
    expect(made).toMatchObject({
      outcome: 'created',
      warning: 'ServiceM8 does not report email for Company, so every change is forwarded.',
      endpoint: { view: { fields: [] } },
    })
    expect(watched()).toEqual([['company', [...(findObjectKind('company')?.watchFields ?? [])].sort()]])
  })

  test.each([
    [{ outcome: 'refused', status: 400, message: 'Challenge failed' }, 'platform_refused'],
    [HANGS, 'platform_refused'],
  ] as const)('stores nothing when the platform answers %j', async (failure, outcome) => {
    await webhook()
    const before = watched()
    world.platform.failures.subscribe.push(failure)
    expect(await create()).toMatchObject({ outcome })
    expect(await rules()).toEqual([])
    expect(watched()).toEqual(before)
    expect(await world.app.store.endpoints.countEndpoints(LEEDS)).toBe(1)
  })

  test('needs credentials when the platform has to be asked', async () => {
    world.connected.clear()
    expect(await create()).toEqual({ outcome: 'no_credentials', message: 'No authentication credentials found' })
    expect(await rules()).toEqual([])
  })

  test('to Slack is made without a warning', async () => {
    const made = await create({ forwardUrl: 'https://hooks.slack.com/services/T/B/x' })
    expect(made).toMatchObject({ outcome: 'created', warning: null })
  })

  test('has no limit that anybody meets: the ceiling is a thousand', async () => {
    for (let n = 0; n < 30; n++) await created({ name: `Rule ${n}` })
    expect(await rules()).toHaveLength(30)
    expect(MOST_ENDPOINTS).toBe(1_000)
  })

  test('of a form that is sent twice is one, also in the last place; a call makes two, and so does a later form', async () => {
    world.app.settings = { ...world.app.settings, mostAddresses: 3 }
    const press = () => createEndpoint(world.app, LEEDS, 'extra', FORM, { admin: false, byForm: true })
    await created({ name: 'Another' })
    await created({ fieldFilters: 'date' })
    const [first, second] = await Promise.all([press(), press()])
    expect(first).toMatchObject({ outcome: 'created' })
    expect(second).toEqual(first)
    expect(await rules()).toHaveLength(3)
    world.app.settings = { ...world.app.settings, mostAddresses: 10 }
    await created()
    world.clock.advance(20_000)
    await press()
    expect(await rules()).toHaveLength(5)
  })

  test('ends at the ceiling over webhooks and rules together, also when two come at once', async () => {
    world.app.settings = { ...world.app.settings, mostAddresses: 4 }
    await webhook({ fields: '' })
    for (let n = 2; n < 4; n++) await created({ name: `Rule ${n}` })
    const both = await Promise.all([create({ name: 'Last' }), create({ name: 'Too many' })])
    expect(both.map((one) => one.outcome)).toEqual(['created', 'full'])
    expect(both[1]).toMatchObject({ message: expect.stringContaining('stops at 4 addresses') })
    const another = { callback_url: 'https://example.com/in', object: 'note', fields: '', accountUUID: LEEDS }
    expect(await createEndpoint(world.app, LEEDS, 'webhook', another, { admin: false })).toMatchObject({
      outcome: 'full',
    })
    // Replacing the webhook there is takes no new place.
    expect(
      await createEndpoint(world.app, LEEDS, 'webhook', { ...another, object: 'job' }, { admin: false }),
    ).toMatchObject({
      outcome: 'replaced',
    })
    await deleteEndpoint(world.app, LEEDS, (await rules())[0]?.view.id ?? 0)
    expect(await create({ name: 'Room again' })).toMatchObject({ outcome: 'created' })
  })
})

describe('changing a rule', () => {
  const update = (id: EndpointKey, change: Record<string, unknown>, accountUuid = LEEDS) =>
    updateEndpoint(world.app, accountUuid, id, change)

  test('subscribes again when it needs other fields, and not otherwise', async () => {
    await webhook()
    const { view } = await created()
    world.platform.asked.length = 0
    expect(await update(view.id, { name: 'Books', forwardUrl: 'https://books.example.com/' })).toMatchObject({
      outcome: 'updated',
      endpoint: { view: { name: 'Books', callbackUrl: 'https://books.example.com/', fields: ['status'] } },
    })
    expect(world.platform.asked).toEqual([])
    await update(view.id, { fieldFilters: 'badges' })
    expect(watched()).toEqual([['job', ['badges', 'date']]])
    await update(view.id, { fieldFilters: 'date' })
    expect(watched()).toEqual([['job', ['date']]])
  })

  test('keeps what was when the platform refuses the new fields', async () => {
    const { view } = await created()
    world.platform.failures.subscribe.push({ outcome: 'refused', status: 400, message: 'Challenge failed' })
    expect(await update(view.id, { fieldFilters: 'date', name: 'Other' })).toMatchObject({
      outcome: 'platform_refused',
    })
    expect((await rules())[0]?.view).toMatchObject({ name: 'Accounting', fields: ['status'] })
  })

  test('pauses and resumes without asking anybody', async () => {
    const { view } = await created()
    world.platform.asked.length = 0
    expect(await update(view.id, { active: false })).toMatchObject({ endpoint: { view: { status: 'paused' } } })
    expect(await update(view.id, { active: true })).toMatchObject({ endpoint: { view: { state: 'active' } } })
    expect(world.platform.asked).toEqual([])
  })

  test('keeps its object: naming the same is fine, another is refused', async () => {
    const { view } = await created()
    expect(await update(view.id, { objectType: 'Job', name: 'Same' })).toMatchObject({ outcome: 'updated' })
    expect(await update(view.id, { objectType: 'note', name: 'Moved' })).toMatchObject({
      outcome: 'invalid',
      errors: { objectType: [expect.stringContaining('cannot be changed')] },
    })
    expect((await rules())[0]?.view).toMatchObject({ name: 'Same', objectType: 'job' })
  })

  test('of another account, or one that is gone, finds nothing', async () => {
    const { view } = await created()
    expect(await update(view.id, { name: 'Mine' }, BRISBANE)).toEqual({ outcome: 'not_found' })
    expect(await update(99, { name: '' })).toEqual({ outcome: 'not_found' })
    expect((await rules())[0]?.view.name).toBe('Accounting')
  })

  test('does not take the secret of the webhook with the same number', async () => {
    await webhook()
    const { view } = await created()
    expect(view.id).toBe('rule-1')
    const rotated = await rotateSecret(world.app, LEEDS, view.id)
    if (rotated.outcome !== 'rotated') throw new Error('not rotated')
    const [rule] = await rules()
    expect(rule?.view.signingSecret).toBe(rotated.secret)
    expect(await rotateSecret(world.app, BRISBANE, view.id)).toEqual({ outcome: 'not_found' })
  })
})

describe('who needs an object', () => {
  const objects = async () => Object.fromEntries(await neededObjects(world.app, LEEDS))

  test('are its webhook and its rules', async () => {
    await webhook()
    await created()
    await created({ objectType: 'note', fieldFilters: '' })
    expect(await objects()).toEqual({
      job: [{ fields: ['date'] }, { fields: ['status'] }],
      note: [{ fields: [] }],
    })
  })

  test('deleting the webhook leaves the subscription to the rule, with its fields only', async () => {
    const id = await webhook()
    await created()
    await deleteEndpoint(world.app, LEEDS, id)
    expect(watched()).toEqual([['job', ['status']]])
    expect((await rules())[0]?.view.status).toBe('waiting')
  })

  test('deleting the rule leaves it to the webhook, and deleting both ends it', async () => {
    const id = await webhook()
    const { view } = await created()
    expect(await deleteEndpoint(world.app, BRISBANE, view.id)).toEqual({ outcome: 'not_found' })
    expect(await deleteEndpoint(world.app, LEEDS, view.id)).toEqual({ outcome: 'deleted' })
    expect(await deleteEndpoint(world.app, LEEDS, view.id)).toEqual({ outcome: 'not_found' })
    expect(watched()).toEqual([['job', ['date']]])
    await deleteEndpoint(world.app, LEEDS, id)
    expect(live()).toEqual([])
  })

  test('deleting the last rule of an object without a webhook ends its subscription', async () => {
    const first = await created()
    const second = await created({ name: 'Second' })
    await deleteEndpoint(world.app, LEEDS, first.view.id)
    expect(watched()).toEqual([['job', ['status']]])
    await deleteEndpoint(world.app, LEEDS, second.view.id)
    expect(live()).toEqual([])
    expect(new Set(await states())).toEqual(new Set(['deleted']))
  })

  test('a deletion stands while the platform is away; it only goes on watching more than is needed', async () => {
    const id = await webhook()
    await created()
    world.platform.failures.subscribe.push(HANGS)
    expect(await deleteEndpoint(world.app, LEEDS, id)).toEqual({ outcome: 'deleted' })
    expect((await rules())[0]?.view.status).toBe('waiting')
    expect(watched()).toEqual([['job', ['date', 'status']]])
  })

  test('a webhook that changes its fields keeps those of the rule', async () => {
    const id = await webhook()
    await created()
    await updateEndpoint(world.app, LEEDS, id, { fields: 'badges' })
    expect(watched()).toEqual([['job', ['badges', 'status']]])
    await webhook({ fields: 'queue_uuid' })
    expect(watched()).toEqual([['job', ['queue_uuid', 'status']]])
  })

  test('a repair subscribes for a rule what the platform has dropped', async () => {
    await created()
    for (const entry of world.platform.listed()) Object.assign(entry, { active: false, lastFailureReason: 'gone' })
    expect(await repairSubscriptions(world.app)).toMatchObject({ accounts: 1, repaired: 1, failed: 0 })
    expect(watched()).toEqual([['job', ['status']]])
  })
})
