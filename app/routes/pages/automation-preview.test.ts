import { afterEach, beforeEach, expect, test } from 'vitest'
import { formOfFields, toForm } from '#app/features/automations/form/form-state.ts'
import { hours } from '#app/lib/duration.ts'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { BRISBANE, LEEDS } from '#tests/support/automation-world.server.ts'
import { action as preview } from './automation-preview.ts'

let calls: AutomationCalls
beforeEach(async () => {
  calls = await automationCalls()
  const expiresAt = calls.world.clock.now() + hours(3)
  const tokens = { accessTokenSealed: '-', refreshTokenSealed: '-', expiresAt, scope: '' }
  await calls.app.store.accounts.saveCredential(LEEDS, tokens)
})
afterEach(() => calls.close())

const RULE = {
  name: 'Thanks',
  triggerSource: 'webhook',
  object: 'job',
  triggerType: 'job_status',
  actions: [{ type: 'send_sms', parameters: { message: 'Hi {entry.0.contact_first_name}' } }],
}

async function ask(as: string | null, what = 'preview', rule: object = RULE) {
  const body = new URLSearchParams([...toForm(formOfFields({ ...rule })), ['preview', what]]).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return calls.call(preview, `/automation/preview?accountUUID=${LEEDS}`, { method: 'POST', as, body, headers })
}

test('answers whoever is signed in for the account, and nobody else', async () => {
  calls.world.job(LEEDS)
  expect((await ask(null)).status).toBe(401)
  expect((await ask(BRISBANE)).status).toBe(404)
  const answered = await ask(LEEDS)
  expect(answered.status).toBe(200)
  expect(answered.json).toMatchObject({ kind: 'preview', record: { matches: true } })
  expect((await ask(LEEDS, 'run')).status).toBe(400)
})

test('the platform’s trouble is an answer in words', async () => {
  calls.world.platform.fate = () => 'not_reached'
  const answered = await ask(LEEDS, 'samples')
  expect(answered.status).toBe(200)
  expect(answered.json).toEqual({ kind: 'trouble', message: expect.stringContaining('ServiceM8 did not answer') })
})

test('names a customer by its record, and asks once for a list that may not be read', async () => {
  const { world } = calls
  const zed = 'cccccccc-0000-4000-8000-00000000000e'
  world.platform.put(LEEDS, 'company', { uuid: zed, name: 'Zed Farm', active: '1' })
  world.job(LEEDS)
  const refused = { outcome: 'refused', status: 403, message: 'No scope.' } as const
  world.platform.fate = ({ verb, object }) => (verb === 'list' && object === 'badge' ? refused : 'well')
  const conditions = [{ field: 'company_uuid', operator: 'equals', value: zed }]
  for (let pause = 0; pause < 2; pause++) {
    const { json } = await ask(LEEDS, 'preview', { ...RULE, conditions })
    expect(json).toMatchObject({ failed: [expect.stringMatching(/"Customer 1"\..*"Zed Farm"/)] })
  }
  const lists = world.platform.exchanges.filter(({ verb }) => verb === 'list').map(({ object }) => object)
  expect(lists.filter((object) => object === 'badge')).toHaveLength(1)
  expect(lists).not.toContain('company')
})

test('more than sixty a minute have to wait', async () => {
  calls.world.job(LEEDS)
  const answers = await Promise.all(
    Array.from({ length: 61 }, () => ask(LEEDS, 'nothing').catch((refusal: Response) => refusal)),
  )
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
})
