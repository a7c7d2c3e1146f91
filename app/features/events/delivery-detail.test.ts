import { describe, expect, test } from 'vitest'
import type { StoredDelivery } from '#app/domain/deliveries/stored-delivery.ts'
import { recordName } from '#app/domain/record-name.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { DELIVERED_BY_ANOTHER } from './delivering/delivery.ts'
import { deliveryCurl, deliveryJson, deliveryView, lastAnswer, MASKED_SIGNATURE } from './delivery-detail.ts'

const NOW = Date.UTC(2026, 0, 5, 9, 0)

const TRY = {
  number: 1,
  url: 'https://example.com/old',
  at: NOW - minutes(2) + 750,
  durationMs: 256,
  dnsMs: 4,
  connectMs: 12,
  tlsMs: 30,
  firstByteMs: 210,
  outcome: 'http_error',
  statusCode: 404,
  sentence: 'Your address answered 404. Is the scenario switched on?',
  peerIp: '203.0.113.9',
  responseBody: 'no such hook',
}

function stored(
  over: Partial<StoredDelivery> = {},
  delivery: Partial<StoredDelivery['delivery']> = {},
): StoredDelivery {
  return {
    seq: 7,
    eventId: '019b8d0c-2d00-7000-8000-000000000001',
    source: 'object',
    object: 'jobactivity',
    objectUuid: 'r-1',
    changedFields: ['status'],
    receivedAt: NOW - minutes(3),
    bodyKept: true,
    body: '{"object":"job"}',
    owner: { webhookId: 3, forwardingRuleId: null, objectType: 'jobactivity' },
    attempts: [TRY],
    others: [],
    ...over,
    delivery: {
      id: 12,
      endpointId: 5,
      cause: 'live',
      state: 'pending',
      stateReason: null,
      attempts: 1,
      lastCode: 404,
      lastSentence: TRY.sentence,
      lastMs: 86,
      lastUrl: TRY.url,
      dueAt: NOW + minutes(2),
      deadlineAt: NOW + hours(71),
      createdAt: NOW - minutes(3),
      settledAt: null,
      codes: [],
      address: {
        url: 'https://example.com/new',
        state: 'active',
        holdUntil: null,
        holdReason: null,
        breaker: 'closed',
        nextProbeAt: null,
      },
      ...delivery,
    },
  }
}

const view = (...args: Parameters<typeof stored>) =>
  deliveryView(stored(...args), recordName('job', null), NOW, '1.2.3')
const header = (name: string, ...args: Parameters<typeof stored>) =>
  view(...args).request.headers.find((one) => one.name === name)?.value

describe('the request', () => {
  test('is the one of the latest attempt, with the address it went to and the second it was signed in', () => {
    const { request } = view()
    expect(request).toMatchObject({ method: 'POST', url: 'https://example.com/old', body: '{"object":"job"}' })
    expect(request.attempt).toEqual({ number: 1, at: TRY.at })
    expect(Object.fromEntries(request.headers.map(({ name, value }) => [name, value]))).toEqual({
      'content-type': 'application/json',
      'user-agent': 'Fieldhook/1.2.3',
      'webhook-id': 'evt_019b8d0c2d0070008000000000000001_5',
      'webhook-timestamp': '1767603480',
      'webhook-signature': MASKED_SIGNATURE,
      'x-fieldhook-attempt': '1',
    })
  })

  test('of a delivery that was not tried is the one that will be sent', () => {
    const untried: Parameters<typeof stored> = [
      { attempts: [] },
      { attempts: 0, lastSentence: null, lastUrl: null, lastMs: null },
    ]
    expect(view(...untried).request).toMatchObject({ url: 'https://example.com/new', attempt: null })
    expect(header('webhook-timestamp', ...untried)).toBeNull()
    expect(header('webhook-signature', ...untried)).toBeNull()
  })

  test('is not the row that says why nothing was sent', () => {
    const note = { ...TRY, number: 2, outcome: 'stopped', sentence: 'Not sent: the webhook was deleted.' }
    const { request, attempts } = view({ attempts: [note, TRY] })
    expect(request.attempt?.number).toBe(1)
    expect(attempts.map(({ sent, timing }) => [sent, timing === null])).toEqual([
      [false, true],
      [true, false],
    ])
  })

  test('as a command is fresh, and has no secret in it', () => {
    const curl = deliveryCurl(view().request, NOW)
    expect(curl?.split(' \\\n  ')).toEqual([
      "curl -X POST 'https://example.com/old'",
      "-H 'content-type: application/json'",
      "-H 'user-agent: Fieldhook/1.2.3'",
      "-H 'webhook-id: evt_019b8d0c2d0070008000000000000001_5'",
      "-H 'webhook-timestamp: 1767603600'",
      "-H 'webhook-signature: v1,SIGN_WITH_YOUR_SECRET'",
      "-H 'x-fieldhook-attempt: 1'",
      `--data-raw '{"object":"job"}'`,
    ])
    expect(deliveryCurl(view({ body: null }).request, NOW)).toBeNull()
  })
})

