// Many records of one account that changed together, on a real file: fewer calls, and every record as if it were alone.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PlatformRecord } from '#app/adapters/platform.ts'
import type { WebhookTrigger } from '#app/domain/automations/rule.ts'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import { withMethods } from '#app/lib/families.ts'
import { type AutomationWorld, aRule, aStep, automationWorld, LEEDS } from '#tests/support/automation-world.server.ts'
import { snapshotFields } from '../records/changes.ts'
import { type EvaluateApp, evaluateRecord } from './evaluate.server.ts'
import { createEvaluator } from './evaluator.server.ts'

let world: AutomationWorld
beforeEach(async () => {
  world = await automationWorld()
})
afterEach(() => world.close())

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
const TEXT = aStep('s1', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'Job {entry.0.generated_job_id}' })
const when = (field: string, value: string) => ({ field, operator: 'equals', value, logicalOperator: 'AND' }) as const

/** One fires on Completed, one on Completed of a certain customer, one always. */
async function watch(of = world): Promise<void> {
  await of.rule(aRule([TEXT], { trigger: ON_STATUS, conditions: [when('status', 'Completed')] }))
  const conditions = [when('status', 'Completed'), when('company_name', 'Customer 3')]
  await of.rule(aRule([TEXT], { trigger: ON_STATUS, conditions }))
  await of.rule(aRule([aStep('s1', 'create_task', { title: 'Look', description: '' })]))
}

const stamp = (at: number) => new Date(at).toISOString().slice(0, 19).replace('T', ' ')

/** Known as it was; then changed at the platform, and told. */
async function change(
  job: string,
  fields: Record<string, string>,
  of = world,
  editedAt = of.clock.now(),
): Promise<void> {
  const record: PlatformRecord = { ...of.platform.records(LEEDS, 'job').get(job), uuid: job }
  const values = { recordUuid: job, editDate: String(record.edit_date), fields: snapshotFields(record) }
  const target = { accountUuid: LEEDS, object: 'job', timezone: '', watermark: '', partial: false, nextAt: 0 }
  await of.store.triggers.settleSweep(target, { records: [{ values, touch: null }], cursor: null }, of.clock.now())
  of.platform.put(LEEDS, 'job', { ...record, uuid: job, ...fields, edit_date: stamp(editedAt) })
  await tell(job, of)
}

let events = 0
async function tell(job: string, of = world): Promise<void> {
  events += 1
  const event = {
    accountUuid: LEEDS,
    subscriptionId: null,
    source: 'object' as const,
    object: 'job',
    objectUuid: job,
    changedFields: ['status'],
    receivedAt: of.clock.now(),
    dedupe: `event-${events}`,
    body: '{}',
  }
  const limit = { deliveries: 50_000, bytes: 50_000_000 }
  const options = { choose: chooseEndpoints, limit, retryFor: hours(72), stoppedReason: 'stopped' }
  await of.store.events.acceptEvents([event], options)
}

/** Twelve completed, twelve to something else, six that only say they changed. */
async function burst(of = world): Promise<string[]> {
  const jobs = Array.from({ length: 30 }, () => of.job(LEEDS))
  for (const [index, job] of jobs.entries()) {
    await change(job, index < 12 ? { status: 'Completed' } : index < 24 ? { status: 'Work Order' } : {}, of)
  }
  return jobs
}

const lookApp = (of = world, callAsAccount: EvaluateApp['callAsAccount'] = of.app.callAsAccount): EvaluateApp => {
  const { store, clock, log } = of.app
  return { store, clock, log, callAsAccount, facts: of.parts.facts }
}

/** Until nothing is due any more. */
async function evaluateAll(app: EvaluateApp): Promise<number> {
  let started = 0
  const evaluator = createEvaluator(app, (count) => {
    started += count
  })
  for (let round = 0; round < 60; round += 1) {
    await evaluator.round()
    await evaluator.settled()
  }
  return started
}

const noted = (of = world) => ({
  verdicts: of.rows('SELECT automation_id, record_uuid, verdict, detail FROM rule_verdict ORDER BY 1, 2'),
  runs: of.rows('SELECT automation_id, record_uuid, trigger_data, wake_at, reason FROM run ORDER BY 1, 2'),
  ledger: of.rows('SELECT automation_id, record_uuid, occurrence FROM seen_ledger ORDER BY 1, 2'),
  snapshots: of.rows(
    `SELECT record_uuid, edit_date, fields FROM record_snapshot WHERE object = 'rules:job' ORDER BY 1`,
  ),
  touched: of.rows('SELECT record_uuid FROM touched_record'),
})
const asked = (of = world) => of.platform.exchanges.map(({ verb, object }) => `${verb} ${object}`)
const count = (what: string) => asked().filter((one) => one === what).length

test('together it comes to exactly what it comes to one by one, for a few calls instead of many', async () => {
  await watch()
  await burst()
  await world.clock.run(seconds(3))
  expect(await evaluateAll(lookApp())).toBe(12 + 1 + 24)
  expect(asked().filter((one) => one.endsWith(' job'))).toEqual(['list job'])
  // Vendor, customers and contacts, each once for all of them.
  expect(asked().length).toBeLessThanOrEqual(4)

  const other = await automationWorld()
  try {
    await watch(other)
    await burst(other)
    await other.clock.run(seconds(3))
    for (const touched of await other.store.triggers.dueTouched(other.clock.now(), { limit: 100, perAccount: 100 })) {
      await evaluateRecord(lookApp(other), touched)
    }
    expect(noted()).toEqual(noted(other))
    expect(other.platform.exchanges.length).toBeGreaterThan(60)
  } finally {
    await other.close()
  }
})

