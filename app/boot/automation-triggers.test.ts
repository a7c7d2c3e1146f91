// Long: every way a rule is set off, on one stage.
// What sets rules off, with the real engine behind it: a real file, a stepped clock, the platform in process.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMeasures } from '#app/adapters/measures.server.ts'
import type { Measures } from '#app/adapters/measures.ts'
import type { PollTrigger, RuleDefinition, WebhookTrigger } from '#app/domain/automations/rule.ts'
import { LAST_RUNS } from '#app/domain/automations/run-record.ts'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { trimSnapshots } from '#app/features/events/poll-objects.server.ts'
import { LIBRARY } from '#app/features/templates/library.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import { UNDO_KEPT } from '#app/lib/undo.ts'
import type { IncomingEvent } from '#db/store/events.ts'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
  BRISBANE,
  LEEDS,
  QUEUE,
  uuidOf,
} from '#tests/support/automation-world.server.ts'
import { type AutomationTriggers, createAutomationTriggers } from './automation-triggers.server.ts'
import { measureStore } from './observe/measured-parts.server.ts'

let world: AutomationWorld
let triggers: AutomationTriggers
/** By the metrics. */
let started = 0
const measures: Measures = {
  ...createMeasures({ version: '', routes: [] }),
  runsStarted(count) {
    started += count
  },
}
beforeEach(async () => {
  world = await automationWorld()
  // One memory for looks and runs, as in the product.
  const engine = world.engine({ parts: (parts) => ({ ...parts, facts: world.parts.facts }) })
  started = 0
  const store = measureStore(world.store, measures)
  triggers = createAutomationTriggers({ ...world.app, store, facts: world.parts.facts, wakeRuns: engine.wake })
  engine.start()
})
afterEach(async () => {
  await triggers.stop()
  await world.close()
})

const TEXT = aStep('s1', 'send_sms', {
  to: '{entry.0.contact_mobile}',
  message: 'Job {entry.0.generated_job_id} is {entry.0.status}.',
})

const ON_STATUS: WebhookTrigger = {
  source: 'webhook',
  object: 'job',
  type: 'job_status',
  webhookSubscriptionId: null,
  jobUuid: null,
  queueUuid: null,
  fieldName: null,
  fromValue: null,
  settleMinutes: 0,
}

const HOURLY: PollTrigger = {
  source: 'api_polling',
  endpoint: '/api_1.0/job.json',
  method: 'GET',
  interval: 'hourly',
  runTime: '09:30',
  weekday: 1,
  dayOfMonth: 1,
  workingDays: false,
  scheduleType: 'recurring',
  scheduleDate: null,
  scheduleRecurrence: null,
}

const IS_COMPLETED = { field: 'status', operator: 'equals', value: 'Completed', logicalOperator: 'AND' } as const
const COMPLETED = [IS_COMPLETED]

/** Switched on just now: what is there has yet to be noted. */
async function switchOn(
  definition: RuleDefinition,
  more: { nextRunAt?: number; account?: string; name?: string } = {},
) {
  return world.store.automations.createAutomation(more.account ?? LEEDS, {
    name: more.name ?? 'Rule',
    definition,
    active: true,
    nextRunAt: more.nextRunAt ?? null,
    baselined: false,
    triggerKey: null,
    at: world.clock.now(),
  })
}

/** A long while, most of it in leaps that are short enough that no tick counts as missed. */
async function later(ms: number) {
  for (let left = ms; left > 0; left -= minutes(9)) {
    const part = Math.min(left, minutes(9))
    world.clock.leap(part - seconds(15))
    await world.clock.run(seconds(15))
  }
}

let events = 0
async function told(recordUuid: string, changedFields: string[], account = LEEDS, object = 'job') {
  events += 1
  const event: IncomingEvent = {
    accountUuid: account,
    subscriptionId: null,
    source: 'object',
    object,
    objectUuid: recordUuid,
    changedFields,
    receivedAt: world.clock.now(),
    dedupe: `event-${events}`,
    body: '{}',
  }
  const limit = { deliveries: 50_000, bytes: 50_000_000 }
  const options = { choose: chooseEndpoints, limit, retryFor: hours(72), stoppedReason: 'stopped' }
  const [accepted] = await world.store.events.acceptEvents([event], options)
  if (accepted?.outcome === 'stored' && accepted.touched) triggers.touched()
  return accepted
}

/** As the platform's own screens do it: the record changes, and its edit date with it. */
function edit(recordUuid: string, fields: Record<string, string>, account = LEEDS) {
  const job = world.platform.records(account, 'job').get(recordUuid)
  const at = new Date(world.clock.now()).toISOString().slice(0, 19).replace('T', ' ')
  world.platform.put(account, 'job', { ...job, uuid: recordUuid, edit_date: at, ...fields })
}

const texts = () => world.platform.messages.map((message) => message.text)
const verdicts = () =>
  world
    .rows('SELECT automation_id AS rule, verdict FROM rule_verdict ORDER BY automation_id, record_uuid')
    .map(({ rule, verdict }) => `${String(rule)} ${String(verdict)}`)

test('a record that may not be read pauses its rules, and its change is found once it may', async () => {
  const job = world.job(LEEDS)
  const rule = await switchOn(aRule([TEXT], { trigger: ON_STATUS }))
  triggers.start()
  await later(minutes(5))
  const refused = { outcome: 'forbidden', status: 403, message: 'read_jobs scope required' } as const
  world.platform.fate = ({ verb }) => (verb === 'vendor' ? 'well' : refused)
  edit(job, { status: 'Completed' })
  await told(job, ['status'])
  await world.clock.run(seconds(5))
  const found = () => world.store.automations.findAutomation(LEEDS, rule)
  expect((await found())?.pausedReason).toMatchObject({ code: 'scope', params: { scope: 'read_jobs' } })
  await later(hours(3))
  expect(texts()).toEqual([])
  world.platform.fate = () => 'well'
  await world.store.accounts.saveCredential(LEEDS, {
    accessTokenSealed: 'a',
    refreshTokenSealed: 'r',
    expiresAt: world.clock.now() + hours(99),
    scope: 'vendor read_jobs',
  })
  await later(hours(1))
  expect([(await found())?.pausedReason, texts()]).toEqual([null, ['Job 1 is Completed.']])
})

