import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { QUARANTINED } from '#app/domain/quarantine.ts'
import { DEFAULT_LOG_FILTER } from '#app/features/events/log-view.ts'
import { TurnError } from '#app/lib/in-turn.server.ts'
import { controlsOf, holdAccount, insertDelivery, insertEvent } from '#tests/support/webhook-calls.server.ts'
import { LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { actOnManagerPage, loadManagerLog, loadManagerPage, type ManagerOpen } from './manager-page.server.ts'

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
})

afterEach(() => world.close())

const controls = () => controlsOf(world)
const load = (open: ManagerOpen = {}) => loadManagerPage(world.app, controls(), LEEDS, open)

function act(fields: Record<string, string>, admin = false) {
  const formData = new FormData()
  for (const [name, value] of Object.entries({ accountUUID: LEEDS, ...fields })) formData.set(name, value)
  return actOnManagerPage(world.app, controls(), LEEDS, formData, { admin })
}

const CREATE = { intent: 'create', callback_url: 'https://example.com/in', object: 'job', fields: '' }

async function firstId(): Promise<string> {
  const page = await load()
  return String(page.webhooks[0]?.id)
}

describe('the manager page', () => {
  test('keeps the form and says so when another instance is still at work', async () => {
    const inTurn = () => Promise.reject(new TurnError('Please try again in a moment.'))
    world.app.store = { ...world.app.store, shared: { ...world.app.store.shared, inTurn } }
    for (const fields of [CREATE, { intent: 'delete', id: '1' }, { intent: 'undo', id: '1' }])
      expect(await act(fields)).toMatchObject({
        outcome: 'refused',
        status: 503,
        result: { formError: 'Please try again in a moment.', values: fields },
        toast: { kind: 'error', title: 'Please try again in a moment.' },
      })
  })

  test('of a new account is empty, in the zone and under the name of the account', async () => {
    expect(await load()).toEqual({
      accountName: 'Leeds Electrical',
      deleted: null,
      timezone: 'Europe/London',
      now: world.clock.now(),
      webhooks: [],
      rules: [],
      ruleLines: [],
      noRoom: null,
      lastEventAt: null,
      log: null,
      replay: null,
      news: {
        notices: [],
        mail: {
          ...{ byMail: true, email: '', topicsOff: [], weekly: false, holidaysOff: true, closedDays: '' },
          problem: expect.stringContaining('Sign in again'),
        },
        byCard: {},
      },
      firstSteps: [
        { step: 'webhook', done: false, next: true },
        { step: 'event', done: false, next: false },
        { step: 'automation', done: false, next: false },
      ],
      demoAddress: null,
    })
  })

  test('shows webhooks oldest first, and the log that is open', async () => {
    await act(CREATE)
    await act({ ...CREATE, object: 'note' })
    const id = Number(await firstId())
    const page = await load({ log: { webhookId: id, filter: DEFAULT_LOG_FILTER } })
    expect(page.webhooks.map((webhook) => webhook.label)).toEqual(['Job', 'Note'])
    expect(page.log).toEqual({ entries: [], now: world.clock.now() })
  })

  test('takes a test event for no event of ServiceM8', async () => {
    await act(CREATE)
    const seq = insertEvent(world, 'job')
    const source = world.client.sql.prepare('UPDATE event SET source = ? WHERE seq = ?')
    source.run('test', seq)
    const lastEvents = async () => [(await load()).lastEventAt, (await load()).webhooks[0]?.lastEventAt]
    expect(await lastEvents()).toEqual([null, null])
    expect((await load()).firstSteps[1]).toEqual({ step: 'event', done: false, next: true })
    source.run('object', seq)
    expect(await lastEvents()).toEqual([world.clock.now(), world.clock.now()])
    expect((await load()).firstSteps[1]).toMatchObject({ done: true })
  })

  test("opens no log of a webhook that is not the account's", async () => {
    await act(CREATE)
    expect(await loadManagerLog(world.app, 'somebody else', Number(await firstId()), DEFAULT_LOG_FILTER)).toBeNull()
    expect((await load({ log: { webhookId: 99, filter: DEFAULT_LOG_FILTER } })).log).toBeNull()
  })
})

