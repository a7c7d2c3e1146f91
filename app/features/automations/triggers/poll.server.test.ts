import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { LIBRARY } from '#app/features/templates/library.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
  LEEDS,
  uuidOf,
} from '#tests/support/automation-world.server.ts'
import { pollTrigger } from '#tests/support/record-facts.ts'
import { releaseRuns, runAllAgain } from '../history/run-again.server.ts'
import { nextRun } from '../rules/timing/schedule.ts'
import { createPoller, moveTicks } from './poll.server.ts'

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

test('the next check moves with the account, and one that is due stays', async () => {
  const { store, clock } = world
  const now = clock.now()
  const trigger = pollTrigger({ runTime: '16:00' })
  const at = async (nextRunAt: number) => {
    const id = await world.rule(aRule([aStep('s1', 'create_task', {})], { trigger }))
    await store.automations.changeAutomation(LEEDS, id, { nextRunAt, at: now })
    return async () => (await store.automations.findAutomation(LEEDS, id))?.nextRunAt
  }
  const [due, next] = [await at(now), await at(nextRun(trigger, 'Europe/London', now) ?? 0)]
  await store.accounts.describeAccount({ uuid: LEEDS, name: 'Leeds Electrical', timezone: 'America/New_York' })
  let told = 0
  await moveTicks({ ...world.app, rulesChanged: () => void told++ }, LEEDS)
  expect(told).toBe(1)
  expect([await due(), await next()]).toEqual([now, nextRun(trigger, 'America/New_York', now)])
})

describe('a check that is made up late', () => {
  const fromLibrary = (templateId: number, filled: string): RuleDefinition => {
    const written = JSON.stringify(LIBRARY.find(({ id }) => id === templateId)?.definition)
    return JSON.parse(written.replaceAll(/\[\[.+?\]\]/g, filled))
  }

  /** Makes the check of `tick` at `now`. */
  async function madeUp(definition: RuleDefinition, { tick, now }: { tick: number; now: number }) {
    await world.close()
    world = await automationWorld(now)
    const rule = await world.rule(definition)
    await world.store.automations.changeAutomation(LEEDS, rule, { nextRunAt: tick, at: now })
    return async () => {
      await createPoller({ ...world.app, facts: world.parts.facts }).round()
      world.engine().start()
      await world.clock.run(seconds(5))
    }
  }

  const listed = () => JSON.parse(String(world.rows('SELECT record_uuids AS uuids FROM run')[0]?.uuids)) as string[]

  test('makes the bill of the month that it was due in', async () => {
    const company_uuid = uuidOf('company', 1)
    const times = { tick: Date.UTC(2027, 0, 31, 17), now: Date.UTC(2027, 1, 1, 15) }
    const poll = await madeUp(fromLibrary(13, company_uuid), times)
    const open = { invoice_sent: '0', payment_received: '0', purchase_order_number: '' }
    world.job(LEEDS, { ...open, company_uuid, status: 'Completed', completion_date: '2027-01-20 10:00:00' })
    await poll()
    const made = world.platform.made.find(({ object }) => object === 'job')
    expect(made?.fields.job_description).toMatch(/^Work in January 2027: /)
  })

  test('lists the week that it was due for', async () => {
    const times = { tick: Date.UTC(2026, 0, 12, 6, 45), now: Date.UTC(2026, 0, 13, 9) }
    const poll = await madeUp(fromLibrary(25, 'owner@example.test'), times)
    const done = (day: string) =>
      world.job(LEEDS, { status: 'Completed', completion_date: `2026-01-${day} 10:00:00`, job_address: `${day} Row` })
    for (const day of ['05', '11', '12']) done(day)
    await poll()
    expect(listed().toSorted()).toEqual([uuidOf('job', 1), uuidOf('job', 2)])
  })

  test('keeps the words of its tick while it waits for a person', async () => {
    const trigger = pollTrigger({ interval: 'last_of_month', runTime: '17:00' })
    const guards = { askFirst: true }
    const steps = [aStep('s1', 'create_task', { title: 'Work in {this_month}', description: '' })]
    const tick = Date.UTC(2026, 0, 31, 17)
    const poll = await madeUp(aRule(steps, { trigger, digest: true, once: 'period', guards }), { tick, now: tick })
    world.job(LEEDS)
    await poll()
    world.clock.leap(days(3))
    const run = Number(world.rows('SELECT id FROM run')[0]?.id)
    await releaseRuns(world.app, LEEDS, [run])
    await world.clock.run(seconds(5))
    const names = () => world.platform.made.flatMap(({ object, fields }) => (object === 'task' ? [fields.name] : []))
    expect(names()).toEqual(['Work in January 2026'])
    for (const today of [false, true]) {
      await runAllAgain(world.app, LEEDS, run, { today })
      await world.clock.run(seconds(5))
    }
    expect(names().slice(1)).toEqual(['Work in January 2026', 'Work in February 2026'])
  })

  test.each(['daily', 'last_of_month'] as const)('after quiet hours, a %s list is about that day', async (interval) => {
    const trigger = pollTrigger({ interval, runTime: '21:00' })
    const guards = { respectQuietHours: true }
    const steps = [aStep('s1', 'send_sms', { to: '+447700900001', message: 'As of {today}: {count}' })]
    const tick = Date.UTC(2026, 0, 31, 21)
    const poll = await madeUp(aRule(steps, { trigger, digest: true, once: 'period', guards }), { tick, now: tick })
    world.job(LEEDS)
    await poll()
    expect(world.platform.messages).toEqual([])
    for (let hour = 0; hour < 12; hour++) {
      world.clock.leap(hours(1) - seconds(15))
      await world.clock.run(seconds(15))
    }
    expect(world.platform.messages.map(({ text }) => text)).toEqual(['As of 2026-02-01: 1'])
  })

  test('is about today when it comes each day', async () => {
    const times = { tick: Date.UTC(2026, 0, 12, 6), now: Date.UTC(2026, 0, 13, 9) }
    const trigger = pollTrigger({ interval: 'daily' })
    const conditions = [{ field: 'date', operator: 'equals', value: 'TODAY', logicalOperator: 'AND' } as const]
    const steps = [aStep('s1', 'create_task', { title: '{count}', description: '' })]
    const poll = await madeUp(aRule(steps, { trigger, conditions, digest: true, once: 'period' }), times)
    for (const day of ['12', '13']) world.job(LEEDS, { date: `2026-01-${day}` })
    await poll()
    expect(listed()).toEqual([uuidOf('job', 2)])
  })
})