test('a change of status sets off the rules that match it, after one read of the record for all of them', async () => {
  const job = world.job(LEEDS)
  const completed = await switchOn(aRule([TEXT], { trigger: ON_STATUS, conditions: COMPLETED }))
  const quoted = await switchOn(
    aRule([TEXT], {
      trigger: ON_STATUS,
      conditions: [{ field: 'status', operator: 'equals', value: 'Quote', logicalOperator: 'AND' }],
    }),
  )
  triggers.start()
  await world.clock.run(seconds(5))
  const before = world.platform.exchanges.length
  edit(job, { status: 'Completed' })
  await told(job, ['status'])
  await told(job, ['status', 'completion_date'])
  await world.clock.run(seconds(20))
  expect(texts()).toEqual(['Job 1 is Completed.'])
  expect(verdicts()).toEqual([`${completed} fired`, `${quoted} not_matched`])
  const reads = world.platform.exchanges.slice(before).filter(({ verb, object }) => verb === 'read' && object === 'job')
  // One look for both rules, one for the run's own fresh texts.
  expect(reads).toHaveLength(2)
})

test('a rule that acts at once has acted within 300 ms of the event', async () => {
  const job = world.job(LEEDS)
  await switchOn(aRule([TEXT], { trigger: { ...ON_STATUS, atOnce: true }, conditions: COMPLETED }))
  triggers.start()
  await world.clock.run(seconds(5))
  edit(job, { status: 'Completed' })
  await told(job, ['status'])
  await world.clock.run(300)
  expect(texts()).toEqual(['Job 1 is Completed.'])
  // A later change of the same record is looked at in its turn, and fires nothing.
  await told(job, ['completion_date'])
  await world.clock.run(300)
  expect(world.rows('SELECT count(*) AS n FROM touched_record')).toEqual([{ n: 0 }])
  expect(texts()).toHaveLength(1)
})

test('beside a rule that waits for more changes, every rule for the object waits', async () => {
  const job = world.job(LEEDS)
  await switchOn(aRule([TEXT], { trigger: { ...ON_STATUS, atOnce: true }, conditions: COMPLETED }))
  await switchOn(aRule([TEXT], { trigger: { ...ON_STATUS, type: 'job_updated' } }))
  triggers.start()
  await world.clock.run(seconds(5))
  edit(job, { status: 'Completed' })
  await told(job, ['status'])
  await world.clock.run(seconds(1))
  expect(texts()).toEqual([])
  await world.clock.run(seconds(5))
  expect(texts()).toEqual(['Job 1 is Completed.', 'Job 1 is Completed.'])
})

test('an event about what no rule watches leaves nothing to look at', async () => {
  await switchOn(aRule([TEXT], { trigger: { ...ON_STATUS, object: 'company' } }))
  expect(await told(world.job(LEEDS), ['status'])).toMatchObject({ outcome: 'stored' })
  expect(world.rows('SELECT count(*) AS n FROM touched_record')).toEqual([{ n: 0 }])
})

test('a record met for the first time by a change fires nothing, until the sweep says that it is new', async () => {
  await switchOn(aRule([TEXT], { trigger: ON_STATUS, conditions: COMPLETED }))
  triggers.start()
  await world.clock.run(minutes(2))
  const job = world.job(LEEDS, { status: 'Completed' })
  edit(job, {})
  await told(job, ['status'])
  await world.clock.run(seconds(10))
  expect(texts()).toEqual([])
  expect(verdicts()).toEqual(['1 first_sight'])
  await later(hours(2))
  expect(texts()).toEqual(['Job 1 is Completed.'])
})

test('after its creation was told, the next change of a record fires at once', async () => {
  await switchOn(aRule([TEXT], { trigger: ON_STATUS, conditions: COMPLETED }))
  triggers.start()
  await world.clock.run(seconds(5))
  const job = world.job(LEEDS)
  await told(job, ['uuid', 'status'])
  await world.clock.run(seconds(10))
  edit(job, { status: 'Completed' })
  await told(job, ['status'])
  await world.clock.run(seconds(10))
  expect(texts()).toEqual(['Job 1 is Completed.'])
})

test('the history knows the customer although no rule asks for it, at one call for each customer', async () => {
  const job = world.job(LEEDS)
  const other = world.job(LEEDS, { company_uuid: String(world.platform.records(LEEDS, 'job').get(job)?.company_uuid) })
  await switchOn(
    aRule([aStep('s1', 'update_job_field', { fieldName: 'badges', fieldValue: 'x' })], { trigger: ON_STATUS }),
  )
  triggers.start()
  await world.clock.run(seconds(20))
  for (const one of [job, other]) {
    const before = world.platform.exchanges.length
    edit(one, { status: 'Completed' })
    await told(one, ['status'])
    await world.clock.run(minutes(3))
    const asked = world.platform.exchanges.slice(before).filter(({ object }) => object === 'company')
    expect(asked).toHaveLength(one === job ? 1 : 0)
  }
  const runs = await world.store.runs.listRuns(LEEDS, { ...LAST_RUNS, limit: 10 })
  expect(runs.map((run) => run.triggerData.conditionMatching?.matchedRecords[0]?.companyName)).toEqual([
    'Customer 2',
    'Customer 2',
  ])
})

test('a record the platform calls new fires a rule on new records, once however often it is told', async () => {
  await switchOn(aRule([TEXT], { trigger: { ...ON_STATUS, type: 'job_created' }, once: 'record' }))
  triggers.start()
  await world.clock.run(seconds(5))
  const job = world.job(LEEDS)
  await told(job, ['uuid', 'status'])
  await world.clock.run(seconds(10))
  await told(job, ['uuid', 'status'])
  await world.clock.run(seconds(10))
  expect(texts()).toEqual(['Job 1 is Quote.'])
  expect(verdicts()).toEqual(['1 done_before'])
})

