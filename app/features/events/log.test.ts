import { describe, expect, test } from 'vitest'
import type { AddressState, LoggedDelivery } from '#app/domain/deliveries/stored-delivery.ts'
import { days, hours } from '#app/lib/duration.ts'
import { activityLabel, logEntry, logEntryJson, rangeStart, readLogQuery, webhookData } from './log.ts'

const NOW = Date.UTC(2026, 0, 5, 9, 0)

describe('the filter of a log', () => {
  test('has the defaults of the specification', () => {
    expect(readLogQuery(new URLSearchParams())).toEqual({
      outcome: 'filter',
      filter: { limit: 10, timeRange: 'day', forwardingStatus: 'all', hasDetails: true },
    })
  })

  test('takes exactly the choices there are', () => {
    const query = new URLSearchParams('limit=50&timeRange=month&forwardingStatus=not_forwarded&hasDetails=false')
    expect(readLogQuery(query)).toEqual({
      outcome: 'filter',
      filter: { limit: 50, timeRange: 'month', forwardingStatus: 'not_forwarded', hasDetails: false },
    })
  })

  test.each(['limit=7', 'limit=1e1', 'limit=50000', 'timeRange=year', 'forwardingStatus=maybe', 'hasDetails=1'])(
    'refuses %s and names the choices',
    (text) => {
      const read = readLogQuery(new URLSearchParams(text))
      expect(read).toMatchObject({ outcome: 'invalid', message: expect.stringContaining('Must be one of') })
      if (read.outcome === 'invalid') expect(Object.keys(read.errors)).toEqual([text.split('=')[0]])
    },
  )

  test('reaches as far back as its name says', () => {
    expect(rangeStart('hour', NOW)).toBe(NOW - hours(1))
    expect(rangeStart('day', NOW)).toBe(NOW - days(1))
    expect(rangeStart('week', NOW)).toBe(NOW - days(7))
    expect(rangeStart('month', NOW)).toBe(NOW - days(30))
    expect(rangeStart('all', NOW)).toBeNull()
  })
})

const FAILED = {
  number: 1,
  url: 'https://example.com/in',
  at: NOW,
  durationMs: 87,
  dnsMs: null,
  connectMs: 12,
  tlsMs: null,
  firstByteMs: 70,
  outcome: 'http_error',
  statusCode: 404,
  sentence: 'Your address answered 404.',
  responseBody: 'no such hook',
}
const DELIVERED = {
  ...FAILED,
  number: 2,
  at: NOW + 5000,
  outcome: 'delivered',
  statusCode: 200,
  sentence: 'Delivered.',
  responseBody: 'ok',
}

const ADDRESS: AddressState = {
  state: 'active',
  holdUntil: null,
  holdReason: null,
  breaker: 'closed',
  nextProbeAt: null,
  url: 'https://example.com/in',
}

function standing(state: LoggedDelivery['state'], address: Partial<AddressState> = {}): LoggedDelivery['standing'] {
  const times = { dueAt: NOW + 9000, deadlineAt: NOW + hours(72), createdAt: NOW }
  return { cause: 'live', state, attempts: 1, ...times, address: { ...ADDRESS, ...address } }
}

function event(...deliveries: Partial<LoggedDelivery>[]) {
  return {
    seq: 12,
    object: 'job',
    objectUuid: 'r-1',
    changedFields: ['status'],
    receivedAt: NOW,
    deliveries: deliveries.map(
      (one, index): LoggedDelivery => ({
        id: index + 1,
        endpointId: index + 1,
        url: 'https://example.com/in',
        state: 'pending',
        stateReason: null,
        dueAt: NOW + 9000,
        settledAt: null,
        attempts: [],
        standing: standing(one.state ?? 'pending'),
        ...one,
      }),
    ),
  }
}

