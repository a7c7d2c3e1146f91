// Schedules of rules on events, and of rules that are called: what they would do is collected, kept, and done at that time.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Schedule, WebhookTrigger } from '#app/domain/automations/rule.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import { loadRun, loadUpcoming } from '#app/features/automations/history/history-page.server.ts'
import { releaseRuns } from '#app/features/automations/history/run-again.server.ts'
import { triggerRule } from '#app/features/automations/triggers/trigger-rule.server.ts'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { type AutomationWorld, aRule, aStep, automationWorld, LEEDS } from '#tests/support/automation-world.server.ts'
import type { AutomationEngine } from './automation-engine.server.ts'
import { type AutomationTriggers, createAutomationTriggers } from './automation-triggers.server.ts'

let world: AutomationWorld
let engine: AutomationEngine
let triggers: AutomationTriggers

function process() {
  engine = world.engine({ parts: (parts) => ({ ...parts, facts: world.parts.facts }) })
  triggers = createAutomationTriggers({ ...world.app, facts: world.parts.facts, wakeRuns: engine.wake })
  engine.start()
  triggers.start()
}

// Monday, 5 January 2026, 09:00 in Leeds.
beforeEach(async () => {
  world = await automationWorld()
})
afterEach(async () => {
  await triggers.stop()
  await world.close()
})

const TEXT = aStep('s1', 'send_sms', {
  to: '{entry.0.contact_mobile}',
  message: 'Job {entry.0.generated_job_id} is {entry.0.status}.',
})
const DAILY: Schedule = {
  runTime: '18:00',
  weekday: 1,
  dayOfMonth: 1,
  workingDays: false,
  scheduleType: 'recurring',
  scheduleDate: null,
  scheduleRecurrence: 'daily',
}
const ON_CHANGE: WebhookTrigger = {
  source: 'webhook',
  object: 'job',
  type: 'job_updated',
  webhookSubscriptionId: null,
  jobUuid: null,
  queueUuid: null,
  fieldName: null,
  fromValue: null,
  settleMinutes: 0,
  schedule: DAILY,
}

let events = 0
async function changed(recordUuid: string, fields: Record<string, string>) {
  events += 1
  const job = world.platform.records(LEEDS, 'job').get(recordUuid)
  const at = new Date(world.clock.now()).toISOString().slice(0, 19).replace('T', ' ')
  world.platform.put(LEEDS, 'job', { ...job, uuid: recordUuid, edit_date: at, ...fields })
  const event = {
    accountUuid: LEEDS,
    subscriptionId: null,
    source: 'object' as const,
    object: 'job',
    objectUuid: recordUuid,
    changedFields: Object.keys(fields),
    receivedAt: world.clock.now(),
    dedupe: `event-${events}`,
    body: '{}',
  }
  const limit = { deliveries: 50_000, bytes: 50_000_000 }
  await world.store.events.acceptEvents([event], {
    choose: chooseEndpoints,
    limit,
    retryFor: hours(72),
    stoppedReason: 'stopped',
  })
  triggers.touched()
  await world.clock.run(seconds(10))
}

/** To a local time of the first day, in leaps short enough that nothing counts as missed. */
async function until(hour: number, minute = 0) {
  const end = Date.UTC(2026, 0, 5, hour, minute)
  while (world.clock.now() < end) {
    const part = Math.min(end - world.clock.now(), minutes(9))
    if (part > seconds(15)) world.clock.leap(part - seconds(15))
    await world.clock.run(Math.min(part, seconds(15)))
  }
  await world.clock.run(seconds(20))
}

const texts = () => world.platform.messages.map(({ text }) => text)