test('a record that is created and completed within the settling time counts as created and as changed, once', async () => {
  const rules = {
    changed: aRule([TEXT], { conditions: COMPLETED }),
    status: aRule([TEXT], { trigger: ON_STATUS, conditions: COMPLETED }),
    created: aRule([TEXT], { trigger: { ...ON_STATUS, type: 'job_created' }, once: 'record' }),
  }
  for (const [name, definition] of Object.entries(rules)) await switchOn(definition, { name })
  triggers.start()
  await world.clock.run(seconds(5))
  const job = world.job(LEEDS)
  await told(job, ['uuid', 'status'])
  await world.clock.run(200)
  edit(job, { status: 'Completed' })
  await told(job, ['status'])
  await world.clock.run(seconds(30))
  // One that is only created is no change, whatever it is told about later.
  const quiet = world.job(LEEDS, { status: 'Completed' })
  await told(quiet, ['uuid', 'status'])
  await world.clock.run(seconds(30))
  const runs = await world.store.runs.listRuns(LEEDS, { ...LAST_RUNS, limit: 10 })
  expect(runs.map((run) => `${run.ruleName} ${run.recordUuids[0] === job ? 'both' : 'new'}`).sort()).toEqual([
    'changed both',
    'created both',
    'created new',
    'status both',
    'status new',
  ])
})

test('a change that was there at the first look and is told only after it starts rules on changes, once', async () => {
  await switchOn(aRule([TEXT], { conditions: COMPLETED }), { name: 'changed' })
  await switchOn(aRule([TEXT], { trigger: ON_STATUS, conditions: COMPLETED }), { name: 'status' })
  triggers.start()
  await world.clock.run(seconds(5))
  const tell = async (job: string, fields: string[], after: number) => {
    await told(job, fields)
    await world.clock.run(after)
  }
  const job = world.job(LEEDS)
  await told(job, ['uuid', 'status'])
  edit(job, { status: 'Completed' })
  await world.clock.run(seconds(10))
  await tell(job, ['status', 'completion_date'], seconds(30))
  await tell(job, ['status'], seconds(30))
  // Nobody changed these two: one is only stamped, of the other nothing is said until much later.
  for (const [fields, after] of [
    [['lat', 'edit_date'], seconds(10)],
    [['status'], minutes(5)],
  ] as const) {
    const quiet = world.job(LEEDS, { status: 'Completed' })
    await tell(quiet, ['uuid', 'status'], after)
    await tell(quiet, [...fields], seconds(30))
  }
  const runs = await world.store.runs.listRuns(LEEDS, { ...LAST_RUNS, limit: 10 })
  expect(runs.map((run) => `${run.ruleName} ${run.recordUuids[0] === job ? 'both' : 'new'}`).sort()).toEqual([
    'changed both',
    'status both',
    'status new',
    'status new',
  ])
})

test('from which value it came is known from the look before', async () => {
  const job = world.job(LEEDS, { status: 'Work Order' })
  const other = world.job(LEEDS, { status: 'Quote' })
  await switchOn(aRule([TEXT], { trigger: { ...ON_STATUS, fromValue: 'Quote' } }))
  triggers.start()
  await world.clock.run(seconds(5))
  for (const one of [job, other]) {
    edit(one, { status: 'Completed' })
    await told(one, ['status'])
  }
  await world.clock.run(seconds(10))
  expect(texts()).toEqual(['Job 2 is Completed.'])
})

test('what started a run is said without internal names', async () => {
  const job = world.job(LEEDS, { queue_uuid: QUEUE, badges: '' })
  const watch = (trigger: Partial<WebhookTrigger>) => switchOn(aRule([TEXT], { trigger: { ...ON_STATUS, ...trigger } }))
  await watch({ type: 'job_updated' })
  await watch({ object: 'jobactivity', type: 'job_created' })
  const nextRunAt = world.clock.now() + minutes(30)
  const bookings = { ...HOURLY, endpoint: '/api_1.0/jobactivity.json' } as const
  await switchOn(aRule([TEXT], { trigger: bookings, conditions: [] }), { nextRunAt })
  triggers.start()
  await world.clock.run(seconds(5))
  edit(job, { status: 'Completed' })
  await told(job, ['status'])
  await world.clock.run(minutes(3))
  edit(job, { queue_uuid: uuidOf('company', 900) })
  await told(job, ['queue_uuid'])
  await world.clock.run(minutes(3))
  edit(job, { badges: `["${uuidOf('company', 905)}"]` })
  await told(job, ['badges'])
  const booking = uuidOf('contact', 904)
  world.platform.put(LEEDS, 'jobactivity', { uuid: booking, job_uuid: job, active: '1' })
  await told(booking, ['uuid', 'start_date'], LEEDS, 'jobactivity')
  await later(hours(1))
  const runs = await world.store.runs.listRuns(LEEDS, { ...LAST_RUNS, limit: 10 })
  expect([...new Set(runs.map((run) => run.triggerData.description))].sort()).toEqual([
    'Badges changed',
    'Checked bookings',
    'New booking',
    'Queue changed',
    'Status changed from "Quote" to "Completed"',
  ])
})

test('once for each value counts by the name of a queue, whatever other rules ask for', async () => {
  const job = world.job(LEEDS, { queue_uuid: QUEUE })
  const parts = uuidOf('company', 900)
  world.platform.put(LEEDS, 'queue', { uuid: parts, name: 'Parts' })
  const trigger: WebhookTrigger = { ...ON_STATUS, type: 'job_updated' }
  const step = aStep('s1', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'In {entry.0.queue_name}.' })
  await switchOn(aRule([step], { trigger, once: 'value:queue_name' }))
  triggers.start()
  await world.clock.run(seconds(5))
  const saved = async (fields: Record<string, string>) => {
    edit(job, fields)
    await told(job, Object.keys(fields))
    await world.clock.run(minutes(6))
  }
  for (const address of ['1 Low Road', '2 Low Road']) await saved({ job_address: address })
  expect(texts()).toEqual(['In To be booked.'])
  await saved({ queue_uuid: parts })
  expect(texts()).toEqual(['In To be booked.', 'In Parts.'])
  const named = { field: 'queue_name', operator: 'equals', value: 'Nowhere', logicalOperator: 'AND' } as const
  await switchOn(aRule([TEXT], { trigger, conditions: [named] }))
  await world.clock.run(seconds(5))
  await saved({ job_address: '3 Low Road' })
  expect(texts()).toHaveLength(2)
})

