// Long: every way in which a guard or a person holds back what a run does.
// What protects customers, and what a person decides: hold, send, discard, cancel, settle, do again.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { OncePolicy } from '#app/domain/automations/rule.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import { actOnRun } from '#app/features/automations/history/act-on-run.server.ts'
import {
  cancelRun,
  releaseRuns,
  rerunFailed,
  runAllAgain,
  settleHeldRuns,
  settleUnknown,
} from '#app/features/automations/history/run-again.server.ts'
import { DEFAULT_ACCOUNT_GUARDS } from '#app/features/automations/rules/guards.ts'
import { LIBRARY } from '#app/features/templates/library.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
  LEEDS,
  QUEUE,
  STAFF,
  uuidOf,
} from '#tests/support/automation-world.server.ts'
import { pollTrigger } from '#tests/support/record-facts.ts'

let world: AutomationWorld
beforeEach(async () => {
  world = await automationWorld()
})
afterEach(() => world.close())

const TEXT = aStep('s1', 'send_sms', {
  to: '{entry.0.contact_mobile}',
  message: 'About job {entry.0.generated_job_id}',
})
const AFTERWARDS = aStep('s2', 'create_task', { title: 'Afterwards', description: '' }, true)

/** A template of the library, its blanks filled in. */
function ruleOf(template: number) {
  const definition = LIBRARY.find(({ id }) => id === template)?.definition ?? aRule([])
  return world.rule(JSON.parse(JSON.stringify(definition).replaceAll(/\[\[(.+?)\]\]/g, '$1')))
}

/** A visit to a job. */
function visit(number: number, job: string, start_date: string, more: Record<string, string> = {}) {
  const uuid = uuidOf('contact', number)
  const booked = { uuid, job_uuid: job, active: '1', activity_was_scheduled: '1', start_date, ...more }
  world.platform.put(LEEDS, 'jobactivity', booked)
  return uuid
}

async function work(ms = seconds(5)) {
  // Hours may pass: a lease renewed every 3 s would take long.
  const engine = world.engine({}, { beatMs: minutes(5) })
  engine.start()
  await world.clock.run(ms)
  return engine
}

async function go(ms = seconds(5)) {
  world.app.wakeRuns()
  await world.clock.run(ms)
}

/** Exchanges of this kind end like this; others go well. */
function when(verb: string, fate: 'answer_lost' | 'broken' | 'not_reached' | 'well') {
  world.platform.fate = (exchange) => (exchange.verb === verb ? fate : 'well')
}

test('a rule that asks first does nothing until a person says so', async () => {
  const rule = await world.rule(aRule([TEXT], { guards: { askFirst: true } }))
  const run = await world.start(rule, [world.job(LEEDS)], { held: runReason('ask_first') })
  await work()
  expect(await world.run(run)).toMatchObject({ state: 'held', reason: runReason('ask_first'), journal: [] })
  expect(await releaseRuns(world.app, LEEDS, [run])).toBe(1)
  await go()
  expect(await world.run(run)).toMatchObject({ outcome: 'success' })
  expect(await releaseRuns(world.app, LEEDS, [run])).toBe(0)
})

test('what was approved does nothing for a job that no longer matches, and counts days from when it was held', async () => {
  const conditions = [
    { field: 'status', operator: 'equals', value: 'Quote', logicalOperator: 'AND' },
    { field: 'days_since_quote', operator: 'equals', value: '14', logicalOperator: 'AND' },
  ] as const
  const steps = [aStep('s1', 'update_job_status', { status: 'Unsuccessful' })]
  const rule = await world.rule(
    aRule(steps, { trigger: pollTrigger(), conditions: [...conditions], guards: { askFirst: true } }),
  )
  const quote = { quote_date: '2025-12-22 10:00:00' }
  const [cold, accepted] = [world.job(LEEDS, quote), world.job(LEEDS, quote)]
  const hold = (job: string) => world.start(rule, [job], { source: 'poll', held: runReason('ask_first') })
  const runs = [await hold(cold), await hold(accepted)]
  await work(hours(49))
  const jobs = world.platform.records(LEEDS, 'job')
  world.platform.put(LEEDS, 'job', { ...jobs.get(accepted), uuid: accepted, status: 'Work Order' })
  expect(await releaseRuns(world.app, LEEDS, runs)).toBe(2)
  // ServiceM8 cannot be read at that moment.
  world.platform.fate = ({ verb }) => (verb === 'read' ? 'broken' : 'well')
  await go()
  world.platform.fate = () => 'well'
  expect(await world.run(runs[1] ?? 0)).toMatchObject({ state: 'waiting', reason: runReason('released') })
  await go(hours(1))
  expect([cold, accepted].map((job) => jobs.get(job)?.status)).toEqual(['Unsuccessful', 'Work Order'])
  expect(await world.run(runs[1] ?? 0)).toMatchObject({
    outcome: 'nothing',
    reason: runReason('conditions_no_longer_met'),
    journal: [],
  })
})

