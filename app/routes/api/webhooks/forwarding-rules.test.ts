import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { apiRoute } from '#tests/support/api-route.ts'
import {
  type Call,
  callRoute,
  insertDelivery,
  insertEvent,
  openSessions,
  type Route,
} from '#tests/support/webhook-calls.server.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'

const rules = apiRoute('api/forwarding-rules')
const ruleById = apiRoute('api/forwarding-rules/:id')
const replay = apiRoute('api/forwarding-rules/:id/replay')
const progress = apiRoute('api/forwarding-rules/:id/replay/:replayId')
const rotate = apiRoute('api/forwarding-rules/:id/rotate-secret')
const sendTest = apiRoute('api/forwarding-rules/:id/test')
const webhooks = apiRoute('api/webhooks')

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
  await openSessions(world)
})

afterEach(() => world.close())

const call = (route: Route, path: string, rest: Call = {}) => callRoute(world, route, path, rest)

const FORM = {
  name: 'Accounting',
  objectType: 'job',
  forwardUrl: 'https://accounts.example.com/in',
  fieldFilters: 'status, date',
  accountUUID: LEEDS,
}
const NOT_FOUND = '{"message":"Not found"}'
const RULES = '/api/forwarding-rules'

const post = (body: unknown, rest: Call = {}) => call(rules, RULES, { method: 'POST', body, ...rest })
const list = (rest: Call = {}) => call(rules, `${RULES}?accountUUID=${LEEDS}`, rest)
const byId = (id: string, rest: Call = {}) => call(ruleById, `${RULES}/${id}`, { params: { id }, ...rest })