test('what changed while a rule was off is nobody’s news when it is switched on again', async () => {
  const job = world.job(LEEDS)
  const rule = await switchOn(aRule([TEXT], { trigger: ON_STATUS }))
  triggers.start()
  await world.clock.run(minutes(2))
  await world.store.automations.changeAutomation(LEEDS, rule, { active: false, at: world.clock.now() })
  edit(job, { status: 'Completed' })
  await later(hours(3))
  await world.store.automations.changeAutomation(LEEDS, rule, { active: true, baselined: false, at: world.clock.now() })
  triggers.rulesChanged()
  await later(hours(3))
  expect(texts()).toEqual([])
})

test('what automations know of records goes when the last one on them is deleted for good, not when it is off', async () => {
  world.job(LEEDS)
  const rules = [
    await switchOn(aRule([TEXT], { trigger: ON_STATUS })),
    await switchOn(aRule([TEXT], { trigger: ON_STATUS })),
  ]
  triggers.start()
  await world.clock.run(minutes(2))
  const kept = async () => {
    await trimSnapshots(world.app)
    return world.rows(
      `SELECT object AS what FROM record_snapshot WHERE object = 'rules:job'
       UNION ALL SELECT source FROM poll_cursor WHERE source LIKE '%:job'`,
    ).length
  }
  const before = await kept()
  expect(before).toBe(2)
  for (const rule of rules)
    await world.store.automations.changeAutomation(LEEDS, rule, { active: false, at: world.clock.now() })
  await later(hours(3))
  expect(await kept()).toBe(before)
  const deleted = { reason: 'x', at: world.clock.now() }
  for (const rule of rules) await world.store.automations.deleteAutomation(LEEDS, rule, deleted)
  await later(minutes(9))
  expect(await kept()).toBe(before)
  await later(minutes(2))
  expect(await kept()).toBe(0)
})

test('what a baseline that broke off knows of records goes too, once its automation is deleted for good', async () => {
  const rule = await switchOn(aRule([TEXT], { trigger: ON_STATUS }))
  const row = await world.store.automations.findAutomation(LEEDS, rule)
  const watermark = '2026-01-01 09:00:00'
  const page = { automationId: rule, version: row?.version ?? 0, object: 'job', ledger: [], watermark, partial: true }
  const note = (recordUuid: string, done: boolean) => {
    const snapshots = [{ recordUuid, editDate: watermark, fields: {} }]
    return world.store.triggers.noteBaseline(LEEDS, { ...page, snapshots, done }, world.clock.now())
  }
  // The next page is never read.
  expect(await note('first', false)).toBe(true)
  expect(await world.store.triggers.dueSweeps(world.clock.now(), 9)).toEqual([])
  const kept = async () => {
    await trimSnapshots(world.app)
    return world.rows(
      `SELECT record_uuid AS what FROM record_snapshot WHERE object = 'rules:job'
       UNION ALL SELECT watermark FROM poll_cursor WHERE source = 'sweep:job'`,
    )
  }
  expect(await kept()).toEqual([{ what: 'first' }, { what: '' }])
  await world.store.automations.deleteAutomation(LEEDS, rule, { reason: 'x', at: world.clock.now() })
  await later(UNDO_KEPT + minutes(1))
  expect(await kept()).toEqual([])
})

test('what changed while all rules were paused is a change afterwards, and no record counts as new', async () => {
  const [job, known] = [world.job(LEEDS), world.job(LEEDS, { status: 'Completed' })]
  const created = aRule([TEXT], { trigger: { ...ON_STATUS, type: 'job_created' } })
  const rules = [await switchOn(aRule([TEXT], { trigger: ON_STATUS })), await switchOn(created)]
  const pause = async (pausedReason: string | null) => {
    const at = world.clock.now()
    for (const rule of rules) await world.store.automations.changeAutomation(LEEDS, rule, { pausedReason, at })
  }
  triggers.start()
  await world.clock.run(minutes(2))
  await pause('It went round in a circle.')
  edit(job, { status: 'Completed' })
  edit(known, { job_description: 'Replace boiler soon' })
  for (const one of [job, known]) await told(one, ['status'])
  // Longer than a sweep looks back.
  await later(hours(5))
  expect(world.rows('SELECT count(*) AS n FROM touched_record')).toEqual([{ n: 0 }])
  await pause(null)
  await later(hours(2))
  expect(texts()).toEqual(['Job 1 is Completed.'])
})

test('a rule switched on beside a paused one knows nothing of what changed during the pause', async () => {
  const job = world.job(LEEDS)
  const paused = await switchOn(aRule([TEXT], { trigger: ON_STATUS }))
  triggers.start()
  await world.clock.run(minutes(2))
  const pausedReason = 'It went round in a circle.'
  await world.store.automations.changeAutomation(LEEDS, paused, { pausedReason, at: world.clock.now() })
  edit(job, { status: 'Completed' })
  await told(job, ['status'])
  await later(hours(1))
  await switchOn(aRule([TEXT], { trigger: ON_STATUS }))
  triggers.rulesChanged()
  await later(hours(3))
  expect(texts()).toEqual([])
})

test('an event that was lost is found by the sweep, and one that was not is not told twice', async () => {
  const lost = world.job(LEEDS)
  const heard = world.job(LEEDS)
  await switchOn(aRule([TEXT], { trigger: ON_STATUS }))
  triggers.start()
  await world.clock.run(minutes(2))
  edit(lost, { status: 'Completed' })
  edit(heard, { status: 'Completed' })
  await told(heard, ['status'])
  await later(hours(3))
  expect(texts().sort()).toEqual(['Job 1 is Completed.', 'Job 2 is Completed.'])
})