test('of an approved digest, only the jobs change that still match, in every step', async () => {
  const conditions = [{ field: 'status', operator: 'equals', value: 'Quote', logicalOperator: 'AND' }] as const
  const steps = [
    aStep('s1', 'create_task', { title: 'Closed', description: '{entry.0.generated_job_id}' }),
    aStep('s2', 'update_job_status', { status: 'Unsuccessful' }),
  ]
  const rule = await world.rule(
    aRule(steps, { trigger: pollTrigger(), conditions: [...conditions], digest: true, guards: { askFirst: true } }),
  )
  const [accepted, cold] = [world.job(LEEDS), world.job(LEEDS)]
  const run = await world.start(rule, [accepted, cold], { source: 'poll', held: runReason('ask_first') })
  await work()
  const jobs = world.platform.records(LEEDS, 'job')
  Object.assign(jobs.get(accepted) ?? {}, { status: 'Work Order' })
  await releaseRuns(world.app, LEEDS, [run])
  // The first step waits for a retry: what was left out stays so.
  when('create', 'broken')
  await go()
  when('create', 'well')
  await go(hours(1))
  expect([accepted, cold].map((job) => jobs.get(job)?.status)).toEqual(['Work Order', 'Unsuccessful'])
  expect(world.platform.made.at(-1)?.fields.task_details).toBe('2')
})

test('a flood is held: some are sent one by one, the rest all at once or not at all', async () => {
  await world.store.runs.saveAccountGuards(LEEDS, { ...DEFAULT_ACCOUNT_GUARDS, floodPerHour: 20 }, world.clock.now())
  const rule = await world.rule(aRule([TEXT]))
  for (let count = 0; count < 26; count++) await world.start(rule, [world.job(LEEDS)])
  await work(minutes(1))
  expect(world.platform.messages).toHaveLength(20)
  const held = await world.store.runs.heldRuns(LEEDS, rule)
  expect(held).toHaveLength(6)
  expect((await world.run(held[0] ?? 0)).reason).toEqual(runReason('flood', { limit: 20 }))

  expect(await releaseRuns(world.app, LEEDS, held.slice(0, 1))).toBe(1)
  await go()
  expect(world.platform.messages).toHaveLength(21)
  expect(await cancelRun(world.app, LEEDS, held[1] ?? 0, { discarded: true })).toEqual({ outcome: 'cancelled' })
  expect(await world.run(held[1] ?? 0)).toMatchObject({
    outcome: 'cancelled',
    reason: runReason('discarded'),
    journal: [{ state: 'skipped', sentence: runReason('cancelled_before_sent') }],
  })
  expect(await settleHeldRuns(world.app, LEEDS, rule, 'send')).toBe(4)
  await go()
  expect(world.platform.messages).toHaveLength(25)
  expect(await settleHeldRuns(world.app, LEEDS, rule, 'discard')).toBe(0)
})

test('the last place under a cap is given once, however many runs ask for it at the same time', async () => {
  await world.store.runs.saveAccountGuards(LEEDS, { ...DEFAULT_ACCOUNT_GUARDS, ruleDailyCap: 1 }, world.clock.now())
  const rule = await world.rule(aRule([TEXT]))
  for (let count = 0; count < 4; count++) await world.start(rule, [world.job(LEEDS)])
  await work()
  expect(world.platform.messages).toHaveLength(1)
  expect(await world.store.runs.heldRuns(LEEDS, rule)).toHaveLength(3)
})

test('a staff member and the address of the account hear at once, any other waits for the end of quiet hours', async () => {
  const guards = { ...DEFAULT_ACCOUNT_GUARDS, quietForAll: true, quietFrom: '08:00', quietTo: '11:00' }
  await world.store.runs.saveAccountGuards(LEEDS, guards, world.clock.now())
  const to = 'tom@example.test, Office@example.test, books@partner.example'
  const mail = aStep('s1', 'send_email', { to, customSubject: 'Job', customBody: 'Done' })
  const run = await world.start(await world.rule(aRule([mail])), [world.job(LEEDS)])
  await work()
  expect(world.states(run)).toEqual(['s1/0 sent', 's1/1 sent', 's1/2 planned'])
  expect(world.platform.messages.map(({ to }) => to)).toEqual(['tom@example.test', 'Office@example.test'])
})

test('quiet hours move a message to their end, and everything else goes on', async () => {
  // 09:00 in London on a Monday: quiet until 11:00 in this account.
  await world.store.runs.saveAccountGuards(
    LEEDS,
    { ...DEFAULT_ACCOUNT_GUARDS, quietFrom: '08:00', quietTo: '11:00' },
    world.clock.now(),
  )
  const rule = await world.rule(
    aRule([TEXT, aStep('s2', 'create_task', { title: 'At once', description: '' })], {
      guards: { respectQuietHours: true },
    }),
  )
  const run = await world.start(rule, [world.job(LEEDS)])
  await work()
  expect(world.states(run)).toEqual(['s1/0 planned', 's2/0 sent'])
  expect(await world.run(run)).toMatchObject({ state: 'waiting', wakeAt: Date.UTC(2026, 0, 5, 11, 0, 0) })
  await world.clock.run(hours(2))
  expect(await world.run(run)).toMatchObject({ outcome: 'success' })
  expect(world.platform.messages.map(({ at }) => at)).toEqual([expect.closeTo(Date.UTC(2026, 0, 5, 11, 0, 0), -4)])
})

test('within its cool-down a customer hears nothing more from the rule, and the history says why', async () => {
  const rule = await world.rule(aRule([TEXT, AFTERWARDS], { guards: { cooldownDays: 7 } }))
  const job = world.job(LEEDS)
  await world.start(rule, [job])
  await work()
  const again = await world.start(rule, [job])
  const other = await world.start(rule, [world.job(LEEDS)])
  await go()
  expect(await world.run(again)).toMatchObject({ outcome: 'nothing' })
  expect((await world.run(again)).journal[0]).toMatchObject({
    state: 'skipped',
    sentence: { code: 'rule_cooldown', params: { days: 7 } },
  })
  expect(world.states(again)).toEqual(['s1/0 skipped', 's2/0 skipped'])
  expect(await world.run(other)).toMatchObject({ outcome: 'success' })
})

