import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hours } from '#app/lib/duration.ts'
import { withMethods } from '#app/lib/families.ts'
import {
  BRISBANE,
  HANGS,
  LEEDS,
  ORIGIN,
  openWebhookWorld,
  type SubscriptionView,
  type WebhookWorld,
} from '#tests/support/webhook-world.server.ts'
import { createEndpoint, deleteEndpoint, listEndpoints } from '../endpoints.server.ts'
import { compareSubscriptions, repairSubscriptions } from './repair-subscriptions.server.ts'

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
})

afterEach(() => world.close())

async function created(object = 'job', accountUuid = LEEDS) {
  const form = { callback_url: 'https://example.com/in', object, fields: 'active', accountUUID: accountUuid }
  const made = await createEndpoint(world.app, accountUuid, 'webhook', form, { admin: false })
  if (made.outcome !== 'created') throw new Error(`not made: ${JSON.stringify(made)}`)
  return made.endpoint.view
}

/** One that is there without us. */
const subscription = (uuid: string, subject: string, callbackUrl: string): SubscriptionView => ({
  uuid,
  accountUuid: LEEDS,
  kind: 'object',
  subject,
  callbackUrl,
  fields: ['active'],
  uniqueId: '',
  active: true,
  deleted: false,
  createdAt: world.clock.now(),
  lastFailureReason: null,
  lastFailureAt: null,
  failingSince: null,
})

const live = () => world.platform.listed().filter((one) => one.active)

async function onlyView(accountUuid = LEEDS) {
  const [only, ...others] = await listEndpoints(world.app, accountUuid, 'webhook')
  expect(others).toEqual([])
  if (!only) throw new Error('there is none')
  return only.view
}

/** The rows a crash leaves behind: the platform has answered, nothing was stored after it. */
async function crashWhileCreating(form: Record<string, unknown>) {
  const { store } = world.app
  const broken = async () => {
    throw new Error('killed')
  }
  world.app.store = withMethods(store, {
    saveEndpoint: broken,
    updateSubscription: broken,
    dropPendingSubscription: broken,
  })
  await expect(
    createEndpoint(world.app, LEEDS, 'webhook', { accountUUID: LEEDS, ...form }, { admin: false }),
  ).rejects.toThrow('killed')
  world.app.store = store
}

describe('repairing subscriptions', () => {
  test('does nothing when all is well', async () => {
    await created()
    const before = await world.app.store.endpoints.listSubscriptions(LEEDS)
    world.platform.asked.length = 0
    expect(await repairSubscriptions(world.app)).toEqual({ accounts: 1, unreadable: 0, repaired: 0, failed: 0 })
    expect(world.platform.asked).toEqual(['list'])
    expect(await world.app.store.endpoints.listSubscriptions(LEEDS)).toEqual(before)
  })

  test('subscribes again what the platform has switched off, with a new address', async () => {
    const view = await created()
    Object.assign(world.platform.listed()[0] as SubscriptionView, {
      active: false,
      lastFailureReason: 'Webhook request failed for over 12 hours',
    })
    expect(await repairSubscriptions(world.app)).toMatchObject({ repaired: 1, failed: 0 })
    const now = await onlyView()
    expect(now.status).toBe('waiting')
    expect(now.forwardingUrl).not.toBe(view.forwardingUrl)
    expect(live()).toMatchObject([{ callbackUrl: now.forwardingUrl, fields: ['active'] }])
  })

  test('subscribes again what the platform no longer lists', async () => {
    await created()
    world.platform.forgetSubscriptions()
    expect(await repairSubscriptions(world.app)).toMatchObject({ repaired: 1 })
    expect(live()).toHaveLength(1)
  })

  test('explains on the card what cannot be repaired, and takes it back once it can', async () => {
    await created()
    Object.assign(world.platform.listed()[0] as SubscriptionView, {
      active: false,
      lastFailureReason: 'Webhook request failed for over 12 hours',
    })
    const forbidden = { outcome: 'forbidden', status: 403, message: 'insufficient_scope: read_jobs' } as const
    world.platform.failures.subscribe.push(forbidden)
    expect(await repairSubscriptions(world.app)).toMatchObject({ repaired: 0, failed: 1 })
    const view = await onlyView()
    expect(view.status).toBe('unsubscribed')
    expect(view.statusMessage).toBe(
      'ServiceM8 sends no events for this webhook at present. ServiceM8 switched it off: Webhook request failed for over 12 hours. Subscribing again did not work: insufficient_scope: read_jobs.',
    )
    expect(await repairSubscriptions(world.app)).toMatchObject({ repaired: 1, failed: 0 })
    expect((await onlyView()).status).toBe('waiting')
  })

  test('takes the explanation back when the platform has it active again by itself', async () => {
    await created()
    const [row] = await world.app.store.endpoints.listSubscriptions(LEEDS)
    await world.app.store.endpoints.updateSubscription(LEEDS, row?.id ?? 0, {
      stateReason: 'Off.',
      at: world.clock.now(),
    })
    expect(await repairSubscriptions(world.app)).toMatchObject({ repaired: 0 })
    expect((await onlyView()).status).toBe('waiting')
  })

  test('looks after the other accounts when one cannot be read', async () => {
    await created('job', LEEDS)
    await created('job', BRISBANE)
    world.platform.forgetSubscriptions()
    world.platform.failures.list.push(HANGS)
    expect(await repairSubscriptions(world.app)).toEqual({ accounts: 2, unreadable: 1, repaired: 1, failed: 0 })
  })

  test('begins no further account once the process stops', async () => {
    await created('job', LEEDS)
    await created('job', BRISBANE)
    const ending = new AbortController()
    const { callAsAccount } = world.app
    const app = {
      ...world.app,
      callAsAccount: ((...given) => {
        ending.abort()
        return callAsAccount(...given)
      }) as typeof callAsAccount,
    }
    expect(await repairSubscriptions(app, { signal: ending.signal })).toMatchObject({ accounts: 1 })
  })

  test('leaves an account that has to sign in again as it is', async () => {
    const view = await created()
    world.connected.delete(LEEDS)
    expect(await repairSubscriptions(world.app)).toMatchObject({ accounts: 1, unreadable: 1 })
    expect(await onlyView()).toEqual(view)
  })

  test('leaves subscriptions of others at the platform alone', async () => {
    await created()
    const foreign = subscription('theirs', 'job', 'https://other.example.com/hooks/platform/abc')
    world.platform.account(LEEDS).subscriptions.push(foreign)
    await repairSubscriptions(world.app)
    expect(live()).toContainEqual({ ...foreign })
  })

  test('removes one that posts to an address of ours nobody knows any more', async () => {
    await created()
    const lost = subscription('lost', 'note', `${ORIGIN}/hooks/platform/${'x'.repeat(43)}`)
    world.platform.account(LEEDS).subscriptions.push(lost)
    await repairSubscriptions(world.app)
    expect(live().map((one) => one.uuid)).not.toContain('lost')
  })
})

