// Messages that wait for the end of quiet hours, and what happens when they end.
import { afterEach, expect, test } from 'vitest'
import { DEFAULT_ACCOUNT_GUARDS } from '#app/features/automations/rules/guards.ts'
import { LIBRARY } from '#app/features/templates/library.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
  LEEDS,
  TRIGGERED,
  uuidOf,
} from '#tests/support/automation-world.server.ts'

let world: AutomationWorld
afterEach(() => world.close())

const TEXT = aStep('s1', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'Job {entry.0.generated_job_id}.' })

test.each(['too_many', 'unauthorized'] as const)(
  'a message that waited for Monday is not lost because ServiceM8 answers "%s" for a moment at 8 o\'clock',
  async (fate) => {
    // Friday, 9 January 2026, 20:30 in London.
    world = await automationWorld(Date.UTC(2026, 0, 9, 20, 30))
    const engine = world.engine()
    engine.start()
    await world.store.runs.saveAccountGuards(
      LEEDS,
      { ...DEFAULT_ACCOUNT_GUARDS, quietWeekends: true },
      world.clock.now(),
    )
    const rule = await world.rule(aRule([TEXT], { guards: { respectQuietHours: true, recheckBeforeSending: true } }))
    const run = await world.start(rule, [world.job(LEEDS)])
    engine.wake()
    await world.clock.run(minutes(1))
    expect(world.rows('SELECT state, next_attempt_at AS at FROM run_step')).toEqual([
      { state: 'planned', at: Date.UTC(2026, 0, 12, 8, 0) },
    ])
    for (let hour = 0; hour < 59; hour++) {
      world.clock.leap(hours(1) - 15_000)
      await world.clock.run(15_000)
    }
    world.platform.fate = () => fate
    world.clock.leap(minutes(28))
    await world.clock.run(minutes(2))
    world.platform.fate = () => 'well'
    await world.clock.run(minutes(10))
    expect(world.platform.messages.map(({ text }) => text)).toEqual(['Job 1.'])
    expect(await world.run(run)).toMatchObject({ state: 'done', outcome: 'success' })
  },
)

test('with quiet weekends, Monday’s visits get no reminder, and the template says so', async () => {
  // Sunday, 11 January 2026, 16:00 in London.
  world = await automationWorld(Date.UTC(2026, 0, 11, 16))
  const engine = world.engine()
  engine.start()
  const guards = { ...DEFAULT_ACCOUNT_GUARDS, quietWeekends: true }
  await world.store.runs.saveAccountGuards(LEEDS, guards, world.clock.now())
  const reminder = LIBRARY.find(({ id }) => id === 15)
  expect(reminder?.description).toContain('outside quiet hours')
  const definition = JSON.stringify(reminder?.definition).replaceAll(/\[\[(.+?)\]\]/g, '$1')
  const visit = { uuid: uuidOf('contact', 901), job_uuid: world.job(LEEDS), active: '1', activity_was_scheduled: '1' }
  world.platform.put(LEEDS, 'jobactivity', { ...visit, start_date: '2026-01-12 10:00:00' })
  const run = await world.start(await world.rule(JSON.parse(definition)), [visit.uuid], {
    source: 'poll',
    object: 'jobactivity',
  })
  engine.wake()
  await world.clock.run(minutes(1))
  for (let hour = 0; hour < 17; hour++) {
    world.clock.leap(hours(1) - 15_000)
    await world.clock.run(15_000)
  }
  expect(world.states(run)).toEqual(['s1/0 skipped'])
  expect(world.platform.messages).toEqual([])
})