test('both messages of one run go out, and the pause begins after it', async () => {
  const second = aStep('s2', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'And one more' })
  const rule = await world.rule(aRule([TEXT, second], { guards: { cooldownDays: 7 } }))
  const job = world.job(LEEDS)
  await world.store.runs.saveAccountGuards(LEEDS, { ...DEFAULT_ACCOUNT_GUARDS, customerCooldownDays: 3 }, 0)
  const run = await world.start(rule, [job])
  await work()
  expect(world.states(run)).toEqual(['s1/0 sent', 's2/0 sent'])
  const again = await world.start(rule, [job])
  await go()
  expect(world.states(again)).toEqual(['s1/0 skipped', 's2/0 skipped'])
})

test('two bookings of one visit, or a copied rule, do not send the same words twice; other words, jobs and a person do', async () => {
  const job = world.job(LEEDS)
  const step = aStep('s1', 'send_sms', {
    ...{ to: '+447700900001', message: 'You are booked: {entry.0.start_date as time}', linkToJob: true },
  })
  const booked = (once: OncePolicy) => world.rule(aRule([step], { once }))
  const rule = await booked('value:start_date')
  const start = (uuid: string, of = rule) => world.start(of, [uuid], { object: 'jobactivity' })
  const first = await start(visit(901, job, '2026-01-06 09:00:00'))
  await work()
  const second = await start(visit(902, job, '2026-01-06 09:00:00'))
  const copied = await start(uuidOf('contact', 901), await booked('record'))
  const later = await start(visit(903, job, '2026-01-06 11:00:00'))
  const wanted = await start(uuidOf('contact', 901), await booked('change'))
  await go()
  expect(world.platform.messages.map(({ text }) => text)).toEqual([
    'You are booked: 09:00',
    'You are booked: 11:00',
    'You are booked: 09:00',
  ])
  for (const run of [second, copied]) {
    expect((await world.run(run)).journal[0]).toMatchObject({ state: 'skipped', sentence: { code: 'same_message' } })
  }
  for (const run of [first, later, wanted]) expect(await world.run(run)).toMatchObject({ outcome: 'success' })
})

test('who is on call hears of a visit once, of another job again, also in the same words', async () => {
  const [job, other] = [world.job(LEEDS), world.job(LEEDS)]
  const call = { to: '+447700900999', message: 'A visit is booked', linkToJob: false }
  const rule = await world.rule(aRule([aStep('s1', 'send_sms', call)], { once: 'record' }))
  const booked = (number: number, of: string) =>
    world.start(rule, [visit(number, of, '2026-01-06 09:00:00')], { object: 'jobactivity' })
  const runs = [await booked(905, job)]
  await work()
  runs.push(await booked(906, job), await booked(907, other))
  await go()
  expect(runs.map(world.states)).toEqual([['s1/0 sent'], ['s1/0 skipped'], ['s1/0 sent']])
})

test('a visit that moves and moves back is told each time, once for all who come', async () => {
  const [job, booked] = [world.job(LEEDS), await ruleOf(14)]
  await work()
  for (const time of ['09', '11', '09', '09']) {
    // The second visit of each person is another time: they take turns.
    for (const [number, hour] of [
      [920, time],
      [921, '15'],
      [922, time],
      [923, '15'],
    ] as const) {
      const uuid = visit(number, job, `2026-01-06 ${hour}:00:00`)
      await world.start(booked, [uuid], { object: 'jobactivity' })
      await go()
    }
    await world.clock.run(minutes(15))
  }
  const times = world.platform.messages.map(({ text }) => /\d\d:\d\d/.exec(text)?.[0])
  expect(times).toEqual(['09:00', '15:00', '11:00', '09:00'])
})

test('a visit booked in the evening is confirmed in the morning, on its day too, but not after it', async () => {
  await world.clock.run(hours(11.5))
  const booked = await ruleOf(14)
  const start = (number: number, at: string) =>
    world.start(booked, [visit(number, world.job(LEEDS), at)], { object: 'jobactivity' })
  const runs = [
    await start(940, '2026-01-06 14:00:00'),
    await start(941, '2026-01-07 14:00:00'),
    await start(942, '2026-01-05 22:00:00'),
    await start(943, '2026-01-06 07:00:00'),
  ]
  await work()
  expect(world.platform.messages).toEqual([])
  await world.clock.run(hours(12))
  expect(runs.map(world.states)).toEqual([['s1/0 sent'], ['s1/0 sent'], ['s1/0 skipped'], ['s1/0 skipped']])
})

test('a visit that is moved to an hour of today that is over is not confirmed; one still to come is', async () => {
  await world.clock.run(hours(5))
  const booked = await ruleOf(14)
  const start = (number: number, at: string) =>
    world.start(booked, [visit(number, world.job(LEEDS), at)], { object: 'jobactivity' })
  const runs = [await start(950, '2026-01-05 09:30:00'), await start(951, '2026-01-05 17:00:00')]
  await work()
  expect(await world.run(runs[0] ?? 0)).toMatchObject({ outcome: 'nothing' })
  expect(world.platform.messages.map(({ text }) => /17:00/.test(text))).toEqual([true])
})