describe('its forms', () => {
  test('create, update and delete in the words of the specification', async () => {
    expect(await act(CREATE)).toEqual({
      outcome: 'done',
      flash: { kind: 'success', title: 'Webhook created successfully!' },
    })
    const id = await firstId()
    expect(await act({ intent: 'update', id, fields: 'status' })).toEqual({
      outcome: 'done',
      flash: { kind: 'success', title: 'Webhook fields updated successfully!' },
    })
    const [webhook] = (await load()).webhooks
    expect(webhook).toMatchObject({ fields: ['status'], callbackUrl: 'https://example.com/in' })
    expect(await act({ intent: 'delete', id })).toEqual({
      outcome: 'done',
      flash: { kind: 'success', title: 'Webhook deleted successfully!' },
    })
    expect((await load()).webhooks).toEqual([])
  })

  test('pass a warning about the address on', async () => {
    world.addresses.set(CREATE.callback_url, { verdict: 'unresolved', sentence: 'The name does not exist yet.' })
    expect(await act(CREATE)).toMatchObject({ flash: { kind: 'success', description: 'The name does not exist yet.' } })
  })

  test('keep what was typed and put each message to its field', async () => {
    const typed = { intent: 'create', callback_url: 'nonsense', object: '', fields: 'status,!' }
    const refused = await act(typed)
    expect(refused).toMatchObject({
      outcome: 'refused',
      status: 400,
      result: {
        values: typed,
        fieldErrors: {
          callback_url: ['Must be a valid HTTPS URL'],
          object: ['Object type is required'],
          fields: [expect.stringContaining('is not a field name')],
        },
      },
    })
    expect(refused).not.toHaveProperty('result.formError')
  })

  test('say on top what concerns no single field', async () => {
    world.platform.failures.subscribe.push({ outcome: 'refused', status: 400, message: 'Challenge failed' })
    expect(await act(CREATE)).toEqual({
      outcome: 'refused',
      status: 502,
      result: { fieldErrors: {}, formError: 'Challenge failed', values: { accountUUID: LEEDS, ...CREATE } },
      toast: { kind: 'error', title: 'Challenge failed' },
    })
    world.connected.clear()
    expect(await act(CREATE)).toMatchObject({
      status: 401,
      result: { formError: 'No authentication credentials found' },
    })
  })

  test('at a field are not repeated as a toast', async () => {
    const refused = await act({ ...CREATE, callback_url: 'nonsense' })
    expect(refused).toMatchObject({
      outcome: 'refused',
      result: { fieldErrors: { callback_url: ['Must be a valid HTTPS URL'] } },
      toast: null,
    })
  })

  test('say at the fields that the platform knows none of them', async () => {
    const none = 'ServiceM8 knows none of these fields of Job: statsu.'
    expect(await act({ ...CREATE, fields: 'statsu' })).toMatchObject({
      status: 502,
      result: { fieldErrors: { fields: [none] } },
      toast: null,
    })
    const rule = { intent: 'create_rule', name: 'To the office', forwardUrl: CREATE.callback_url, objectType: 'job' }
    expect(await act({ ...rule, fieldFilters: 'statsu' })).toMatchObject({
      result: { fieldErrors: { fieldFilters: [none] } },
    })
  })

  test('have the same title for an admin, whatever a creation was refused for', async () => {
    const toastOf = async (form: Record<string, string>) => {
      const refused = await act(form, true)
      return refused.outcome === 'refused' ? refused.toast : null
    }
    const titled = (description: string) => ({ kind: 'error', title: 'ServiceM8 Response', description })
    world.platform.failures.subscribe.push({ outcome: 'refused', status: 400, message: 'Challenge failed' })
    expect(await toastOf(CREATE)).toEqual(titled('Challenge failed'))
    expect(await toastOf({ ...CREATE, object: '' })).toEqual(titled('Please specify an object type'))
    expect(await toastOf({ ...CREATE, callback_url: 'nonsense' })).toEqual(titled('Must be a valid HTTPS URL'))
    expect(await toastOf({ intent: 'create_rule', name: '', objectType: 'job', forwardUrl: '' })).toMatchObject({
      title: 'ServiceM8 Response',
    })
    world.connected.clear()
    expect(await toastOf(CREATE)).toEqual(titled('No authentication credentials found'))
  })

  test('use a custom type for an admin with the toggle on, and for nobody else', async () => {
    const custom = { ...CREATE, object: 'job', useCustom: 'on', customObject: 'Staff' }
    await act(custom, true)
    await act(custom, false)
    const page = await load()
    expect(page.webhooks.map((webhook) => webhook.objectType)).toEqual(['staff', 'job'])
  })

  test('say that a webhook is gone when it was deleted meanwhile', async () => {
    await act(CREATE)
    await act({ intent: 'delete', id: '1' })
    expect(await act({ intent: 'delete', id: '1' }), 'pressed twice').toMatchObject({
      flash: { kind: 'success', title: 'Webhook deleted successfully!', description: 'It was deleted already.' },
    })
    for (const id of ['7', '', 'x']) {
      expect(await act({ intent: 'delete', id })).toMatchObject({
        outcome: 'done',
        flash: { kind: 'error', title: 'Failed to delete webhook', description: 'This webhook no longer exists.' },
      })
    }
    expect(await act({ intent: 'update', id: '7', fields: '' })).toMatchObject({
      flash: { title: 'Failed to update webhook' },
    })
  })

  describe('for forwarding rules', () => {
    const ADD = {
      intent: 'create_rule',
      name: 'Accounting',
      objectType: 'job',
      forwardUrl: 'https://accounts.example.com/in',
      fieldFilters: 'status',
    }

    test('add, change and delete one, and leave the webhook with the same number alone', async () => {
      await act(CREATE)
      expect(await act(ADD)).toEqual({
        outcome: 'done',
        flash: { kind: 'success', title: 'Forwarding rule created successfully!' },
      })
      const change = { intent: 'update', id: 'rule-1', name: 'Books', forwardUrl: ADD.forwardUrl, fieldFilters: '' }
      expect(await act(change)).toEqual({
        outcome: 'done',
        flash: { kind: 'success', title: 'Forwarding rule updated successfully!' },
      })
      expect(await load()).toMatchObject({
        webhooks: [{ id: 1, callbackUrl: CREATE.callback_url }],
        rules: [{ id: 'rule-1', kind: 'extra', name: 'Books', fields: [] }],
      })
      expect(await act({ intent: 'delete', id: 'rule-1' })).toEqual({
        outcome: 'done',
        flash: { kind: 'success', title: 'Forwarding rule deleted successfully!' },
      })
      expect(await load()).toMatchObject({ webhooks: [{ id: 1 }], rules: [] })
    })

    test('keep what was typed and put each message to its field', async () => {
      const typed = { ...ADD, name: '', forwardUrl: 'nonsense', objectType: '' }
      const refused = await act(typed)
      expect(refused).toMatchObject({
        outcome: 'refused',
        status: 400,
        result: {
          values: typed,
          fieldErrors: {
            name: ['Rule name is required'],
            forwardUrl: ['Must be a valid HTTPS URL'],
            objectType: ['Object type is required'],
          },
        },
      })
      expect(refused).not.toHaveProperty('result.formError')
      world.platform.failures.subscribe.push({ outcome: 'refused', status: 400, message: 'Challenge failed' })
      expect(await act(ADD)).toMatchObject({ status: 502, result: { formError: 'Challenge failed' } })
    })

    test('say that a rule is gone when it was deleted meanwhile', async () => {
      await act(CREATE)
      expect(await act({ intent: 'delete', id: 'rule-1' })).toMatchObject({
        flash: { title: 'Failed to delete forwarding rule', description: 'This rule no longer exists.' },
      })
      expect(await act({ intent: 'update', id: 'rule-1', name: 'x' })).toMatchObject({
        flash: { title: 'Failed to update forwarding rule' },
      })
      expect((await load()).webhooks).toHaveLength(1)
    })

    test('open the log and the replay of a rule by its key', async () => {
      await act(ADD)
      const log = { webhookId: 'rule-1', filter: DEFAULT_LOG_FILTER } as const
      expect((await load({ log })).log).toEqual({ entries: [], now: world.clock.now() })
      expect((await load({ replay: { webhookId: 'rule-1', form: null } })).replay).toMatchObject({
        webhookId: 'rule-1',
        count: null,
      })
      expect((await load({ log: { ...log, webhookId: 'rule-9' } })).log).toBeNull()
    })
  })

  test('do nothing for an intent nobody offers', async () => {
    expect(await act({ intent: 'explode' })).toMatchObject({ outcome: 'refused', status: 400 })
  })
})

