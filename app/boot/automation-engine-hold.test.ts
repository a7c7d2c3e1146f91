// An account that is not paid for: its runs wait and say why, those of others go on, and a payment lets them go.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TRIAL } from '#app/domain/plan.ts'
import { releaseRuns } from '#app/features/automations/history/run-again.server.ts'
import { runLine } from '#app/features/automations/history/run-list-view.ts'
import { executionOf } from '#app/features/automations/runs/run-history.ts'
import { trySave } from '#app/features/billing/change-plan.server.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
  BRISBANE,
  LEEDS,
  uuidOf,
} from '#tests/support/automation-world.server.ts'

let world: AutomationWorld
beforeEach(async () => {
  world = await automationWorld()
})
afterEach(() => world.close())

const TASK = aStep('s1', 'create_task', { title: 'Ring {entry.0.contact_first_name}', description: '' })

const IS_QUOTE = [{ field: 'status', operator: 'equals' as const, value: 'Quote', logicalOperator: 'AND' as const }]

/** Says what Leeds' plan is from now on; the hold follows from it. */
async function plan(status: string) {
  const { store, clock } = world
  const app = {
    ...world.app,
    settings: { ...world.app.settings, payments: { mode: 'stripe' as const, publishableKey: null } },
    wakeDeliveries: () => {},
  }
  const known = await store.billing.ensurePlan(LEEDS, TRIAL, clock.now())
  expect(await trySave(app, known, { status, trialEndsAt: clock.now() - days(4) })).not.toBeNull()
}

const tasks = () => world.platform.made.filter(({ object }) => object === 'task').length

test('runs of a held account wait and the history says why; others go on; a payment wakes them', async () => {
  const mine = await world.rule(aRule([TASK]))
  const theirs = await world.rule(aRule([TASK]), BRISBANE)
  const jobs = { mine: world.job(LEEDS), theirs: world.job(BRISBANE) }
  await plan('trial')
  world.engine().start()
  const held = await world.start(mine, [jobs.mine])
  await world.start(theirs, [jobs.theirs], {}, BRISBANE)
  world.app.wakeRuns()
  await world.clock.run(minutes(1))
  expect(tasks()).toBe(1)
  const execution = executionOf(await world.run(held))
  expect(execution).toMatchObject({
    state: 'waiting',
    reason: 'Trial ended: subscribe to resume',
    nextAttemptAt: null,
    executionStatus: null,
  })
  expect(runLine(execution)).toMatchObject({ standing: 'waiting', happened: 'Trial ended: subscribe to resume.' })
  await plan('active')
  await world.clock.run(seconds(5))
  expect(tasks()).toBe(2)
  expect(executionOf(await world.run(held))).toMatchObject({ state: 'done', executionStatus: 'success' })
})

test('what has waited longer than 72 hours asks a person first', async () => {
  const rule = await world.rule(aRule([TASK]))
  const [old, young] = [world.job(LEEDS), world.job(LEEDS)]
  await plan('canceled')
  world.engine({}, { beatMs: minutes(10) }).start()
  const late = await world.start(rule, [old])
  await world.clock.run(hours(73))
  await world.start(rule, [young])
  await plan('active')
  await world.clock.run(seconds(5))
  expect(tasks()).toBe(1)
  expect(executionOf(await world.run(late))).toMatchObject({ state: 'held', needsYou: true })
  await releaseRuns(world.app, LEEDS, [late])
  await world.clock.run(seconds(5))
  expect(tasks()).toBe(2)
})

test('what waited for the payment is judged again: a job that no longer meets the conditions is left alone', async () => {
  const rule = await world.rule(aRule([TASK], { conditions: IS_QUOTE }))
  await plan('trial')
  world.engine({}, { beatMs: minutes(10) }).start()
  const jobs = [world.job(LEEDS), world.job(LEEDS), world.job(LEEDS)]
  const [polled, told, stays] = [
    await world.start(rule, [jobs[0] ?? ''], { source: 'poll' }),
    await world.start(rule, [jobs[1] ?? ''], { source: 'webhook' }),
    await world.start(rule, [jobs[2] ?? ''], { source: 'poll' }),
  ]
  for (const uuid of jobs.slice(0, 2)) {
    Object.assign(world.platform.records(LEEDS, 'job').get(uuid) ?? {}, { status: 'Completed' })
  }
  await world.clock.run(hours(24))
  await plan('active')
  await world.clock.run(minutes(1))
  for (const run of [polled, told]) {
    expect(await world.run(run)).toMatchObject({ outcome: 'nothing', reason: { code: 'conditions_no_longer_met' } })
  }
  expect(await world.run(stays)).toMatchObject({ outcome: 'success' })
  expect(tasks()).toBe(1)
})