describe('comparing on request', () => {
  const SWITCHED_OFF = {
    active: false,
    lastFailureReason: 'Webhook request failed for over 12 hours',
    lastFailureAt: Date.UTC(2026, 0, 4, 22, 10),
  }
  const noteOf = async (endpointId = 1) =>
    (await world.app.store.notices.findEndpointCheck(LEEDS, endpointId))?.upstream ?? null

  test('finds everything as it should be, and every card says so', async () => {
    await created('job')
    await created('note')
    expect(await compareSubscriptions(world.app, LEEDS)).toEqual({
      outcome: 'compared',
      objects: ['job', 'note'].map((object) => ({ object, outcome: 'fine', reason: null, since: null, message: null })),
    })
    expect([await noteOf(1), await noteOf(2)]).toMatchObject([{ verdict: 'ok' }, { verdict: 'ok' }])
  })

  test('subscribes again what was dropped, and knows why and since when, in the zone of the account', async () => {
    const view = await created()
    Object.assign(world.platform.listed()[0] as SubscriptionView, SWITCHED_OFF)
    expect(await compareSubscriptions(world.app, LEEDS)).toEqual({
      outcome: 'compared',
      objects: [
        {
          object: 'job',
          outcome: 'repaired',
          reason: SWITCHED_OFF.lastFailureReason,
          since: SWITCHED_OFF.lastFailureAt,
          message: null,
        },
      ],
    })
    expect(await noteOf()).toMatchObject({ verdict: 'warn', sentence: expect.stringContaining('4 Jan, 22:10') })
    expect((await onlyView()).forwardingUrl).not.toBe(view.forwardingUrl)
  })

  test('leaves what cannot be repaired to the status of the card', async () => {
    await created()
    await compareSubscriptions(world.app, LEEDS)
    Object.assign(world.platform.listed()[0] as SubscriptionView, SWITCHED_OFF)
    const forbidden = { outcome: 'forbidden', status: 403, message: 'insufficient_scope: read_jobs' } as const
    world.platform.failures.subscribe.push(forbidden)
    expect(await compareSubscriptions(world.app, LEEDS)).toMatchObject({
      objects: [{ outcome: 'failed', message: 'insufficient_scope: read_jobs' }],
    })
    expect(await noteOf()).toBeNull()
    expect((await onlyView()).status).toBe('unsubscribed')
  })

  test('says what the platform said when its list cannot be read', async () => {
    await created()
    world.platform.failures.list.push(HANGS)
    expect(await compareSubscriptions(world.app, LEEDS)).toEqual({
      outcome: 'unreadable',
      message: 'ServiceM8 did not answer within 10 seconds.',
    })
  })

  test('is about its own account', async () => {
    await created('job', BRISBANE)
    expect(await compareSubscriptions(world.app, LEEDS)).toEqual({ outcome: 'compared', objects: [] })
    expect(await world.app.store.notices.findEndpointCheck(BRISBANE, 1)).toBeNull()
  })

  test('the daily repair leaves its explanation on the card as well, and says nothing about what was fine', async () => {
    await created('job')
    await created('note')
    Object.assign(world.platform.listed()[0] as SubscriptionView, SWITCHED_OFF)
    await repairSubscriptions(world.app)
    expect([await noteOf(1), await noteOf(2)]).toMatchObject([{ verdict: 'warn' }, null])
  })
})

