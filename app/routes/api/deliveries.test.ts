import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { apiRoute } from '#tests/support/api-route.ts'
import { deliveryRows } from '#tests/support/delivery-rows.server.ts'
import { type Call, callRoute, openSessions } from '#tests/support/webhook-calls.server.ts'
import { BRISBANE, LEEDS, openWebhookWorld, saveRule, type WebhookWorld } from '#tests/support/webhook-world.server.ts'

const deliveries = apiRoute('api/deliveries')
const deliveryById = apiRoute('api/deliveries/:id')

let world: WebhookWorld
let delivered: number
let failed: number
let foreign: number

beforeEach(async () => {
  world = await openWebhookWorld()
  await openSessions(world)
  const rows = deliveryRows(world.client)
  const at = world.clock.now()
  const make = (account: string, code: number) => {
    const { seq } = rows.event({ account, receivedAt: at })
    const endpointId = rows.endpoint({ account })
    const state = code === 200 ? 'delivered' : 'expired'
    return rows.delivery({ account, seq, endpointId, state, at, attempts: [{ code, timing: [4, 12, 30, 210] }] })
  }
  delivered = make(LEEDS, 200)
  failed = make(LEEDS, 404)
  foreign = make(BRISBANE, 200)
})

afterEach(() => world.close())

const search = (query: string, rest: Call = {}) =>
  callRoute(world, deliveries, `/api/deliveries?accountUUID=${LEEDS}${query}`, rest)

const byId = (id: string | number, rest: Call = {}, account = LEEDS) =>
  callRoute(world, deliveryById, `/api/deliveries/${id}?accountUUID=${account}`, {
    params: { id: String(id) },
    ...rest,
  })

const idsIn = (json: { deliveries: { deliveryId: number }[] }) => json.deliveries.map((one) => one.deliveryId)

describe('GET /api/deliveries', () => {
  test('answers newest first what the filters leave', async () => {
    const { status, json } = await search('')
    expect([status, idsIn(json), json.complete, json.next]).toEqual([200, [failed, delivered], true, null])
    expect(idsIn((await search('&status=failed')).json)).toEqual([failed])
    expect(idsIn((await search('&code=2xx')).json)).toEqual([delivered])
    expect(idsIn((await search(`&id=${delivered}`)).json)).toEqual([delivered])
    expect(idsIn((await search(`&id=${foreign}`)).json)).toEqual([])
    expect(idsIn((await search('&from=2026-01-05T10:00:00%2B01:00&until=2026-01-05T09:00:00Z')).json)).toHaveLength(2)
  })

  test('answers what went to one webhook or rule of the account', async () => {
    const mine = await saveRule(world, LEEDS, 'Accounts')
    const theirs = await saveRule(world, BRISBANE, 'Theirs')
    const rows = deliveryRows(world.client)
    const at = world.clock.now()
    const { seq } = rows.event({ account: LEEDS, receivedAt: at })
    const toRule = rows.delivery({ account: LEEDS, seq, endpointId: mine.endpointId, at })
    expect(idsIn((await search(`&webhook=rule-${mine.id}`)).json)).toEqual([toRule])
    const refused = await search(`&webhook=rule-${theirs.id}`)
    expect([refused.status, refused.json.errors]).toEqual([
      400,
      { webhook: ['Must be a webhook or forwarding rule of this account'] },
    ])
  })

  test('goes on where it was left', async () => {
    const first = (await search('&limit=1')).json
    expect(idsIn(first)).toEqual([failed])
    const second = (await search(`&limit=1&before=${first.next}`)).json
    expect([idsIn(second), second.next]).toEqual([[delivered], null])
  })

  test.each([
    'status=late',
    'webhook=99',
    'code=999',
    'from=today',
    'limit=0',
    'before=x',
    'colour=red',
    'object=%00',
    `id=${'x'.repeat(101)}`,
  ])('refuses %s by its name', async (wrong) => {
    const { status, json } = await search(`&${wrong}`)
    expect([status, Object.keys(json.errors), typeof json.message]).toEqual([400, [wrong.split('=')[0]], 'string'])
  })

  test('refuses what is far too long', async () => {
    for (const name of ['id', 'record', 'field', 'object', 'code', 'status', 'from', 'before']) {
      const { status, json } = await search(`&${name}=${'9a'.repeat(5_000)}`)
      expect([status, Object.keys(json.errors)]).toEqual([400, [name]])
    }
  })
})

describe('GET /api/deliveries/{id}', () => {
  test('answers the request, the attempts with their timing, and the event', async () => {
    const { status, json } = await byId(failed)
    expect(status).toBe(200)
    expect(json).toMatchObject({
      id: failed,
      status: 'failed',
      request: { url: 'https://example.com/in', body: '{"object":"job"}' },
      attempts: [{ statusCode: 404, timing: { dnsMs: 4, connectMs: 12, tlsMs: 30, firstByteMs: 210 } }],
      event: { objectType: 'job', objectUuid: 'r-1' },
    })
    expect(JSON.stringify(json)).not.toContain('whsec_')
  })

  test.each(['0', '-1', '1e3', 'x', '99999999999999999999', `${'9'.repeat(5_000)}`])(
    'of %s is not found',
    async (id) => {
      expect((await byId(id)).text).toBe('{"message":"Not found"}')
    },
  )
})

const list = (rest: Call, account: string) =>
  callRoute(world, deliveries, `/api/deliveries?accountUUID=${account}`, rest)
const one = (rest: Call, account: string) => byId(delivered, rest, account)

describe.each([
  ['GET /api/deliveries', list],
  ['GET /api/deliveries/{id}', one],
])('%s', (_name, call) => {
  test('needs a session of the account', async () => {
    const nobody = await call({ as: null }, LEEDS)
    expect([nobody.status, nobody.text]).toEqual([401, '{"message":"Authentication required"}'])
    for (const [as, account] of [
      [BRISBANE, LEEDS],
      [LEEDS, BRISBANE],
      [LEEDS, 'nobody'],
    ] as const) {
      const other = await call({ as }, account)
      expect([other.status, other.text]).toEqual([404, '{"message":"Not found"}'])
    }
    expect((await call({}, '')).json.errors).toHaveProperty('accountUUID')
  })

  test('is read only', async () => {
    const wrong = await call({ method: 'POST' }, LEEDS)
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET'])
  })
})

test("another account's delivery and one that never was are the same bytes", async () => {
  const other = await byId(foreign)
  const never = await byId(12_345)
  expect([other.status, other.text]).toEqual([404, '{"message":"Not found"}'])
  expect([never.status, never.text]).toEqual([other.status, other.text])
})
