import type { ActionFunctionArgs } from '@remix-run/node'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createEndpoint } from '#app/features/endpoints/endpoints.server.ts'
import { mailReason } from '#app/features/notices/notice-reasons.ts'
import { apiRoute } from '#tests/support/api-route.ts'
import { type Call, callRoute, openSessions, type Route } from '#tests/support/webhook-calls.server.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'

const ruleCheck = apiRoute('api/forwarding-rules/:id/check')
const settings = apiRoute('api/notice-settings')
const notices = apiRoute('api/notices')
const dismiss = apiRoute('api/notices/:id/dismiss')
const check = apiRoute('api/webhooks/:id/check')
const compare = apiRoute('api/webhooks/compare')

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
  await openSessions(world)
  const form = { callback_url: 'https://example.com/in', object: 'job', fields: '', accountUUID: LEEDS }
  await createEndpoint(world.app, LEEDS, 'webhook', form, { admin: false })
})

afterEach(() => world.close())

const call = (route: unknown, path: string, options: Call = {}) => callRoute(world, route as Route, path, options)
const post = (route: (args: ActionFunctionArgs) => unknown, path: string, options: Call = {}) =>
  call(route, path, { method: 'POST', ...options })
const ACCOUNT = `?accountUUID=${LEEDS}`

describe('POST /api/webhooks/{id}/check', () => {
  const look = (options: Call = {}) => post(check, '/api/webhooks/1/check', { params: { id: '1' }, ...options })

  test('answers every step, in words', async () => {
    const { status, json } = await look()
    expect(status).toBe(200)
    expect(json).toMatchObject({
      url: 'https://example.com/in',
      checkedAt: new Date(world.clock.now()).toISOString(),
      verdict: 'ok',
      summary: expect.stringContaining('can be reached'),
    })
    expect(json.steps.map((step: { name: string }) => step.name)).toEqual([
      'address',
      'name',
      'connection',
      'certificate',
      'redirect',
      'answer',
      'latest',
    ])
    expect(world.probed).toEqual(['https://example.com/in'])
  })

  test('is for the owner, of a webhook that is there', async () => {
    expect((await look({ as: null })).status).toBe(401)
    const others = await look({ as: BRISBANE })
    expect([others.status, others.text]).toEqual([404, '{"message":"Not found"}'])
    expect((await look({ params: { id: '99' } })).text).toBe(others.text)
    expect((await look({ method: 'GET' })).status).toBe(405)
    expect(world.probed).toEqual([])
  })

  test('works five times a minute and account', async () => {
    for (let n = 0; n < 5; n += 1) expect((await look()).status).toBe(200)
    const { status, headers } = await look()
    expect([status, headers.get('retry-after')]).toEqual([429, '12'])
  })

  test('needs an address', async () => {
    await world.app.store.endpoints.updateEndpoint(
      LEEDS,
      { kind: 'webhook', id: 1 },
      { url: '', subscription: null, at: 1 },
    )
    expect(await look()).toMatchObject({ status: 400, json: { message: expect.stringContaining('no callback URL') } })
  })

  test('is there for forwarding rules too', async () => {
    expect((await post(ruleCheck, '/api/forwarding-rules/1/check', { params: { id: '1' } })).status).toBe(404)
  })
})

describe('POST /api/webhooks/compare', () => {
  const ask = (options: Call = {}) => post(compare, `/api/webhooks/compare${ACCOUNT}`, options)

  test('answers what was found and done', async () => {
    expect(await ask()).toMatchObject({ status: 200, json: { objects: [{ object: 'job', outcome: 'fine' }] } })
    world.platform.forgetSubscriptions()
    expect(await ask()).toMatchObject({ json: { objects: [{ object: 'job', outcome: 'repaired', since: null }] } })
    expect(await ask()).toMatchObject({ status: 429 })
  })

  test('is for the owner, and says when the platform cannot be asked', async () => {
    expect((await ask({ as: null })).status).toBe(401)
    expect((await ask({ as: BRISBANE })).status).toBe(404)
    world.platform.failures.list.push({ outcome: 'unavailable', status: 503, message: 'Down for maintenance' })
    expect(await ask()).toMatchObject({ status: 502, json: { message: 'Down for maintenance' } })
  })
})