test('a reminder of a check made up at night waits for the morning, and says “tomorrow” of no visit of today', async () => {
  const reminder = await ruleOf(15)
  const remind = (number: number) =>
    world.start(reminder, [visit(number, world.job(LEEDS), '2026-01-07 09:00:00')], { object: 'jobactivity' })
  await world.clock.run(hours(38))
  const late = await remind(945)
  await work()
  expect(world.states(late)).toEqual(['s1/0 planned'])
  await world.clock.run(hours(12))
  expect(world.states(late)).toEqual(['s1/0 skipped'])
})

test('a reminder of a check made up after midnight goes out at eight', async () => {
  await world.clock.run(hours(15) + minutes(10))
  const booked = visit(946, world.job(LEEDS), '2026-01-07 09:00:00')
  const early = await world.start(await ruleOf(15), [booked], { object: 'jobactivity' })
  await work()
  expect(world.states(early)).toEqual(['s1/0 planned'])
  await world.clock.run(hours(8))
  expect(world.states(early)).toEqual(['s1/0 sent'])
})

test('two people who come together are one reminder of the visit', async () => {
  const job = world.job(LEEDS)
  const other = uuidOf('company', 900)
  world.platform.put(LEEDS, 'staff', { uuid: other, first: 'Ann', last: 'Reed', email: '', mobile: '' })
  const reminder = await ruleOf(15)
  for (const [number, staff_uuid] of [STAFF, other].entries()) {
    const booked = visit(910 + number, job, '2026-01-06 09:00:00', { staff_uuid })
    await world.start(reminder, [booked], { object: 'jobactivity' })
  }
  await work(minutes(1))
  expect(world.platform.messages.map(({ text }) => text)).toEqual([expect.stringMatching(/^See you tomorrow, 09:00\./)])
})

test('a reminder whose words name only the booking obeys its customer and its job', async () => {
  const reminder = await ruleOf(15)
  const remind = (number: number, job: string) =>
    world.start(reminder, [visit(number, job, '2026-01-06 09:00:00')], { object: 'jobactivity' })
  const runs = [await remind(930, world.job(LEEDS)), await remind(931, world.job(LEEDS))]
  const mute = { kind: 'company', recordUuid: uuidOf('company', 1), until: null } as const
  await world.store.runs.saveMute(LEEDS, mute, world.clock.now())
  await work()
  expect(runs.map(world.states)).toEqual([['s1/0 skipped'], ['s1/0 sent']])
  expect(await world.run(runs[0] ?? 0)).toMatchObject({ outcome: 'nothing', reason: { code: 'muted' } })
})

test('one muted customer does not stop a report about many, but nothing goes to them', async () => {
  const jobs = [world.job(LEEDS), world.job(LEEDS), world.job(LEEDS)]
  const mute = { kind: 'company', recordUuid: uuidOf('company', 2), until: null } as const
  await world.store.runs.saveMute(LEEDS, mute, world.clock.now())
  const report = { customSubject: 'Jobs', customBody: '{entry.1.generated_job_id}', linkToJob: false }
  const mail = (id: string, to: string) => aStep(id, 'send_email', { ...report, to })
  const steps = [mail('s1', 'books@partner.example'), mail('s2', '{entry.1.contact_email}')]
  const text = aStep('s3', 'send_sms', { to: '{entry.1.contact_mobile}', message: 'Jobs' })
  const copy = aStep('s4', 'send_email', { ...report, to: 'books@partner.example', cc: '{entry.1.contact_email}' })
  const run = await world.start(await world.rule(aRule([...steps, text, copy], { digest: true })), jobs)
  await work()
  expect(world.states(run)).toEqual(['s1/0 sent', 's2/0 skipped', 's3/0 skipped', 's4/0 skipped'])
})

test('a number or address typed into the step obeys only the customer whose it is', async () => {
  const [job, other] = [world.job(LEEDS), world.job(LEEDS)]
  const mute = (kind: 'company' | 'job', recordUuid: string) =>
    world.store.runs.saveMute(LEEDS, { kind, recordUuid, until: null }, world.clock.now())
  await mute('company', uuidOf('company', 1))
  await mute('job', other)
  const text = (id: string, to: string) => aStep(id, 'send_sms', { to, message: 'URGENT', linkToJob: true })
  const mail = (id: string, to: string) =>
    aStep(id, 'send_email', { to, customSubject: 'Job', customBody: 'Done', linkToJob: false })
  const steps = [text('s1', '+447700900999'), text('s2', '07700 900001'), mail('s3', 'books@partner.example')]
  // The job has its own contact: this is the customer's main one.
  const main = { uuid: uuidOf('contact', 940), company_uuid: uuidOf('company', 1), email: 'Owner@partner.example' }
  world.platform.put(LEEDS, 'companycontact', { ...main, is_primary_contact: '1' })
  const theirs = [mail('s4', 'customer-1@example.test'), mail('s5', 'owner@partner.example')]
  const rule = await world.rule(aRule([...steps, ...theirs]))
  const runs = [await world.start(rule, [job]), await world.start(rule, [other])]
  await work()
  expect(runs.map(world.states)).toEqual([
    ['s1/0 sent', 's2/0 skipped', 's3/0 sent', 's4/0 skipped', 's5/0 skipped'],
    // Both of the first job's customer, who wrote STOP nowhere else.
    ['s1/0 sent', 's2/0 sent', 's3/0 sent', 's4/0 sent', 's5/0 sent'],
  ])
})

