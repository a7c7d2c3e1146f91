// The run engine as a process: how much it does at once, how it stops, who works when there are two.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { withMethods } from '#app/lib/families.ts'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
  BRISBANE,
  LEEDS,
  type Wrapped,
} from '#tests/support/automation-world.server.ts'

let world: AutomationWorld
beforeEach(async () => {
  world = await automationWorld()
})
afterEach(() => world.close())

const TEXT = aStep('s1', 'send_sms', {
  to: '{entry.0.contact_mobile}',
  message: 'Hi {entry.0.contact_first_name or "there"}, about job {entry.0.generated_job_id}.',
  linkToJob: true,
})

/** Starts the engine and lets it work for a while. */
async function work(ms = seconds(5), engine = world.engine()) {
  engine.start()
  await world.clock.run(ms)
  return engine
}

test('one at a time on a record, at most two of an account, and nobody waits for a busy account', async () => {
  const slow = aRule([
    aStep('s1', 'send_notification', { notificationType: 'webhook', message: 'x', url: 'https://slow.example.com/' }),
  ])
  world.outbound.when('https://slow.example.com/', { afterMs: seconds(10) })
  const rule = await world.rule(slow)
  const theirs = await world.rule(slow, BRISBANE)
  const same = world.job(LEEDS)
  for (const job of [same, same, world.job(LEEDS), world.job(LEEDS), world.job(LEEDS)]) await world.start(rule, [job])
  await world.start(theirs, [world.job(BRISBANE)], {}, BRISBANE)
  const engine = await work(seconds(5))
  expect(engine.status()).toMatchObject({ inFlight: 3 })
  await world.clock.run(minutes(2))
  expect(world.outbound.mostAtOnce('https://slow.example.com/')).toBe(3)
  expect(world.rows("SELECT count(*) AS done FROM run WHERE outcome = 'success'")).toEqual([{ done: 6 }])
})

test('a process that stops lets go of what it has at work at the next boundary, and the next one goes on', async () => {
  const job = world.job(LEEDS)
  const rule = await world.rule(
    aRule([
      aStep('s1', 'send_notification', { notificationType: 'webhook', message: 'x', url: 'https://slow.example.com/' }),
      { ...TEXT, id: 's2' },
    ]),
  )
  world.outbound.when('https://slow.example.com/', { afterMs: seconds(4) })
  const run = await world.start(rule, [job])
  const engine = await work(seconds(2))
  const drained = engine.drain()
  await world.clock.run(seconds(6))
  await drained
  expect(world.states(run)).toEqual(['s1/0 sent'])
  await work(seconds(2))
  expect(await world.run(run)).toMatchObject({ outcome: 'success' })
  expect(world.outbound.sent).toHaveLength(1)
})

test('whoever waits for a run is told when it ends, and when it does not', async () => {
  const rule = await world.rule(aRule([TEXT]))
  const run = await world.start(rule, [world.job(LEEDS)])
  const engine = world.engine()
  let told = 0
  void engine.whenSettled(LEEDS, run, minutes(5)).then(() => told++)
  engine.start()
  await world.clock.run(seconds(5))
  expect(told).toBe(1)
  await engine.whenSettled(LEEDS, run, minutes(5))
  const later = await world.start(rule, [world.job(LEEDS)], { wakeAt: world.clock.now() + hours(1) })
  void engine.whenSettled(LEEDS, later, seconds(10)).then(() => told++)
  await world.clock.run(seconds(9))
  expect(told).toBe(1)
  await world.clock.run(seconds(2))
  expect(told).toBe(2)
})

test('of two processes on one file only one works, and the other takes over when it ends', async () => {
  const rule = await world.rule(aRule([TEXT]))
  const first = await work(seconds(2))
  const second = world.engine()
  second.start()
  await world.clock.run(seconds(30))
  expect([first.status().owner, second.status().owner]).toEqual([true, false])
  expect(second.status()).toMatchObject({ draining: false, turns: expect.any(Number) })
  expect(second.status().turns).toBeGreaterThan(5)
  const drained = first.drain()
  await world.clock.run(seconds(5))
  await drained
  const run = await world.start(rule, [world.job(LEEDS)])
  second.wake()
  await world.clock.run(seconds(5))
  expect(await world.run(run)).toMatchObject({ outcome: 'success' })
  expect(first.status().draining).toBe(true)
})

test('a message that was sent is written down although the database is away for a moment', async () => {
  const rule = await world.rule(aRule([TEXT]))
  const run = await world.start(rule, [world.job(LEEDS)])
  let refused = 0
  const store: Wrapped['store'] = (own) =>
    withMethods(own, {
      endSending: (...given) =>
        refused++ < 2 ? Promise.reject(new Error('disk is full')) : own.runs.endSending(...given),
    })
  await work(seconds(10), world.engine({ store }))
  expect(await world.run(run)).toMatchObject({ outcome: 'success' })
  expect(world.platform.messages).toHaveLength(1)
})