test('a rule on events collects over the day, once per job, through a restart, and does it at its time', async () => {
  const [first, second] = [world.job(LEEDS), world.job(LEEDS)]
  await world.rule(aRule([TEXT], { trigger: ON_CHANGE }))
  process()
  // What there was before is known.
  await world.store.triggers.noteBaseline(
    LEEDS,
    {
      automationId: 1,
      version: 1,
      ledger: [],
      object: 'job',
      snapshots: [first, second].map((recordUuid) => ({
        recordUuid,
        editDate: '2026-01-05 08:00:00',
        fields: { status: 'Quote', edit_date: '2026-01-05 08:00:00' },
      })),
      watermark: '2026-01-05 08:00:00',
      partial: false,
      done: true,
    },
    world.clock.now(),
  )
  await changed(first, { status: 'Work Order' })
  await changed(second, { status: 'Completed' })
  await until(12)
  // The same job again: it is on the list, and what it says is read when its time comes.
  await changed(first, { status: 'Completed' })
  expect(texts()).toEqual([])
  const { runs, looks } = await loadUpcoming({ ...world.app, namesOf: async () => new Map() }, LEEDS)
  expect(runs.map(({ job, happened, goesOnAt }) => [job, happened, goesOnAt])).toEqual([
    ['Job 1', 'Collected. It runs at its scheduled time.', Date.UTC(2026, 0, 5, 18)],
    ['Job 2', 'Collected. It runs at its scheduled time.', Date.UTC(2026, 0, 5, 18)],
  ])
  expect(looks).toMatchObject([{ schedule: 'Every day at 18:00', at: Date.UTC(2026, 0, 5, 18) }])

  await triggers.stop()
  const drained = engine.drain()
  await world.clock.run(seconds(16))
  await drained
  process()
  await until(17, 58)
  expect(texts()).toEqual([])
  await until(18, 1)
  expect(texts().sort()).toEqual(['Job 1 is Completed.', 'Job 2 is Completed.'])

  // The next day's list is a new one.
  await changed(first, { status: 'Quote' })
  expect(
    (await loadUpcoming({ ...world.app, namesOf: async () => new Map() }, LEEDS)).runs.map(({ goesOnAt }) => goesOnAt),
  ).toEqual([Date.UTC(2026, 0, 6, 18)])
  expect(texts()).toHaveLength(2)
})

test('what was put back before its time is not done, and is done when it really happens', async () => {
  const job = world.job(LEEDS)
  const is = (field: string, value: string) => ({ field, operator: 'equals', value, logicalOperator: 'AND' }) as const
  // Of the day on which it was collected, not of the one on which it is done.
  const conditions = [is('status', 'Completed'), is('completion_date', 'TODAY')]
  await world.rule(aRule([TEXT], { trigger: ON_CHANGE, conditions, once: 'record' }))
  process()
  await world.store.triggers.noteBaseline(
    LEEDS,
    {
      ...{ automationId: 1, version: 1, ledger: [], object: 'job', watermark: '2026-01-05 08:00:00' },
      ...{ partial: false, done: true },
      snapshots: [{ recordUuid: job, editDate: '2026-01-05 08:00:00', fields: { status: 'Work Order' } }],
    },
    world.clock.now(),
  )
  await changed(job, { status: 'Completed', completion_date: '2026-01-05 09:00:00' })
  await changed(job, { status: 'Work Order' })
  await until(18, 2)
  expect(world.rows('SELECT outcome, reason_code AS reason FROM run')).toEqual([
    { outcome: 'nothing', reason: 'conditions_no_longer_met' },
  ])
  await changed(job, { status: 'Completed' })
  await until(24 + 18, 2)
  expect(texts()).toEqual(['Job 1 is Completed.'])
})