test('a copy counts as a message to who gets it: colleagues hear what a muted customer does not', async () => {
  const job = world.job(LEEDS)
  const mail = { customSubject: 'Job', customBody: 'Done', to: 'tom@example.test', cc: 'customer-1@example.test' }
  const rule = await world.rule(aRule([aStep('s1', 'send_email', mail)], { guards: { cooldownDays: 7 } }))
  const mute = { kind: 'company', recordUuid: uuidOf('company', 1), until: null } as const
  await world.store.runs.saveMute(LEEDS, mute, world.clock.now())
  const run = await world.start(rule, [job])
  await work()
  expect(world.states(run)).toEqual(['s1/0 sent', 's1/1 skipped'])
  expect(world.platform.messages.map(({ to }) => to)).toEqual(['tom@example.test'])

  const both = { ...mail, to: 'customer-2@example.test', cc: 'customer-3@example.test' }
  const wide = await world.rule(aRule([aStep('s1', 'send_email', both)], { guards: { cooldownDays: 7 } }))
  const alone = aRule([aStep('s1', 'send_email', { ...both, to: both.cc, cc: '' })], { guards: { cooldownDays: 7 } })
  await world.store.runs.saveAccountGuards(LEEDS, { ...DEFAULT_ACCOUNT_GUARDS, customerCooldownDays: 7 }, 0)
  for (const id of [await world.rule(alone), wide]) {
    await world.start(id, [world.job(LEEDS)])
    await go()
  }
  expect(world.platform.messages.map(({ to }) => to)).toEqual(['tom@example.test', 'customer-3@example.test'])

  // The copy itself is not counted: who got one may get a message of their own.
  for (const more of [
    { to: 'customer-4@example.test', cc: 'customer-5@example.test' },
    { to: 'customer-5@example.test', cc: '' },
  ]) {
    await world.start(await world.rule(aRule([aStep('s1', 'send_email', { ...mail, ...more })])), [world.job(LEEDS)])
    await go()
  }
  const last = world.platform.messages.slice(2).map(({ to }) => to)
  expect(last).toEqual(['customer-4@example.test', 'customer-5@example.test'])
})

test('a muted customer hears nothing, not even when a person lets the run go on', async () => {
  await world.store.runs.saveMute(
    LEEDS,
    { kind: 'company', recordUuid: uuidOf('company', 1), until: null },
    world.clock.now(),
  )
  const rule = await world.rule(aRule([TEXT]))
  const run = await world.start(rule, [world.job(LEEDS)], { held: runReason('ask_first') })
  await releaseRuns(world.app, LEEDS, [run])
  await work()
  expect(await world.run(run)).toMatchObject({ outcome: 'nothing' })
  expect(world.platform.messages).toEqual([])
})

test('what the run itself wrote does not stop its message, what somebody else wrote since does', async () => {
  const reminded = uuidOf('contact', 801)
  world.platform.put(LEEDS, 'badge', { uuid: reminded, name: 'Reminded', active: '1' })
  const no = { field: 'badges', operator: 'not_contains', value: 'Reminded', logicalOperator: 'AND' } as const
  const old = { field: 'days_since_change', operator: 'greater_than', value: '14', logicalOperator: 'AND' } as const
  const quote = { field: 'status', operator: 'equals', value: 'Quote', logicalOperator: 'AND' } as const
  const badge = { fieldName: 'badges', badgeChange: 'add', fieldValue: 'Reminded' }
  const steps = [
    aStep('s0', 'update_job_field', badge),
    aStep('s1', 'update_job_status', { status: 'Work Order' }),
    { ...TEXT, id: 's2' },
  ]
  const rule = await world.rule(aRule(steps, { conditions: [no, old, quote], guards: { recheckBeforeSending: true } }))
  const [one, two] = [1, 2].map(() => world.job(LEEDS, { edit_date: '2025-12-01 08:00:00' })) as [string, string]
  await world.start(rule, [one])
  await work()
  expect(world.platform.messages).toHaveLength(1)

  const jobs = world.platform.records(LEEDS, 'job')
  world.platform.fate = ({ verb, uuid }) => {
    // Between the second write and the text.
    if (verb === 'read' && uuid === two && jobs.get(two)?.status === 'Work Order')
      Object.assign(jobs.get(two) ?? {}, { status: 'Completed' })
    return 'well'
  }
  const run = await world.start(rule, [two])
  await go()
  expect(world.states(run)).toEqual(['s0/0 sent', 's1/0 sent', 's2/0 skipped'])
  expect(world.platform.messages).toHaveLength(1)
})

test('the last call for a quote makes its task only when its reminder went out', async () => {
  const mute = { kind: 'company', recordUuid: uuidOf('company', 1), until: null } as const
  await world.store.runs.saveMute(LEEDS, mute, world.clock.now())
  const rule = await ruleOf(2)
  // Written long before it was sent.
  const quote = { quote_date: '2025-11-26 00:00:00', quote_sent: '1', quote_sent_stamp: '2025-12-26 09:00:00' }
  const runs = [await world.start(rule, [world.job(LEEDS, quote)]), await world.start(rule, [world.job(LEEDS, quote)])]
  await work()
  expect(runs.map(world.states)).toEqual([
    ['s1/0 skipped', 's2/0 skipped'],
    ['s1/0 sent', 's2/0 sent'],
  ])
  expect(await world.run(runs[0] ?? 0)).toMatchObject({ outcome: 'nothing', reason: { code: 'muted' } })
  const [{ text } = { text: '' }] = world.platform.messages
  expect(text).toMatch(/our quote 2 for .+ has been with you for 10 days\. Our prices hold for 30 days\./)
  expect(world.platform.made).toMatchObject([
    { object: 'task', fields: { task_details: expect.stringContaining('went out on 5 Jan 2026') } },
  ])
})

