// Which records count as there before a rule: chosen when it is switched on, and kept when its text or time changes.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hours, minutes } from '#app/lib/duration.ts'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { LEEDS } from '#tests/support/automation-world.server.ts'
import { createBaseline } from '../triggers/baseline.server.ts'
import { createPoller } from '../triggers/poll.server.ts'
import { changeRule, createRule, switchRule } from './rules.server.ts'

let calls: AutomationCalls
beforeEach(async () => {
  calls = await automationCalls()
})
afterEach(() => calls.close())

const HOURLY = {
  name: 'Ask about quotes',
  triggerSource: 'api_polling',
  apiEndpoint: '/api_1.0/job.json',
  pollInterval: 'hourly',
  runTime: '10:00',
  conditions: [{ field: 'status', operator: 'equals', value: 'Quote' }],
  actions: [
    { type: 'send_sms', parameters: { to: '{entry.0.contact_mobile}', message: 'Job {entry.0.generated_job_id}' } },
  ],
}

function parts() {
  const { world } = calls
  return { ...world.app, facts: world.parts.facts }
}

async function changed(id: number, body: object): Promise<void> {
  expect(await changeRule(calls.app, LEEDS, id, body)).toMatchObject({ outcome: 'saved' })
  await createBaseline(parts()).round()
}

/** A rule that skips what matches now: job 1. */
async function made(): Promise<number> {
  calls.world.job(LEEDS)
  const saved = await createRule(calls.app, LEEDS, HOURLY)
  if (saved.outcome !== 'saved') throw new Error(JSON.stringify(saved))
  await createBaseline(parts()).round()
  return saved.rule.id
}

/** What customers got until the check of the next hour. */
async function texts(): Promise<string[]> {
  const { world } = calls
  await world.clock.run(hours(1))
  await createPoller(parts()).round()
  world.app.wakeRuns()
  await world.clock.run(minutes(1))
  return world.platform.messages.map(({ text }) => text)
}

test('what matches now is acted on when that is chosen, although it was skipped before', async () => {
  const id = await made()
  expect(await texts()).toEqual([])
  await changed(id, { ...HOURLY, includeExisting: true })
  expect(await texts()).toEqual(['Job 1'])
})

test('the same from the card of a rule that is off', async () => {
  const id = await made()
  await changed(id, { active: false })
  const rule = await calls.world.store.automations.findAutomation(LEEDS, id)
  if (!rule) throw new Error('gone')
  await switchRule(calls.app, rule, true, true)
  expect(await texts()).toEqual(['Job 1'])
  // What it acted on stays handled.
  await changed(id, { ...HOURLY, includeExisting: true })
  expect(await texts()).toEqual(['Job 1'])
})

test('the same while those that are there are just being noted', async () => {
  calls.world.job(LEEDS)
  const saved = await createRule(calls.app, LEEDS, HOURLY)
  if (saved.outcome !== 'saved') throw new Error(JSON.stringify(saved))
  calls.world.platform.fate = () => {
    calls.world.platform.fate = () => 'well'
    pressed = chooseExisting(saved.rule.id)
    return 'well'
  }
  let pressed: Promise<void> | null = null
  await createBaseline(parts()).round()
  await pressed
  expect(await texts()).toEqual(['Job 1'])
})

/** Switched off and on again, with what matches now. */
async function chooseExisting(id: number): Promise<void> {
  const { automations } = calls.world.store
  expect(await changeRule(calls.app, LEEDS, id, { active: false })).toMatchObject({ outcome: 'saved' })
  const off = await automations.findAutomation(LEEDS, id)
  if (!off) throw new Error('gone')
  expect(await switchRule(calls.app, off, true, true)).toMatchObject({ outcome: 'saved' })
}

test('another time of day loses nothing that came since the last check', async () => {
  const id = await made()
  calls.world.job(LEEDS)
  await changed(id, { ...HOURLY, runTime: '09:30' })
  expect(await texts()).toEqual(['Job 2'])
})

test('with other conditions, what they match already is skipped', async () => {
  const id = await made()
  calls.world.job(LEEDS, { status: 'Completed' })
  await changed(id, { ...HOURLY, conditions: [{ field: 'status', operator: 'equals', value: 'Completed' }] })
  expect(await texts()).toEqual([])
})

test('for a rule that was changed while its records are noted, the rest of a long list is not read', async () => {
  const made = await createRule(calls.app, LEEDS, {
    ...HOURLY,
    triggerSource: 'webhook',
    object: 'job',
    triggerType: 'job_created',
  })
  if (made.outcome !== 'saved') throw new Error(JSON.stringify(made))
  const { id } = made.rule
  let pages = 0
  const listPage = async () => {
    pages += 1
    if (pages === 1) await calls.world.store.automations.changeAutomation(LEEDS, id, { name: 'Other', at: 1 })
    return { outcome: 'ok', value: { records: [], next: pages < 5 ? String(pages) : null } }
  }
  const callAsAccount = (_: string, call: (api: { listPage: typeof listPage }) => unknown) => call({ listPage })
  const app = { ...parts(), callAsAccount } as unknown as ReturnType<typeof parts>
  await createBaseline(app).round()
  expect(pages).toBe(1)
  // What it is now is noted in full.
  await createBaseline(app).round()
  expect(pages).toBe(5)
  expect(await calls.world.store.automations.findAutomation(LEEDS, id)).toMatchObject({ baselined: true })
})
