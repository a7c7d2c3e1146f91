// A rule that runs once runs once, and a missed check is made up once: whoever deletes, restores, pauses or edits it.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { LEEDS } from '#tests/support/automation-world.server.ts'
import { createPoller } from '../triggers/poll.server.ts'
import { changeRule, createRule, deleteRule, restoreRule, switchRule } from './rules.server.ts'

let calls: AutomationCalls
beforeEach(async () => {
  calls = await automationCalls()
})
afterEach(() => calls.close())

const ONCE = {
  name: 'Spring offer',
  triggerSource: 'api_polling',
  apiEndpoint: '/api_1.0/job.json',
  pollInterval: 'once',
  conditions: [{ field: 'status', operator: 'equals', value: 'Quote' }],
  actions: [
    { type: 'send_sms', parameters: { to: '{entry.0.contact_mobile}', message: 'Job {entry.0.generated_job_id}' } },
  ],
}

/** A rule that runs once unless said otherwise, made with one quote there. */
async function made(rule: object = ONCE): Promise<number> {
  calls.world.job(LEEDS)
  const saved = await createRule(calls.app, LEEDS, rule)
  if (saved.outcome !== 'saved') throw new Error(JSON.stringify(saved))
  return saved.rule.id
}

/** What customers got, once everything due has run. */
async function texts(): Promise<string[]> {
  const { world } = calls
  await createPoller({ ...world.app, facts: world.parts.facts }).round()
  world.app.wakeRuns()
  await world.clock.run(minutes(1))
  return world.platform.messages.map(({ text }) => text)
}

async function deleteAndUndo(id: number): Promise<void> {
  await deleteRule(calls.app, LEEDS, id)
  await calls.world.clock.run(2_000)
  expect((await restoreRule(calls.app, LEEDS, id)).outcome).toBe('saved')
}

const ruleOf = (id: number) => calls.world.store.automations.findAutomation(LEEDS, id)

test('deleting a rule that runs once, after it ran, and undoing that, does not make it run again', async () => {
  const id = await made()
  expect(await texts()).toEqual(['Job 1'])
  expect(await ruleOf(id)).toMatchObject({ active: true, nextRunAt: null })
  // Later there is another quote.
  calls.world.job(LEEDS)
  await deleteAndUndo(id)
  expect(await texts()).toEqual(['Job 1'])
})

test('"Resume" after a pause of the engine does not run a rule that ran once again', async () => {
  const id = await made()
  expect(await texts()).toEqual(['Job 1'])
  calls.world.job(LEEDS)
  // The sign-in is lost: the engine pauses every rule that is on, this one too.
  const pause = { automationId: null, reason: runReason('reconnect'), at: calls.world.clock.now() }
  await calls.world.store.runs.pauseAutomations(LEEDS, pause)
  const paused = await ruleOf(id)
  if (!paused) throw new Error('gone')
  expect((await switchRule(calls.app, paused, true, false)).outcome).toBe('saved')
  expect(await texts()).toEqual(['Job 1'])
})

test('one that is deleted before it ran, and restored, still runs', async () => {
  await deleteAndUndo(await made())
  expect(await texts()).toEqual(['Job 1'])
})

// The clock stands on Monday at 09:00, so the first check of this one is on Tuesday at 09:00.
const DAILY = { ...ONCE, pollInterval: 'daily', runTime: '09:00', once: 'period' }

async function pausedBefore(untilTick: number): Promise<number> {
  const id = await made(DAILY)
  await calls.world.clock.run(hours(24) - untilTick)
  const pause = {
    automationId: id,
    reason: runReason('scope', { scope: 'publish_sms', message: '' }),
    at: calls.world.clock.now(),
  }
  const { accounts, runs } = calls.world.store
  // Without the permission it stays paused.
  const tokens = { accessTokenSealed: 'a', refreshTokenSealed: 'r', expiresAt: pause.at + hours(999) }
  await accounts.saveCredential(LEEDS, { ...tokens, scope: 'vendor' })
  await runs.pauseAutomations(LEEDS, pause)
  return id
}

test('editing one that the engine paused makes up the check that it missed, once', async () => {
  const id = await pausedBefore(hours(1))
  await calls.world.clock.run(hours(2))
  expect(await texts()).toEqual([])
  expect((await changeRule(calls.app, LEEDS, id, { ...DAILY, name: 'Autumn offer' })).outcome).toBe('saved')
  expect(await texts()).toEqual(['Job 1'])
  expect(await texts()).toEqual(['Job 1'])
  expect(new Date((await ruleOf(id))?.nextRunAt ?? 0).toISOString()).toBe('2026-01-07T09:00:00.000Z')
})

test('an edit of its schedule gives it a tick of the new one instead', async () => {
  const id = await pausedBefore(hours(1))
  await calls.world.clock.run(hours(2))
  expect((await changeRule(calls.app, LEEDS, id, { ...DAILY, runTime: '11:00' })).outcome).toBe('saved')
  expect(await texts()).toEqual([])
  expect(new Date((await ruleOf(id))?.nextRunAt ?? 0).toISOString()).toBe('2026-01-06T11:00:00.000Z')
})

test('one that was deleted while its check was due makes it up when that is undone', async () => {
  const id = await made(DAILY)
  await calls.world.clock.run(hours(24) - seconds(1))
  await deleteAndUndo(id)
  expect(await texts()).toEqual(['Job 1'])
})
