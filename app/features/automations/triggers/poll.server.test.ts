import { afterEach, beforeEach, expect, test } from 'vitest'
import { minutes } from '#app/lib/duration.ts'
import { type AutomationWorld, aRule, aStep, automationWorld, LEEDS } from '#tests/support/automation-world.server.ts'
import { pollTrigger } from '#tests/support/record-facts.ts'
import { createPoller } from './poll.server.ts'

let world: AutomationWorld
beforeEach(async () => {
  world = await automationWorld()
})
afterEach(() => world.close())

test('a rule that could not be polled is waited for only as long as it is due', async () => {
  const { store, clock, log } = world.app
  const until = clock.now() + minutes(3)
  const poller = createPoller({
    ...{ store, clock, log, facts: world.parts.facts },
    callAsAccount: async () => ({ outcome: 'rate_limited', status: 429, message: 'Too many', retryAt: until }),
  })
  const due = async () => {
    const id = await world.rule(aRule([aStep('s1', 'create_task', {})], { trigger: pollTrigger({}) }))
    await store.automations.changeAutomation(LEEDS, id, { nextRunAt: clock.now(), at: clock.now() })
    return id
  }
  const [stays, deleted] = [await due(), await due()]
  await poller.round()
  expect(await poller.round()).toEqual({ started: 0, nextAt: until })
  await store.automations.deleteAutomation(LEEDS, deleted, { reason: 'x', at: clock.now() })
  expect(await poller.round()).toEqual({ started: 0, nextAt: until })
  await store.automations.changeAutomation(LEEDS, stays, { active: false, nextRunAt: null, at: clock.now() })
  expect(await poller.round()).toEqual({ started: 0, nextAt: null })
})