const SET = (status: string) => aStep('s1', 'update_job_status', { status })

test('of three automations on one event, what the others write after the hold does not switch off the last', async () => {
  const rules: number[] = []
  for (const step of [SET('Work Order'), SET('Completed'), TASK]) {
    rules.push(await world.rule(aRule([step], { conditions: IS_QUOTE }), LEEDS, `Rule ${rules.length}`))
  }
  await plan('trial')
  world.engine({}, { beatMs: minutes(10) }).start()
  const job = world.job(LEEDS)
  const runs: number[] = []
  for (const rule of rules) runs.push(await world.start(rule, [job]))
  await world.clock.run(hours(2))
  // One that was made later is judged by the job as it is.
  runs.push(await world.start(rules[2] ?? 0, [job]))
  await world.clock.run(hours(22))
  await plan('active')
  await world.clock.run(minutes(1))
  const outcomes = await Promise.all(runs.map(async (run) => (await world.run(run)).outcome))
  expect(outcomes).toEqual(['success', 'success', 'success', 'nothing'])
  expect(tasks()).toBe(1)
})

test('nor does it where a change settles first, however long ago the other wrote', async () => {
  const settling = (settleMinutes: number) => {
    const { trigger } = aRule([])
    return aRule([TASK], { conditions: IS_QUOTE, trigger: { ...trigger, settleMinutes } as typeof trigger })
  }
  const first = await world.rule(aRule([SET('Work Order')], { conditions: IS_QUOTE }))
  const [soon, late] = [await world.rule(settling(2)), await world.rule(settling(240))]
  world.engine({}, { beatMs: minutes(10) }).start()
  const [job, other] = [world.job(LEEDS), world.job(LEEDS)]
  const settled = { wakeAt: world.clock.now() + minutes(2) }
  const runs = [
    await world.start(first, [job]),
    await world.start(soon, [job], settled),
    await world.start(late, [job], { wakeAt: world.clock.now() + hours(4) }),
    await world.start(soon, [other], settled),
  ]
  // Somebody else's change counts.
  Object.assign(world.platform.records(LEEDS, 'job').get(other) ?? {}, { status: 'Work Order' })
  await world.clock.run(hours(5))
  const outcomes = await Promise.all(runs.map(async (run) => (await world.run(run)).outcome))
  expect(outcomes).toEqual(['success', 'success', 'success', 'nothing'])
})

test('nor does it where the other checks again before it texts the customer', async () => {
  const text = aStep('s1', 'send_sms', { message: 'Hi {entry.0.contact_first_name}' })
  const guards = { recheckBeforeSending: true }
  const first = await world.rule(aRule([SET('Work Order')], { conditions: IS_QUOTE }))
  const second = await world.rule(aRule([text], { conditions: IS_QUOTE, guards }))
  world.engine().start()
  const job = world.job(LEEDS)
  const runs = [await world.start(first, [job]), await world.start(second, [job])]
  await world.clock.run(minutes(1))
  // One of a later event is judged by the job as it is.
  runs.push(await world.start(second, [job]))
  await world.clock.run(minutes(1))
  const outcomes = await Promise.all(runs.map(async (run) => (await world.run(run)).outcome))
  expect(outcomes).toEqual(['success', 'success', 'nothing'])
  expect(world.platform.messages).toHaveLength(1)
})

test('nor does it to the automations of a booking, whose conditions ask for its job', async () => {
  const trigger = { ...aRule([]).trigger, object: 'jobactivity' }
  const ruleOf = (step: typeof TASK) => world.rule(aRule([step], { conditions: IS_QUOTE, trigger }), LEEDS, step.type)
  const rules = [await ruleOf(SET('Work Order')), await ruleOf(TASK)]
  await plan('trial')
  world.engine({}, { beatMs: minutes(10) }).start()
  const [uuid, job_uuid] = [uuidOf('contact', 901), world.job(LEEDS)]
  const visit = { uuid, job_uuid, active: '1', activity_was_scheduled: '1', start_date: '2026-01-07 09:00:00' }
  world.platform.put(LEEDS, 'jobactivity', visit)
  const runs: number[] = []
  for (const rule of rules) runs.push(await world.start(rule, [uuid], { object: 'jobactivity' }))
  await world.clock.run(hours(24))
  await plan('active')
  await world.clock.run(minutes(1))
  for (const run of runs) expect(await world.run(run)).toMatchObject({ outcome: 'success' })
  expect(tasks()).toBe(1)
})
