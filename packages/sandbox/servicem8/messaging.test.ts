import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { days, minutes } from '#app/lib/duration.ts'
import { JOB, openStage, STAFF, SYDNEY, type TestStage } from '../testing.server.ts'

let stage: TestStage
let token: string
beforeEach(async () => {
  stage = await openStage()
  token = stage.token()
})
afterEach(() => stage.stop())

type Body = Record<string, unknown>

const sms = (json: Body, as = token) => stage.call('/platform_service_sms', { token: as, json })
const email = (json: Body, headers: Record<string, string> = {}) =>
  stage.call('/platform_service_email', { token, json, headers })

test('an SMS answers a message id and lies in the outbox and the history', async () => {
  const answer = await sms({ to: '+61 412 345 678', message: 'x'.repeat(154), regardingJobUUID: JOB })
  expect(answer.status).toBe(200)
  const { messageID, errorCode } = answer.json()
  expect(errorCode).toBe(0)
  expect(stage.world.outbox(SYDNEY)).toMatchObject([
    { kind: 'sms', to: '+61412345678', credits: 2, jobUuid: JOB, messageId: messageID },
  ])
  const history = (await stage.call('/api_1.0/sms.json', { token })).json<Body[]>()
  expect(history).toMatchObject([{ to: '+61412345678', direction: 'outbound', related_object_uuid: JOB }])
  // As integrators saw it: found by number, text and time only, and not at all when it was about no job.
  expect(JSON.stringify(history)).not.toContain(messageID)
  await sms({ to: '+61412345678', message: 'About nothing' })
  expect((await stage.call('/api_1.0/sms.json', { token })).json()).toEqual(history)
})

test('an e-mail lies in the history, not opened yet', async () => {
  const { messageID } = (await email({ to: 'ann@shop.example', subject: 'Hi', textBody: 'Hello' })).json()
  const history = (await stage.call('/api_1.0/email.json', { token })).json<Body[]>()
  expect(history).toMatchObject([{ to: 'ann@shop.example', bounced: '0', opened: '0', first_opened_at: '' }])
  expect(JSON.stringify(history)).not.toContain(messageID)
})

test('a number that is none, an empty text, a long one and an unknown job are refused', async () => {
  const wrong = await sms({ to: '12345', message: 'Hi' })
  expect([wrong.status, wrong.json().message]).toEqual([400, '12345 is not a valid mobile number'])
  expect((await sms({ to: '+61412345678', message: '' })).status).toBe(400)
  expect((await sms({ to: '+61412345678', message: 'x'.repeat(1601) })).status).toBe(400)
  expect((await sms({ to: '+61412345678', message: 'Hi', regardingJobUUID: STAFF })).status).toBe(400)
  expect(stage.world.outbox(SYDNEY)).toEqual([])
})

test('scopes and JSON are insisted on', async () => {
  const answer = await sms({ to: '+61412345678', message: 'Hi' }, stage.token('publish_email'))
  expect([answer.status, answer.json().message]).toEqual([403, expect.stringContaining('publish_sms scope required')])
  const form = { to: '+61412345678', message: 'Hi' }
  expect((await stage.call('/platform_service_sms', { token, form })).status).toBe(400)
})

test('with silence switched on a 200 comes without an id and nothing was sent', async () => {
  stage.world.setOptions(SYDNEY, { messagingSilent: true })
  const answer = await sms({ to: '+61412345678', message: 'Hi' })
  expect(answer.status).toBe(200)
  expect(answer.json()).not.toHaveProperty('messageID')
  expect(stage.world.outbox(SYDNEY)).toEqual([])
})

test('messages are throttled by the minute and by the day', async () => {
  stage.world.setOptions(SYDNEY, { messagesPerMinute: 2, messagesPerDay: 3 })
  const send = async () => (await sms({ to: '+61412345678', message: 'Hi' })).status
  expect([await send(), await send(), await send()]).toEqual([200, 200, 429])
  stage.clock.advance(minutes(1))
  token = stage.token()
  expect([await send(), await send()]).toEqual([200, 429])
  stage.clock.advance(days(1))
  token = stage.token()
  expect(await send()).toBe(200)
})

test('an e-mail needs an address, a subject and a body that is not empty', async () => {
  const good = { to: 'ann@shop.example', subject: 'Your quote', htmlBody: '<p>Hello</p>' }
  expect((await email(good)).json().messageID).toMatch(/^[0-9a-f-]{36}$/)
  for (const change of [
    { to: 'ann' },
    { to: 'a@b.example, c@d.example' },
    { cc: 'nobody' },
    { subject: '' },
    { htmlBody: '' },
    { htmlBody: undefined },
    { attachments: [STAFF] },
  ]) {
    expect([change, (await email({ ...good, ...change })).status]).toEqual([change, 400])
  }
  expect(stage.world.outbox(SYDNEY)).toHaveLength(1)
})

