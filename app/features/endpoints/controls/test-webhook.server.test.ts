import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { createEndpoint } from '../endpoints.server.ts'
import { type SampleEvent, type TestResult, testWebhook } from './test-webhook.server.ts'

let world: WebhookWorld
const sent: { endpointId: number; sample: SampleEvent }[] = []
const RESULT: TestResult = { deliveryId: 9, success: true, statusCode: 204, responseTime: 31, error: null }

beforeEach(async () => {
  world = await openWebhookWorld()
  sent.length = 0
})

afterEach(() => world.close())

async function send(endpointId: number, sample: SampleEvent) {
  sent.push({ endpointId, sample })
  return RESULT
}

async function created(callback_url: string): Promise<EndpointKey> {
  const form = { callback_url, object: 'job', fields: 'status', accountUUID: LEEDS }
  const made = await createEndpoint(world.app, LEEDS, 'webhook', form, { admin: false })
  if (made.outcome !== 'created') throw new Error('not made')
  return made.endpoint.view.id
}

test('a test sends a sample of what the webhook watches and tells how the attempt ended', async () => {
  const id = await created('https://example.com/in')
  expect(await testWebhook(world.app, LEEDS, id, send)).toEqual({ outcome: 'tested', result: RESULT })
  expect(sent).toMatchObject([{ sample: { object: 'job', changedFields: ['status'] } }])
  const [endpoint] = world.client.sql.prepare('SELECT id FROM endpoint').all() as { id: number }[]
  expect(sent[0]?.endpointId).toBe(endpoint?.id)
})

test("a test of another account's webhook finds nothing and sends nothing", async () => {
  const id = await created('https://example.com/in')
  expect(await testWebhook(world.app, BRISBANE, id, send)).toEqual({ outcome: 'not_found' })
  expect(await testWebhook(world.app, LEEDS, Number(id) + 1, send)).toEqual({ outcome: 'not_found' })
  expect(sent).toEqual([])
})

test('a webhook without an address cannot be tested, and says so', async () => {
  const id = await created('')
  expect(await testWebhook(world.app, LEEDS, id, send)).toMatchObject({ outcome: 'no_address' })
  expect(sent).toEqual([])
})
