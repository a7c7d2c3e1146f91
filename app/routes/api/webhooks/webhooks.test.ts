import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { withMethods } from '#app/lib/families.ts'
import { apiRoute } from '#tests/support/api-route.ts'
import { type Call, callRoute, openSessions, type Route } from '#tests/support/webhook-calls.server.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'

const webhooks = apiRoute('api/webhooks')
const webhookById = apiRoute('api/webhooks/:key')
const webhooksTest = apiRoute('api/webhooks/test')

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
  await openSessions(world)
})

afterEach(() => world.close())

const call = (route: Route, path: string, rest: Call = {}) => callRoute(world, route, path, rest)

const FORM = {
  callback_url: 'https://example.com/in',
  object: 'job',
  fields: 'status',
  active: true,
  accountUUID: LEEDS,
}
const post = (body: unknown, rest: Call = {}) => call(webhooks, '/api/webhooks', { method: 'POST', body, ...rest })
const byId = (key: string, rest: Call = {}) => call(webhookById, `/api/webhooks/${key}`, { params: { key }, ...rest })

describe('POST /api/webhooks', () => {
  test('answers 201 with the webhook, and 200 when it replaced one', async () => {
    const made = await post(FORM)
    expect(made.status).toBe(201)
    expect(made.json).toEqual({
      id: 1,
      objectType: 'job',
      callbackUrl: 'https://example.com/in',
      fields: 'status',
      active: true,
      servicem8Id: world.platform.listed()[0]?.uuid,
      accountUUID: LEEDS,
      createdAt: '2026-01-05T09:00:00.000Z',
      forwardingUrl: expect.stringMatching(/^https:\/\/hooks\.example\.com\/hooks\/platform\//),
      status: 'waiting',
      statusMessage: 'Waiting for the first event.',
      pending: 0,
    })
    const again = await post({ ...FORM, fields: '' })
    expect([again.status, again.json.id, again.json.fields]).toEqual([200, 1, ''])
  })

  test('answers one of an object that is polled without an address of ours or an id at the platform', async () => {
    const made = await post({ ...FORM, object: 'jobcontact', fields: 'mobile' })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({ objectType: 'jobcontact', servicem8Id: null, forwardingUrl: null })
    expect(world.platform.asked).toEqual(['page jobcontact'])
    const refusal = { outcome: 'forbidden', status: 403, message: 'insufficient_scope' } as const
    world.platform.failures.page.push(refusal)
    const refused = await post({ ...FORM, object: 'jobmaterial' })
    expect([refused.status, refused.json.message]).toEqual([502, expect.stringContaining('read_job_materials')])
    expect((await byId(LEEDS)).json).toMatchObject([{ objectType: 'jobcontact', forwardingUrl: null }])
  })

  test('never shows the signing secret', async () => {
    expect((await post(FORM)).text).not.toContain('whsec_')
  })

  test('carries a warning about an address that has no answer', async () => {
    world.addresses.set(FORM.callback_url, { verdict: 'unresolved', sentence: 'The name does not exist yet.' })
    expect((await post(FORM)).json.warning).toBe('The name does not exist yet.')
  })

  test.each([
    [{ object: '' }, 400, 'Please specify an object type'],
    [{ object: undefined }, 400, 'Please specify an object type'],
    [{ callback_url: 'nope' }, 400, 'Must be a valid HTTPS URL'],
    [{ accountUUID: '' }, 400, 'Account UUID is required'],
    [{ accountUUID: BRISBANE }, 404, 'Not found'],
    [{ accountUUID: 'nobody' }, 404, 'Not found'],
    [{ object: 'potato' }, 403, '“potato” is not one of the supported object types.'],
  ])('with %j answers %d %j', async (change, status, message) => {
    const refused = await post({ ...FORM, ...change })
    expect([refused.status, refused.json.message]).toEqual([status, message])
    expect(world.platform.asked).toEqual([])
  })

  test('refuses a misspelt field: nothing is made without it', async () => {
    const refused = await post({ ...FORM, feilds: 'date' })
    expect([refused.status, refused.json.message]).toEqual([400, 'Not allowed: feilds'])
    expect((await byId(LEEDS)).json).toEqual([])
    const { callback_url: callbackUrl, object: objectType, ...rest } = FORM
    expect((await post({ ...rest, callbackUrl, objectType })).status).toBe(201)
  })

  test('names the fields of a refused form', async () => {
    const refused = await post({ ...FORM, callback_url: 'nope', object: '' })
    expect(refused.json.errors).toEqual({
      callback_url: ['Must be a valid HTTPS URL'],
      object: ['Object type is required'],
    })
  })

  test('without credentials answers 401, and with a refusing platform 502 in its words', async () => {
    world.platform.failures.subscribe.push({
      outcome: 'forbidden',
      status: 403,
      message: 'insufficient_scope: read_jobs',
    })
    const refused = await post(FORM)
    expect([refused.status, refused.json]).toEqual([502, { message: 'insufficient_scope: read_jobs' }])
    world.connected.clear()
    const alone = await post(FORM)
    expect([alone.status, alone.json]).toEqual([401, { message: 'No authentication credentials found' }])
  })

  test('takes any type from an admin with the header, and the custom type with it', async () => {
    const headers = { 'X-Admin-Mode': 'true' }
    expect((await post({ ...FORM, object: 'queue', fields: 'name' }, { headers })).status).toBe(201)
    expect((await post({ ...FORM, customObject: 'staff', fields: '' }, { headers })).json.objectType).toBe('staff')
    const ordinary = await post({ ...FORM, object: 'queue', accountUUID: BRISBANE }, { headers, as: BRISBANE })
    expect(ordinary.status).toBe(403)
  })

  test('asks for a session before it reads anything', async () => {
    const refused = await post('{{{', { as: null })
    expect([refused.status, refused.json]).toEqual([401, { message: 'Authentication required' }])
  })

  test('answers broken and foreign bodies with a sentence', async () => {
    expect((await post('{{{')).status).toBe(400)
    expect((await post('[]')).status).toBe(400)
    expect((await post(FORM, { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
    expect((await post({ ...FORM, fields: 'x'.repeat(200_000) })).status).toBe(413)
  })

  test('answers a bug with 500 JSON that gives nothing away', async () => {
    world.app.store = withMethods(world.app.store, {
      saveEndpoint: async () => {
        throw new Error('disk full at /data')
      },
    })
    const failed = await post(FORM)
    expect(failed.status).toBe(500)
    expect(failed.text).not.toContain('disk')
  })
})

describe('GET /api/webhooks', () => {
  test('lists by account in the path and in the query, in either spelling', async () => {
    const { json } = await post(FORM)
    expect((await byId(LEEDS)).json).toEqual([json])
    expect((await byId(LEEDS.toUpperCase())).json).toEqual([json])
    expect((await call(webhooks, `/api/webhooks?accountUUID=${LEEDS}`)).json).toEqual([json])
    expect((await call(webhooks, `/api/webhooks?accountuuid=${LEEDS}`)).json).toEqual([json])
    expect((await call(webhooks, '/api/webhooks')).status).toBe(400)
  })

  test('answers the same for an account that is not ours as for one that is not there', async () => {
    const foreign = await byId(BRISBANE)
    const absent = await byId('cccccccc-0000-4000-8000-000000000003')
    expect([foreign.status, foreign.text]).toEqual([404, '{"message":"Not found"}'])
    expect([absent.status, absent.text]).toEqual([foreign.status, foreign.text])
    expect((await byId(LEEDS, { as: null })).status).toBe(401)
  })
})

describe('PUT and DELETE /api/webhooks/{id}', () => {
  test('change what is named and answer the webhook', async () => {
    await post(FORM)
    const changed = await byId('1', { method: 'PUT', body: { fields: 'date, status' } })
    expect([changed.status, changed.json.fields, changed.json.active]).toEqual([200, 'date,status', true])
    const paused = await byId('1', { method: 'PUT', body: { active: false } })
    expect([paused.json.active, paused.json.status, paused.json.fields]).toEqual([false, 'paused', 'date,status'])
    const moved = await byId('1', { method: 'PUT', body: { callback_url: 'https://example.com/b' } })
    expect(moved.json.callbackUrl).toBe('https://example.com/b')
  })

  test('refuse what cannot be', async () => {
    await post(FORM)
    const refused = await byId('1', { method: 'PUT', body: { callback_url: 'nope', fields: '!' } })
    expect(refused.status).toBe(400)
    expect(Object.keys(refused.json.errors)).toEqual(['callback_url', 'fields'])
  })

  test('refuse an empty text as yes or no: nothing is paused by it', async () => {
    await post(FORM)
    const refused = await byId('1', { method: 'PUT', body: { active: '' } })
    expect([refused.status, refused.json.errors]).toEqual([400, { active: ['Must be true or false'] }])
    expect((await byId(LEEDS)).json).toMatchObject([{ active: true }])
  })

  test.each(['feilds', 'object', 'objectType', 'status'])('refuse %s, which is no field', async (name) => {
    await post(FORM)
    const body = `{ "fields": "date", "${name}": "status" }`
    const { status, text } = await byId('1', { method: 'PUT', body })
    expect([status, text]).toEqual([400, `{"message":"Not allowed: ${name}","errors":{"${name}":["Not allowed"]}}`])
    expect((await byId(LEEDS)).json).toMatchObject([{ fields: 'status' }])
  })

  test('take the other spellings, and the account', async () => {
    await post(FORM)
    const body = { callbackUrl: 'https://example.com/b', accountUUID: LEEDS }
    expect((await byId('1', { method: 'PUT', body })).json.callbackUrl).toBe('https://example.com/b')
    const other = { accountUUID: BRISBANE, active: false }
    expect((await byId('1', { method: 'PUT', body: other })).status).toBe(404)
    expect((await byId(LEEDS)).json).toMatchObject([{ active: true }])
  })

  test('delete answers success, once', async () => {
    await post(FORM)
    const gone = await byId('1', { method: 'DELETE' })
    expect([gone.status, gone.json]).toEqual([200, { success: true }])
    expect((await byId('1', { method: 'DELETE' })).status).toBe(404)
    expect((await byId(LEEDS)).json).toEqual([])
  })

  test("answer 404 for another account's id exactly as for one that is not there", async () => {
    await post(FORM)
    for (const method of ['PUT', 'DELETE']) {
      const body = method === 'PUT' ? { body: { fields: '' } } : {}
      const foreign = await byId('1', { method, as: BRISBANE, ...body })
      const absent = await byId('77', { method, as: BRISBANE, ...body })
      const odd = await byId('1e0', { method, ...body })
      expect([foreign.status, absent.status, odd.status]).toEqual([404, 404, 404])
      expect(foreign.text).toBe(absent.text)
      expect((await byId('1', { method, as: null, ...body })).status).toBe(401)
    }
    expect((await byId(LEEDS)).json[0].fields).toBe('status')
  })
})

describe('POST /api/webhooks/test', () => {
  const send = (body: unknown, rest: Call = {}) =>
    call(webhooksTest, '/api/webhooks/test', { method: 'POST', body, ...rest })

  /** A delivery engine that does not dial: it only says how an attempt would have ended. */
  function answering(verdict: { outcome: string; statusCode: number | null; sentence: string }) {
    Object.assign(world.app, {
      deliverNow: async () => ({ result: { kind: 'sent', verdict, durationMs: 42 } }),
    })
  }

  test('answers how the one attempt ended', async () => {
    await post(FORM)
    answering({ outcome: 'delivered', statusCode: 202, sentence: 'Delivered.' })
    const fine = await send({ id: 1 })
    expect([fine.status, fine.json]).toEqual([200, { success: true, statusCode: 202, responseTime: 42, error: null }])
    answering({ outcome: 'http_error', statusCode: 404, sentence: 'Your address answered 404.' })
    expect((await send({ id: '1' })).json).toEqual({
      success: false,
      statusCode: 404,
      responseTime: 42,
      error: 'Your address answered 404.',
    })
  })

  test.each([{}, { id: 'rule-3' }, { id: 1.5 }, { id: -1 }])('says what %j should be', async (body) => {
    expect((await send(body)).json.errors).toEqual({ id: ['Must be the id of a webhook'] })
  })

  test('is limited to five a minute for each account', async () => {
    await post(FORM)
    answering({ outcome: 'delivered', statusCode: 200, sentence: '' })
    const statuses: number[] = []
    for (let n = 0; n < 6; n++) statuses.push((await send({ id: 1 })).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    world.clock.advance(12_000)
    expect((await send({ id: 1 })).status).toBe(200)
  })

  test("says when there is no address, and nothing about another account's webhook", async () => {
    await post({ ...FORM, callback_url: '' })
    expect((await send({ id: 1 })).status).toBe(400)
    expect((await send({ id: 1 }, { as: BRISBANE })).text).toBe('{"message":"Not found"}')
    expect((await send({ id: 1 }, { as: null })).status).toBe(401)
    expect((await send({})).status).toBe(400)
    expect((await send({ id: 1, url: 'https://example.com' })).json.message).toBe('Not allowed: url')
  })
})