test('the signature element becomes the signature of the staff member acted as, and vanishes otherwise', async () => {
  const json = {
    to: 'ann@shop.example',
    subject: 'Hi',
    htmlBody: '<p>Hello</p><platform-user-signature></platform-user-signature>',
  }
  await email(json, { 'x-impersonate-uuid': STAFF })
  await email(json)
  expect(stage.world.outbox(SYDNEY)).toMatchObject([
    { htmlBody: '<p>Hello</p>', signedByStaffUuid: '' },
    { htmlBody: '<p>Hello</p><p>Mia Nguyen<br>Harbour Plumbing</p>', signedByStaffUuid: STAFF },
  ])
})

test('the invented feed path keeps to the length of the specification', async () => {
  expect((await stage.call('/unverified_feed', { token, json: { message: 'Done', showActionBar: true } })).status).toBe(
    200,
  )
  expect((await stage.call('/unverified_feed', { token, json: { message: 'x'.repeat(501) } })).status).toBe(400)
  expect(stage.world.outbox(SYDNEY)).toMatchObject([{ kind: 'feed', message: 'Done', showActionBar: true }])
})

describe('the history', () => {
  const rows = async (channel: 'sms' | 'email') =>
    (await stage.call(`/api_1.0/${channel}.json`, { token: stage.token() })).json<Body[]>()
  const text = (message: string) => sms({ to: '+61412345678', message, regardingJobUUID: JOB })

  test('a message that never arrives is accepted, and stays out of the history', async () => {
    stage.world.setOptions(SYDNEY, { undeliveredNext: 1 })
    expect((await text('Lost')).json()).toHaveProperty('messageID')
    await text('Arrives')
    expect(await rows('sms')).toMatchObject([{ message: 'Arrives' }])
    const [arrived, lost] = stage.world.outbox(SYDNEY)
    expect([lost, arrived]).toMatchObject([
      { delivered: false, historyUuid: null },
      { delivered: true, historyUuid: expect.any(String) },
    ])
  })

  test('rows come late, with the time of the sending by its own clock', async () => {
    stage.world.setOptions(SYDNEY, { historyLateMinutes: 7, historyClockSkewMinutes: -10 })
    await text('Hello')
    stage.clock.advance(minutes(6))
    expect(await rows('sms')).toEqual([])
    expect(stage.world.conversation(SYDNEY, JOB)).toMatchObject([{ channel: 'sms', shown: false }])
    stage.clock.advance(minutes(1))
    expect(await rows('sms')).toMatchObject([{ message: 'Hello', timestamp: '2026-01-05 19:50:00' }])
  })

  test('rows come twice, never, or not to this add-on', async () => {
    stage.world.setOptions(SYDNEY, { historyDoubled: true })
    await text('Twice')
    const [first, second] = await rows('sms')
    expect(second).toEqual({ ...first, uuid: second?.uuid })
    expect(first?.uuid).not.toBe(second?.uuid)
    stage.world.setOptions(SYDNEY, { historyDoubled: false, historyMissing: true })
    await text('Never')
    expect(await rows('sms')).toHaveLength(2)
    stage.world.setOptions(SYDNEY, { historyRefused: true })
    const refused = await stage.call('/api_1.0/sms.json', { token: stage.token() })
    expect([refused.status, refused.json().message]).toEqual([403, expect.stringContaining('read_sms scope required')])
  })

  test('a customer answers, opens an e-mail, and it comes back', async () => {
    await email({ to: 'ann@shop.example', subject: 'Quote', textBody: 'Hello', regardingJobUUID: JOB })
    const [sent] = stage.world.outbox(SYDNEY)
    const uuid = sent?.kind === 'email' ? (sent.historyUuid ?? '') : ''
    expect(stage.world.openEmail(SYDNEY, uuid).outcome).toBe('done')
    expect(await rows('email')).toMatchObject([{ opened: '1', first_opened_at: '2026-01-05 20:00:00', bounced: '0' }])
    expect(stage.world.bounceEmail(SYDNEY, uuid).outcome).toBe('done')
    expect(await rows('email')).toMatchObject([{ bounced: '1' }])
    expect(stage.world.openEmail(SYDNEY, 'nothing').outcome).toBe('refused')
    const answer = { channel: 'sms', from: '+61412345678', text: 'Yes please' } as const
    expect(stage.world.customerAnswers(SYDNEY, JOB, answer).outcome).toBe('done')
    expect(stage.world.customerAnswers(SYDNEY, JOB, { ...answer, text: ' ' }).outcome).toBe('refused')
    expect(stage.world.customerAnswers(SYDNEY, 'nothing', answer).outcome).toBe('refused')
    expect(await rows('sms')).toMatchObject([
      { direction: 'inbound', from: '+61412345678', message: 'Yes please', related_object_uuid: JOB },
    ])
  })
})
