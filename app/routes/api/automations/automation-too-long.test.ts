import { afterEach, beforeEach, expect, test } from 'vitest'
import { handleForm, loadForm } from '#app/features/automations/form/form-intents.server.ts'
import { formOfFields, toForm } from '#app/features/automations/form/form-state.ts'
import { actOnRule } from '#app/features/automations/page/act-on-rule.server.ts'
import { previewForm } from '#app/features/automations/preview/form-preview.server.ts'
import type { NotDone } from '#app/lib/apart.ts'
import { apiRoute } from '#tests/support/api-route.ts'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { LEEDS } from '#tests/support/automation-world.server.ts'

const automation = apiRoute('api/automation')

let calls: AutomationCalls
beforeEach(async () => {
  calls = await automationCalls()
})
afterEach(() => calls.close())

const FIELDS = {
  name: 'Pack',
  triggerSource: 'manual_endpoint',
  actions: [{ type: 'create_task', parameters: { title: 'Ring {nobody}' } }],
}
const STATE = formOfFields(FIELDS)
const TOO_LONG = 'This automation takes too long to check. Make its texts shorter.'
const BUSY = 'Too much work at once. Please try again in 2 s.'

/** As if whatever is long ended so. */
function endsSo(how: NotDone): void {
  calls.app.apart = { do: async () => how }
}
const save = () =>
  calls.call(automation, '/api/automation', { method: 'POST', body: { accountUUID: LEEDS, ...FIELDS } })
const stored = () => calls.app.store.automations.listAutomations(LEEDS)

test('a call that takes too long to check is answered 422, one too many 429; nothing is stored', async () => {
  endsSo({ outcome: 'too_long' })
  expect(await save()).toMatchObject({ status: 422, json: { message: TOO_LONG } })
  endsSo({ outcome: 'busy', retryAfterMs: 2_000 })
  const refused = await save()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2'])
  expect(await stored()).toEqual([])
})

test('the form says so, keeps what was written, and is drawn without hints about its texts', async () => {
  const data = new FormData()
  for (const [name, value] of [...toForm(STATE), ['intent', 'form.save'] as const]) data.append(name, value)
  endsSo({ outcome: 'too_long' })
  const answer = await handleForm(calls.app, LEEDS, data)
  expect(answer).toMatchObject({
    outcome: 'form',
    flash: { kind: 'error', description: TOO_LONG },
    form: { state: { steps: [{ parameters: { title: 'Ring {nobody}' } }] }, aids: { hints: {} } },
  })
  const drawn = await loadForm(calls.app, LEEDS, STATE)
  expect(drawn.trouble).toMatchObject({ title: 'The texts could not be checked', description: TOO_LONG })
  expect(drawn.aids.placeholders.length).toBeGreaterThan(10)
  expect(await stored()).toEqual([])
})

test('an import and a look say so too', async () => {
  endsSo({ outcome: 'busy', retryAfterMs: 1_200 })
  const asked = { admin: false, takeRun: () => true, names: {} }
  expect(await actOnRule(calls.app, LEEDS, 'import', { json: JSON.stringify(FIELDS) }, asked)).toMatchObject({
    result: { kind: 'import_refused', message: BUSY },
  })
  for (const preview of ['preview', 'samples', 'backtest'] as const) {
    const wanted = { preview, accountUuid: LEEDS, record: '', search: '', names: {} }
    expect(await previewForm(calls.app, STATE, wanted)).toEqual({ kind: 'trouble', message: BUSY })
  }
})