test('what is not on the list is read by itself: edited long before its event, or gone', async () => {
  await watch()
  const jobs = await burst()
  const late = world.job(LEEDS)
  await change(late, { status: 'Completed' }, world, world.clock.now() - days(1))
  world.platform.records(LEEDS, 'job').delete(jobs[0] ?? '')
  await world.clock.run(seconds(3))
  await evaluateAll(lookApp())
  expect([count('list job'), count('read job')]).toEqual([1, 2])
  expect(world.rows('SELECT count(*) AS n FROM run WHERE record_uuid = ?', late)).toEqual([{ n: 2 }])
  expect(world.rows('SELECT DISTINCT verdict FROM rule_verdict WHERE record_uuid = ?', jobs[0] ?? '')).toEqual([
    { verdict: 'not_triggered' },
  ])
  expect(noted().touched).toEqual([])
})

test('an object that cannot be listed like this is read one by one, as are a few', async () => {
  await watch()
  await burst()
  await world.clock.run(seconds(3))
  const refusing: EvaluateApp['callAsAccount'] = (account, call, options) =>
    world.app.callAsAccount(
      account,
      (api, token) =>
        call(
          {
            ...api,
            list: async (_token, object, input) =>
              object === 'job'
                ? { outcome: 'refused', status: 400, message: 'edit_date is not filterable' }
                : api.list(token, object, input),
          },
          token,
        ),
      options,
    )
  expect(await evaluateAll(lookApp(world, refusing))).toBe(37)
  expect(count('read job')).toBe(30)
  const few = Array.from({ length: 9 }, () => world.job(LEEDS))
  for (const job of few) await change(job, { status: 'Completed' })
  await world.clock.run(seconds(3))
  await evaluateAll(lookApp())
  expect([count('list job'), count('read job')]).toEqual([0, 39])
})

test('a list that gets no answer puts all of them off, and then each is tried by itself', async () => {
  await watch()
  await burst()
  await world.clock.run(seconds(3))
  world.platform.fate = () => 'broken'
  const evaluator = createEvaluator(lookApp(), () => {})
  await evaluator.round()
  await evaluator.settled()
  expect(asked()).toEqual(['list job'])
  expect(world.rows('SELECT DISTINCT tries FROM touched_record')).toEqual([{ tries: 1 }])
  world.platform.fate = () => 'well'
  await world.clock.run(minutes(1))
  expect(await evaluateAll(lookApp())).toBe(37)
  expect([count('list job'), count('read job')]).toEqual([1, 30])
})

test('spent calls put the account off once, and count as no try', async () => {
  await watch()
  await burst()
  await world.clock.run(seconds(3))
  world.platform.fate = () => 'too_many'
  const evaluator = createEvaluator(lookApp(), () => {})
  await evaluator.round()
  await evaluator.settled()
  expect(asked()).toEqual(['list job'])
  expect(world.rows('SELECT DISTINCT tries, due_at AS due FROM touched_record')).toEqual([
    { tries: 0, due: world.clock.now() + seconds(20) },
  ])
})

test('what changes while the list is on its way is looked at again', async () => {
  await watch()
  const jobs = await burst()
  const again = jobs[20] ?? ''
  await world.clock.run(seconds(3))
  let release = () => {}
  const slow = world.platform.connect(async (exchange, reach) => {
    const answer = await reach()
    if (exchange.verb === 'list' && exchange.object === 'job') {
      await new Promise<void>((resolve) => {
        release = resolve
      })
    }
    return answer
  })
  const evaluator = createEvaluator(lookApp(world, slow), () => {})
  await evaluator.round()
  await world.clock.settle()
  const job = world.platform.records(LEEDS, 'job').get(again)
  world.platform.put(LEEDS, 'job', { ...job, uuid: again, status: 'Completed', edit_date: stamp(world.clock.now()) })
  await tell(again)
  release()
  await evaluator.settled()
  expect(noted().touched).toEqual([{ record_uuid: again }])
  await world.clock.run(seconds(3))
  await evaluateAll(lookApp())
  expect(noted().touched).toEqual([])
  const conditions = `SELECT verdict FROM rule_verdict WHERE record_uuid = ? AND automation_id = 1`
  expect(world.rows(conditions, again)).toEqual([{ verdict: 'fired' }])
})

test('one that cannot be written is put off by itself, and what was written is never looked at twice', async () => {
  await watch()
  const jobs = await burst()
  await world.clock.run(seconds(3))
  const app = lookApp()
  let broken = 0
  const store: EvaluateApp['store'] = withMethods(app.store, {
    settleTouched(account, evaluations, now) {
      if (evaluations.touched.recordUuid !== jobs[5] || broken > 0)
        return app.store.triggers.settleTouched(account, evaluations, now)
      broken += 1
      return Promise.reject(new Error('disk I/O error'))
    },
  })
  await evaluateAll({ ...app, store })
  expect(world.logged).toContain('records.evaluation_failed')
  await world.clock.run(minutes(1))
  await evaluateAll({ ...app, store })
  expect(noted().touched).toEqual([])
  expect(noted().runs).toHaveLength(37)
  expect(new Set(noted().runs.map((run) => `${run.automation_id} ${run.record_uuid}`)).size).toBe(37)
})
