import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createEndpoint } from '#app/features/endpoints/endpoints.server.ts'
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

const retry = apiRoute('api/deliveries/:id/retry')
const replay = apiRoute('api/webhooks/:id/replay')
const progress = apiRoute('api/webhooks/:id/replay/:replayId')
const rotate = apiRoute('api/webhooks/:id/rotate-secret')

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
  await openSessions(world)
  const form = { callback_url: 'https://example.com/in', object: 'job', fields: '', accountUUID: LEEDS }
  await createEndpoint(world.app, LEEDS, 'webhook', form, { admin: false })
  world.woken.length = 0
})

afterEach(() => world.close())

const call = (route: Route, path: string, rest: Call = {}) => callRoute(world, route, path, rest)
const NOT_FOUND = '{"message":"Not found"}'

describe('POST /api/deliveries/{id}/retry', () => {
  const send = (id: string, rest: Call = {}) =>
    call(retry, `/api/deliveries/${id}/retry`, { method: 'POST', params: { id }, ...rest })

  test('answers 202 with one new delivery, due at once, however often it is asked', async () => {
    const id = String(insertDelivery(world, insertEvent(world, 'job'), 'expired'))
    const [first, second] = await Promise.all([send(id), send(id)])
    expect([first.status, second.status]).toEqual([202, 202])
    expect(first.json).toEqual(second.json)
    const rows = world.client.sql.prepare("SELECT id, due_at FROM delivery WHERE cause = 'retry'").all()
    expect(rows).toEqual([{ id: first.json.deliveryId, due_at: world.clock.now() }])
    expect(world.woken).toContain(1)
  })

  test('takes no body and reads none', async () => {
    const id = String(insertDelivery(world, insertEvent(world, 'job'), 'expired'))
    expect((await send(id, { body: { unknown: 1 } })).status).toBe(202)
  })

  test('is not possible when nothing is left to send', async () => {
    const id = String(insertDelivery(world, insertEvent(world, 'job'), 'expired'))
    world.client.sql.prepare('DELETE FROM event_body').run()
    const refused = await send(id)
    expect([refused.status, refused.json.message]).toEqual([
      409,
      'This event is too old. We no longer keep its content.',
    ])
  })

  test("answers another account's delivery exactly as one that is not there", async () => {
    const id = String(insertDelivery(world, insertEvent(world, 'job'), 'expired'))
    for (const answer of [await send(id, { as: BRISBANE }), await send('99'), await send('1e0'), await send('-1')]) {
      expect([answer.status, answer.text]).toEqual([404, NOT_FOUND])
    }
    expect((await send(id, { as: null })).status).toBe(401)
    expect((await send(id, { method: 'GET' })).headers.get('allow')).toBe('POST')
    expect(world.client.sql.prepare("SELECT id FROM delivery WHERE cause = 'retry'").all()).toEqual([])
  })
})

const SINCE = '2026-01-05T08:00:00Z'
const begin = (body: unknown, rest: Call = {}) =>
  call(replay, '/api/webhooks/1/replay', { method: 'POST', params: { id: '1' }, body, ...rest })