test('a manual rule waits for its date, each call a run of its own, and acts at once from then on', async () => {
  const job = world.job(LEEDS)
  const schedule: Schedule = {
    ...DAILY,
    runTime: '10:00',
    scheduleType: 'scheduled',
    scheduleDate: '2026-01-05',
    scheduleRecurrence: null,
  }
  const id = await world.rule(aRule([TEXT], { trigger: { source: 'manual_endpoint', schedule } }))
  process()
  const call = async () => {
    const rule = await world.store.automations.findAutomation(LEEDS, id)
    if (!rule) throw new Error('the rule is gone')
    return triggerRule(world.app, rule, { job_uuid: job, date: '2026-01-05' }, null)
  }
  expect(await call()).toMatchObject({ outcome: 'accepted', waits: 'until 5 January 2026 at 10:00' })
  expect(await call()).toMatchObject({ outcome: 'accepted', repeated: false })
  const [run] = world.rows('SELECT trigger_data FROM run')
  expect(JSON.parse(String(run?.trigger_data)).description).toBe('Called from outside for 5 January 2026')
  await until(9, 58)
  expect(texts()).toEqual([])
  await until(10, 1)
  expect(texts()).toHaveLength(2)
  expect(await call()).toMatchObject({ outcome: 'accepted', waits: null })
  await world.clock.run(seconds(20))
  expect(texts()).toHaveLength(3)
})

test('at most once a day is once a day of its runs: what comes after today’s is for tomorrow, once', async () => {
  const job = world.job(LEEDS)
  const trigger = { source: 'manual_endpoint', schedule: DAILY } as const
  const rules = [
    await world.rule(aRule([TEXT], { trigger: ON_CHANGE, once: 'day' })),
    await world.rule(aRule([aStep('s1', 'create_task', { title: 'Look', description: '' })], { trigger, once: 'day' })),
  ]
  process()
  await world.store.triggers.noteBaseline(
    LEEDS,
    {
      ...{ automationId: 1, version: 1, ledger: [], object: 'job', watermark: '2026-01-05 08:00:00' },
      ...{ partial: false, done: true },
      snapshots: [{ recordUuid: job, editDate: '2026-01-05 08:00:00', fields: { status: 'Quote' } }],
    },
    world.clock.now(),
  )
  const both = async (status: string) => {
    await changed(job, { status })
    const rule = await world.store.automations.findAutomation(LEEDS, rules[1] ?? 0)
    if (rule) await triggerRule(world.app, rule, { job_uuid: job, date: '2026-01-05' }, null)
  }
  await both('Work Order')
  await until(19)
  expect([texts().length, world.platform.made.length]).toEqual([1, 1])
  await both('Completed')
  await until(24 + 9)
  await both('Quote')
  await world.clock.run(seconds(20))
  const tomorrow = { wake_at: Date.UTC(2026, 0, 6, 18) }
  expect(world.rows(`SELECT wake_at FROM run WHERE outcome IS NULL`)).toEqual([tomorrow, tomorrow])
})

test('switched off before its time, what was collected is not done', async () => {
  const job = world.job(LEEDS)
  const trigger = { source: 'manual_endpoint', schedule: DAILY } as const
  const id = await world.rule(aRule([TEXT], { trigger, once: 'record' }))
  process()
  const rule = await world.store.automations.findAutomation(LEEDS, id)
  if (!rule) throw new Error('the rule is gone')
  const call = () => triggerRule(world.app, rule, { job_uuid: job, date: '2026-01-05' }, null)
  await call()
  const turn = (active: boolean) =>
    world.store.automations.changeAutomation(LEEDS, id, { active, at: world.clock.now() })
  await turn(false)
  await until(18, 2)
  expect(texts()).toEqual([])
  expect(world.rows('SELECT outcome, reason_code AS reason FROM run')).toEqual([
    { outcome: 'cancelled', reason: 'switched_off' },
  ])
  // It was not done, so it is not done before.
  await turn(true)
  await call()
  await until(24 + 18, 2)
  expect(texts()).toEqual(['Job 1 is Quote.'])
})