describe('POST /api/forwarding-rules', () => {
  test('answers 201 with the rule', async () => {
    const made = await post(FORM)
    expect([made.status, made.json]).toEqual([
      201,
      {
        id: 1,
        accountUUID: LEEDS,
        name: 'Accounting',
        objectType: 'job',
        forwardUrl: 'https://accounts.example.com/in',
        active: true,
        fieldFilters: 'status,date',
        createdAt: '2026-01-05T09:00:00.000Z',
        status: 'waiting',
        statusMessage: 'Waiting for the first event.',
        pending: 0,
      },
    ])
    expect(made.text).not.toContain('whsec_')
    expect((await list()).json).toEqual([made.json])
  })

  test('takes the account from the query as well, in either spelling', async () => {
    const { accountUUID: _none, ...form } = FORM
    for (const name of ['accountUUID', 'accountuuid']) {
      const made = await call(rules, `${RULES}?${name}=${LEEDS}`, { method: 'POST', body: form })
      expect([made.status, made.json.accountUUID]).toEqual([201, LEEDS])
    }
    expect((await post(form)).status).toBe(400)
  })

  test('adds as many as are wanted to one object, beside its webhook', async () => {
    const webhook = { callback_url: 'https://example.com/in', object: 'job', fields: '', accountUUID: LEEDS }
    await call(webhooks, '/api/webhooks', { method: 'POST', body: webhook })
    expect((await post(FORM)).status).toBe(201)
    expect((await post({ ...FORM, name: 'Second', active: false })).json).toMatchObject({ id: 2, active: false })
    expect((await list()).json).toHaveLength(2)
  })

  test('carries warnings about the address and the filter', async () => {
    world.addresses.set(FORM.forwardUrl, { verdict: 'unresolved', sentence: 'The name does not exist yet.' })
    expect((await post({ ...FORM, objectType: 'company', fieldFilters: 'email' })).json.warning).toBe(
      'The name does not exist yet. ServiceM8 does not report email for Company, so every change is forwarded.',
    )
  })

  test.each([
    [{ name: '' }, 400, 'Rule name is required'],
    [{ name: undefined }, 400, 'Rule name is required'],
    [{ objectType: '' }, 400, 'Please specify an object type'],
    [{ forwardUrl: '' }, 400, 'Must be a valid HTTPS URL'],
    [{ forwardUrl: 'nope' }, 400, 'Must be a valid HTTPS URL'],
    [{ forwardUrl: { toString: 1 } }, 400, 'Must be text'],
    [{ accountUUID: '' }, 400, 'Account UUID is required'],
    [{ accountUUID: BRISBANE }, 404, 'Not found'],
    [{ accountUUID: 'nobody' }, 404, 'Not found'],
    [{ objectType: 'potato' }, 403, '“potato” is not one of the supported object types.'],
    [{ customObject: 'potato' }, 201, undefined],
  ])('with %j answers %d %j', async (change, status, message) => {
    const refused = await post({ ...FORM, ...change })
    expect([refused.status, refused.json.message]).toEqual([status, message])
    if (status !== 201) expect(world.platform.asked).toEqual([])
  })

  test('names the fields of a refused body', async () => {
    const refused = await post({ ...FORM, name: ' ', objectType: '', forwardUrl: 'x', fieldFilters: '!' })
    expect(refused.json.errors).toEqual({
      name: ['Rule name is required'],
      objectType: ['Object type is required'],
      forwardUrl: ['Must be a valid HTTPS URL'],
      fieldFilters: [expect.stringContaining('is not a field name')],
    })
  })

  test('without credentials answers 401, with a refusing platform 502 in its words, and stores nothing', async () => {
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
    expect((await list()).json).toEqual([])
  })

  test('takes any type from an admin with the header', async () => {
    const headers = { 'X-Admin-Mode': 'true' }
    expect((await post({ ...FORM, objectType: 'queue', fieldFilters: 'name' }, { headers })).status).toBe(201)
    expect((await post({ ...FORM, customObject: 'staff', fieldFilters: '' }, { headers })).json.objectType).toBe(
      'staff',
    )
    const ordinary = await post({ ...FORM, objectType: 'potato', accountUUID: BRISBANE }, { headers, as: BRISBANE })
    expect(ordinary.status).toBe(403)
  })

  test('answers 409 when the account has as many addresses as it can have', async () => {
    world.app.settings = { ...world.app.settings, mostAddresses: 2 }
    for (let n = 0; n < 2; n++) expect((await post({ ...FORM, name: `Rule ${n}` })).status).toBe(201)
    const full = await post(FORM)
    expect([full.status, full.json.message]).toEqual([409, expect.stringContaining('stops at 2 addresses')])
  })

  test('asks for a session before it reads anything, and refuses broken bodies', async () => {
    const refused = await post('{{{', { as: null })
    expect([refused.status, refused.json]).toEqual([401, { message: 'Authentication required' }])
    expect((await post('{{{')).status).toBe(400)
    expect((await post('[]')).status).toBe(400)
    expect((await post(FORM, { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
    const wrong = await call(rules, RULES, { method: 'DELETE' })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, POST'])
  })
})

describe('GET /api/forwarding-rules', () => {
  test('answers the same for an account that is not ours as for one that is not there', async () => {
    const foreign = await call(rules, `${RULES}?accountUUID=${BRISBANE}`)
    const absent = await call(rules, `${RULES}?accountUUID=cccccccc-0000-4000-8000-000000000003`)
    for (const answer of [foreign, absent]) expect([answer.status, answer.text]).toEqual([404, NOT_FOUND])
    expect((await list({ as: null })).status).toBe(401)
    expect((await call(rules, RULES)).status).toBe(400)
  })
})

describe('PUT and DELETE /api/forwarding-rules/{id}', () => {
  test('change what is named and answer the rule', async () => {
    await post(FORM)
    const changed = await byId('1', { method: 'PUT', body: { fieldFilters: 'badges', name: 'Books' } })
    expect([changed.status, changed.json]).toMatchObject([200, { fieldFilters: 'badges', name: 'Books', active: true }])
    const paused = await byId('1', { method: 'PUT', body: { active: false } })
    expect(paused.json).toMatchObject({ active: false, status: 'paused', name: 'Books' })
    const moved = await byId('1', { method: 'PUT', body: { forwardUrl: 'https://books.example.com/' } })
    expect(moved.json).toMatchObject({ forwardUrl: 'https://books.example.com/', active: false })
    expect((await byId('1', { method: 'PUT', body: { ...FORM } })).status).toBe(200)
  })

  test('refuse what cannot be', async () => {
    await post(FORM)
    const refused = await byId('1', { method: 'PUT', body: { forwardUrl: '', name: '', fieldFilters: '!' } })
    expect([refused.status, Object.keys(refused.json.errors)]).toEqual([400, ['name', 'forwardUrl', 'fieldFilters']])
    const nulls = await byId('1', { method: 'PUT', body: { name: null, forwardUrl: null, objectType: null } })
    expect(nulls.json.errors).toEqual({
      name: ['Rule name is required'],
      forwardUrl: ['Must be a valid HTTPS URL'],
      objectType: [expect.stringContaining('cannot be changed')],
    })
    for (const body of [{ active: '' }, { fieldFilter: 'status' }])
      expect((await byId('1', { method: 'PUT', body })).json.errors).toEqual({
        [Object.keys(body)[0] ?? '']: [expect.any(String)],
      })
    const moved = await byId('1', { method: 'PUT', body: { objectType: 'note' } })
    expect([moved.status, Object.keys(moved.json.errors)]).toEqual([400, ['objectType']])
    world.platform.failures.subscribe.push({ outcome: 'refused', status: 400, message: 'Challenge failed' })
    const platform = await byId('1', { method: 'PUT', body: { fieldFilters: 'badges' } })
    expect([platform.status, platform.json]).toEqual([502, { message: 'Challenge failed' }])
    expect((await list()).json[0].fieldFilters).toBe('status,date')
  })

  test('delete answers success, once', async () => {
    await post(FORM)
    const gone = await byId('1', { method: 'DELETE' })
    expect([gone.status, gone.json]).toEqual([200, { success: true }])
    expect((await byId('1', { method: 'DELETE' })).text).toBe(NOT_FOUND)
    expect((await list()).json).toEqual([])
  })

  test("answer 404 for another account's id exactly as for one that is not there", async () => {
    await post(FORM)
    for (const method of ['PUT', 'DELETE']) {
      const body = method === 'PUT' ? { body: { name: 'Mine' } } : {}
      const answers = [
        await byId('1', { method, as: BRISBANE, ...body }),
        await byId('77', { method, as: BRISBANE, ...body }),
        await byId('1e0', { method, ...body }),
        await byId('rule-1', { method, ...body }),
      ]
      for (const answer of answers) expect([answer.status, answer.text]).toEqual([404, NOT_FOUND])
      expect((await byId('1', { method, as: null, ...body })).status).toBe(401)
    }
    expect((await byId('1')).headers.get('allow')).toBe('PUT, DELETE')
    expect((await list()).json[0].name).toBe('Accounting')
  })
})

describe('what a rule’s address can be asked', () => {
  const SINCE = '2026-01-05T08:00:00Z'
  const ask = (route: Route, part: string, rest: Call = {}) =>
    call(route, `${RULES}/1/${part}`, { method: 'POST', params: { id: '1' }, ...rest })

  // The rule owns the account's first endpoint, so that deliveries of the fixtures are its own.
  beforeEach(async () => {
    await post({ ...FORM, fieldFilters: '' })
    world.woken.length = 0
  })

  test('a test answers how the one attempt ended, five times a minute', async () => {
    Object.assign(world.app, {
      deliverNow: async () => ({
        result: { kind: 'sent', verdict: { outcome: 'delivered', statusCode: 202, sentence: '' }, durationMs: 42 },
      }),
    })
    const fine = await ask(sendTest, 'test')
    expect([fine.status, fine.json]).toEqual([200, { success: true, statusCode: 202, responseTime: 42, error: null }])
    for (let n = 0; n < 4; n++) expect((await ask(sendTest, 'test')).status).toBe(200)
    expect((await ask(sendTest, 'test')).status).toBe(429)
  })

  test('a replay is counted, begun once, looked at and cancelled', async () => {
    insertDelivery(world, insertEvent(world, 'job'), 'expired')
    const count = await ask(replay, 'replay', { body: { since: SINCE, dryRun: true } })
    expect([count.status, count.json]).toEqual([202, { count: 1, replayId: null }])
    const [first, second] = await Promise.all([
      ask(replay, 'replay', { body: { since: SINCE } }),
      ask(replay, 'replay', { body: { since: SINCE } }),
    ])
    expect([first.json, second.json]).toEqual([
      { count: 1, replayId: 1 },
      { count: 1, replayId: 1 },
    ])
    const look = (rest: Call = {}) =>
      call(progress, `${RULES}/1/replay/1`, { params: { id: '1', replayId: '1' }, ...rest })
    expect((await look()).json).toMatchObject({ replayId: 1, state: 'running', count: 1 })
    expect((await look({ method: 'DELETE' })).json.state).toBe('cancelled')
    expect((await look({ params: { id: '1', replayId: '9' } })).text).toBe(NOT_FOUND)
    expect((await look({ as: BRISBANE })).text).toBe(NOT_FOUND)
    expect((await ask(replay, 'replay', { body: { since: 'soon' } })).status).toBe(400)
  })

  test('a replay with a filter that nobody knows sends nothing: it may have been meant for the body', async () => {
    insertDelivery(world, insertEvent(world, 'job'), 'expired')
    const asked = await call(replay, `${RULES}/1/replay?accountUUID=${LEEDS}&dryRun=true`, {
      method: 'POST',
      params: { id: '1' },
      body: { since: SINCE },
    })
    expect([asked.status, asked.json.errors]).toEqual([400, { dryRun: ['There is no such filter'] }])
    expect(world.client.sql.prepare('SELECT count(*) AS count FROM replay').get()).toEqual({ count: 0 })
  })

  test('a new secret leaves the old one valid for a day', async () => {
    const [first, second] = await Promise.all([ask(rotate, 'rotate-secret'), ask(rotate, 'rotate-secret')])
    expect([first.status, first.json]).toEqual([
      200,
      {
        signingSecret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
        previousValidUntil: '2026-01-06T09:00:00.000Z',
      },
    ])
    expect(first.headers.get('cache-control')).toBe('no-store')
    expect(second.json).toEqual(first.json)
  })

  test.each([
    ['test', sendTest, undefined],
    ['replay', replay, { since: SINCE }],
    ['rotate-secret', rotate, undefined],
  ] as const)('%s belongs to the account, and answers another’s exactly as none', async (part, route, body) => {
    const answers = [
      await ask(route, part, { as: BRISBANE, body }),
      await ask(route, part, { params: { id: '99' }, body }),
      await ask(route, part, { params: { id: 'x' }, body }),
    ]
    for (const answer of answers) expect([answer.status, answer.text]).toEqual([404, NOT_FOUND])
    expect((await ask(route, part, { as: null, body })).json).toEqual({ message: 'Authentication required' })
    expect((await ask(route, part, { method: 'GET' })).headers.get('allow')).toBe('POST')
    expect(world.woken).toEqual([])
  })
})
