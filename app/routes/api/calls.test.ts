// Every call as the server has it: found by its address, with its method, its limit, and the document served.
import type { ActionFunctionArgs } from '@remix-run/node'
import { expect, test } from 'vitest'
import { DEMO_ACCOUNT, limitText } from '#app/contract/operation.ts'
import { sessionCookieName } from '#app/http/cookies.ts'
import { readJson } from '#app/http/guards.server.ts'
import { LIMITS } from '#app/http/rate-limit.server.ts'
import { steppingClock } from '#tests/support/stepping-clock.ts'
import { callRoute, openSessions } from '#tests/support/webhook-calls.server.ts'
import { BRISBANE, LEEDS, openWebhookWorld } from '#tests/support/webhook-world.server.ts'
import routes from '../table.ts'
import { answerApi, CALL_PATHS, REFERENCE } from './calls.server.ts'
import { action, loader } from './calls.ts'

function args(request: Request): ActionFunctionArgs {
  const app = { clock: steppingClock(), settings: { origin: 'https://fieldhook.example.com', version: '1.2.3' } }
  return { request, params: {}, context: { app, clientIp: '127.0.0.1' } } as unknown as ActionFunctionArgs
}

test('what else stands below api/ takes no address from a call', () => {
  const others = routes.map(({ path }) => path ?? '').filter((path) => path.startsWith('api/'))
  expect(others).toEqual(['api/oauth/authorize', 'api/oauth/callback', 'api/*'])
  expect(CALL_PATHS.filter((path) => !path.startsWith('api/') || others.includes(path))).toEqual([])
})

test('every address takes the methods that the reference tells, and no other', async () => {
  expect([loader, action]).toEqual([answerApi, answerApi])
  for (const path of CALL_PATHS) {
    const told = REFERENCE.operations.filter((one) => one.path === path).map(({ method }) => method)
    const asked = new Request(`http://localhost/${path.replaceAll(/:\w+/g, 'x')}`, { method: 'PATCH' })
    const answer = await answerApi(args(asked))
    expect([path, answer.status, answer.headers.get('allow')?.split(', ').sort()]).toEqual([path, 405, told.sort()])
  }
})

test('a body names the account in either spelling', async () => {
  const sent = (body: object) =>
    new Request('http://localhost/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const naming = REFERENCE.operations.filter(
    ({ method, body }) => method === 'POST' && body && 'accountUUID' in body.fields,
  )
  expect(naming.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['saveCredentials', 'createWebhook', 'createAutomation', 'createTemplate', 'copyTemplate']),
  )
  for (const { id, body } of naming) {
    if (!body) continue
    const { accountUUID = DEMO_ACCOUNT, ...rest } = body.example
    const read = (account: object) => readJson(sent({ ...rest, ...account }), body.schema)
    expect([id, await read({ accountuuid: accountUUID })]).toEqual([id, await read({ accountUUID })])
  }
})

test('a call by an id looks only into the account that its query names', async () => {
  const world = await openWebhookWorld()
  await openSessions(world)
  const asked: string[] = []
  const recorded = <T extends object>(part: T): T =>
    new Proxy(part, {
      get: (of, name) => {
        const value: unknown = Reflect.get(of, name)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          asked.push(JSON.stringify(given))
          return value.apply(of, given)
        }
      },
    })
  const store = Object.fromEntries(Object.entries(world.app.store).map(([name, part]) => [name, recorded(part)]))
  const stage = { ...world, app: { ...world.app, store } } as typeof world
  const cookie = `${sessionCookieName('tab', true)}=${LEEDS}; ${sessionCookieName('frame', true)}=${BRISBANE}`
  const byId = REFERENCE.operations.filter(
    ({ who, parameters = [] }) =>
      who === 'session' && parameters.some(({ in: where, names }) => where === 'path' && names !== 'account'),
  )
  expect(byId.length).toBeGreaterThan(25)
  try {
    for (const { id, method, path, body, parameters = [] } of byId) {
      const own = body && 'accountUUID' in body.example ? { accountUUID: BRISBANE } : {}
      const address = path.replaceAll(/:(\w+)/g, (_all, name) =>
        parameters.some((one) => one.name === name && one.names === 'account') ? BRISBANE : '1',
      )
      const ask = async (query: string) => {
        asked.length = 0
        const sent = body && { ...body.example, ...own }
        const answered = await callRoute(stage, answerApi, `/${address}${query}`, {
          method,
          headers: { cookie },
          body: sent,
        })
        return { status: answered.status, ofLeeds: asked.some((given) => given.includes(LEEDS)) }
      }
      expect([id, (await ask(`?accountUUID=${BRISBANE}`)).ofLeeds]).toEqual([id, false])
      expect([id, (await ask('?accountUUID=nonsense')).status]).toEqual([id, 404])
    }
  } finally {
    world.close()
  }
})

