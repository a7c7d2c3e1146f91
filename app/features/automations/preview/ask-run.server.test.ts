// "Run Now" of a rule that writes to customers: what was approved is what is done, for the record that was looked for.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { days, minutes } from '#app/lib/duration.ts'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { LEEDS, QUEUE, uuidOf } from '#tests/support/automation-world.server.ts'
import { actOnRule } from '../page/act-on-rule.server.ts'
import { changeRule, createRule } from '../rules/rules.server.ts'
import { backtestRule } from './backtest.server.ts'

let calls: AutomationCalls
beforeEach(async () => {
  calls = await automationCalls()
})
afterEach(() => calls.close())

const sms = (message: string) => ({ type: 'send_sms', parameters: { to: '{entry.0.contact_mobile}', message } })
const task = (title: string) => ({ type: 'create_task', parameters: { title } })

const RULE = {
  name: 'Chase quotes',
  triggerSource: 'webhook',
  object: 'job',
  triggerType: 'job_status',
  conditions: [{ field: 'status', operator: 'equals', value: 'Quote' }],
  actions: [sms('TEXT-ONE for {entry.0.generated_job_id}')],
}

async function make(more: Record<string, unknown> = {}): Promise<string> {
  const saved = await createRule(calls.app, LEEDS, { ...RULE, ...more })
  if (saved.outcome !== 'saved') throw new Error(JSON.stringify(saved))
  return String(saved.rule.id)
}

async function change(id: string, more: Record<string, unknown>): Promise<void> {
  const saved = await changeRule(calls.app, LEEDS, Number(id), { ...RULE, ...more })
  if (saved.outcome !== 'saved') throw new Error(JSON.stringify(saved))
}

async function press(id: string, values: Record<string, string> = {}, act: 'run' | 'preview' = 'run') {
  const asked = { admin: false, takeRun: () => true, names: {} }
  const pressed = actOnRule(calls.app, LEEDS, act, { id, ...values }, asked)
  let settled = false
  const end = () => {
    settled = true
  }
  pressed.then(end, end)
  // A run waits for the clock.
  for (let second = 0; second < 30 && !settled; second++) await calls.world.clock.run(1_000)
  return pressed
}

async function asked(id: string, values: Record<string, string> = {}) {
  const done = await press(id, values)
  if (done.outcome !== 'shown' || done.result.kind !== 'ask_run') throw new Error(JSON.stringify(done))
  const { values: approved, ...rest } = done.result.asked
  return { ...rest, approved: approved ?? {} }
}

test('a booking is named by its customer, in the question and in the look back, and never by its id', async () => {
  const job = calls.world.job(LEEDS)
  calls.world.platform.put(LEEDS, 'jobactivity', {
    ...{ uuid: '12000000-0000-4000-8000-000000000001', job_uuid: job, active: 1, activity_was_scheduled: 1 },
    ...{ start_date: '2026-01-05 08:00:00', edit_date: '2026-01-04 08:00:00' },
  })
  const booking = { object: 'jobactivity', triggerType: 'job_updated', conditions: [], actions: [task('Call')] }
  const id = await make({
    ...booking,
    triggerSource: 'api_polling',
    apiEndpoint: '/api_1.0/jobactivity.json',
    pollInterval: 'on_demand',
  })
  const about = async (values: Record<string, string>) => {
    const done = await press(id, values, 'preview')
    return done.outcome === 'shown' && 'preview' in done.result ? done.result.preview : done
  }
  expect(await about({ bypass: 'yes' })).toMatchObject({ about: expect.stringMatching(/^Customer 1/) })
  expect(await about({})).toMatchObject({ about: expect.stringMatching(/^Customer 1/) })
  const row = await calls.world.store.automations.findAutomation(LEEDS, Number(id))
  const back = row && (await backtestRule(calls.app, row))
  expect(back).toMatchObject({ rows: [{ title: expect.stringMatching(/^Customer 1/), customer: '' }] })
})

async function notMet(id: string, values: Record<string, string> = {}, act: 'run' | 'preview' = 'run') {
  const done = await press(id, values, act)
  if (done.outcome !== 'shown' || done.result.kind !== 'not_met') throw new Error(JSON.stringify(done))
  return done.result
}