describe('POST /api/webhooks/{id}/replay', () => {
  test('counts, by what is asked for, and sends nothing with dryRun', async () => {
    insertDelivery(world, insertEvent(world, 'job', 'r-1'), 'expired')
    insertDelivery(world, insertEvent(world, 'job', 'r-2'), 'delivered')
    const count = async (wanted: object) => (await begin({ since: SINCE, dryRun: true, ...wanted })).json
    expect(await count({})).toEqual({ count: 2, replayId: null })
    expect(await count({ status: 'failed' })).toEqual({ count: 1, replayId: null })
    expect(await count({ objectUuid: 'r-2' })).toEqual({ count: 1, replayId: null })
    expect(await count({ since: '2026-01-05T09:00:01Z' })).toEqual({ count: 0, replayId: null })
    expect(world.client.sql.prepare('SELECT id FROM replay').all()).toEqual([])
  })

  test('starts one, and answers the same wish with it while it runs', async () => {
    insertDelivery(world, insertEvent(world, 'job'), 'expired')
    const [first, second] = await Promise.all([begin({ since: SINCE }), begin({ since: SINCE })])
    expect([first.status, first.json]).toEqual([202, { count: 1, replayId: 1 }])
    expect([second.status, second.json]).toEqual([202, { count: 1, replayId: 1 }])
    expect((await begin({ since: SINCE, status: 'failed' })).json.replayId).toBe(2)
    expect(world.woken).toContain(1)
  })

  test.each([
    [{}, 'since'],
    [{ since: 12 }, 'since'],
    [{ since: 'yesterday' }, 'since'],
    [{ since: '2026-01-05T08:00' }, 'since'],
    [{ since: SINCE, status: 'most' }, 'status'],
    [{ since: SINCE, objectUuid: {} }, 'objectUuid'],
    [{ since: SINCE, dryRun: 'yes' }, 'dryRun'],
  ])('refuses %j for its %s', async (body, field) => {
    const refused = await begin(body)
    expect([refused.status, Object.keys(refused.json.errors), typeof refused.json.message]).toEqual([
      400,
      [field],
      'string',
    ])
  })

  test('says when there is no address to send to', async () => {
    world.client.sql.prepare("UPDATE endpoint SET url = ''").run()
    expect((await begin({ since: SINCE })).status).toBe(409)
  })

  test.each([
    ['stopped', 'The address answered 410. Press “Start again” on its card first.'],
    ['failing', 'We had stopped trying this address. Press “Start again” on its card first.'],
  ])('begins none that would send nothing, because the address is %s', async (state, message) => {
    insertDelivery(world, insertEvent(world, 'job'), 'stopped')
    world.client.sql.prepare('UPDATE endpoint SET state = ?').run(state)
    expect((await begin({ since: SINCE, dryRun: true })).json.count).toBe(1)
    const refused = await begin({ since: SINCE })
    expect([refused.status, refused.json.message]).toEqual([409, message])
    expect(world.client.sql.prepare('SELECT id FROM replay').all()).toEqual([])
  })

  test("belongs to the account, and answers another's exactly as none", async () => {
    const foreign = await begin({ since: SINCE }, { as: BRISBANE })
    const absent = await begin({ since: SINCE }, { params: { id: '99' } })
    const odd = await begin({ since: SINCE }, { params: { id: 'x' } })
    for (const answer of [foreign, absent, odd]) expect([answer.status, answer.text]).toEqual([404, NOT_FOUND])
    expect((await begin('{{{', { as: null })).json).toEqual({ message: 'Authentication required' })
    expect((await begin('{{{')).status).toBe(400)
    expect((await begin({ since: SINCE }, { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
  })
})

describe('GET and DELETE /api/webhooks/{id}/replay/{replayId}', () => {
  const look = (replayId: string, rest: Call = {}) =>
    call(progress, `/api/webhooks/1/replay/${replayId}`, { params: { id: '1', replayId }, ...rest })

  test('tell how far it is, and cancel it once', async () => {
    insertDelivery(world, insertEvent(world, 'job'), 'expired')
    await begin({ since: SINCE, status: 'failed' })
    const running = {
      replayId: 1,
      state: 'running',
      count: 1,
      delivered: 0,
      undelivered: 0,
      since: '2026-01-05T08:00:00.000Z',
      status: 'failed',
      objectUuid: null,
      createdAt: '2026-01-05T09:00:00.000Z',
      endedAt: null,
    }
    expect((await look('1')).json).toEqual(running)
    const cancelled = { ...running, state: 'cancelled', endedAt: '2026-01-05T09:00:00.000Z' }
    const both = await Promise.all([look('1', { method: 'DELETE' }), look('1', { method: 'DELETE' })])
    for (const answer of both) expect([answer.status, answer.json]).toEqual([200, cancelled])
  })

  test('know only the replays of this webhook and account', async () => {
    await begin({ since: SINCE })
    const note = { callback_url: 'https://example.com/in', object: 'note', fields: '', accountUUID: LEEDS }
    await createEndpoint(world.app, LEEDS, 'webhook', note, { admin: false })
    for (const method of ['GET', 'DELETE']) {
      const answers = [
        await look('1', { method, as: BRISBANE }),
        await look('9', { method }),
        await look('x', { method }),
        await look('1', { method, params: { id: '2', replayId: '1' } }),
      ]
      for (const answer of answers) expect([answer.status, answer.text]).toEqual([404, NOT_FOUND])
      expect((await look('1', { method, as: null })).status).toBe(401)
    }
    expect((await look('1')).json.state).toBe('running')
    expect((await look('1', { method: 'POST' })).headers.get('allow')).toBe('GET, DELETE')
  })
})

describe('POST /api/webhooks/{id}/rotate-secret', () => {
  const renew = (rest: Call = {}) =>
    call(rotate, '/api/webhooks/1/rotate-secret', { method: 'POST', params: { id: '1' }, ...rest })

  test('answers the new secret and until when the old one is good; the same to a repeated call', async () => {
    const [first, second] = await Promise.all([renew(), renew()])
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

  test("belongs to the account, and answers another's exactly as none", async () => {
    for (const answer of [await renew({ as: BRISBANE }), await renew({ params: { id: '99' } })]) {
      expect([answer.status, answer.text]).toEqual([404, NOT_FOUND])
    }
    expect((await renew({ as: null })).status).toBe(401)
    expect((await renew({ method: 'GET' })).status).toBe(405)
  })
})