test('what waited says what is true when it goes, and what two runs then say alike goes once', async () => {
  // Monday, 5 January 2026, 21:00 in London.
  world = await automationWorld(Date.UTC(2026, 0, 5, 21))
  const engine = world.engine()
  engine.start()
  const job = world.job(LEEDS)
  const booked = async (start_date: string) => {
    const visit = { uuid: uuidOf('contact', 901), job_uuid: job, active: '1', activity_was_scheduled: '1', start_date }
    world.platform.put(LEEDS, 'jobactivity', visit)
    const run = await world.start(rule, [visit.uuid], { object: 'jobactivity' })
    engine.wake()
    await world.clock.run(minutes(1))
    return run
  }
  const step = aStep('s1', 'send_sms', {
    ...{ to: '+447700900001', message: 'You are booked: {entry.0.start_date as time}', linkToJob: true },
  })
  const then = aStep('s2', 'create_task', { title: 'Booked', description: '' })
  const rule = await world.rule(aRule([step, then], { once: 'value:start_date', guards: { respectQuietHours: true } }))
  const runs = [await booked('2026-01-06 10:00:00'), await booked('2026-01-07 14:00:00')]
  expect(world.platform.messages).toEqual([])
  for (let hour = 0; hour < 12; hour++) {
    world.clock.leap(hours(1) - 15_000)
    await world.clock.run(15_000)
  }
  expect(world.platform.messages.map(({ text }) => text)).toEqual(['You are booked: 14:00'])
  expect(runs.map((run) => world.states(run).sort())).toEqual([
    ['s1/0 sent', 's2/0 sent'],
    ['s1/0 skipped', 's2/0 sent'],
  ])
})

test('an automation that runs every time says the same once when quiet hours end', async () => {
  // Monday, 5 January 2026, 21:00 in London.
  world = await automationWorld(Date.UTC(2026, 0, 5, 21))
  const engine = world.engine()
  engine.start()
  const job = world.job(LEEDS)
  const step = aStep('s1', 'send_sms', { to: '+447700900001', message: 'It is {entry.0.status}.', linkToJob: true })
  const rule = await world.rule(aRule([step], { once: 'change', guards: { respectQuietHours: true } }))
  const runs: number[] = []
  for (const status of ['Work Order', 'Completed']) {
    Object.assign(world.platform.records(LEEDS, 'job').get(job) ?? {}, { status })
    runs.push(await world.start(rule, [job]))
    engine.wake()
    await world.clock.run(minutes(1))
  }
  for (let hour = 0; hour < 10; hour++) {
    world.clock.leap(hours(1) - 15_000)
    await world.clock.run(15_000)
  }
  // ServiceM8 cannot be read when they end: that they waited is not forgotten.
  world.platform.fate = ({ verb }) => (verb === 'read' ? 'broken' : 'well')
  world.clock.leap(hours(1) - 15_000)
  await world.clock.run(30_000)
  world.platform.fate = () => 'well'
  await world.clock.run(minutes(10))
  expect(world.platform.messages.map(({ text }) => text)).toEqual(['It is Completed.'])
  expect((await world.run(runs[1] ?? 0)).journal).toMatchObject([
    { state: 'skipped', sentence: { code: 'same_message' } },
  ])
})