test('a rule on the deletion of a record acts on the deleted record, but writes to no customer', async () => {
  const job = world.job(LEEDS)
  const task = aStep('s2', 'create_task', { title: 'Job {entry.0.generated_job_id} is gone', description: '' })
  const trigger = { ...ON_STATUS, type: 'job_field', fieldName: 'active' } as const
  await switchOn(aRule([TEXT, task], { trigger }))
  triggers.start()
  await world.clock.run(seconds(5))
  edit(job, { active: '0' })
  await told(job, ['active'])
  await world.clock.run(seconds(20))
  expect(world.platform.made.map(({ fields }) => fields.name)).toEqual(['Job 1 is gone'])
  expect(texts()).toEqual([])
})

test('a rule that waits first does nothing about what has passed by then, and acts when it happens again', async () => {
  const [back, stays] = [world.job(LEEDS), world.job(LEEDS)]
  const two = [TEXT, aStep('s2', 'create_task', { title: 'Call', description: '' })]
  await switchOn(aRule(two, { trigger: { ...ON_STATUS, settleMinutes: 30 }, conditions: COMPLETED, once: 'record' }))
  triggers.start()
  await world.clock.run(seconds(5))
  const set = async (job: string, status: string) => {
    edit(job, { status })
    await told(job, ['status'])
    await later(minutes(5))
  }
  for (const job of [back, stays]) await set(job, 'Completed')
  await set(back, 'Work Order')
  await later(minutes(40))
  expect(texts()).toEqual(['Job 2 is Completed.'])
  expect(world.platform.made).toHaveLength(1)
  const reasons = world.rows('SELECT outcome, reason_code AS code FROM run WHERE record_uuid = ?', back)
  expect(reasons).toEqual([{ outcome: 'nothing', code: 'conditions_no_longer_met' }])
  await set(back, 'Completed')
  await later(minutes(40))
  expect(texts()).toEqual(['Job 2 is Completed.', 'Job 1 is Completed.'])
})

test('contact details entered during the wait leave nothing to do for "Job without contact details"', async () => {
  const [filled, empty] = [world.job(LEEDS), world.job(LEEDS)]
  for (const number of [1, 2]) world.platform.records(LEEDS, 'jobcontact').delete(uuidOf('contact', number))
  await switchOn(LIBRARY.find(({ id }) => id === 23)?.definition ?? aRule([]))
  triggers.start()
  await world.clock.run(seconds(5))
  for (const job of [filled, empty]) await told(job, ['uuid', 'status'])
  await later(minutes(10))
  world.platform.put(LEEDS, 'jobcontact', {
    uuid: uuidOf('contact', 1),
    job_uuid: filled,
    type: 'JOB',
    mobile: '07700',
  })
  await later(minutes(40))
  expect(world.platform.made.map(({ fields }) => fields.name)).toEqual(['Get a phone number for job 2'])
})

test('a record made while nobody listened is found by the sweep as new', async () => {
  world.job(LEEDS)
  await switchOn(aRule([TEXT], { trigger: { ...ON_STATUS, type: 'job_created' }, once: 'record' }))
  triggers.start()
  await later(hours(2))
  const job = world.job(LEEDS)
  edit(job, {})
  await later(hours(3))
  expect(texts()).toEqual(['Job 2 is Quote.'])
})

test('a list of more than 20,000 records is noted to its end, so that a sweep knows what is new', async () => {
  const put = (n: number) =>
    world.platform.put(LEEDS, 'jobmaterial', { uuid: `material-${n}`, active: 1, edit_date: '2025-01-02 09:00:00' })
  for (let n = 1; n <= 20_001; n += 1) put(n)
  await switchOn(
    aRule([aStep('s1', 'create_task', { title: 'Order', description: '' })], {
      trigger: { ...ON_STATUS, object: 'jobmaterial', type: 'job_created' },
      once: 'record',
    }),
  )
  triggers.start()
  await world.clock.run(minutes(5))
  expect(world.rows(`SELECT count(*) AS n FROM record_snapshot WHERE object = 'rules:jobmaterial'`)).toEqual([
    { n: 20_001 },
  ])
  expect(world.rows(`SELECT source FROM poll_cursor WHERE source LIKE '%jobmaterial'`)).toEqual([
    { source: 'sweep:jobmaterial' },
  ])
})

test('a rule does not react to what it wrote itself, and two rules do not chase each other for ever', async () => {
  const job = world.job(LEEDS)
  const to = (status: string) => aStep('s1', 'update_job_status', { status })
  const is = (value: string) => [{ field: 'status', operator: 'equals', value, logicalOperator: 'AND' } as const]
  await switchOn(aRule([to('Work Order')], { trigger: ON_STATUS, conditions: is('Completed') }))
  await switchOn(aRule([to('Completed')], { trigger: ON_STATUS, conditions: is('Work Order') }))
  triggers.start()
  await world.clock.run(seconds(5))
  edit(job, { status: 'Completed' })
  await told(job, ['status'])
  for (let round = 0; round < 12; round++) {
    await world.clock.run(seconds(20))
    edit(job, {})
    await told(job, ['status'])
  }
  expect(world.platform.changed.length).toBeLessThanOrEqual(5)
  expect(world.rows(`SELECT count(*) AS n FROM run WHERE state = 'held'`)).toEqual([{ n: 1 }])
})

/** What runs wrote is told, as the platform does it. */
async function tellWrites(rounds: number) {
  const known = { made: 0, changed: 0 }
  for (let round = 0; round < rounds; round++) {
    await world.clock.run(seconds(20))
    const { made, changed } = world.platform
    const news = [
      ...made.slice(known.made).map(({ uuid }) => [uuid, ['uuid', 'status']] as const),
      ...changed.slice(known.changed).map(({ uuid }) => [uuid, ['status']] as const),
    ]
    known.made = made.length
    known.changed = changed.length
    for (const [uuid, fields] of news) await told(uuid, [...fields])
  }
}
const anotherJob = (company_uuid: string) => aStep('s1', 'create_job', { company_uuid, status: 'Quote' })
const customerOf = (job: string) => String(world.platform.records(LEEDS, 'job').get(job)?.company_uuid)