test('a rule that asks first does what is released at its time', async () => {
  const [released, left] = [world.job(LEEDS), world.job(LEEDS)]
  const trigger = { source: 'manual_endpoint', schedule: DAILY } as const
  const id = await world.rule(aRule([TEXT], { trigger, guards: { askFirst: true } }))
  process()
  const rule = await world.store.automations.findAutomation(LEEDS, id)
  if (!rule) throw new Error('the rule is gone')
  for (const job_uuid of [released, left]) await triggerRule(world.app, rule, { job_uuid, date: '2026-01-05' }, null)
  await until(10)
  const [run = 0] = await world.store.runs.heldRuns(LEEDS, id)
  const offer = async () => (await loadRun({ ...world.app, namesOf: async () => new Map() }, LEEDS, run))?.run.offers
  expect(await offer()).toMatchObject({ release: 'It starts at its scheduled time.' })
  expect(await releaseRuns(world.app, LEEDS, [run])).toBe(1)
  await until(10, 1)
  expect(texts()).toEqual([])
  const { runs } = await loadUpcoming({ ...world.app, namesOf: async () => new Map() }, LEEDS)
  expect(runs).toMatchObject([{ id: run, goesOnAt: Date.UTC(2026, 0, 5, 18) }])
  await until(18, 1)
  expect(texts()).toEqual(['Job 1 is Quote.'])
  // Its time has passed: what was left starts when it is released.
  await releaseRuns(world.app, LEEDS, await world.store.runs.heldRuns(LEEDS, id))
  await world.clock.run(seconds(20))
  expect(texts()).toEqual(['Job 1 is Quote.', 'Job 2 is Quote.'])
})

test.each(['switched off', 'deleted', 'paused'])(
  'what was released ahead of its time does not start once the rule is %s',
  async (then) => {
    const job_uuid = world.job(LEEDS)
    const trigger = { source: 'manual_endpoint', schedule: DAILY } as const
    const id = await world.rule(aRule([TEXT], { trigger, guards: { askFirst: true } }))
    process()
    const rule = await world.store.automations.findAutomation(LEEDS, id)
    if (!rule) throw new Error('the rule is gone')
    await triggerRule(world.app, rule, { job_uuid, date: '2026-01-05' }, null)
    await until(10)
    const runs = await world.store.runs.heldRuns(LEEDS, id)
    expect(await releaseRuns(world.app, LEEDS, runs)).toBe(1)
    await until(14)
    const at = world.clock.now()
    const reason = runReason('breaker')
    if (then === 'paused') await world.store.runs.pauseAutomations(LEEDS, { automationId: id, reason, at })
    else if (then === 'deleted') await world.store.automations.deleteAutomation(LEEDS, id, { reason, at })
    else await world.store.automations.changeAutomation(LEEDS, id, { active: false, at })
    await until(18, 1)
    expect(texts()).toEqual([])
    const ended = { 'switched off': 'switched_off', deleted: 'breaker', paused: 'breaker' }[then]
    expect(world.rows('SELECT state, reason_code AS reason FROM run')).toEqual([
      { state: then === 'paused' ? 'held' : 'done', reason: ended },
    ])
    if (then !== 'paused') return
    // Held again, it is due: who releases it now has seen that the rule stands still.
    await releaseRuns(world.app, LEEDS, runs)
    await world.clock.run(seconds(20))
    expect(texts()).toEqual(['Job 1 is Quote.'])
  },
)

test('a rule that asks first and only lets changes settle starts when it is released', async () => {
  const job = world.job(LEEDS)
  const trigger: WebhookTrigger = { ...ON_CHANGE, settleMinutes: 60, schedule: undefined }
  const id = await world.rule(aRule([TEXT], { trigger, guards: { askFirst: true } }))
  process()
  await world.store.triggers.noteBaseline(
    LEEDS,
    {
      ...{ automationId: id, version: 1, ledger: [], object: 'job', watermark: '2026-01-05 08:00:00' },
      ...{ partial: false, done: true },
      snapshots: [{ recordUuid: job, editDate: '2026-01-05 08:00:00', fields: { status: 'Quote' } }],
    },
    world.clock.now(),
  )
  await changed(job, { status: 'Completed' })
  const [run = 0] = await world.store.runs.heldRuns(LEEDS, id)
  const loaded = await loadRun({ ...world.app, namesOf: async () => new Map() }, LEEDS, run)
  expect(loaded?.run.offers).toMatchObject({ release: 'It starts now.' })
  await releaseRuns(world.app, LEEDS, [run])
  await world.clock.run(seconds(20))
  expect(texts()).toEqual(['Job 1 is Completed.'])
})
