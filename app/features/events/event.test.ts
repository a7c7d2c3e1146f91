import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LARGEST_BODY, MOST_ENTRIES, type PlatformEvent, readPlatformCall } from './event.ts'

const UUID = '3f2c9c1e-8f5a-4f0e-9c43-1f7d9a3e2b11'
const ENTRY = { uuid: UUID, changed_fields: ['status', 'completion_date'], time: '2026-01-05 09:00:00' }
const NOTICE = {
  object: 'job',
  entry: [ENTRY],
  resource_url: `https://api.servicem8.com/api_1.0/job/${UUID}.json`,
}

const read = (body: unknown, query = '') =>
  readPlatformCall({ query, body: typeof body === 'string' ? body : JSON.stringify(body) })

function events(body: unknown): PlatformEvent[] {
  const message = read(body)
  if (message.kind !== 'events') throw new Error(`expected events, got ${JSON.stringify(message)}`)
  return message.events
}

const only = (body: unknown): PlatformEvent => {
  const [first, ...more] = events(body)
  if (!first || more.length > 0) throw new Error('expected exactly one event')
  return first
}

const jwt = (claims: unknown) =>
  ['{"alg":"HS256"}', JSON.stringify(claims), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.')

describe('the object kind', () => {
  it('becomes an event whose body is the platform text, byte for byte', () => {
    const text = JSON.stringify(NOTICE, null, 2)
    expect(only(text)).toEqual({
      source: 'object',
      object: 'job',
      objectUuid: UUID,
      changedFields: ['status', 'completion_date'],
      identity: JSON.stringify(['object', 'job', UUID, ['completion_date', 'status'], '2026-01-05 09:00:00']),
      body: text,
    })
  })

  it('of many entries is kept no larger than a call may be, however much stands beside them', () => {
    const entry = Array.from({ length: MOST_ENTRIES }, (_, n) => ({ ...ENTRY, uuid: `record-${n}` }))
    const few = events({ ...NOTICE, entry })
    expect(few).toHaveLength(MOST_ENTRIES)
    expect(few.reduce((sum, { body }) => sum + body.length, 0)).toBeLessThan(LARGEST_BODY)
    for (const beside of [2_000, 50_000, 200_000]) {
      expect(read({ ...NOTICE, entry, more: 'x'.repeat(beside) })).toMatchObject({ kind: 'too_large' })
    }
    // One entry alone goes on whole.
    const whole = JSON.stringify({ ...NOTICE, more: 'x'.repeat(200_000) })
    expect(only(whole).body).toBe(whole)
    // Entries that are long themselves are no copies.
    const long = entry.slice(0, 20).map((one) => ({ ...one, note: 'x'.repeat(10_000) }))
    expect(events({ ...NOTICE, entry: long })).toHaveLength(20)
  })

  it('is recognised in every spelling of the object', () => {
    for (const spelling of ['jobactivity', 'JobActivity', 'JOB_ACTIVITY', 'job_activity', 'Job Activity']) {
      expect(only({ ...NOTICE, object: spelling }).object).toBe('jobactivity')
    }
    expect(JSON.parse(only({ ...NOTICE, object: 'JOB' }).body).object).toBe('JOB')
  })

  it('is read from a form whose key or value is the JSON, however it is encoded', () => {
    const json = JSON.stringify(NOTICE)
    for (const body of [
      `${encodeURIComponent(json)}=`,
      `payload=${encodeURIComponent(json)}`,
      `${json}=`,
      ` ${json}\n`,
    ]) {
      const event = only(body)
      expect(event).toMatchObject({ object: 'job', objectUuid: UUID, changedFields: ['status', 'completion_date'] })
      expect(JSON.parse(event.body)).toEqual(NOTICE)
    }
  })

  it('is read from a form that spells the object out', () => {
    const spelled = new URLSearchParams([
      ['object', 'job'],
      ['entry[0][uuid]', UUID],
      ['entry[0][changed_fields][]', 'status'],
      ['entry[0][changed_fields][]', 'completion_date'],
      ['entry[0][time]', ENTRY.time],
      ['resource_url', NOTICE.resource_url],
    ]).toString()
    expect(JSON.parse(only(spelled).body)).toEqual(NOTICE)
    const mixed = new URLSearchParams({ object: 'job', entry: JSON.stringify([ENTRY]) }).toString()
    expect(only(mixed).objectUuid).toBe(UUID)
  })

  it('with several entries becomes several events, each with the platform shape', () => {
    const second = { ...ENTRY, uuid: UUID.replace('3', '4') }
    const both = events({ ...NOTICE, entry: [ENTRY, second] })
    expect(both.map(({ body }) => JSON.parse(body))).toEqual([
      { ...NOTICE, entry: [ENTRY] },
      { ...NOTICE, entry: [second] },
    ])
  })

  it('is the same event whatever the order of the field names, and another one with other fields, time or record', () => {
    const same = only({ ...NOTICE, entry: [{ ...ENTRY, changed_fields: ['completion_date', 'status'] }] })
    expect(same.identity).toBe(only(NOTICE).identity)
    for (const change of [
      { changed_fields: ['status'] },
      { time: '2026-01-05 09:00:01' },
      { uuid: UUID.replace('3', '4') },
    ]) {
      expect(only({ ...NOTICE, entry: [{ ...ENTRY, ...change }] }).identity).not.toBe(same.identity)
    }
  })

  it('without a time cannot be told from a second change', () => {
    expect(only({ ...NOTICE, entry: [{ uuid: UUID, changed_fields: ['status'] }] }).identity).toBeNull()
  })

  it('may name no fields', () => {
    expect(only({ object: 'job', entry: [{ uuid: UUID }] }).changedFields).toEqual([])
    expect(
      only({ object: 'job', entry: [{ uuid: UUID, changed_fields: [1, null, ' ', 'a', 'a'] }] }).changedFields,
    ).toEqual(['a'])
  })
})

describe('the event kind', () => {
  it('is read in all three envelopes', () => {
    const data = { uuid: UUID, status: 'Completed' }
    expect(only({ id: 'evt-1', type: 'job.completed', createdAt: '2026-01-05T09:00:00Z', data })).toMatchObject({
      source: 'event',
      object: 'job',
      objectUuid: UUID,
      changedFields: [],
      identity: JSON.stringify(['id', 'evt-1']),
    })
    expect(
      only({ event_type: 'form.response_created', timestamp: 1767603600, data, metadata: { attempt: 1 } }),
    ).toMatchObject({
      object: 'formresponse',
      identity: JSON.stringify(['event', 'form.response_created', UUID, '1767603600']),
    })
    expect(
      only({ eventVersion: '1.0', eventName: 'job.queued', auth: { accountUUID: 'x' }, eventArgs: data }),
    ).toMatchObject({
      object: 'job',
      objectUuid: UUID,
    })
  })

  it('is forwarded as received', () => {
    const text = '{ "id": "evt-1", "type": "job.completed", "data": {"uuid":"u-1"} }'
    expect(only(text).body).toBe(text)
  })
})

describe('the signed kind', () => {
  const claims = {
    eventVersion: '1.0',
    eventName: 'webhook_subscription',
    auth: { accountUUID: 'a-1', staffUUID: 's-1', accessToken: 'live-token', accessTokenExpiry: 3600 },
    eventArgs: NOTICE,
  }

  it('is unpacked to the platform shape', () => {
    const event = only(jwt(claims))
    expect(event).toMatchObject({ source: 'object', object: 'job', objectUuid: UUID })
    expect(JSON.parse(event.body)).toEqual(NOTICE)
  })

  it('never passes a token on, wherever it stands', () => {
    const bodies = [
      jwt(claims),
      JSON.stringify(claims),
      JSON.stringify({ ...NOTICE, auth: claims.auth }),
      JSON.stringify({
        id: '1',
        type: 'job.created',
        data: { uuid: UUID, auth: claims.auth, access_token: 'live-token' },
      }),
      JSON.stringify({
        eventName: 'job.created',
        auth: { ...claims.auth, refreshToken: 'live-token' },
        eventArgs: { uuid: UUID },
      }),
      `payload=${encodeURIComponent(JSON.stringify(claims))}`,
    ]
    for (const body of bodies) {
      for (const event of events(body)) expect(event.body).not.toContain('live-token')
    }
  })
})

describe('the challenge', () => {
  it('is found in a form, the query or JSON', () => {
    const expected = { kind: 'challenge', challenge: 'aB3-._~+/=' }
    expect(read('mode=subscribe&challenge=aB3-._~%2B%2F%3D')).toEqual(expected)
    expect(read('', 'mode=subscribe&challenge=aB3-._~%2B%2F%3D')).toEqual(expected)
    expect(read({ mode: 'subscribe', challenge: 'aB3-._~+/=' })).toEqual(expected)
    expect(read({ mode: 'subscribe', challenge: 12345 })).toEqual({ kind: 'challenge', challenge: '12345' })
  })

  it('is not echoed when it could be anything but a challenge', () => {
    for (const challenge of ['', '<script>', 'a b', 'é', 'x'.repeat(257), 'a\r\nb', '"', '&']) {
      expect(read({ mode: 'subscribe', challenge }).kind).toBe('unreadable')
      expect(read(new URLSearchParams({ mode: 'subscribe', challenge }).toString()).kind).toBe('unreadable')
    }
    expect(read({ mode: 'subscribe', challenge: ['a'] }).kind).toBe('unreadable')
  })
})

describe('anything else', () => {
  it('is refused with a reason', () => {
    const cases: [unknown, RegExp][] = [
      ['', /empty/],
      ['hello', /no JSON object/],
      ['{"object":', /no JSON object/],
      ['[]', /no JSON object/],
      ['null', /no JSON object/],
      [{}, /neither an entry nor an event type/],
      [{ object: 'job' }, /neither/],
      [{ entry: [ENTRY] }, /object is missing/],
      [{ object: '<b>', entry: [ENTRY] }, /object is missing/],
      [{ object: 'job', entry: [] }, /empty/],
      [{ object: 'job', entry: ['x'] }, /no uuid/],
      [{ object: 'job', entry: [{ uuid: '../../etc' }] }, /no uuid/],
      [{ object: 'job', entry: Array.from({ length: MOST_ENTRIES + 1 }, () => ENTRY) }, /More than 200/],
      [{ type: 'job.created', data: {} }, /neither/],
      [`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, /neither|nested/],
    ]
    for (const [body, reason] of cases) {
      const message = read(body)
      expect(message).toMatchObject({ kind: 'unreadable', reason: expect.stringMatching(reason) })
    }
  })

  it('in a form of more than 32 KB or 1,000 fields is refused before anything is read out of it', () => {
    const large = `object=job&entry[0][uuid]=${UUID}&note=`
    expect(read(large.padEnd(32 * 1024, 'x')).kind).toBe('events')
    expect(read(large.padEnd(32 * 1024 + 1, 'x'))).toEqual({ kind: 'too_large', reason: 'A form has at most 32 KB.' })
    expect(read(`${large}${'&a[]'.repeat(997)}`).kind).toBe('events')
    expect(read(`${large}${'&a[]'.repeat(998)}`)).toEqual({
      kind: 'too_large',
      reason: 'A form has at most 1,000 fields.',
    })
    expect(read('a[]&'.repeat(8_000))).toMatchObject({ kind: 'too_large' })
    expect(read('a[]&'.repeat(32_768)).kind).toBe('unreadable')
    expect(read('a[]=&'.repeat(26_214)).kind).toBe('too_large')
  })

  it('nested so deeply that it cannot be written again is unreadable, not a crash', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    // Without a name like `auth` the text would be stored as it came, and no page could show it.
    for (const entry of [
      `{"uuid":"u"}],"auth":{},"x":${deep}`,
      `{"uuid":"u","x":${deep}}]`,
      `{"uuid":"u","x":${nested(98)}}]`,
    ]) {
      expect(read(`{"object":"job","entry":[${entry}}`)).toMatchObject({ reason: expect.stringMatching(/nested/) })
    }
    expect(read(`{"object":"job","entry":[{"uuid":"u","x":${nested(97)}}]}`).kind).toBe('events')
  })

  it('never throws, and what it accepts is well formed', () => {
    const odd = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.webQueryParameters(),
      fc.tuple(fc.json(), fc.constantFrom('', '=', '&a=b')).map((parts) => parts.join('')),
      fc.anything({ withNullPrototype: true }).map((value) => JSON.stringify(value) ?? ''),
      fc
        .record(
          {
            object: fc.oneof(fc.string(), fc.constant('job'), fc.integer()),
            entry: fc.oneof(
              fc.array(fc.record({ uuid: fc.string(), changed_fields: fc.anything(), time: fc.anything() })),
              fc.anything(),
            ),
            eventArgs: fc.anything(),
            type: fc.string(),
            data: fc.dictionary(fc.string(), fc.anything()),
            mode: fc.constantFrom('subscribe', 'x'),
            challenge: fc.anything(),
          },
          { requiredKeys: [] },
        )
        .map((value) => JSON.stringify(value)),
      fc.dictionary(fc.string(), fc.anything()).map((claims) => jwt(claims)),
    )
    fc.assert(
      fc.property(odd, fc.oneof(fc.constant(''), fc.webQueryParameters()), (body, query) => {
        const message = readPlatformCall({ query, body })
        if (message.kind === 'challenge') expect(message.challenge).toMatch(/^[\w.~+/=:-]{1,256}$/)
        if (message.kind !== 'events') return
        for (const event of message.events) {
          expect(event.object).toMatch(/^[a-z][a-z0-9]{0,63}$/)
          expect(event.objectUuid).toMatch(/^[\w.:-]{1,100}$/)
          expect(() => JSON.parse(event.body)).not.toThrow()
          expect(event.changedFields.every((name) => typeof name === 'string')).toBe(true)
        }
      }),
      { numRuns: 1_000 },
    )
  })
})
