import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { WebhookTrigger } from '#app/domain/automations/rule.ts'
import { findNotifyUrl } from '#app/features/automations/actions/notification-address.server.ts'
import { exportRule } from '#app/features/automations/rules/import-rule.ts'
import { apiRoute } from '#tests/support/api-route.ts'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { LEEDS } from '#tests/support/automation-world.server.ts'

const automation = apiRoute('api/automation')
const byId = apiRoute('api/automation/:id')

let calls: AutomationCalls
beforeEach(async () => {
  calls = await automationCalls()
})
afterEach(() => calls.close())

const MANUAL = { accountUUID: LEEDS, name: 'Pack', triggerSource: 'manual_endpoint' }

test('what is saved as it is already is no change', async () => {
  const body = { ...MANUAL, actions: [{ type: 'send_sms', parameters: { to: '07700 900123', message: 'x' } }] }
  const put = (name: string) =>
    calls.call(byId, '/api/automation/1', { method: 'PUT', params: { id: '1' }, body: { ...body, name } })
  expect((await calls.call(automation, '/api/automation', { method: 'POST', body })).status).toBe(201)
  const changed = vi.spyOn(calls.app.store.automations, 'changeAutomation')
  for (const name of ['Pack', 'Pack', 'Packed', 'Packed']) expect((await put(name)).status).toBe(200)
  expect(changed).toHaveBeenCalledTimes(1)
})

describe('what a value says by itself is judged when it is saved', () => {
  const save = async (type: string, parameters: Record<string, unknown>) => {
    const body = { ...MANUAL, actions: [{ type, parameters }] }
    const answered = await calls.call(automation, '/api/automation', { method: 'POST', body })
    return [answered.status, answered.json.errors ?? answered.json.actions[0].parameters]
  }
  const at = (name: string, message: string) => [400, { [`actions.0.parameters.${name}`]: [message] }]

  test.each([
    ['send_email', { to: 'a@b.example', customBody: 'x' }, 'customSubject', 'The e-mail has no subject.'],
    ['send_email', { to: 'a@b.example', customSubject: 'x' }, 'customBody', 'The e-mail has no text.'],
    ['send_sms', { to: 'hello', message: 'x' }, 'to', '"hello" is not a phone number.'],
    ['send_sms', { to: '07700 90012', message: 'x' }, 'to', '"07700 90012" is not a phone number.'],
    ['send_notification', { message: 'x', url: 'not a url' }, 'url', 'Must be a valid HTTPS URL'],
    ['send_notification', { message: 'x', url: 'https://10.0.0.1/in' }, 'url', 'It is private.'],
    ['send_notification', { message: 'x', url: 'HTTPS://10.0.0.1/in' }, 'url', 'It is private.'],
    ['send_notification', { message: 'x', url: 'HTTP://10.0.0.1/in' }, 'url', 'Must be a valid HTTPS URL'],
  ])('%s %j', async (type, parameters, name, message) => {
    calls.app.outbound.check = async (url) =>
      url.includes('10.0.0.1') ? { verdict: 'blocked', sentence: 'It is private.' } : { verdict: 'allowed' }
    expect(await save(type, parameters)).toEqual(at(name, message))
  })

  test('an address without its scheme gets it, as a webhook does: saved, judged and copied that way', async () => {
    const judged: string[] = []
    calls.app.outbound.check = async (url) => {
      judged.push(url)
      return { verdict: 'allowed' }
    }
    const [status, saved] = await save('send_notification', { message: 'x', url: ' hooks.slack.com/services/x ' })
    expect([status, saved.url, judged]).toEqual([
      201,
      'https://hooks.slack.com/services/x',
      ['https://hooks.slack.com/services/x'],
    ])
    const [rule] = await calls.app.store.automations.listAutomations(LEEDS)
    expect(rule && exportRule(rule, '')).toContain('"https://hooks.slack.com/services/x"')
  })

  test('a number as the account writes it is taken, also when ServiceM8 does not answer', async () => {
    const parameters = { to: '07700 900123', message: 'x' }
    expect(await save('send_sms', parameters)).toEqual([201, parameters])
  })

  test('a notification without an address goes to the first active webhook that has one; without any it is refused', async () => {
    const bare = { message: 'x' }
    const refused = at('url', 'Enter the address to call. No active webhook has one to use.')
    expect(await save('send_notification', bare)).toEqual(refused)
    // The same once the blanks around it are gone.
    for (const url of [' ', '\t']) expect(await save('send_notification', { message: 'x', url })).toEqual(refused)
    const webhooks = [
      { id: 1, endpoint: { url: '', state: 'active' } },
      { id: 2, endpoint: { url: 'https://paused.example', state: 'paused' } },
    ]
    calls.app.store.endpoints.listEndpoints = async () => webhooks as never
    expect(await save('send_notification', bare)).toEqual(refused)
    webhooks.push({ id: 3, endpoint: { url: 'https://mine.example', state: 'active' } })
    expect(await save('send_notification', bare)).toEqual([201, bare])
    expect(await findNotifyUrl(calls.app, LEEDS, { trigger: { source: 'manual_endpoint' } })).toBe(
      'https://mine.example',
    )
    // The rule's own goes first while it is on; what is paused or stopped is not called.
    const own = (id: number) =>
      findNotifyUrl(calls.app, LEEDS, { trigger: { source: 'webhook', webhookSubscriptionId: id } as WebhookTrigger })
    webhooks.push(
      { id: 4, endpoint: { url: 'https://failing.example', state: 'failing' } },
      { id: 5, endpoint: { url: 'https://stopped.example', state: 'stopped' } },
    )
    expect(await Promise.all([2, 4, 5].map(own))).toEqual([
      'https://mine.example',
      'https://failing.example',
      'https://mine.example',
    ])
  })
})