test('a rule on new jobs does not react to the job it creates itself', async () => {
  const customer = customerOf(world.job(LEEDS))
  const rule = await switchOn(aRule([anotherJob(customer)], { trigger: { ...ON_STATUS, type: 'job_created' } }))
  triggers.start()
  await world.clock.run(seconds(5))
  const job = world.job(LEEDS)
  await told(job, ['uuid', 'status'])
  await tellWrites(6)
  expect(world.platform.made).toHaveLength(1)
  expect(verdicts().sort()).toEqual([`${rule} fired`, `${rule} own_change`])
  // Nor when only the sweep finds it, long after.
  const lost = world.job(LEEDS)
  edit(lost, {})
  await told(lost, ['uuid', 'status'])
  await later(hours(3))
  expect(world.platform.made).toHaveLength(2)
})

test('a rule on job materials does not react to the lines it moves to a new job', async () => {
  const job = world.job(LEEDS)
  const line = uuidOf('contact', 903)
  const put = (fields: Record<string, unknown>) =>
    world.platform.put(LEEDS, 'jobmaterial', { uuid: line, job_uuid: job, name: 'Tap', active: '1', ...fields })
  put({ quantity: '1' })
  const moving = { company_uuid: customerOf(job), status: 'Quote', updateExistingMaterials: true }
  const trigger = { ...ON_STATUS, object: 'jobmaterial', type: 'job_updated' } as const
  const rule = await switchOn(aRule([aStep('s1', 'create_job', moving)], { trigger }))
  triggers.start()
  await world.clock.run(seconds(5))
  put({ quantity: '2', edit_date: '2026-01-05 09:00:05' })
  await told(line, ['quantity'], LEEDS, 'jobmaterial')
  await world.clock.run(seconds(20))
  const made = world.platform.made.map(({ uuid }) => uuid)
  expect(world.platform.records(LEEDS, 'jobmaterial').get(line)).toMatchObject({ job_uuid: made[0] })
  await told(line, ['job_uuid'], LEEDS, 'jobmaterial')
  await world.clock.run(seconds(20))
  expect(world.platform.made).toHaveLength(1)
  expect(verdicts()).toEqual([`${rule} own_change`])
})

test('rules that feed each other with new jobs stop after three in a row', async () => {
  const customer = customerOf(world.job(LEEDS))
  const complete = aStep('s1', 'update_job_status', { status: 'Completed' })
  await switchOn(aRule([complete], { trigger: { ...ON_STATUS, type: 'job_created' } }))
  await switchOn(aRule([anotherJob(customer)], { trigger: ON_STATUS, conditions: COMPLETED }))
  triggers.start()
  await world.clock.run(seconds(5))
  await told(world.job(LEEDS), ['uuid', 'status'])
  await tellWrites(12)
  expect(world.platform.made.length).toBeLessThanOrEqual(2)
  expect(world.rows(`SELECT count(*) AS n FROM run WHERE state = 'held'`)).toEqual([{ n: 1 }])
})

test.each(['record', 'period'] as const)('a scheduled rule leaves out the jobs it made itself: %s', async (once) => {
  const job = world.job(LEEDS)
  const conditions = [{ ...IS_COMPLETED, value: 'Quote' }]
  const nextRunAt = world.clock.now() + minutes(30)
  const rule = await world.rule(aRule([anotherJob(customerOf(job))], { trigger: HOURLY, conditions, once }))
  await world.store.automations.changeAutomation(LEEDS, rule, { nextRunAt, at: world.clock.now() })
  triggers.start()
  await later(hours(4))
  expect(world.platform.made).toHaveLength(once === 'record' ? 1 : 4)
})

test('the metrics count the runs that a change and a schedule start', async () => {
  const job = world.job(LEEDS)
  await switchOn(aRule([TEXT], { trigger: ON_STATUS }))
  const nextRunAt = world.clock.now() + minutes(30)
  await switchOn(aRule([TEXT], { trigger: HOURLY, conditions: COMPLETED, once: 'record' }), { nextRunAt })
  triggers.start()
  await later(minutes(5))
  edit(job, { status: 'Completed' })
  await told(job, ['status'])
  const counts = [started]
  await later(minutes(9))
  counts.push(started)
  await later(hours(1))
  expect([...counts, started]).toEqual([0, 1, 2])
})

test('while the platform does not answer a change waits, and is acted on when it does', async () => {
  const job = world.job(LEEDS)
  await switchOn(aRule([TEXT], { trigger: ON_STATUS }))
  triggers.start()
  await world.clock.run(seconds(5))
  edit(job, { status: 'Completed' })
  world.platform.fate = () => 'broken'
  await told(job, ['status'])
  await later(minutes(30))
  expect(texts()).toEqual([])
  world.platform.fate = () => 'well'
  await later(minutes(30))
  expect(texts()).toEqual(['Job 1 is Completed.'])
})

test('one account’s burst does not keep another account’s record waiting', async () => {
  for (const account of [LEEDS, BRISBANE]) await switchOn(aRule([TEXT], { trigger: ON_STATUS }), { account })
  const busy = Array.from({ length: 60 }, () => world.job(LEEDS))
  const quiet = world.job(BRISBANE)
  triggers.start()
  await world.clock.run(seconds(5))
  for (const job of busy) {
    edit(job, { status: 'Completed' })
    await told(job, ['status'])
  }
  edit(quiet, { status: 'Completed' }, BRISBANE)
  await told(quiet, ['status'], BRISBANE)
  const due = await world.store.triggers.dueTouched(world.clock.now() + minutes(1), { limit: 8, perAccount: 2 })
  expect(due.slice(0, 4).map((touched) => touched.accountUuid)).toContain(BRISBANE)
  await world.clock.run(minutes(2))
  expect(world.platform.messages.filter((message) => message.account === BRISBANE)).toHaveLength(1)
  expect(world.platform.messages.filter((message) => message.account === LEEDS)).toHaveLength(60)
})

test('a burst of one account costs little more than what each record’s run needs', async () => {
  await switchOn(aRule([TEXT], { trigger: ON_STATUS, conditions: COMPLETED }))
  const jobs = Array.from({ length: 100 }, () => world.job(LEEDS))
  triggers.start()
  await world.clock.run(seconds(5))
  const before = world.platform.exchanges.length
  for (const job of jobs) {
    edit(job, { status: 'Completed' })
    await told(job, ['status'])
  }
  await world.clock.run(minutes(3))
  expect(texts()).toHaveLength(100)
  expect(new Set(texts()).size).toBe(100)
  // For each: the record as it is when the text is written, and the text. Everything else is read for all of them.
  expect(world.platform.exchanges.length - before).toBeLessThanOrEqual(2 * 100 + 10)
})

