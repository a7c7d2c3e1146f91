// A rule that runs once runs once, whoever deletes, restores, pauses or resumes it.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import { minutes } from '#app/lib/duration.ts'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { LEEDS } from '#tests/support/automation-world.server.ts'
import { createPoller } from '../triggers/poll.server.ts'
import { createRule, deleteRule, restoreRule, switchRule } from './rules.server.ts'

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

test('deleting a rule that runs once, after it ran, and undoing that, does not make it run again', async () => {
  const { world } = calls
  world.job(LEEDS)
  const saved = await createRule(calls.app, LEEDS, ONCE)
  if (saved.outcome !== 'saved') throw new Error(JSON.stringify(saved))
  const poller = createPoller({ ...world.app, facts: world.parts.facts })
  await poller.round()
  world.app.wakeRuns()
  await world.clock.run(minutes(1))
  expect(world.platform.messages).toHaveLength(1)
  const before = await world.store.automations.findAutomation(LEEDS, saved.rule.id)
  expect(before).toMatchObject({ active: true, nextRunAt: null })

  // A week later there is another quote. Somebody deletes the rule and presses "Undo".
  world.job(LEEDS)
  await world.clock.run(minutes(5))
  await deleteRule(calls.app, LEEDS, saved.rule.id)
  await world.clock.run(2_000)
  expect((await restoreRule(calls.app, LEEDS, saved.rule.id)).outcome).toBe('saved')
  await poller.round()
  world.app.wakeRuns()
  await world.clock.run(minutes(1))
  expect(world.platform.messages.map(({ text }) => text)).toEqual(['Job 1'])
})

test('"Resume" after a pause of the engine does not run a rule that ran once again', async () => {
  const { world } = calls
  world.job(LEEDS)
  const saved = await createRule(calls.app, LEEDS, ONCE)
  if (saved.outcome !== 'saved') throw new Error(JSON.stringify(saved))
  const poller = createPoller({ ...world.app, facts: world.parts.facts })
  await poller.round()
  world.app.wakeRuns()
  await world.clock.run(minutes(1))
  expect(world.platform.messages).toHaveLength(1)
  world.job(LEEDS)
  // The sign-in is lost: the engine pauses every rule that is on, this one too.
  await world.store.runs.pauseAutomations(LEEDS, {
    automationId: null,
    reason: runReason('reconnect'),
    at: world.clock.now(),
  })
  const paused = await world.store.automations.findAutomation(LEEDS, saved.rule.id)
  if (!paused) throw new Error('gone')
  expect((await switchRule(calls.app, paused, true, false)).outcome).toBe('saved')
  await poller.round()
  world.app.wakeRuns()
  await world.clock.run(minutes(1))
  expect(world.platform.messages.map(({ text }) => text)).toEqual(['Job 1'])
})

test('one that is deleted before it ran, and restored, still runs', async () => {
  const { world } = calls
  world.job(LEEDS)
  const saved = await createRule(calls.app, LEEDS, ONCE)
  if (saved.outcome !== 'saved') throw new Error(JSON.stringify(saved))
  await deleteRule(calls.app, LEEDS, saved.rule.id)
  await world.clock.run(2_000)
  expect((await restoreRule(calls.app, LEEDS, saved.rule.id)).outcome).toBe('saved')
  await createPoller({ ...world.app, facts: world.parts.facts }).round()
  world.app.wakeRuns()
  await world.clock.run(minutes(1))
  expect(world.platform.messages.map(({ text }) => text)).toEqual(['Job 1'])
})