describe('how it stands', () => {
  test('is said with the last answer and what it waits for', () => {
    expect(view()).toMatchObject({
      status: 'waiting',
      sentence: 'Your address answered 404. Is the scenario switched on? We retry automatically.',
      waiting: { nextAt: NOW + minutes(2), until: NOW + hours(71) },
    })
  })

  test('is not said twice when the wait repeats the answer', () => {
    const address = { ...stored().delivery.address, holdUntil: NOW + minutes(1), holdReason: TRY.sentence }
    expect(view({}, { address }).sentence).toBe(`The whole webhook waits. ${TRY.sentence}`)
  })

  test('is the reason it ended for, where there is one', () => {
    const delivered = view({}, { state: 'delivered', lastSentence: 'Delivered: your address answered 200.' })
    expect(delivered).toMatchObject({ sentence: 'Delivered: your address answered 200.', waiting: null })
    const expired = view({}, { state: 'expired', stateReason: 'Not delivered within 72 hours. It hung.' })
    expect(expired).toMatchObject({ status: 'failed', sentence: 'Not delivered within 72 hours. It hung.' })
    const stopped = view({ attempts: [] }, { state: 'stopped', attempts: 0, lastSentence: null })
    expect(stopped.sentence).toBe('Stopped before it was delivered.')
  })
})

describe('sending it again', () => {
  const address = stored().delivery.address
  test.each([
    [{}, {}, null],
    [{}, { address: { ...address, state: 'deleted' } }, 'The webhook was deleted.'],
    [{}, { address: { ...address, state: 'deleted', rule: 'Zapier' } }, 'The forwarding rule was deleted.'],
    [{}, { address: { ...address, url: '' } }, 'The webhook no longer has an address.'],
    [{ bodyKept: false }, {}, 'This event is too old. We no longer keep its content.'],
  ] as const)('is possible, or says why not (%#)', (over, delivery, why) => {
    expect(view(over, delivery as Partial<StoredDelivery['delivery']>).whyNotAgain).toBe(why)
  })
})

describe('what it was sent for', () => {
  const rule = { webhookId: null, forwardingRuleId: 4, objectType: 'job' }
  const named = { address: { ...stored().delivery.address, rule: 'Zapier' } }
  const deleted = { address: { ...stored().delivery.address, state: 'deleted' as const } }

  test('is a webhook or a rule, with its card on the manager page', () => {
    expect(view().owner).toEqual({ label: 'Job Activity webhook', card: 3 })
    expect(view({ owner: rule }, named).owner).toEqual({ label: 'Zapier rule', card: 'rule-4' })
  })

  test('has no card any more when it was deleted', () => {
    expect(view({}, deleted).owner).toEqual({ label: 'Job Activity webhook (deleted)', card: null })
    const both = { address: { ...named.address, ...deleted.address, rule: 'Zapier' } }
    expect(view({ owner: rule }, both).owner).toEqual({ label: 'Zapier rule (deleted)', card: null })
  })
})

test('the answer of a failed attempt is not that of what another sending delivered', () => {
  const { delivery } = stored()
  expect(lastAnswer(delivery)).toEqual({ lastCode: 404, lastMs: 86 })
  const other = { ...delivery, state: 'delivered', stateReason: DELIVERED_BY_ANOTHER } as const
  expect(lastAnswer(other)).toEqual({ lastCode: null, lastMs: null })
  expect(view({ others: [other] }).others[0]).toMatchObject({ status: 'delivered', lastCode: null })
  expect(lastAnswer({ ...other, stateReason: null, lastCode: 200 })).toMatchObject({ lastCode: 200 })
})

test('as JSON it has ISO dates and the signature stays hidden', () => {
  const other = { ...stored().delivery, id: 13, cause: 'retry' as const, state: 'delivered' as const }
  const json = deliveryJson(view({ others: [other] }))
  expect(json).toMatchObject({
    id: 12,
    status: 'waiting',
    waiting: { nextAttemptAt: '2026-01-05T09:02:00.000Z', until: '2026-01-08T08:00:00.000Z' },
    settledAt: null,
    request: {
      headers: { 'webhook-signature': MASKED_SIGNATURE },
      attempt: 1,
      sentAt: '2026-01-05T08:58:00.750Z',
    },
    attempts: [
      {
        number: 1,
        at: '2026-01-05T08:58:00.750Z',
        statusCode: 404,
        timing: { dnsMs: 4, connectMs: 12, tlsMs: 30, firstByteMs: 210 },
        peerIp: '203.0.113.9',
        responseBody: 'no such hook',
      },
    ],
    attemptsMade: 1,
    event: { number: 7, objectType: 'jobactivity', changedFields: ['status'], receivedAt: '2026-01-05T08:57:00.000Z' },
    webhookId: 3,
    otherDeliveries: [
      { id: 13, status: 'delivered', url: 'https://example.com/old', createdAt: '2026-01-05T08:57:00.000Z' },
    ],
    canSendAgain: true,
  })
})
