import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStage, SYDNEY, type TestStage } from '../testing.server.ts'
import { OBJECTS } from './catalog.ts'

let stage: TestStage
let token: string
beforeEach(async () => {
  stage = await openStage({ answerMs: 300 })
  token = stage.token()
})
afterEach(() => stage.stop())

interface Entry {
  uuid: string
  type: string
  object?: string
  event?: string
  callback_url: string
  fields?: string[]
  unique_id: string
  active: boolean
  last_failure_reason: string | null
  last_failure_at: string | null
}

async function list(status?: string): Promise<Entry[]> {
  const query = status === undefined ? '' : `?status=${status}`
  return (await stage.call(`/webhook_subscriptions${query}`, { token })).json<Entry[]>()
}

function post(path: string, form: Record<string, string>) {
  return stage.call(path, { token, form })
}

const at = (path: string) => `${stage.origin}${path}`

test('a subscription is made after the challenge came back, and its uuid is learnt from the list', async () => {
  const seen: string[] = []
  stage.answerChallenges((challenge) => {
    seen.push(challenge)
    return { status: 200, body: challenge }
  })
  const answer = await stage.subscribe(token, 'job', 'status,queue_uuid')
  expect(answer.json()).toEqual({ success: true })
  expect(seen).toHaveLength(1)
  expect(await list()).toEqual([
    {
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'object',
      object: 'job',
      fields: ['status', 'queue_uuid'],
      callback_url: at('/in/job'),
      unique_id: '',
      active: true,
      last_failure_reason: null,
      last_failure_at: null,
    },
  ])
})

test.each([
  ['another text', () => ({ status: 200, body: 'no' })],
  ['another status', (challenge: string) => ({ status: 202, body: challenge })],
  ['nothing in time', () => ({ status: 200, silent: true })],
])('a challenge answered with %s leaves nothing behind', async (_case, answer) => {
  stage.answerChallenges(answer)
  const refused = await stage.subscribe(token, 'job', 'status')
  expect([refused.status, refused.json().success]).toEqual([400, false])
  expect(await list('all')).toEqual([])
})

test('a failed challenge on a change leaves the subscription as it was', async () => {
  await stage.subscribe(token, 'job', 'status')
  stage.answerChallenges(() => ({ status: 500 }))
  expect((await stage.subscribe(token, 'job', 'queue_uuid')).status).toBe(400)
  expect(await list()).toMatchObject([{ fields: ['status'], active: true }])
})

test('the same object and address is changed in place, another address stands beside it', async () => {
  await stage.subscribe(token, 'job', 'status')
  const [first] = await list()
  await stage.subscribe(token, 'job', 'status,active')
  expect(await list()).toMatchObject([{ uuid: first?.uuid, fields: ['status', 'active'] }])
  await stage.subscribe(token, 'job', 'status', '/in/other')
  expect(await list()).toHaveLength(2)
})

test('a unique id makes subscribing again a change, even of the address', async () => {
  const form = { object: 'job', fields: 'status', unique_id: 'mine' }
  await post('/webhook_subscriptions/object', { ...form, callback_url: at('/one') })
  await post('/webhook_subscriptions/object', { ...form, callback_url: at('/two') })
  expect(await list()).toMatchObject([{ callback_url: at('/two'), unique_id: 'mine' }])
})

test('on the old path a second subscription to an object replaces the first', async () => {
  await post('/webhook_subscriptions', { object: 'job', fields: 'status', callback_url: at('/one') })
  await post('/webhook_subscriptions', { object: 'job', fields: 'active', callback_url: at('/two') })
  expect(await list()).toMatchObject([{ callback_url: at('/two'), fields: ['active'] }])
  expect(
    (await stage.call('/webhook_subscriptions', { token, method: 'DELETE', form: { object: 'job' } })).status,
  ).toBe(200)
  expect(await list()).toEqual([])
})