const texts = () => calls.world.platform.messages.map(({ text }) => text)
const EXECUTED = { outcome: 'done', flash: { title: 'Automation executed' } }

test('a scheduled rule that asks first runs at once for the person who presses Run Now', async () => {
  calls.world.job(LEEDS)
  const id = await make({
    triggerSource: 'api_polling',
    apiEndpoint: '/api_1.0/job.json',
    pollInterval: 'on_demand',
    guards: { askFirst: true },
  })
  const { approved } = await asked(id)
  expect(await press(id, approved)).toMatchObject(EXECUTED)
  expect(texts()).toEqual(['TEXT-ONE for 1'])
})

test('a rule on deletion runs for the deleted job that a person names', async () => {
  const job = calls.world.job(LEEDS, { active: '0' })
  const rule = { triggerType: 'job_field', triggerFieldName: 'active', conditions: [], actions: [task('Gone')] }
  expect(await press(await make(rule), { recordUuid: job })).toMatchObject(EXECUTED)
  expect(calls.world.platform.made).toHaveLength(1)
})

describe('what was approved', () => {
  test('is what is sent: a text changed in the meantime is asked about again', async () => {
    calls.world.job(LEEDS)
    const id = await make()
    const first = await asked(id)
    await change(id, { actions: [sms('TEXT-TWO for {entry.0.generated_job_id}')] })
    const second = await asked(id, first.approved)
    expect(texts()).toEqual([])
    expect(second.note).toBe('The message changed since you looked. Check it again.')
    expect(second.runs[0]?.preview.steps[0]?.effects[0]?.texts).toEqual([{ label: 'Text', text: 'TEXT-TWO for 1' }])
    expect(await press(id, second.approved)).toMatchObject(EXECUTED)
    expect(texts()).toEqual(['TEXT-TWO for 1'])
  })

  test.each([
    ['the job', 'job', uuidOf('job', 1), { job_description: 'Rewire' }],
    ['the receiver', 'jobcontact', uuidOf('contact', 1), { mobile: '+447700911111' }],
  ])('is asked about again when %s says something else now', async (_, object, uuid, fields) => {
    calls.world.job(LEEDS)
    const id = await make({ actions: [sms('About {entry.0.job_description}')] })
    const first = await asked(id)
    const before = calls.world.platform.records(LEEDS, object).get(uuid)
    calls.world.platform.put(LEEDS, object, { ...before, ...fields, uuid })
    // What was read of contacts is remembered for a while, for the question and the run alike.
    calls.world.clock.leap(minutes(15))
    const second = await asked(id, first.approved)
    expect(second.note).toBe('The message changed since you looked. Check it again.')
    expect(texts()).toEqual([])
  })

  test('covers what is done beside messages', async () => {
    calls.world.job(LEEDS)
    const id = await make({ actions: [sms('Hello'), task('Ring')] })
    const first = await asked(id)
    await change(id, { actions: [sms('Hello'), task('Invoice')] })
    expect((await asked(id, first.approved)).note).toBe('The actions changed since you looked. Check them again.')
  })

  test('covers the rest of the automation', async () => {
    calls.world.job(LEEDS)
    const id = await make()
    const first = await asked(id)
    await change(id, { once: 'change' })
    expect((await asked(id, first.approved)).note).toBe('The automation changed since you looked. Check it again.')
    expect(texts()).toEqual([])
  })

  test('names the records first when they changed too', async () => {
    calls.world.job(LEEDS)
    const polled = { triggerSource: 'api_polling', apiEndpoint: '/api_1.0/job.json', pollInterval: 'on_demand' }
    const id = await make(polled)
    const first = await asked(id)
    calls.world.job(LEEDS)
    expect((await asked(id, first.approved)).note).toBe('The records changed since you looked. Check them again.')
  })

  test('may carry a time of day: a minute later it is the same', async () => {
    calls.world.job(LEEDS)
    const id = await make({ actions: [{ type: 'assign_to_queue', parameters: { queueUuid: QUEUE } }, sms('Booked')] })
    const first = await asked(id)
    await calls.world.clock.run(60_000)
    expect(await press(id, first.approved)).toMatchObject(EXECUTED)
    expect(texts()).toEqual(['Booked'])
  })

  test('is of one moment, however long it takes to show: a second that passes meanwhile is no change', async () => {
    calls.world.job(LEEDS)
    const id = await make({ actions: [{ type: 'assign_to_queue', parameters: { queueUuid: QUEUE } }, sms('Booked')] })
    calls.world.platform.fate = () => {
      calls.world.clock.leap(700)
      return 'well'
    }
    const first = await asked(id)
    calls.world.platform.fate = () => 'well'
    await calls.world.clock.run(60_000)
    expect(await press(id, first.approved)).toMatchObject(EXECUTED)
    expect(texts()).toEqual(['Booked'])
  })

  test('holds for the day it was shown on', async () => {
    calls.world.job(LEEDS)
    const id = await make({ actions: [sms('On {today}')] })
    const first = await asked(id)
    calls.world.clock.leap(days(1))
    expect((await asked(id, first.approved)).note).toBe('The message changed since you looked. Check it again.')
    expect(texts()).toEqual([])
  })

  test('a second press a moment later is the same one, whatever the first one changed', async () => {
    calls.world.job(LEEDS)
    const status = { type: 'update_job_status', parameters: { status: 'Work Order' } }
    const id = await make({ conditions: [], once: 'change', actions: [status, sms('Hello')] })
    const { approved } = await asked(id)
    expect(await press(id, approved)).toMatchObject(EXECUTED)
    expect(await press(id, approved)).toMatchObject({
      flash: { title: 'This ran a moment ago. It was not run again.' },
    })
    expect(texts()).toEqual(['Hello'])
  })
})

