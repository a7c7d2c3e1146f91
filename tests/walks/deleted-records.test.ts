// "Jobs" is every record the platform returns, "Jobs, active ones only" what is not deleted: the same for the engine, for Run Now, for
// the preview and for the look back.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formOfFields } from '#app/features/automations/form/form-state.ts'
import { previewForm } from '#app/features/automations/preview/form-preview.server.ts'
import { createRule } from '#app/features/automations/rules/rules.server.ts'
import type { EvaluateApp } from '#app/features/automations/triggers/evaluate.server.ts'
import { matchNow } from '#app/features/automations/triggers/plan-now.server.ts'
import { createPoller } from '#app/features/automations/triggers/poll.server.ts'
import { seconds } from '#app/lib/duration.ts'
import { apiRoute } from '#tests/support/api-route.ts'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { LEEDS } from '#tests/support/automation-world.server.ts'

const run = apiRoute('api/automation/:id/run')

const ALL = '/api_1.0/job.json'
const ACTIVE = "/api_1.0/job.json?$filter=active eq '1'"

let calls: AutomationCalls
let app: EvaluateApp
/** Both completed; the second is deleted, and was changed last. */
let kept: string
let deleted: string
beforeEach(async () => {
  calls = await automationCalls()
  app = { ...calls.app, facts: calls.world.parts.facts } as unknown as EvaluateApp
  kept = calls.world.job(LEEDS, { status: 'Completed', edit_date: '2026-01-02 08:00:00' })
  deleted = calls.world.job(LEEDS, { status: 'Completed', edit_date: '2026-01-03 08:00:00', active: '0' })
})
afterEach(() => calls.close())

const fieldsOf = (apiEndpoint: string) => ({
  name: 'Sweep up',
  triggerSource: 'api_polling',
  apiEndpoint,
  pollInterval: 'on_demand',
  conditions: [{ field: 'status', operator: 'equals', value: 'Completed' }],
  actions: [{ type: 'create_task', parameters: { title: 'Sort {entry.0.generated_job_id}' } }],
})

async function ruleOf(endpoint: string) {
  const saved = await createRule(calls.app, LEEDS, fieldsOf(endpoint))
  if (saved.outcome !== 'saved') throw new Error(JSON.stringify(saved))
  return saved.rule
}

async function preview(what: 'preview' | 'backtest', endpoint: string, record = '') {
  const request = { preview: what, accountUuid: LEEDS, record, search: '', names: {} }
  return previewForm(calls.app, formOfFields(fieldsOf(endpoint)), request)
}

test.each([
  [ALL, () => [deleted, kept]],
  [ACTIVE, () => [kept]],
])('a rule over %s acts on what its list has', async (endpoint, expected) => {
  const rule = await ruleOf(endpoint)
  const found = await matchNow(app, rule, { recordUuid: null, bypassConditions: false })
  expect(found.outcome === 'matched' && found.records.map(({ recordUuid }) => recordUuid)).toEqual(expected())
  // By the clock: one run for each record of the list.
  const now = calls.world.clock.now()
  await calls.world.store.automations.changeAutomation(LEEDS, rule.id, { nextRunAt: now, at: now })
  expect(await createPoller(app).round()).toMatchObject({ started: expected().length })
  // By hand: each is done, at the platform too.
  const byHand = await ruleOf(endpoint)
  const { status } = await calls.call(run, `/api/automation/${byHand.id}/run`, {
    method: 'POST',
    body: {},
    params: { id: String(byHand.id) },
  })
  expect(status).toBe(200)
  await calls.world.clock.run(seconds(10))
  const done = calls.world.platform.made
    .filter(({ object }) => object === 'task')
    .map(({ fields }) => fields.related_object_uuid)
  expect(new Set(done)).toEqual(new Set(expected()))
})

test('a deleted record can be run by name only where the list has it', async () => {
  const asked = { recordUuid: deleted, bypassConditions: false }
  expect((await matchNow(app, await ruleOf(ALL), asked)).outcome).toBe('matched')
  expect((await matchNow(app, await ruleOf(ACTIVE), asked)).outcome).toBe('no_record')
})

test('the preview and the look back read the same list', async () => {
  expect(await preview('preview', ALL)).toMatchObject({ kind: 'preview', record: { uuid: deleted } })
  expect(await preview('preview', ACTIVE)).toMatchObject({ kind: 'preview', record: { uuid: kept } })
  expect(await preview('preview', ALL, deleted)).toMatchObject({ record: { uuid: deleted }, note: null })
  expect(await preview('backtest', ALL)).toMatchObject({ kind: 'backtest', count: 2 })
  expect(await preview('backtest', ACTIVE)).toMatchObject({ kind: 'backtest', count: 1 })
})