describe('an entry of the log', () => {
  test('without any forwarding says so by an empty list', () => {
    expect(logEntry(event(), null, NOW)).toEqual({
      id: '12',
      type: 'job',
      objectUuid: 'r-1',
      recordName: 'Job',
      test: false,
      receivedAt: NOW,
      changedFields: ['status'],
      forwardedTo: [],
      deliveries: [],
      forwardingResults: [],
    })
  })

  test('tells each attempt, and when the next one is due', () => {
    const { forwardedTo, forwardingResults } = logEntry(event({ attempts: [FAILED] }), null, NOW)
    expect(forwardedTo).toEqual(['https://example.com/in'])
    expect(forwardingResults).toEqual([
      {
        deliveryId: 1,
        attempt: 1,
        url: 'https://example.com/in',
        at: NOW,
        success: false,
        statusCode: 404,
        responseTime: 87,
        timing: { dnsMs: null, connectMs: 12, tlsMs: null, firstByteMs: 70 },
        error: 'Your address answered 404.',
        responseBody: 'no such hook',
        nextAttemptAt: NOW + 9000,
      },
    ])
  })

  test.each([
    ['that asked us to wait', { holdUntil: NOW + hours(6) }, NOW + hours(6)],
    ['that failed often', { breaker: 'open', nextProbeAt: NOW + hours(1) } as const, NOW + hours(1)],
    ['that is paused', { state: 'paused' } as const, null],
  ])('tells when the next one is due at an address %s', (_, address, nextAttemptAt) => {
    const held = event({ attempts: [FAILED], standing: standing('pending', address) })
    expect(logEntry(held, null, NOW).forwardingResults).toMatchObject([{ nextAttemptAt }])
  })

  test('that was delivered at last has no error and no next attempt', () => {
    const { forwardingResults } = logEntry(event({ state: 'delivered', attempts: [FAILED, DELIVERED] }), null, NOW)
    expect(forwardingResults.map((result) => [result.success, result.error, result.nextAttemptAt])).toEqual([
      [false, 'Your address answered 404.', null],
      [true, null, null],
    ])
  })

  test('that ended while it waited says why, once', () => {
    const stopped = { state: 'stopped', stateReason: 'Not sent: the webhook was deleted.', settledAt: NOW + 1 } as const
    expect(logEntry(event(stopped), null, NOW).forwardingResults).toMatchObject([
      { success: false, statusCode: null, error: 'Not sent: the webhook was deleted.', at: NOW + 1, attempt: 1 },
    ])
    const told = { ...FAILED, number: 2, outcome: 'stopped', statusCode: null, sentence: 'Not sent.' }
    const { forwardingResults } = logEntry(event({ ...stopped, attempts: [FAILED, told] }), null, NOW)
    expect(forwardingResults).toHaveLength(2)
    // Nothing was sent, so nothing was measured.
    expect(forwardingResults[1]?.timing).toBeNull()
  })

  test.each([
    ['failed', { ...FAILED, number: 2 }],
    ['arrived', { ...DELIVERED, number: 2 }],
  ])('that ended while an attempt was under way says so once, also when that one %s', (_, late) => {
    const reason = 'Not sent: the webhook was deleted.'
    const told = { ...FAILED, number: 2, outcome: 'stopped', statusCode: null, sentence: reason }
    const ended = event({ state: 'stopped', stateReason: reason, settledAt: NOW + 1, attempts: [told, late] })
    expect(logEntry(ended, null, NOW).forwardingResults.map(({ error }) => error)).toEqual([
      reason,
      late.outcome === 'delivered' ? null : late.sentence,
    ])
  })

  test.each([
    ['expired', 'A test is sent once. Your address answered 404.'],
    ['expired', 'Not delivered within 72 hours. Your address answered 404.'],
    ['stopped', 'Your address answered 404.'],
  ] as const)('that ended with its last attempt (%s) has no attempt more: %s', (state, stateReason) => {
    const ended = event({ state, stateReason, settledAt: NOW + 87, attempts: [FAILED] })
    expect(logEntry(ended, null, NOW).forwardingResults).toMatchObject([
      { attempt: 1, statusCode: 404, error: stateReason, timing: { connectMs: 12 } },
    ])
  })

  test('goes by the address that was dialled; another sending goes to the one that is set now', () => {
    const moved = event({ url: 'https://new.example.com', attempts: [FAILED] }, { url: '', attempts: [FAILED] })
    const { forwardedTo, deliveries } = logEntry(moved, null, NOW)
    expect(forwardedTo).toEqual(['https://example.com/in'])
    expect(deliveries.map(({ url }) => url)).toEqual(['https://new.example.com', 'https://example.com/in'])
  })

  test('names its deliveries, and which of them wait for their first attempt', () => {
    const paused = standing('pending', { state: 'paused' })
    const waiting = event({ attempts: [FAILED] }, {}, { url: 'https://second.example.com', standing: paused })
    expect(logEntry(waiting, null, NOW).deliveries).toEqual([
      { id: 1, endpointId: 1, url: 'https://example.com/in' },
      { id: 2, endpointId: 2, url: 'https://example.com/in', waits: { nextAt: NOW + 9000 } },
      { id: 3, endpointId: 3, url: 'https://second.example.com', waits: { nextAt: null } },
    ])
  })

  test('is not forwarded by a delivery that ended untried, and that one does not wait', () => {
    const ended = event({ attempts: [FAILED] }, { state: 'delivered', url: 'https://moved.example.com' })
    const { forwardedTo, deliveries } = logEntry(ended, null, NOW)
    expect(forwardedTo).toEqual(['https://example.com/in'])
    expect(deliveries[1]).toEqual({ id: 2, endpointId: 2, url: 'https://moved.example.com' })
  })

  test('names the forwarding rule whose address it was, and leaves the name out otherwise', () => {
    const entry = logEntry(
      event({ attempts: [FAILED] }, { rule: 'Accounting', state: 'stopped', settledAt: NOW }),
      null,
      NOW,
    )
    expect(entry.deliveries.map((delivery) => delivery.rule)).toEqual([undefined, 'Accounting'])
    expect(entry.forwardingResults.map((result) => result.rule)).toEqual([undefined, 'Accounting'])
    expect(entry.forwardingResults[0]).not.toHaveProperty('rule')
    expect(logEntryJson(entry, true).forwardingResults[1]).toMatchObject({ rule: 'Accounting' })
  })

  test('as JSON has a number as id, ISO dates, and answers only with details', () => {
    const entry = logEntry(event({ attempts: [FAILED] }), null, NOW)
    expect(logEntryJson(entry, true)).toMatchObject({
      id: 12,
      timestamp: '2026-01-05T09:00:00.000Z',
      receivedAt: '2026-01-05T09:00:00.000Z',
      forwardingResults: [
        {
          responseBody: 'no such hook',
          nextAttemptAt: '2026-01-05T09:00:09.000Z',
          timing: { dnsMs: null, connectMs: 12, tlsMs: null, firstByteMs: 70 },
        },
      ],
    })
    expect(logEntryJson(entry, false).forwardingResults[0]).not.toHaveProperty('responseBody')
  })
})

test('kinds of exchanges have names for people', () => {
  expect(activityLabel('challenge_response')).toBe('Challenge Response')
  expect(activityLabel('api_call')).toBe('API Call')
  expect(activityLabel('something_else')).toBe('something_else')
})

test('the text of an event is data where it is JSON', () => {
  expect(webhookData('{"object":"job"}')).toEqual({ object: 'job' })
  expect(webhookData('not json')).toBe('not json')
  expect(webhookData(null)).toBeNull()
})