test('the call task of an old invoice says what is true of it, with both numbers', async () => {
  const sent = {
    status: 'Completed',
    invoice_sent: '1',
    payment_received: '0',
    invoice_sent_stamp: '2025-11-20 09:00:00',
  }
  await world.start(await ruleOf(9), [world.job(LEEDS, sent)])
  await work()
  const told = JSON.stringify([world.platform.made, world.platform.messages])
  expect(told).toContain('"Job 1. Phone: none. Mobile: +447700900001."')
  // Without the message to the owner, whose place is blank here.
  expect(told.match(/\d+ days (?:late|overdue)/g)).toEqual(['32 days late', '32 days overdue'])
  expect(told).not.toMatch(/already sent|30 days|No more/)
})

test('conditions are asked again just before a message, on fresh data', async () => {
  const conditions = [{ field: 'status', operator: 'equals' as const, value: 'Quote', logicalOperator: 'AND' as const }]
  const rule = await world.rule(aRule([TEXT], { conditions, guards: { recheckBeforeSending: true } }))
  const job = world.job(LEEDS)
  const run = await world.start(rule, [job])
  const still = await world.start(rule, [world.job(LEEDS)])
  Object.assign(world.platform.records(LEEDS, 'job').get(job) ?? {}, { status: 'Completed' })
  await work()
  expect((await world.run(run)).journal).toMatchObject([
    { state: 'skipped', sentence: runReason('conditions_no_longer_met') },
  ])
  expect(await world.run(still)).toMatchObject({ outcome: 'success' })
})

test('a rule that is switched off while a message waits does not send it', async () => {
  await world.store.runs.saveAccountGuards(
    LEEDS,
    { ...DEFAULT_ACCOUNT_GUARDS, quietFrom: '08:00', quietTo: '11:00' },
    world.clock.now(),
  )
  const rule = await world.rule(aRule([TEXT], { guards: { respectQuietHours: true } }))
  const run = await world.start(rule, [world.job(LEEDS)])
  await work()
  await world.store.automations.changeAutomation(LEEDS, rule, { active: false, at: world.clock.now() })
  await world.clock.run(hours(3))
  expect((await world.run(run)).journal).toMatchObject([
    { state: 'skipped', sentence: runReason('switched_off_meanwhile') },
  ])
  expect(world.platform.messages).toEqual([])
})

describe.each([
  ['switched off', runReason('switched_off_meanwhile')],
  ['deleted', runReason('deleted_meanwhile')],
])('a rule that is %s while its run is in progress', (how, sentence) => {
  async function stop(rule: number) {
    const at = world.clock.now()
    if (how === 'deleted') await world.store.automations.deleteAutomation(LEEDS, rule, { reason: 'Deleted.', at })
    else await world.store.automations.changeAutomation(LEEDS, rule, { active: false, at })
  }

  test.each([
    ['while ServiceM8 stores the step before', 'create'],
    ['while the message is checked', 'read'],
  ])('sends no message: %s', async (_when, verb) => {
    const task = aStep('s0', 'create_task', { title: 'First', description: '' })
    const rule = await world.rule(aRule([task, TEXT], { guards: { recheckBeforeSending: true } }))
    const run = await world.start(rule, [world.job(LEEDS)])
    const isMoment = (exchange: { verb: string }) =>
      exchange.verb === verb && (verb === 'create' || world.states(run).join().includes('s1/0 planned'))
    const engine = world.engine({
      around: async (exchange, reach) => {
        if (isMoment(exchange)) await stop(rule)
        return reach()
      },
    })
    engine.start()
    await world.clock.run(minutes(1))
    expect((await world.run(run)).journal).toMatchObject([{ state: 'sent' }, { state: 'skipped', sentence }])
    expect(world.platform.messages).toEqual([])
  })
})

test('an answer that is lost leaves "may have been sent"; a person who found it settles it', async () => {
  const rule = await world.rule(aRule([TEXT, AFTERWARDS]))
  const run = await world.start(rule, [world.job(LEEDS)])
  when('sms', 'answer_lost')
  await work(hours(30))
  when('sms', 'well')
  expect(await world.run(run)).toMatchObject({ state: 'held', reason: runReason('message_unclear') })
  expect(world.states(run)).toEqual(['s1/0 unknown'])
  expect(await world.store.runs.countRunsThatNeedPerson(LEEDS, 10)).toBe(1)
  const row = { stepId: 's1', itemKey: '0' }
  expect(await settleUnknown(world.app, LEEDS, run, row, 'went_out')).toEqual({ outcome: 'settled' })
  await go()
  expect(await world.run(run)).toMatchObject({
    outcome: 'success',
    journal: [{ state: 'sent', sentence: runReason('went_out') }, { state: 'sent' }],
  })
  expect(world.platform.messages).toHaveLength(1)
  expect(await settleUnknown(world.app, LEEDS, run, row, 'send')).toEqual({ outcome: 'not_open' })
})