test('a thousand old jobs at the first switch-on lead to no message; one that matches later leads to one', async () => {
  for (let number = 0; number < 1_000; number++) world.job(LEEDS, { status: 'Completed' })
  const fresh = world.job(LEEDS)
  const nextRunAt = world.clock.now() + minutes(30)
  await switchOn(aRule([TEXT], { trigger: HOURLY, conditions: COMPLETED, once: 'record' }), { nextRunAt })
  triggers.start()
  await later(hours(2))
  expect(texts()).toEqual([])
  edit(fresh, { status: 'Completed' })
  await later(hours(3))
  expect(texts()).toEqual(['Job 1001 is Completed.'])
})

test('pauses and edits of the rule make it forget nothing', async () => {
  const job = world.job(LEEDS)
  const definition = aRule([TEXT], { trigger: HOURLY, conditions: COMPLETED, once: 'record' })
  const rule = await switchOn(definition, { nextRunAt: world.clock.now() + minutes(30) })
  triggers.start()
  await later(minutes(10))
  edit(job, { status: 'Completed' })
  await later(hours(2))
  expect(texts()).toHaveLength(1)
  const at = world.clock.now()
  await world.store.automations.changeAutomation(LEEDS, rule, { active: false, nextRunAt: null, at })
  await world.store.automations.changeAutomation(LEEDS, rule, {
    definition: { ...definition, steps: [{ ...TEXT, parameters: { ...TEXT.parameters, message: 'Other words' } }] },
    active: true,
    nextRunAt: at + minutes(30),
    at,
  })
  await later(hours(5))
  expect(texts()).toHaveLength(1)
})

test('a tick is taken once, however often it is looked at, and comes again after a look that was lost', async () => {
  const job = world.job(LEEDS, { status: 'Completed' })
  const due = world.clock.now() + minutes(30)
  const rule = await world.rule(aRule([TEXT], { trigger: HOURLY, conditions: COMPLETED, once: 'record' }))
  await world.store.automations.changeAutomation(LEEDS, rule, { nextRunAt: due, at: world.clock.now() })
  const tick = { automationId: rule, version: 1, expected: due, nextRunAt: due + hours(1), verdicts: [], requests: [] }
  expect(await world.store.triggers.settlePoll(LEEDS, { ...tick, expected: due - 1 }, due)).toBeNull()
  expect(await world.store.triggers.settlePoll(BRISBANE, tick, due)).toBeNull()
  expect(await world.store.triggers.settlePoll(LEEDS, tick, due)).toEqual([])
  expect(await world.store.triggers.settlePoll(LEEDS, tick, due)).toBeNull()
  world.platform.fate = ({ verb }) => (verb === 'list' ? 'broken' : 'well')
  triggers.start()
  await later(hours(2))
  expect(texts()).toEqual([])
  world.platform.fate = () => 'well'
  await later(hours(2))
  expect(texts()).toEqual(['Job 1 is Completed.'])
  expect(world.platform.records(LEEDS, 'job').get(job)).toMatchObject({ status: 'Completed' })
})

test('each check of a schedule counts, and nothing before it does', async () => {
  await triggers.stop()
  const counted: boolean[] = []
  const callAsAccount: typeof world.app.callAsAccount = (account, call, options) => {
    counted.push(options?.counts === true)
    return world.app.callAsAccount(account, call, options)
  }
  triggers = createAutomationTriggers({ ...world.app, callAsAccount, facts: world.parts.facts, wakeRuns: () => {} })
  world.job(LEEDS, { status: 'Quote' })
  const nextRunAt = world.clock.now() + minutes(30)
  await switchOn(aRule([TEXT], { trigger: HOURLY, conditions: COMPLETED }), { nextRunAt })
  triggers.start()
  await later(minutes(20))
  expect(counted).not.toContain(true)
  await later(minutes(20))
  expect(counted.filter(Boolean)).toHaveLength(1)
})

test('groups and digests run once per tick, one run each', async () => {
  const company = '22222222-0000-4000-8000-0000000000aa'
  for (let number = 0; number < 3; number++) world.job(LEEDS, { status: 'Completed', company_uuid: company })
  world.job(LEEDS, { status: 'Completed' })
  const task = aStep('s1', 'create_task', { title: '{count} jobs', description: '' })
  const nextRunAt = world.clock.now() + minutes(30)
  const grouped = aRule([task], {
    trigger: { ...HOURLY, interval: 'daily' },
    conditions: COMPLETED,
    grouping: { enabled: true, field: 'company_uuid' },
    once: 'period',
  })
  await switchOn(grouped, { nextRunAt })
  await switchOn({ ...grouped, grouping: { enabled: false, field: null }, digest: true }, { nextRunAt })
  await switchOn(
    { ...grouped, digest: true, conditions: [{ ...IS_COMPLETED, value: 'Unsuccessful' }] },
    { nextRunAt, name: 'Nothing to report' },
  )
  triggers.start()
  await later(hours(2))
  expect(world.platform.made.map(({ fields }) => fields.name).sort()).toEqual(['1 jobs', '3 jobs', '4 jobs'])
  await later(days(1))
  expect(world.platform.made).toHaveLength(6)
})

