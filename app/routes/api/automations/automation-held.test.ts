// What the calls of automations say for an account that is not paid for: the run is kept, and nobody is told that it ran.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TRIAL } from '#app/domain/plan.ts'
import { ranFlash } from '#app/features/automations/page/page-text.ts'
import { listExecutions } from '#app/features/automations/runs/run-history.server.ts'
import { trySave } from '#app/features/billing/change-plan.server.ts'
import { days, seconds } from '#app/lib/duration.ts'
import { apiRoute } from '#tests/support/api-route.ts'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { LEEDS } from '#tests/support/automation-world.server.ts'

const automation = apiRoute('api/automation')
const run = apiRoute('api/automation/:id/run')
const trigger = apiRoute('api/automation/:id/trigger')

let calls: AutomationCalls
beforeEach(async () => {
  calls = await automationCalls()
})
afterEach(() => calls.close())

/** Held, because the trial is over. */
async function hold() {
  const { store, clock } = calls.world
  const settings = { ...calls.app.settings, payments: { mode: 'stripe' as const, publishableKey: null } }
  const known = await store.billing.ensurePlan(LEEDS, TRIAL, clock.now())
  const app = { ...calls.app, settings, wakeDeliveries: () => {} }
  expect(await trySave(app, known, { status: 'trial', trialEndsAt: clock.now() - days(4) })).not.toBeNull()
}

async function makeManual() {
  const actions = [{ type: 'create_task', parameters: { title: 'Ring', description: '' } }]
  const body = { accountUUID: LEEDS, name: 'Pack', triggerSource: 'manual_endpoint', actions }
  return (await calls.call(automation, '/api/automation', { method: 'POST', body })).json
}

test('a call from outside is kept, and answered with what it waits for', async () => {
  const job = calls.world.job(LEEDS)
  const made = await makeManual()
  await hold()
  const { pathname, search } = new URL(made.triggerUrl)
  const body = { job_uuid: job, date: '2026-01-05' }
  const params = { id: String(made.id) }
  const misplaced = `${pathname}${search}&job_uuid=${job}`
  expect((await calls.call(trigger, misplaced, { method: 'POST', as: null, body: {}, params })).status).toBe(400)
  const answered = await calls.call(trigger, pathname + search, { method: 'POST', as: null, body, params })
  expect([answered.status, answered.json.message]).toEqual([
    202,
    'Automation triggered. It waits: Trial ended: subscribe to resume.',
  ])
  await calls.world.clock.run(5_000)
  expect(calls.world.platform.made).toEqual([])
})

test('Run Now says at once that nothing was run, and why', async () => {
  calls.world.job(LEEDS)
  const { id } = await makeManual()
  await hold()
  const began = calls.world.clock.now()
  const params = { id: String(id) }
  const ran = await calls.call(run, `/api/automation/${id}/run`, { method: 'POST', body: {}, params })
  expect(ran.json.message).toBe('Automation not run yet: the run waits. Trial ended: subscribe to resume.')
  // Nobody looks at a turning wheel for what cannot begin.
  expect(calls.world.clock.now() - began).toBeLessThan(seconds(5))
  const executions = await listExecutions(calls.app, LEEDS)
  expect(ranFlash({ executions, started: 1, repeated: 0, handled: null })).toMatchObject({
    kind: 'info',
    title: 'Automation not run yet',
    description: 'Trial ended: subscribe to resume',
  })
})