test('a cancelled run stays cancelled when its message is found, and says so', async () => {
  const run = await world.start(await world.rule(aRule([TEXT, AFTERWARDS])), [world.job(LEEDS)])
  when('sms', 'answer_lost')
  await work(hours(30))
  await cancelRun(world.app, LEEDS, run)
  const form = new URLSearchParams({ act: 'went_out', run: String(run), step: 's1', item: '0' })
  expect((await actOnRun(world.app, LEEDS, form)).flash.description).toContain('The run stays cancelled.')
  await go()
  expect(await world.run(run)).toMatchObject({ outcome: 'cancelled', journal: [{ state: 'sent' }] })
})

test('one that did not go out is sent when a person says so, and counted once', async () => {
  const rule = await world.rule(aRule([TEXT]))
  const run = await world.start(rule, [world.job(LEEDS)])
  when('sms', 'broken')
  await work()
  expect(await world.run(run)).toMatchObject({
    state: 'done',
    outcome: 'failure',
    reason: runReason('may_have_been_sent'),
  })
  expect(world.rows('SELECT channel FROM customer_message')).toEqual([{ channel: 'sms' }])
  when('sms', 'well')
  await settleUnknown(world.app, LEEDS, run, { stepId: 's1', itemKey: '0' }, 'send')
  await go()
  expect(await world.run(run)).toMatchObject({ outcome: 'success', reason: null })
  expect(world.platform.messages).toHaveLength(1)
  expect(world.rows('SELECT channel FROM customer_message')).toEqual([{ channel: 'sms' }])
})

test('who got a message is kept only as a keyed hash', async () => {
  const rule = await world.rule(aRule([TEXT]))
  await world.start(rule, [world.job(LEEDS)])
  await work()
  const [message] = world.rows('SELECT receiver_hash AS hash, channel, automation_id AS rule FROM customer_message')
  expect(message).toMatchObject({ channel: 'sms', rule })
  expect(String(message?.hash)).toMatch(/^[\w-]{43}$/)
  expect(JSON.stringify(world.rows('SELECT * FROM customer_message'))).not.toContain('7700')
})

test('a run that has not begun is cancelled at once, one that waits loses what it had planned', async () => {
  const rule = await world.rule(
    aRule(
      [aStep('s1', 'update_job_status', { status: 'Work Order' }), TEXT].map((step, index) => ({
        ...step,
        id: `s${index + 1}`,
      })),
    ),
  )
  const later = await world.start(rule, [world.job(LEEDS)], { wakeAt: world.clock.now() + hours(1) })
  expect(await cancelRun(world.app, LEEDS, later)).toEqual({ outcome: 'cancelled' })
  when('update', 'not_reached')
  const waiting = await world.start(rule, [world.job(LEEDS)])
  await work()
  expect(await cancelRun(world.app, LEEDS, waiting)).toEqual({ outcome: 'cancelled' })
  when('update', 'well')
  await go(hours(2))
  expect(world.states(waiting)).toEqual(['s1/0 skipped', 's2/0 sent'])
  expect(await world.run(waiting)).toMatchObject({ outcome: 'cancelled', reason: runReason('cancelled') })
  expect(await cancelRun(world.app, LEEDS, waiting)).toEqual({ outcome: 'done_already' })
  expect(await cancelRun(world.app, LEEDS, 999)).toEqual({ outcome: 'not_found' })
})

test('a run that is cancelled while it is at work ends before its next effect', async () => {
  const url = 'https://slow.example.com/'
  const rule = await world.rule(
    aRule([
      aStep('s1', 'send_notification', { notificationType: 'webhook', message: 'x', url }),
      { ...TEXT, id: 's2' },
    ]),
  )
  world.outbound.when(url, { afterMs: seconds(5) })
  const run = await world.start(rule, [world.job(LEEDS)])
  await work(seconds(2))
  expect(await cancelRun(world.app, LEEDS, run)).toEqual({ outcome: 'cancelling' })
  await world.clock.run(seconds(10))
  expect(world.states(run)).toEqual(['s1/0 sent'])
  expect(await world.run(run)).toMatchObject({ outcome: 'cancelled', reason: runReason('cancelled') })
  expect(world.platform.messages).toEqual([])
})

test('what failed is done again in the same run, under the same keys and with the same texts', async () => {
  const rule = await world.rule(
    aRule([
      TEXT,
      aStep('s2', 'create_task', { title: 'Ring {entry.0.contact_first_name}', description: '' }),
      { ...AFTERWARDS, id: 's3' },
    ]),
  )
  const job = world.job(LEEDS)
  world.platform.fate = ({ verb, object }) => (verb === 'create' && object === 'task' ? 'forbidden' : 'well')
  const run = await world.start(rule, [job])
  await work()
  const seen = (await world.run(run)).journal[1]?.clientUuid
  // A permission that never comes: given up after two days.
  world.client.sql.prepare("UPDATE run_step SET state = 'failed', next_attempt_at = NULL WHERE step_id = 's2'").run()
  world.client.sql.prepare("UPDATE run SET state = 'queued', wake_at = 0 WHERE id = ?").run(run)
  await go()
  expect(world.states(run)).toEqual(['s1/0 sent', 's2/0 failed', 's3/0 skipped'])
  expect(await world.run(run)).toMatchObject({ outcome: 'partial' })
  world.platform.fate = () => 'well'
  Object.assign(world.platform.records(LEEDS, 'jobcontact').values().next().value ?? {}, { first: 'Somebody else' })
  expect(await rerunFailed(world.app, LEEDS, run)).toEqual({ outcome: 'again', rows: 2 })
  await go()
  expect(await world.run(run)).toMatchObject({ outcome: 'success' })
  expect(world.platform.made.map(({ uuid, fields }) => [uuid === seen, fields.name])).toEqual([
    [true, 'Ring Margaret'],
    [false, 'Afterwards'],
  ])
  expect(world.platform.messages).toHaveLength(1)
  expect(await rerunFailed(world.app, LEEDS, run)).toEqual({ outcome: 'nothing_failed' })
})

