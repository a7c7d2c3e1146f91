import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { PlatformFailure } from '#app/adapters/platform.ts'
import { withMethods } from '#app/lib/families.ts'
import { HANGS, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { createEndpoint, listEndpoints, updateEndpoint } from './endpoints.server.ts'

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
})

afterEach(() => world.close())

const FORM = { callback_url: 'https://example.com/in', object: 'job', fields: 'status', accountUUID: LEEDS }

function create(form: Record<string, unknown> = {}) {
  return createEndpoint(world.app, LEEDS, 'webhook', { ...FORM, ...form }, { admin: false })
}

async function created(form: Record<string, unknown> = {}) {
  const made = await create(form)
  if (made.outcome !== 'created' && made.outcome !== 'replaced') throw new Error(`not made: ${JSON.stringify(made)}`)
  return made.endpoint
}

async function onlyWebhook() {
  const all = await listEndpoints(world.app, LEEDS, 'webhook')
  expect(all).toHaveLength(1)
  return all[0] as (typeof all)[number]
}

const states = async () => (await world.app.store.endpoints.listSubscriptions(LEEDS)).map((row) => row.state)

const live = () => world.platform.listed().filter((one) => one.active)

const REFUSALS: [string, PlatformFailure][] = [
  ['400', { outcome: 'refused', status: 400, message: 'Challenge failed' }],
  ['401', { outcome: 'unauthorized', status: 401, message: 'Authorization Required' }],
  ['402', { outcome: 'suspended', status: 402, message: 'Account expired' }],
  ['403', { outcome: 'forbidden', status: 403, message: 'insufficient_scope: read_jobs' }],
  [
    '429',
    { outcome: 'rate_limited', status: 429, message: 'Number of allowed API requests per minute exceeded', retryAt: 0 },
  ],
  ['500', { outcome: 'unavailable', status: 500, message: 'Internal error' }],
  ['no answer', HANGS],
]

describe.each(REFUSALS)('when the platform answers %s', (_name, failure) => {
  test('a first webhook is not made, and its message is passed on', async () => {
    world.platform.failures.subscribe.push(failure)
    expect(await create()).toEqual({ outcome: 'platform_refused', message: failure.message })
    expect(await listEndpoints(world.app, LEEDS, 'webhook')).toEqual([])
    expect(world.client.sql.prepare('SELECT count(*) AS n FROM endpoint').get()).toEqual({ n: 0 })
    const left = await states()
    // Without an answer the platform may have it: what arrives there is still taken. Nobody sees a webhook.
    expect(left).toEqual(failure.outcome === 'unavailable' ? ['replaced'] : [])
  })

  test('a webhook that is replaced goes on as it was', async () => {
    const before = await created()
    world.platform.failures.subscribe.push(failure)
    expect(await create({ callback_url: 'https://example.com/new', fields: 'date' })).toMatchObject({
      outcome: 'platform_refused',
    })
    expect((await onlyWebhook()).view).toEqual(before.view)
    expect(live().map((one) => one.callbackUrl)).toEqual([before.view.forwardingUrl])
  })

  test('a change of fields that needs more is refused, and nothing has changed', async () => {
    const before = await created()
    world.platform.failures.subscribe.push(failure)
    const changed = await updateEndpoint(world.app, LEEDS, before.view.id, { fields: 'status,date' })
    expect(changed).toMatchObject({ outcome: 'platform_refused', message: failure.message })
    expect((await onlyWebhook()).view).toEqual(before.view)
  })
})

describe('when something breaks between the answer of the platform and the switch', () => {
  test('the old webhook works, and the next change leaves one live subscription', async () => {
    const before = await created()
    const { store } = world.app
    world.app.store = withMethods(store, {
      saveEndpoint: async () => {
        throw new Error('disk full')
      },
    })
    await expect(create({ fields: 'date' })).rejects.toThrow('disk full')
    world.app.store = store
    expect((await onlyWebhook()).view).toEqual(before.view)
    expect(await states()).toEqual(['active', 'pending'])
    expect(live()).toHaveLength(2)

    const after = await created({ fields: 'date' })
    expect(live().map((one) => one.callbackUrl)).toEqual([after.view.forwardingUrl])
  })

  test('a platform that cannot be listed afterwards does not undo a webhook', async () => {
    world.platform.failures.list.push(HANGS)
    const { servicem8Id, view } = await created()
    expect(servicem8Id).toBeNull()
    expect(view.status).toBe('waiting')
  })
})