test('of a group, what no longer meets the conditions when quiet hours end is left out of the message', async () => {
  // Monday, 5 January 2026, 21:00 in London.
  world = await automationWorld(Date.UTC(2026, 0, 5, 21))
  const engine = world.engine()
  engine.start()
  const conditions = [
    { field: 'status', operator: 'equals', value: 'Quote', logicalOperator: 'AND' },
    { field: 'date', operator: 'equals', value: 'TODAY', logicalOperator: 'AND' },
  ] as const
  const mail = (customBody: string) =>
    aStep('s1', 'send_email', { to: 'books@partner.example', customSubject: 'Open', customBody })
  const open = mail('{entry.0.generated_job_id} {entry.1.generated_job_id or "none"}')
  const note = aStep('s0', 'create_task', { title: 'Listed', description: '' })
  const rule = (steps: Parameters<typeof aRule>[0]) =>
    world.rule(aRule(steps, { conditions: [...conditions], digest: true, guards: { respectQuietHours: true } }))
  const jobs = Array.from({ length: 6 }, () => world.job(LEEDS, { date: '2026-01-05' }))
  const [one, both, kept] = [
    await world.start(await rule([open]), jobs.slice(0, 2)),
    await world.start(await rule([open]), jobs.slice(2, 4)),
    await world.start(await rule([note, open]), jobs.slice(4, 6)),
  ]
  engine.wake()
  await world.clock.run(minutes(1))
  for (const paid of [0, 2, 3, 4, 5])
    Object.assign(world.platform.records(LEEDS, 'job').get(jobs[paid] ?? '') ?? {}, { status: 'Completed' })
  for (let hour = 0; hour < 12; hour++) {
    world.clock.leap(hours(1) - 15_000)
    await world.clock.run(15_000)
  }
  // What the third one made cannot be thought away: its conditions are left as they were.
  // Which of two runs is sent first is not promised.
  expect(world.platform.messages.map(({ text }) => text).sort()).toEqual(['2 none', '5 6'])
  expect([one, both, kept].map(world.states)).toEqual([['s1/0 sent'], ['s1/0 skipped'], ['s0/0 sent', 's1/0 sent']])
  expect(await world.run(both)).toMatchObject({ outcome: 'nothing', reason: { code: 'conditions_no_longer_met' } })
})

test('what a person ran in the evening meets its conditions in the morning, or is left out', async () => {
  // Monday, 5 January 2026, 20:30 in London.
  world = await automationWorld(Date.UTC(2026, 0, 5, 20, 30))
  const engine = world.engine()
  engine.start()
  const conditions = [{ field: 'payment_received', operator: 'equals', value: '0', logicalOperator: 'AND' }] as const
  const rule = await world.rule(aRule([TEXT], { conditions: [...conditions], guards: { respectQuietHours: true } }))
  const job = world.job(LEEDS, { payment_received: '0' })
  const byHand = { source: 'person', triggerData: { ...TRIGGERED, manualTrigger: true } } as const
  const asked = await world.start(rule, [job], byHand)
  const past = { ...byHand, triggerData: { ...byHand.triggerData, bypassedConditions: true } }
  const bypassed = await world.start(rule, [world.job(LEEDS, { payment_received: '1' })], past)
  const still = await world.start(rule, [world.job(LEEDS, { payment_received: '0' })], byHand)
  const repeated = await world.start(rule, [world.job(LEEDS, { payment_received: '1' })], {
    ...byHand,
    replayOf: asked,
  })
  engine.wake()
  await world.clock.run(minutes(30))
  Object.assign(world.platform.records(LEEDS, 'job').get(job) ?? {}, { payment_received: '1' })
  for (let hour = 0; hour < 12; hour++) {
    world.clock.leap(hours(1) - 15_000)
    await world.clock.run(15_000)
  }
  expect(await world.run(asked)).toMatchObject({ outcome: 'nothing', reason: { code: 'conditions_no_longer_met' } })
  for (const run of [bypassed, still, repeated]) expect(world.states(run)).toEqual(['s1/0 sent'])
})

test('no run is asked thousands of times while quiet hours end within the hour that comes twice', async () => {
  // Sunday, 25 October 2026, 01:05 GMT in London, the second time. Quiet from 20:00 to 01:30.
  world = await automationWorld(Date.UTC(2026, 9, 25, 1, 5))
  let claims = 0
  const engine = world.engine({
    store: (store) => ({
      ...store,
      runs: {
        ...store.runs,
        claimRun(...args) {
          claims++
          return store.runs.claimRun(...args)
        },
      },
    }),
  })
  engine.start()
  const guards = { ...DEFAULT_ACCOUNT_GUARDS, quietFrom: '20:00', quietTo: '01:30' }
  await world.store.runs.saveAccountGuards(LEEDS, guards, world.clock.now())
  const rule = await world.rule(aRule([TEXT], { guards: { respectQuietHours: true } }))
  await world.start(rule, [world.job(LEEDS)])
  engine.wake()
  await world.clock.run(2_000)
  expect(claims).toBeLessThan(5)
})