test.each([
  ['fail', false],
  ['warn', true],
] as const)('a check that ended with %s is shown after a later delivery: %s', async (verdict, shown) => {
  await act(CREATE)
  const at = world.clock.now()
  const steps = [
    { name: 'answer' as const, verdict, sentence: 'Your server says this address no longer exists (410).', fix: null },
  ]
  await world.app.store.notices.saveEndpointCheck(LEEDS, 1, { url: CREATE.callback_url, at, steps: [...steps] })
  expect((await load()).news.byCard[1]?.check?.at).toBe(at)
  world.client.sql.prepare('UPDATE endpoint SET last_success_at = ?').run(at + 1)
  expect((await load()).news.byCard[1]?.check !== undefined).toBe(shown)
})

test('what an undo brings back waits while the account is on hold, and it says so', async () => {
  await act(CREATE)
  const id = await firstId()
  insertDelivery(world, insertEvent(world, 'job'), 'pending')
  const undone = async () => {
    await act({ intent: 'delete', id })
    return act({ intent: 'undo', id })
  }
  expect(await undone()).toMatchObject({ flash: { description: '1 event is on its way.' } })
  expect(await act({ intent: 'undo', id })).toMatchObject({ flash: { kind: 'success', title: 'Webhook restored' } })
  holdAccount(world)
  expect(await undone()).toMatchObject({
    flash: {
      kind: 'info',
      title: 'Webhook restored',
      description: expect.stringContaining('Until then everything waits'),
    },
  })
  Object.assign(world.app, { settings: { ...world.app.settings, held: true } })
  expect(await undone()).toMatchObject({ flash: { title: 'Webhook restored', description: QUARANTINED } })
})
