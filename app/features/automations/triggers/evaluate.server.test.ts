// Many records looked at side by side, on a real file, with a platform that does not answer one of the accounts.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { withMethods } from '#app/lib/families.ts'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
  BRISBANE,
  LEEDS,
} from '#tests/support/automation-world.server.ts'
import type { EvaluateApp } from './evaluate.server.ts'
import { createEvaluator } from './evaluator.server.ts'

let world: AutomationWorld
beforeEach(async () => {
  world = await automationWorld()
})
afterEach(() => world.close())

/** A job that changed, of an account with a rule that watches jobs. */
async function touch(account: string): Promise<string> {
  const job = world.job(account)
  const event = {
    accountUuid: account,
    subscriptionId: null,
    source: 'object' as const,
    object: 'job',
    objectUuid: job,
    changedFields: ['status'],
    receivedAt: world.clock.now(),
    dedupe: `event-${job}`,
    body: '{}',
  }
  const limit = { deliveries: 50_000, bytes: 50_000_000 }
  await world.store.events.acceptEvents([event], {
    choose: chooseEndpoints,
    limit,
    retryFor: hours(72),
    stoppedReason: 'stopped',
  })
  return job
}

async function watch(): Promise<void> {
  const rule = aRule([aStep('s1', 'create_task', { title: 'Look at this', description: '' })])
  for (const account of [LEEDS, BRISBANE]) await world.rule(rule, account)
}

const left = (account: string) =>
  world.rows('SELECT record_uuid AS job, due_at AS due, tries FROM touched_record WHERE account_uuid = ?', account)

function lookApp(callAsAccount: EvaluateApp['callAsAccount']): EvaluateApp {
  const { store, clock, log } = world.app
  return { store, clock, log, callAsAccount, facts: world.parts.facts }
}

test('an account that gets no answers keeps two places, and everybody else is looked at', async () => {
  await watch()
  const release: (() => void)[] = []
  const stuck = world.platform.connect(async (exchange, reach) => {
    if (exchange.account === LEEDS) await new Promise<void>((resolve) => release.push(resolve))
    return reach()
  })
  for (let number = 0; number < 5; number++) await touch(LEEDS)
  for (let number = 0; number < 5; number++) await touch(BRISBANE)
  await world.clock.run(seconds(3))
  let ended = 0
  const evaluator = createEvaluator(lookApp(stuck), () => {
    ended += 1
  })
  for (let round = 0; round < 5; round++) {
    expect(await evaluator.round()).toBeNull()
    await world.clock.settle()
  }
  expect(left(BRISBANE)).toEqual([])
  expect(left(LEEDS)).toHaveLength(5)
  expect(release).toHaveLength(2)
  expect(ended).toBe(5)

  for (const go of release) go()
  await evaluator.settled()
  expect(left(LEEDS)).toHaveLength(3)
})

test('when the calls of an account are spent all its records wait together, and it counts as no try', async () => {
  await watch()
  for (let number = 0; number < 5; number++) await touch(LEEDS)
  await world.clock.run(seconds(3))
  const until = world.clock.now() + minutes(1)
  let asked = 0
  const spent: EvaluateApp['callAsAccount'] = async () => {
    asked += 1
    return { outcome: 'rate_limited', status: 429, message: 'Too many', retryAt: until }
  }
  const evaluator = createEvaluator(lookApp(spent), () => {})
  await evaluator.round()
  await evaluator.settled()
  expect(await evaluator.round()).toBe(until)
  expect(asked).toBe(2)
  expect(left(LEEDS)).toHaveLength(5)
  for (const row of left(LEEDS)) expect(row).toMatchObject({ due: until, tries: 0 })
})

test('when not even a delay can be written down nothing is asked for a while', async () => {
  await watch()
  await touch(LEEDS)
  await world.clock.run(seconds(3))
  let asked = 0
  const app = lookApp(async () => {
    asked += 1
    throw new Error('the file cannot be read')
  })
  const store = withMethods(app.store, { postponeTouched: () => Promise.reject(new Error('disk I/O error')) })
  const evaluator = createEvaluator({ ...app, store }, () => {})
  await evaluator.round()
  await evaluator.settled()
  expect(await evaluator.round()).toBe(world.clock.now() + seconds(10))
  expect(asked).toBe(1)
  expect(world.logged).toContain('record.not_put_off')
  await world.clock.run(seconds(10))
  await evaluator.round()
  await evaluator.settled()
  expect(asked).toBe(2)
})