describe('the record that was looked for', () => {
  test('is named, asked for and run when it does not meet the conditions', async () => {
    const wanted = calls.world.job(LEEDS, { status: 'Completed', edit_date: '2026-01-05 07:00:00' })
    calls.world.job(LEEDS)
    const id = await make()
    const refused = await notMet(id, { search: '1' })
    expect(refused).toMatchObject({ recordUuid: wanted, record: 'Job 1' })
    const question = await asked(id, { bypass: 'yes', recordUuid: refused.recordUuid })
    expect(question.about).toMatch(/^Job 1 /)
    expect(await press(id, question.approved)).toMatchObject(EXECUTED)
    expect(texts()).toEqual(['TEXT-ONE for 1'])
  })

  test('is named too when it was chosen from the list, and in a preview', async () => {
    const wanted = calls.world.job(LEEDS, { status: 'Completed' })
    calls.world.job(LEEDS)
    const id = await make()
    expect(await notMet(id, { recordUuid: wanted })).toMatchObject({ recordUuid: wanted, record: 'Job 1' })
    expect(await notMet(id, { recordUuid: wanted }, 'preview')).toMatchObject({ record: 'Job 1', mode: 'preview' })
  })

  test('stays the one when it stopped meeting the conditions before Run for real', async () => {
    const wanted = calls.world.job(LEEDS)
    calls.world.job(LEEDS, { edit_date: '2026-01-05 08:30:00' })
    const id = await make()
    const question = await asked(id, { search: '1' })
    const job = calls.world.platform.records(LEEDS, 'job').get(wanted)
    calls.world.platform.put(LEEDS, 'job', { ...job, status: 'Completed', uuid: wanted })
    expect(await notMet(id, question.approved)).toMatchObject({ recordUuid: wanted, record: 'Job 1' })
    expect(texts()).toEqual([])
  })

  test('is no other one: what is not found is not run', async () => {
    calls.world.job(LEEDS)
    const id = await make()
    const done = await press(id, { search: '99' })
    expect(done).toMatchObject({
      outcome: 'shown',
      result: {
        kind: 'ask_run',
        asked: { about: '', runs: [], values: null, search: '99', choices: [{ matches: true }] },
      },
    })
  })

  test('no record is named where none was asked for', async () => {
    calls.world.job(LEEDS, { status: 'Completed' })
    const id = await make()
    expect(await notMet(id)).toMatchObject({ recordUuid: '', record: null })
  })
})
