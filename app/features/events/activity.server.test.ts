import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PlatformCall } from '#app/adapters/servicem8/servicem8-call.ts'
import { asCaller } from '#app/lib/caller.server.ts'
import { withMethods } from '#app/lib/families.ts'
import { LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { loadApiActivity, recordPlatformCall } from './activity.server.ts'

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
})

afterEach(() => world.close())

const CALL: PlatformCall = {
  accountUuid: LEEDS,
  method: 'POST',
  path: '/webhook_subscriptions/object',
  request: { object: 'job', fields: 'status', callback_url: 'https://hooks.example.com/hooks/platform/…' },
  outcome: 'refused',
  status: 400,
  answer: 'Challenge failed',
  durationMs: 87,
}

test('a call to the platform is on the activity page with what was said and what came back', async () => {
  recordPlatformCall(world.app, CALL)
  await expect
    .poll(() => loadApiActivity(world.app, LEEDS))
    .toEqual([
      {
        id: 1,
        accountUUID: LEEDS,
        activityType: 'api_call',
        activityLabel: 'API Call',
        endpoint: '/webhook_subscriptions/object',
        method: 'POST',
        requestData: JSON.stringify(CALL.request),
        responseData: 'Challenge failed',
        statusCode: 400,
        userAgent: null,
        remoteIp: null,
        duration: 87,
        createdAt: '2026-01-05T09:00:00.000Z',
      },
    ])
})

test('a call made for somebody names the address they came from', async () => {
  asCaller('203.0.113.40', () => recordPlatformCall(world.app, CALL))
  await expect.poll(() => loadApiActivity(world.app, LEEDS)).toMatchObject([{ remoteIp: '203.0.113.40' }])
})

test('a call that had no answer, or sent nothing, has no status and no request', async () => {
  recordPlatformCall(world.app, { ...CALL, method: 'GET', request: null, status: null })
  await expect.poll(() => loadApiActivity(world.app, LEEDS)).toMatchObject([{ statusCode: null, requestData: null }])
})

test('of looks that the clock takes every few minutes only those are written down, and counted, that went wrong', async () => {
  const look: PlatformCall = { ...CALL, method: 'GET', path: '/api_1.0/jobcontact.json', request: null, routine: true }
  recordPlatformCall(world.app, { ...look, outcome: 'ok', status: 200, answer: '0 records' })
  recordPlatformCall(world.app, { ...look, outcome: 'forbidden', status: 403, answer: 'insufficient_scope' })
  await expect.poll(() => loadApiActivity(world.app, LEEDS)).toMatchObject([{ statusCode: 403 }])
  const noted = world.client.sql.prepare('SELECT kind, count FROM usage_day').all()
  expect(noted).toEqual([{ kind: 'free_call', count: 1 }])
})

test('only what an automation asks of the platform counts as used', async () => {
  recordPlatformCall(world.app, CALL)
  recordPlatformCall(world.app, { ...CALL, counts: true })
  recordPlatformCall(world.app, { ...CALL, counts: true })
  const day = Math.floor(world.clock.now() / 86_400_000)
  // Nobody waits for what is written down.
  await expect
    .poll(() => world.app.store.billing.usageOfDays(LEEDS, day, day + 1))
    .toMatchObject({ apiCalls: 2, total: 2 })
  // The platform's own limit is told of all of them.
  await expect.poll(() => world.app.store.events.recentApiCalls(LEEDS, { since: 0, day })).toMatchObject({ inDay: 3 })
})

test('a call from before the account was known is nobody’s activity', async () => {
  recordPlatformCall(world.app, { ...CALL, accountUuid: null })
  expect(world.client.sql.prepare('SELECT count(*) AS n FROM api_activity').get()).toEqual({ n: 0 })
})

test('a call is not failed by what cannot be written down; the process says so in its log', async () => {
  const warned: string[] = []
  const told = new Promise<void>((resolve) => {
    world.app.log.warn = (_fields, message) => {
      warned.push(message)
      resolve()
    }
  })
  world.app.store = withMethods(world.app.store, { recordApiActivity: () => Promise.reject(new Error('disk full')) })
  recordPlatformCall(world.app, CALL)
  await told
  expect(warned).toEqual(['activity.not_recorded'])
})