describe('after a crash between the answer of the platform and the switch', () => {
  test('a first webhook is not there, and its subscription is retired', async () => {
    await crashWhileCreating({ object: 'job', callback_url: 'https://example.com/in' })
    expect(live()).toHaveLength(1)
    expect(await listEndpoints(world.app, LEEDS, 'webhook')).toEqual([])
    await repairSubscriptions(world.app)
    expect(live()).toEqual([])
    expect((await world.app.store.endpoints.listSubscriptions(LEEDS)).map((row) => row.state)).toEqual(['deleted'])
    expect(await world.app.store.endpoints.accountsToReconcile()).toEqual([])
  })

  test('a webhook that was being replaced works as before, and the new subscription is retired', async () => {
    const view = await created()
    await crashWhileCreating({ object: 'job', callback_url: 'https://example.com/new' })
    expect(live()).toHaveLength(2)
    await repairSubscriptions(world.app)
    expect(live().map((one) => one.callbackUrl)).toEqual([view.forwardingUrl])
    expect(await onlyView()).toEqual(view)
  })

  test('the new subscription is used when the platform has dropped the old one for it', async () => {
    world.platform.account(LEEDS).options.oneSubscriptionPerObject = true
    const view = await created()
    await crashWhileCreating({ object: 'job', fields: 'status', callback_url: 'https://example.com/new' })
    expect(live()).toHaveLength(1)
    await repairSubscriptions(world.app)
    const now = await onlyView()
    expect(now).toMatchObject({ id: view.id, callbackUrl: view.callbackUrl, status: 'waiting' })
    expect(live().map((one) => one.callbackUrl)).toEqual([now.forwardingUrl])
    expect(now.forwardingUrl).not.toBe(view.forwardingUrl)
  })

  test('one that never reached the platform leaves nothing', async () => {
    world.platform.failures.subscribe.push(HANGS)
    await crashWhileCreating({ object: 'job', callback_url: '' })
    expect((await world.app.store.endpoints.listSubscriptions(LEEDS)).map((row) => row.state)).toEqual(['pending'])
    await repairSubscriptions(world.app)
    expect(await world.app.store.endpoints.listSubscriptions(LEEDS)).toEqual([])
  })
})

describe('when the platform took a subscription but its answer was lost', () => {
  async function replaceWithLostAnswer() {
    const { fate } = world.platform
    world.platform.fate = (exchange) => (exchange.verb === 'subscribe' ? 'answer_lost' : fate(exchange))
    const form = { object: 'job', fields: 'status', callback_url: 'https://example.com/new', accountUUID: LEEDS }
    const made = await createEndpoint(world.app, LEEDS, 'webhook', form, { admin: false })
    world.platform.fate = fate
    expect(made).toMatchObject({ outcome: 'platform_refused' })
  }

  test('the old one goes on and the new one is removed', async () => {
    const view = await created()
    await replaceWithLostAnswer()
    expect(live()).toHaveLength(2)
    await repairSubscriptions(world.app)
    expect(live().map((one) => one.callbackUrl)).toEqual([view.forwardingUrl])
  })

  test('events at the new one are taken until the repair, where the platform dropped the old one', async () => {
    world.platform.account(LEEDS).options.oneSubscriptionPerObject = true
    await created()
    await replaceWithLostAnswer()
    const [entry] = live()
    expect(await world.platform.challenge(entry?.callbackUrl ?? '')).toBe(true)
    await repairSubscriptions(world.app)
    const now = await onlyView()
    expect(live()).toMatchObject([{ callbackUrl: now.forwardingUrl, fields: ['active'] }])
  })
})

describe('what was deleted or replaced', () => {
  test('while the platform was down is removed there by the next repair', async () => {
    const view = await created()
    world.platform.failures.list.push(HANGS)
    await deleteEndpoint(world.app, LEEDS, view.id)
    expect(live()).toHaveLength(1)
    await repairSubscriptions(world.app)
    expect(live()).toEqual([])
    expect(await world.app.store.endpoints.accountsToReconcile()).toEqual([])
  })

  test('may be gone over there already', async () => {
    const view = await created()
    world.platform.failures.remove.push({ outcome: 'refused', status: 404, message: 'No matching webhook found' })
    await deleteEndpoint(world.app, LEEDS, view.id)
    expect(await world.app.store.endpoints.accountsToReconcile()).toEqual([])
  })

  test('stops being accepted after 72 hours', async () => {
    const view = await created()
    await createEndpoint(world.app, LEEDS, 'webhook', { object: 'job', accountUUID: LEEDS }, { admin: false })
    world.clock.advance(hours(72))
    await repairSubscriptions(world.app)
    const states = (await world.app.store.endpoints.listSubscriptions(LEEDS)).map((row) => row.state)
    expect(states).toEqual(['deleted', 'active'])
    expect(await world.platform.challenge(view.forwardingUrl)).toBe(false)
  })
})