test.each([
  ['asks for the whole list', Number.POSITIVE_INFINITY, 0],
  // One for what was there before, one for the check.
  ['reads its records one by one when that is refused too', 2, 5],
])('a report whose filter ServiceM8 refuses %s', async (_way, listsGiven, leastReads) => {
  for (let number = 0; number < 5; number++) world.job(LEEDS, { status: 'Completed' })
  const task = aStep('s1', 'create_task', { title: '{count} jobs', description: '' })
  const trigger: PollTrigger = { ...HOURLY, interval: 'daily' }
  const rule = aRule([task], { trigger, conditions: COMPLETED, digest: true, once: 'period' })
  await switchOn(rule, { nextRunAt: world.clock.now() + minutes(30) })
  let given = 0
  world.platform.fate = ({ verb, object, query }) => {
    if (verb !== 'list' || object !== 'job') return 'well'
    const isGiven = !query.has('$filter') && given++ < listsGiven
    return isGiven ? 'well' : { outcome: 'refused', status: 400, message: 'Field not filterable' }
  }
  triggers.start()
  await later(hours(1))
  expect(world.platform.made.map(({ fields }) => fields.name)).toEqual(['5 jobs'])
  const reads = world.platform.exchanges.filter(({ verb, object }) => verb === 'read' && object === 'job')
  expect(reads.length).toBeGreaterThanOrEqual(leastReads)
})

test('a read that fails at the end of a wait is no reason to act: the conditions are asked again', async () => {
  const job = world.job(LEEDS)
  await switchOn(aRule([TEXT], { trigger: { ...ON_STATUS, settleMinutes: 30 }, conditions: COMPLETED, once: 'record' }))
  triggers.start()
  await world.clock.run(seconds(5))
  edit(job, { status: 'Completed' })
  await told(job, ['status'])
  await later(minutes(5))
  edit(job, { status: 'Work Order' })
  await told(job, ['status'])
  await later(minutes(20))
  let failed = 0
  world.platform.fate = ({ verb, object }) =>
    verb === 'read' && object === 'job' && failed++ === 0 ? 'broken' : 'well'
  await later(minutes(60))
  expect(failed).toBeGreaterThan(0)
  expect(texts()).toEqual([])
})

test('a new job is one change of status, also when it is saved again while it is being read', async () => {
  const job = world.job(LEEDS)
  world.platform.records(LEEDS, 'job').delete(job)
  await switchOn(
    aRule([aStep('s1', 'create_task', { title: 'Call', description: '' })], { trigger: ON_STATUS, once: 'change' }),
  )
  triggers.start()
  await world.clock.run(seconds(5))
  const at = () => new Date(world.clock.now()).toISOString().slice(0, 19).replace('T', ' ')
  const fields = { uuid: job, status: 'Quote', generated_job_id: '7', company_uuid: uuidOf('company', 1), active: '1' }
  world.platform.put(LEEDS, 'job', { ...fields, edit_date: at() })
  await told(job, ['uuid', 'status'])
  let saved = false
  world.platform.fate = ({ object }) => {
    if (!saved && object === 'company') {
      saved = true
      edit(job, { job_description: 'More' })
      void told(job, ['job_description'])
    }
    return 'well'
  }
  await world.clock.run(minutes(2))
  expect(world.platform.made).toHaveLength(1)
})

/** A run whose first step could not be prepared: the record was read for the rules, and then ServiceM8 did not answer. */
async function putOffAtItsFirstStep(): Promise<number> {
  const job = world.job(LEEDS)
  const task = aStep('s1', 'create_task', { title: 'Call', description: '' })
  const id = await switchOn(aRule([task], { trigger: ON_STATUS, once: 'record' }))
  triggers.start()
  await world.clock.run(seconds(5))
  edit(job, { status: 'Completed' })
  await told(job, ['status'])
  await world.clock.run(1_500)
  let reads = 0
  world.platform.fate = ({ verb, object }) => (verb === 'read' && object === 'job' && ++reads === 1 ? 'well' : 'broken')
  await later(minutes(1))
  expect(world.rows('SELECT state FROM run')).toEqual([{ state: 'waiting' }])
  return id
}

test.each(['switched off', 'deleted'])(
  'a run whose first step could not be prepared has not begun: its rule is %s, and it ends',
  async (how) => {
    const id = await putOffAtItsFirstStep()
    const at = world.clock.now()
    const { automations } = world.store
    if (how === 'deleted') await automations.deleteAutomation(LEEDS, id, { reason: { code: 'rule_deleted' }, at })
    else await automations.changeAutomation(LEEDS, id, { active: false, nextRunAt: null, at })
    world.platform.fate = () => 'well'
    await later(minutes(60))
    expect(world.platform.made).toEqual([])
    expect(world.rows('SELECT state, outcome FROM run')).toEqual([{ state: 'done', outcome: 'cancelled' }])
    expect(world.rows("SELECT state FROM run_step WHERE state IN ('planned', 'failed')")).toEqual([])
  },
)

test('it goes on, once, when the deletion is undone', async () => {
  const id = await putOffAtItsFirstStep()
  const deletedReason = { code: 'rule_deleted' } as const
  await world.store.automations.deleteAutomation(LEEDS, id, { reason: deletedReason, at: world.clock.now() })
  world.platform.fate = () => 'well'
  await later(minutes(5))
  const at = world.clock.now()
  const undo = { since: at - minutes(10), triggerKeyHash: null, deletedReason, at }
  await world.store.automations.restoreAutomation(LEEDS, id, { ...undo, reason: { code: 'rule_restored' } })
  await later(minutes(60))
  expect(world.platform.made).toHaveLength(1)
  expect(world.rows('SELECT state, outcome FROM run')).toEqual([{ state: 'done', outcome: 'success' }])
})

test('a wait that ends while ServiceM8 does not answer asks the conditions again afterwards', async () => {
  const job = world.job(LEEDS)
  await switchOn(aRule([TEXT], { trigger: { ...ON_STATUS, settleMinutes: 30 }, conditions: COMPLETED, once: 'record' }))
  triggers.start()
  await world.clock.run(seconds(5))
  edit(job, { status: 'Completed' })
  await told(job, ['status'])
  await later(minutes(5))
  edit(job, { status: 'Work Order' })
  await told(job, ['status'])
  await later(minutes(15))
  // At the end of the wait ServiceM8 does not answer for a quarter of an hour.
  world.platform.fate = () => 'broken'
  await later(minutes(20))
  world.platform.fate = () => 'well'
  await later(minutes(60))
  expect(world.rows('SELECT state, outcome, reason_code AS code FROM run WHERE record_uuid = ?', job)).toEqual([
    { state: 'done', outcome: 'nothing', code: 'conditions_no_longer_met' },
  ])
  expect(texts()).toEqual([])
})
