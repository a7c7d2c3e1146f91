import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { apiRoute } from '#tests/support/api-route.ts'
import {
  type Call,
  callRoute,
  insertEvent,
  openSessions,
  type Route,
  recordCall,
} from '#tests/support/webhook-calls.server.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { loader as unknown } from './calls.ts'

const apiActivity = apiRoute('api/api-activity')

const webhookActivity = apiRoute('api/webhook-activity')
const webhookLogs = apiRoute('api/webhook-logs/:accountUUID/:objectType')
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

describe('GET /api/webhook-logs/{accountUUID}/{objectType}', () => {
  const logs = (objectType: string, query = '', rest: Call = {}) =>
    call(webhookLogs, `/api/webhook-logs/${LEEDS}/${objectType}${query}`, {
      params: { accountUUID: LEEDS, objectType },
      ...rest,
    })

  test('lists what arrived, in any spelling of the type', async () => {
    insertEvent(world, 'job')
    const { status, json } = await logs('Job')
    expect(status).toBe(200)
    expect(json).toMatchObject([{ id: 1, type: 'job', objectUuid: 'r-1', forwardedTo: [], forwardingResults: [] }])
    expect((await logs('note')).json).toEqual([])
  })

  test('refuses a filter outside the choices', async () => {
    expect((await logs('job', '?limit=9999')).status).toBe(400)
    expect((await logs('job', '?forwardingStatus=everything')).json.errors).toHaveProperty('forwardingStatus')
    expect((await logs('job', '?limit=50&timeRange=all&forwardingStatus=failed&hasDetails=false')).status).toBe(200)
  })

  test('knows types outside the catalogue only when they were used', async () => {
    expect((await logs('potato')).status).toBe(404)
    insertEvent(world, 'potato')
    expect((await logs('potato')).json).toHaveLength(1)
  })

  test('belongs to the account', async () => {
    expect((await logs('job', '', { as: BRISBANE })).text).toBe('{"message":"Not found"}')
    expect((await logs('job', '', { as: null })).status).toBe(401)
  })
})

/** Addresses, and a filter that each of them knows. */
test.each([
  ['api/webhook-logs/:accountUUID/:objectType', 'limit=5'],
  ['api/deliveries', 'status=failed'],
  ['api/audit', 'group=messages'],
  ['api/answers', 'state=open'],
  ['api/automation-templates', 'category=all'],
  ['api/automation', ''],
])('%s refuses a filter that nobody knows: without it the answer would be wrong', async (path, known) => {
  const params = { accountUUID: LEEDS, objectType: 'job' }
  const address = `/${path.replace(':accountUUID', LEEDS).replace(':objectType', 'job')}?accountuuid=${LEEDS}&admin=no`
  const ask = (query: string, as = LEEDS) => call(apiRoute(path), `${address}&${query}`, { params, as })
  expect((await ask(known)).status).toBe(200)
  const { status, json } = await ask(`${known}&stauts=1&__proto__=1&stauts=2`)
  expect([status, json.message]).toEqual([400, 'stauts: There is no such filter'])
  expect(Object.keys(json.errors)).toEqual(['stauts'])
  expect((await ask('admin=no')).json.message).toBe('admin: Name it once')
  expect(
    (await ask(Array.from({ length: 99 }, (_, n) => `${n}${'x'.repeat(999)}=`).join('&'))).text.length,
  ).toBeLessThan(4_000)
})

describe.each([
  ['webhook-activity', webhookActivity],
  ['api-activity', apiActivity],
])('GET /api/%s', (name, route) => {
  const activity = (rest: Call = {}) => call(route, `/api/${name}?accountUUID=${LEEDS}`, rest)

  test('answers a list with a tag, and 304 without a body while nothing changed', async () => {
    const first = await activity()
    expect([first.status, first.json]).toEqual([200, []])
    const tag = first.headers.get('etag') ?? ''
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`]) {
      const same = await activity({ headers: { 'if-none-match': known } })
      expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', tag])
    }
    insertEvent(world, 'job')
    await recordCall(world)
    const changed = await activity({ headers: { 'if-none-match': tag } })
    expect([changed.status, changed.json.length]).toEqual([200, 1])
    expect(changed.headers.get('etag')).not.toBe(tag)
  })

  test('holds at most 100, newest first', async () => {
    world.client.sql.transaction(() => {
      for (let n = 0; n < 105; n++) insertEvent(world, 'job', `r-${n}`)
      const insert = world.client.sql.prepare(
        "INSERT INTO api_activity (account_uuid, activity_type, endpoint, method, created_at) VALUES (?, 'api_call', '/x', 'GET', 0)",
      )
      for (let n = 0; n < 105; n++) insert.run(LEEDS)
    })()
    const { json } = await activity()
    const ids = json.map((one: { id: number }) => one.id)
    expect(ids).toHaveLength(100)
    expect(ids).toEqual([...ids].sort((a, b) => b - a))
    expect(ids[0]).toBe(105)
  })

  test('belongs to the account', async () => {
    expect((await activity({ as: BRISBANE })).text).toBe('{"message":"Not found"}')
    expect((await activity({ as: null })).status).toBe(401)
  })
})

test('GET /api/webhook-activity shows the event with its data, GET /api/api-activity the exchange', async () => {
  insertEvent(world, 'job')
  await recordCall(world)
  const [event] = (await call(webhookActivity, `/api/webhook-activity?accountUUID=${LEEDS}`)).json
  expect(event).toEqual({
    id: 1,
    accountUUID: LEEDS,
    objectType: 'job',
    objectUuid: 'r-1',
    recordName: 'Job',
    test: false,
    changedFields: ['status'],
    webhookData: { object: 'job' },
    forwardedTo: [],
    forwardingResults: [],
    receivedAt: '2026-01-05T09:00:00.000Z',
  })
  const [exchange] = (await call(apiActivity, `/api/api-activity?accountUUID=${LEEDS}`)).json
  expect(exchange).toMatchObject({ id: 1, activityType: 'api_call', method: 'GET', statusCode: 200, duration: 5 })
})

test('a wrong method is answered in JSON with the right ones, and an unknown path in JSON too', async () => {
  const wrong = async (route: Route, path: string, method: string, params = {}) => {
    const { status, headers, json } = await call(route, path, { method, params })
    expect([status, typeof json.message]).toEqual([405, 'string'])
    return headers.get('allow')
  }
  expect(await wrong(webhooks, '/api/webhooks', 'PATCH')).toBe('GET, POST')
  expect(await wrong(webhookById, '/api/webhooks/1', 'POST', { key: '1' })).toBe('GET, PUT, DELETE')
  expect(await wrong(webhooksTest, '/api/webhooks/test', 'GET')).toBe('POST')
  expect(await wrong(webhookLogs, '/api/webhook-logs/a/job', 'DELETE')).toBe('GET')
  expect(await wrong(webhookActivity, '/api/webhook-activity', 'POST')).toBe('GET')
  expect(await wrong(apiActivity, '/api/api-activity', 'OPTIONS')).toBe('GET')
  const nowhere = await call(unknown, '/api/nowhere')
  expect([nowhere.status, nowhere.json]).toEqual([404, { message: 'Not found' }])
})