test('a JSON body is not read', async () => {
  const json = { object: 'job', fields: 'status', callback_url: at('/in') }
  const answer = await stage.call('/webhook_subscriptions/object', { token, json })
  expect(answer.status).toBe(400)
  expect(answer.json()).toEqual({ success: false, message: 'Please specify an object for subscription' })
})

test('parameters are taken from the address too', async () => {
  const query = new URLSearchParams({ object: 'job', fields: 'status', callback_url: at('/in') })
  expect((await stage.call(`/webhook_subscriptions/object?${query}`, { token, method: 'POST' })).status).toBe(200)
})

test.each(['', 'status,', 'status,priority', 'Status'])(
  'the field list "%s" is refused without naming the field',
  async (fields) => {
    const answer = await stage.subscribe(token, 'job', fields)
    expect([answer.status, answer.json().message]).toEqual([400, '"" is not a valid field for subscription'])
  },
)

test('only the nine documented objects can be subscribed to', async () => {
  const taken: string[] = []
  for (const { key } of OBJECTS) {
    const answer = await stage.subscribe(token, key, 'active')
    if (answer.status === 200) taken.push(key)
    else expect(answer.json().message).toBe(`Object ${key} does not support subscription`)
  }
  expect(taken.sort()).toEqual(
    ['attachment', 'company', 'formresponse', 'job', 'jobactivity', 'jobpayment', 'material', 'note', 'task'].sort(),
  )
  expect((await stage.subscribe(token, 'Potato', 'active')).json().message).toBe(
    'Object Potato does not support subscription',
  )
})

test('the read scope of the object is needed, and named', async () => {
  const answer = await stage.subscribe(stage.token('vendor'), 'jobpayment', 'amount')
  expect([answer.status, answer.json().message]).toEqual([403, expect.stringContaining('read_job_payments')])
})

test('addresses of other machines are never called', async () => {
  for (const callback_url of ['http://10.0.0.1/in', 'https://example.com/in', 'file:///etc/passwd', 'nonsense', '']) {
    const answer = await post('/webhook_subscriptions/object', { object: 'job', fields: 'status', callback_url })
    expect(answer.status).toBe(400)
  }
})

test('an event is subscribed to by name; unknown ones are refused', async () => {
  const form = { event: 'job.completed', callback_url: at('/in'), unique_id: at('/in') }
  expect((await post('/webhook_subscriptions/event', form)).status).toBe(200)
  expect(await list()).toMatchObject([{ type: 'event', event: 'job.completed', unique_id: at('/in') }])
  expect((await post('/webhook_subscriptions/event', { ...form, event: 'job.exploded' })).status).toBe(400)
  const gone = await stage.call('/webhook_subscriptions', { token, method: 'DELETE', form })
  expect(gone.status).toBe(200)
})

test('a deleted subscription stays in the full list without a reason, and is not found again', async () => {
  await stage.subscribe(token, 'job', 'status')
  const [entry] = await list()
  const path = `/webhook_subscriptions/${entry?.uuid}`
  expect((await stage.call(path, { token, method: 'DELETE' })).json()).toEqual({ success: true })
  expect(await list()).toEqual([])
  expect(await list('inactive')).toMatchObject([{ uuid: entry?.uuid, active: false, last_failure_reason: null }])
  const again = await stage.call(path, { token, method: 'DELETE' })
  expect([again.status, again.json().message]).toEqual([404, 'No matching webhook found'])
})

test('subscribing again revives one that was switched off for failing', async () => {
  await stage.subscribe(token, 'job', 'status')
  const [entry] = await list()
  expect(stage.world.deactivateSubscription(SYDNEY, entry?.uuid ?? '')).toBe(true)
  expect(await list('inactive')).toMatchObject([
    { last_failure_reason: 'Webhook request failed for over 12 hours', last_failure_at: '2026-01-05 20:00:00' },
  ])
  await stage.subscribe(token, 'job', 'status')
  expect(await list()).toMatchObject([{ uuid: entry?.uuid, active: true, last_failure_reason: null }])
})
