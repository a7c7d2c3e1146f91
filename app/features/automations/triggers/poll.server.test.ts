import { afterEach, beforeEach, expect, test } from 'vitest'
import { LIBRARY } from '#app/features/templates/library.ts'
import { days, minutes, seconds } from '#app/lib/duration.ts'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
  LEEDS,
  uuidOf,
} from '#tests/support/automation-world.server.ts'
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

test('a yearly service that a rule made is found itself the year after, and not before', async () => {
  const { store, clock } = world
  const yearly = JSON.stringify(LIBRARY.find(({ id }) => id === 18)?.definition)
  const listed = uuidOf('company', 900)
  const rule = await world.rule(JSON.parse(yearly.replaceAll(/\[\[.+?\]\]/g, listed)))
  for (const object of ['queue', 'category']) world.platform.put(LEEDS, object, { uuid: listed, name: 'Service' })
  const done = { status: 'Completed', category_uuid: listed }
  world.job(LEEDS, { ...done, completion_date: '2025-02-05 10:00:00' })
  const poller = createPoller({ ...world.app, facts: world.parts.facts })
  const poll = async () => {
    await store.automations.changeAutomation(LEEDS, rule, { nextRunAt: clock.now(), at: clock.now() })
    return (await poller.round()).started
  }
  expect(await poll()).toBe(1)
  world.engine().start()
  await clock.run(seconds(5))
  const made = world.platform.made.find(({ object }) => object === 'job')
  const complete = (completion_date: string) =>
    world.platform.put(LEEDS, 'job', { ...made?.fields, uuid: made?.uuid ?? '', ...done, completion_date })
  complete('2025-02-05 10:00:00')
  expect(await poll()).toBe(0)
  complete('2026-02-10 10:00:00')
  clock.leap(days(371))
  expect(await poll()).toBe(1)
})