test('a step left out for an empty value is planned anew with the one that waited for it', async () => {
  const status = aStep('s1', 'update_job_field', { fieldName: 'purchase_order_number', fieldValue: '{queue_name}' })
  const rule = await world.rule(aRule([status, { ...TEXT, id: 's2', waitForPrevious: true }]))
  const job = world.job(LEEDS)
  const run = await world.start(rule, [job])
  await work()
  expect(world.states(run)).toEqual(['s1/0 skipped', 's2/0 skipped'])
  world.platform.put(LEEDS, 'job', { ...world.platform.records(LEEDS, 'job').get(job), uuid: job, queue_uuid: QUEUE })
  await world.clock.run(minutes(30))
  expect(await rerunFailed(world.app, LEEDS, run)).toEqual({ outcome: 'again', rows: 2 })
  await go()
  expect(world.states(run)).toEqual(['s1/0 sent', 's2/0 sent'])
})

test('all of it once more is a new run, and says before how many messages will repeat', async () => {
  const rule = await world.rule(aRule([TEXT]))
  const run = await world.start(rule, [world.job(LEEDS)])
  await work()
  expect(await world.store.runs.findRunToRepeat(LEEDS, run)).toMatchObject({ customerMessages: 1 })
  const again = await runAllAgain(world.app, LEEDS, run)
  const twice = await runAllAgain(world.app, LEEDS, run)
  if (again.outcome !== 'started') throw new Error(again.outcome)
  expect(twice).toEqual({ outcome: 'repeated', runId: again.runId })
  await world.clock.run(seconds(5))
  expect(await world.run(again.runId)).toMatchObject({
    outcome: 'success',
    replayOf: run,
    source: 'person',
    version: 1,
  })
  expect(world.platform.messages).toHaveLength(2)
})

test("once more with today's rule says what the rule says now, also when it is switched off", async () => {
  const definition = aRule([TEXT])
  const rule = await world.rule(definition)
  const run = await world.start(rule, [world.job(LEEDS)])
  await work()
  const steps = [{ ...TEXT, parameters: { ...TEXT.parameters, message: 'New words' } }]
  await world.store.automations.changeAutomation(LEEDS, rule, {
    definition: { ...definition, steps },
    active: false,
    at: world.clock.now(),
  })
  await runAllAgain(world.app, LEEDS, run, { today: true })
  await world.clock.run(seconds(5))
  expect(world.platform.messages.map(({ text }) => text)).toEqual(['About job 1', 'New words'])
})

test('nothing is decided about a run of somebody else', async () => {
  const rule = await world.rule(aRule([TEXT]))
  const run = await world.start(rule, [world.job(LEEDS)], { held: runReason('ask_first') })
  const other = 'bbbbbbbb-0000-4000-8000-000000000002'
  expect(await cancelRun(world.app, other, run)).toEqual({ outcome: 'not_found' })
  expect(await releaseRuns(world.app, other, [run])).toBe(0)
  expect(await rerunFailed(world.app, other, run)).toEqual({ outcome: 'not_found' })
  expect(await runAllAgain(world.app, other, run)).toEqual({ outcome: 'not_found' })
  expect(await world.store.runs.findRunToRepeat(other, run)).toBeNull()
  expect(await settleUnknown(world.app, other, run, { stepId: 's1', itemKey: '0' }, 'send')).toEqual({
    outcome: 'not_found',
  })
  expect(await world.run(run)).toMatchObject({ state: 'held' })
})

test('what was on its way when a run was cancelled is only called cancelled when it is certain', async () => {
  const url = 'https://hook.example.com/'
  const rule = await world.rule(
    aRule([
      aStep('s1', 'send_notification', { notificationType: 'webhook', message: 'x', url }),
      aStep('s2', 'update_job_status', { status: 'Work Order' }),
    ]),
  )
  const jobs = [world.job(LEEDS), world.job(LEEDS)]
  const [first = 0, second = 0] = [await world.start(rule, jobs.slice(0, 1)), await world.start(rule, jobs.slice(1))]
  await work()
  // As a process leaves them that was ended in the middle of a call.
  const leave = world.client.sql.prepare("UPDATE run_step SET state = 'sending' WHERE run_id = ? AND step_id = ?")
  leave.run(first, 's1')
  leave.run(second, 's2')
  Object.assign(world.platform.records(LEEDS, 'job').get(jobs[1] ?? '') ?? {}, { status: 'Quote' })
  world.client.sql
    .prepare("UPDATE run SET state = 'waiting', outcome = NULL, wake_at = ?")
    .run(world.clock.now() + hours(1))
  for (const run of [first, second]) expect(await cancelRun(world.app, LEEDS, run)).toEqual({ outcome: 'cancelling' })
  await go()
  expect([world.states(first), world.states(second)]).toEqual([
    ['s1/0 unknown', 's2/0 sent'],
    ['s1/0 sent', 's2/0 skipped'],
  ])
  expect([await world.run(first), await world.run(second)]).toMatchObject([
    { outcome: 'cancelled' },
    { outcome: 'cancelled' },
  ])
})