test('a call that names two accounts is refused, and does nothing in either', async () => {
  const world = await openWebhookWorld()
  await openSessions(world)
  const cookie = `${sessionCookieName('tab', true)}=${LEEDS}; ${sessionCookieName('frame', true)}=${BRISBANE}`
  const ask = (method: string, path: string, body?: unknown) =>
    callRoute(world, answerApi, path, { method, headers: { cookie }, body })
  const url = 'https://example.com/in'
  const webhook = { callback_url: url, object: 'job', accountUUID: BRISBANE }
  const rule = { name: 'Accounts', objectType: 'job', forwardUrl: url, accountUUID: BRISBANE }
  const message = 'Two accounts are named. Name one.'
  const refused = [400, { message, errors: { accountUUID: [message] } }]
  const by = `?accountUUID=${LEEDS}`
  try {
    for (const [path, body] of [
      [`/api/webhooks${by}`, webhook],
      [`/api/forwarding-rules${by}`, rule],
      [`/api/automation${by}`, { accountUUID: BRISBANE }],
    ] as const) {
      const answered = await ask('POST', path, body)
      expect([answered.status, answered.json]).toEqual(refused)
      expect((await ask('POST', path, { ...body, accountUUID: 'nobody' })).status).toBe(404)
    }
    const looked = await ask('GET', `/api/webhooks/${BRISBANE}${by}`)
    expect([looked.status, looked.json]).toEqual(refused)
    // In the two spellings.
    for (const [path, body] of [
      [`/api/webhooks${by}&accountuuid=${BRISBANE}`, { ...webhook, accountUUID: LEEDS }],
      ['/api/webhooks', { ...webhook, accountuuid: LEEDS }],
    ] as const) {
      const answered = await ask('POST', path, body)
      expect([answered.status, answered.json]).toEqual(refused)
    }
    expect(world.client.sql.prepare('SELECT id FROM endpoint').all()).toEqual([])
    // Two ids of one account name one.
    await world.app.store.accounts.mapAccountId('ext-leeds', LEEDS, 9, () => 'new')
    const twice = { ...webhook, accountUUID: LEEDS, accountuuid: 'ext-leeds' }
    expect((await ask('POST', '/api/webhooks', { ...twice, accountuuid: 'nobody' })).status).toBe(404)
    expect((await ask('POST', '/api/webhooks', twice)).status).toBe(201)
    expect((await ask('PUT', `/api/webhooks/1?accountUUID=${BRISBANE}`, { active: false })).status).toBe(404)
    expect((await ask('PUT', `/api/webhooks/1${by}`, { active: false })).json).toMatchObject({ active: false })
  } finally {
    world.close()
  }
})

test('a wrong field is refused in words for people', () => {
  const wrong = [
    5,
    -1,
    1.5,
    1e300,
    'x',
    '',
    'x'.repeat(10_000),
    true,
    {},
    { x: 5 },
    [],
    ['x'],
    [5],
    [[]],
    null,
    Array(6),
  ]
  const said = REFERENCE.operations.flatMap(({ id, body }) => {
    // Their handlers read them with the form.
    if (!body || body.raw) return []
    const names = Object.keys({ ...body.fields, ...body.example })
    const sent = names.flatMap((name) => wrong.map((value) => ({ ...body.example, [name]: value })))
    return sent.flatMap((one) =>
      (body.schema.safeParse(one).error?.issues ?? []).map(({ message }) => `${id}: ${message}`),
    )
  })
  expect(said).toContain('saveCredentials: At most 4,096 characters')
  expect(said.filter((one) => /expected|Too big|Too small|Invalid (?!input$|amount$)/.test(one))).toEqual([])
})

test('the document is for anybody, is kept for a while, and costs little when it is asked for again', async () => {
  const first = await loader(args(new Request('http://localhost/api/openapi.json')))
  expect(first.status).toBe(200)
  expect(first.headers.get('cache-control')).toBe('public, max-age=300')
  expect(first.headers.has('access-control-allow-origin')).toBe(false)
  const document = (await first.json()) as { servers: unknown; info: { version: string } }
  expect(document.servers).toEqual([{ url: 'https://fieldhook.example.com' }])
  expect(document.info.version).toBe('1.2.3')
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
  const again = await loader(args(new Request('http://localhost/api/openapi.json', { headers })))
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test('which calls have a limit of their own, and which', () => {
  const limited = REFERENCE.operations.flatMap(({ id, limit }) => (limit ? [[id, limitText(limit)]] : []))
  expect(Object.fromEntries(limited)).toEqual({
    saveCredentials: '10 a minute and address',
    linkAccount: '5 a minute and address',
    exportAccount: '4 a minute and account',
    eraseAccount: '5 a minute and account',
    testWebhook: '5 a minute and account',
    compareWebhooks: '2 a minute and account',
    checkWebhook: '5 a minute and account',
    testForwardingRule: '5 a minute and account',
    checkForwardingRule: '5 a minute and account',
    runAutomation: '20 a minute and account',
    triggerAutomation: '60 a minute and automation',
    goOnAfterAnswer: '60 a minute and account',
    stopAfterAnswer: '60 a minute and account',
    beginPayment: '20 a minute and account',
    upgrade: '20 a minute and account',
    showReference: `${LIMITS.reference.perMinute} a minute and address`,
  })
})
