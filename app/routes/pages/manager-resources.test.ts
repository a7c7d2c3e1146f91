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
import { loader as curl, action as curlPosted } from './manager-curl.ts'
import { loader as log, action as logPosted } from './manager-log.ts'
import { loader as replay, action as replayPosted } from './manager-replay.ts'

const beginRuleReplay = apiRoute('api/forwarding-rules/:id/replay')
const beginReplay = apiRoute('api/webhooks/:id/replay')

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
  await openSessions(world)
  for (const object of ['job', 'note']) {
    const form = { callback_url: 'https://example.com/in', object, fields: '', accountUUID: LEEDS }
    await createEndpoint(world.app, LEEDS, 'webhook', form, { admin: false })
  }
})

afterEach(() => world.close())

const get = (route: Route, name: string, query: string, rest: Call = {}) =>
  callRoute(world, route, `/fieldhook/${name}?accountUUID=${LEEDS}&${query}`, rest)

describe('an event as a command', () => {
  test('has the address, the headers of a forward and the body, but no secret', async () => {
    const seq = insertEvent(world, 'job', '0192-ab')
    const { status, headers, json } = await get(curl, 'curl', `webhook=1&event=${seq}`)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(json.curl.split(' \\\n  ')).toEqual([
      "curl -X POST 'https://example.com/in'",
      "-H 'content-type: application/json'",
      "-H 'user-agent: Fieldhook/0.0.0'",
      "-H 'webhook-id: evt_0192ab_1'",
      "-H 'webhook-timestamp: 1767603600'",
      "-H 'webhook-signature: v1,SIGN_WITH_YOUR_SECRET'",
      "-H 'x-fieldhook-attempt: 1'",
      `--data-raw '{"object":"job"}'`,
    ])
  })

  test("is only had of this webhook's events, by their account, while their content is kept", async () => {
    const seq = insertEvent(world, 'job')
    for (const query of [`webhook=2&event=${seq}`, 'webhook=1&event=99', 'webhook=1&event=x', 'event=1']) {
      expect((await get(curl, 'curl', query)).status).toBe(404)
    }
    expect((await get(curl, 'curl', `webhook=1&event=${seq}`, { as: BRISBANE })).text).toBe('{"message":"Not found"}')
    expect((await get(curl, 'curl', `webhook=1&event=${seq}`, { as: null })).status).toBe(401)
    world.client.sql.prepare('DELETE FROM event_body').run()
    expect((await get(curl, 'curl', `webhook=1&event=${seq}`)).status).toBe(404)
  })
})

describe('of a forwarding rule, by its key', () => {
  beforeEach(async () => {
    const form = { name: 'Accounting', objectType: 'job', forwardUrl: 'https://accounts.example.com/in' }
    await createEndpoint(world.app, LEEDS, 'extra', { ...form, accountUUID: LEEDS }, { admin: false })
  })

  test('an event as a command has the rule’s address and id', async () => {
    const seq = insertEvent(world, 'job', '0192-ab')
    const { status, json } = await get(curl, 'curl', `webhook=rule-1&event=${seq}`)
    expect([status, json.curl]).toEqual([200, expect.stringContaining("'https://accounts.example.com/in'")])
    expect(json.curl).toContain('webhook-id: evt_0192ab_3')
    expect((await get(curl, 'curl', `webhook=rule-9&event=${seq}`)).status).toBe(404)
    expect((await get(curl, 'curl', `webhook=rule-1&event=${seq}`, { as: BRISBANE })).status).toBe(404)
  })

  test('the log has only what was meant for it', async () => {
    const seq = insertEvent(world, 'job', 'r-1')
    insertDelivery(world, seq, 'delivered')
    insertDelivery(world, insertEvent(world, 'job', 'r-2'), 'delivered')
    world.client.sql.prepare('UPDATE delivery SET endpoint_id = 3 WHERE event_seq = ?').run(seq)
    const ofRule = (await get(log, 'log', 'webhook=rule-1')).json.entries
    expect(ofRule.map((entry: { objectUuid: string }) => entry.objectUuid)).toEqual(['r-1'])
    expect((await get(log, 'log', 'webhook=1')).json.entries).toHaveLength(2)
    expect((await get(log, 'log', 'webhook=rule-9')).json.entries).toEqual([])
  })

  test('a replay is found by the rule alone', async () => {
    await callRoute(world, beginRuleReplay, '/api/forwarding-rules/1/replay', {
      method: 'POST',
      params: { id: '1' },
      body: { since: '2026-01-05T08:00:00Z' },
    })
    expect((await get(replay, 'replay', 'webhook=rule-1&replay=1')).json.replay).toMatchObject({ id: 1 })
    expect((await get(replay, 'replay', 'webhook=1&replay=1')).json).toEqual({ replay: null })
  })
})

describe('the line of a replay', () => {
  test('tells how far it is, and nothing of what is not there', async () => {
    insertDelivery(world, insertEvent(world, 'job'), 'expired')
    const body = { since: '2026-01-05T08:00:00Z' }
    await callRoute(world, beginReplay, '/api/webhooks/1/replay', { method: 'POST', params: { id: '1' }, body })
    const { json } = await get(replay, 'replay', 'webhook=1&replay=1')
    expect(json.replay).toMatchObject({ id: 1, state: 'running', total: 1, delivered: 0 })
    expect(json.replay).not.toHaveProperty('endpointId')
    for (const query of ['webhook=2&replay=1', 'webhook=1&replay=9', 'webhook=x&replay=1', '']) {
      expect((await get(replay, 'replay', query)).json).toEqual({ replay: null })
    }
    expect((await get(replay, 'replay', 'webhook=1&replay=1', { as: BRISBANE })).status).toBe(404)
    expect((await get(replay, 'replay', 'webhook=1&replay=1', { as: null })).status).toBe(401)
  })
})

test.each([curlPosted, logPosted, replayPosted])('another method is refused in words', async (posted) => {
  const { status, headers, json } = await get(posted, 'log', '', { method: 'POST' })
  expect([status, headers.get('allow'), json]).toEqual([405, 'GET', { message: 'This address takes GET.' }])
})
