import { afterEach, beforeEach, expect, test } from 'vitest'
import { aRule, aStep } from '#tests/support/automation-world.server.ts'
import { HANGS, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { keepSubscribed } from './keep-subscribed.server.ts'
import { repairSubscriptions } from './repair-subscriptions.server.ts'

let world: WebhookWorld
let rule: number

beforeEach(async () => {
  world = await openWebhookWorld()
  rule = await world.app.store.automations.createAutomation(LEEDS, {
    name: 'New customers',
    definition: aRule([aStep('s1', 'create_task', { title: 'Call' })], {
      trigger: {
        source: 'webhook',
        object: 'company',
        type: 'job_created',
        webhookSubscriptionId: null,
        jobUuid: null,
        queueUuid: null,
        fieldName: null,
        fromValue: null,
        settleMinutes: 0,
      },
    }),
    active: true,
    nextRunAt: null,
    baselined: true,
    triggerKey: null,
    at: world.clock.now(),
  })
})
afterEach(() => world.close())

const live = () =>
  world.platform
    .listed()
    .filter((one) => one.active)
    .map(({ subject }) => subject)

test('an automation needs no webhook: its events are subscribed to, and no longer once it is off', async () => {
  expect(await keepSubscribed(world.app, LEEDS)).toBeNull()
  expect(live()).toEqual(['company'])
  await world.app.store.automations.changeAutomation(LEEDS, rule, { active: false, at: world.clock.now() })
  expect(await keepSubscribed(world.app, LEEDS)).toBeNull()
  expect(live()).toEqual([])
})

test('what ServiceM8 did not take is said, and tried again without anybody asking', async () => {
  world.platform.failures.subscribe.push(HANGS)
  expect(await keepSubscribed(world.app, LEEDS)).toMatch(/^ServiceM8 does not send us the events yet/)
  expect(live()).toEqual([])
  await repairSubscriptions(world.app)
  expect(live()).toEqual(['company'])
})