describe('notices', () => {
  beforeEach(async () => {
    const mail = { state: 'none', reason: mailReason('off') } as const
    await world.app.store.notices.raiseNotice(
      { accountUuid: LEEDS, endpointId: 1, latestId: null },
      { kind: 'failing', since: world.clock.now(), reason: 'It fails.', at: world.clock.now(), mail },
    )
  })
  const list = (options: Call = {}) => call(notices, `/api/notices${ACCOUNT}`, options)
  const drop = (options: Call = {}) => post(dismiss, '/api/notices/1/dismiss', { params: { id: '1' }, ...options })

  test('are listed for their account until they are dismissed', async () => {
    const at = new Date(world.clock.now()).toISOString()
    expect(await list()).toMatchObject({
      status: 200,
      json: [
        {
          id: 1,
          kind: 'failing',
          webhookId: 1,
          forwardingRuleId: null,
          title: 'Job webhook started failing',
          sentence: 'It fails.',
          since: at,
          createdAt: at,
          mail: 'No e-mail: they are switched off.',
        },
      ],
    })
    expect((await list({ as: BRISBANE })).status).toBe(404)
    expect((await list({ as: null })).status).toBe(401)
    expect(await drop()).toMatchObject({ status: 200, json: { success: true } })
    expect(await drop()).toMatchObject({ status: 200 })
    expect((await list()).json).toEqual([])
  })

  test('are dismissed by nobody else', async () => {
    expect((await drop({ as: null })).status).toBe(401)
    const others = await drop({ as: BRISBANE })
    expect([others.status, others.text]).toEqual([404, '{"message":"Not found"}'])
    for (const id of ['99', 'x', '']) expect((await drop({ params: { id } })).text).toBe(others.text)
    expect((await list()).json).toHaveLength(1)
  })
})

describe('/api/notice-settings', () => {
  const ask = (options: Call = {}) => call(settings, `/api/notice-settings${ACCOUNT}`, options)
  const put = (body: unknown, options: Call = {}) => ask({ method: 'PUT', body, ...options })

  test('begins with the defaults, and changes what is named', async () => {
    expect(await ask()).toMatchObject({
      status: 200,
      json: { byMail: true, email: null, problem: expect.stringContaining('Sign in again') },
    })
    expect(await put({ email: 'me@example.com' })).toMatchObject({ json: { byMail: true, email: 'me@example.com' } })
    expect(await put({ byMail: false })).toMatchObject({ json: { byMail: false, email: 'me@example.com' } })
    await Promise.all([put({ weekly: true }), put({ holidaysOff: false })])
    expect(await ask()).toMatchObject({ json: { weekly: true, holidaysOff: false } })
    expect(await put({ email: null })).toMatchObject({ json: { byMail: false, email: null } })
  })

  test('what is so already is not saved as a change', async () => {
    const saved = vi.spyOn(world.app.store.notices, 'saveMailChoice')
    await put({})
    await put({ email: 'me@example.com' })
    expect(await put({ email: 'me@example.com' })).toMatchObject({ status: 200, json: { email: 'me@example.com' } })
    expect(saved).toHaveBeenCalledTimes(1)
  })

  test('refuses what cannot be', async () => {
    expect(await put({ email: 'me' })).toMatchObject({
      status: 400,
      json: { errors: { email: ['Enter one e-mail address, such as office@example.com'] } },
    })
    expect((await put({ byMail: 'yes' })).status).toBe(400)
    expect((await put({ mail: true })).status).toBe(400)
    expect((await put('{')).status).toBe(400)
    expect(await world.app.store.notices.findMailChoice(LEEDS)).toBeNull()
  })

  test('is for the owner', async () => {
    expect((await put({ byMail: false }, { as: null })).status).toBe(401)
    expect((await put({ byMail: false }, { as: BRISBANE })).status).toBe(404)
    expect((await ask({ as: BRISBANE })).status).toBe(404)
    expect((await ask({ method: 'DELETE' })).status).toBe(405)
    expect(await world.app.store.notices.findMailChoice(LEEDS)).toBeNull()
  })
})
