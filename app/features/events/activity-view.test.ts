import { describe, expect, it } from 'vitest'
import {
  type ApiRecord,
  apiItems,
  callStatus,
  countNews,
  MOST_TEXT,
  newestFirst,
  shownData,
  type WebhookRecord,
  webhookItems,
} from './activity-view.ts'

const EVENT: WebhookRecord = {
  id: 1,
  objectType: 'jobactivity',
  objectUuid: 'r-1',
  recordName: 'Job Activity on job 7',
  test: false,
  changedFields: ['status'],
  webhookData: { object: 'JobActivity' },
  receivedAt: '2026-01-05T09:00:00.000Z',
}

const CALL: ApiRecord = {
  id: 1,
  activityType: 'api_call',
  method: 'GET',
  endpoint: '/job.json',
  statusCode: 200,
  duration: 87,
  remoteIp: null,
  userAgent: null,
  requestData: null,
  responseData: '3 records',
  createdAt: '2026-01-05T09:00:00.000Z',
}

const at = (second: number) => new Date(Date.UTC(2026, 0, 5, 9, 0, second)).toISOString()

it('names a test event as one', () => {
  expect(webhookItems([{ ...EVENT, recordName: 'Job', test: true }])).toMatchObject([{ recordName: 'Test: Job' }])
})

describe('the merged list', () => {
  it('is newest first, whatever the kind', () => {
    const events = webhookItems([
      { ...EVENT, id: 2, receivedAt: at(30) },
      { ...EVENT, id: 1, receivedAt: at(10) },
    ])
    const calls = apiItems([
      { ...CALL, id: 2, createdAt: at(40) },
      { ...CALL, id: 1, createdAt: at(20) },
    ])
    expect(newestFirst(events, calls).map((item) => item.key)).toEqual(['api-2', 'webhook-2', 'api-1', 'webhook-1'])
  })

  it('keeps one order within the same moment', () => {
    const events = webhookItems([1, 3, 2].map((id) => ({ ...EVENT, id })))
    const calls = apiItems([2, 1].map((id) => ({ ...CALL, id })))
    expect(newestFirst(events, calls).map((item) => item.key)).toEqual([
      'webhook-3',
      'webhook-2',
      'webhook-1',
      'api-2',
      'api-1',
    ])
  })

  it('tells what is new from what was there, although ids of the two kinds are alike', () => {
    const events = webhookItems([EVENT])
    const calls = apiItems([CALL])
    expect(countNews(newestFirst(events, calls), events)).toBe(1)
    expect(countNews(events, newestFirst(events, calls))).toBe(0)
  })
})

describe('an entry', () => {
  it('of an event has its object in words, its record, its changed fields and its data', () => {
    expect(webhookItems([EVENT])).toEqual([
      {
        kind: 'webhook',
        key: 'webhook-1',
        id: 1,
        at: Date.UTC(2026, 0, 5, 9),
        objectType: 'jobactivity',
        recordName: 'Job Activity on job 7',
        test: false,
        objectUuid: 'r-1',
        changedFields: ['status'],
        data: { text: '{\n  "object": "JobActivity"\n}', cutFrom: null },
      },
    ])
  })

  it.each([
    ['challenge_response', 'Challenge Response'],
    ['api_call', 'API Call'],
    ['sign_in', 'Sign-in'],
    ['webhook', 'Webhook'],
    ['something_else', 'something_else'],
  ])('of an exchange of the type %s is called %s', (activityType, label) => {
    expect(apiItems([{ ...CALL, activityType }])[0]?.label).toBe(label)
  })
})

describe('the status of a call', () => {
  it.each([
    [200, 'normal', 'Status 200'],
    [299, 'normal', 'Status 299'],
    [300, 'error', 'Error 300'],
    [304, 'error', 'Error 304'],
    [404, 'error', 'Error 404'],
    [503, 'error', 'Error 503'],
    [null, 'error', 'No answer'],
  ])('%s is %s', (code, tone, words) => {
    expect(callStatus(code)).toEqual({ tone, words })
  })
})

describe('data to be read', () => {
  it('is nothing when there is none', () => {
    expect([null, undefined, ''].map(shownData)).toEqual([null, null, null])
  })

  it('is indented when it is JSON, also as text, and untouched otherwise', () => {
    expect(shownData({ a: [1] })?.text).toBe('{\n  "a": [\n    1\n  ]\n}')
    expect(shownData('{"a":1}')?.text).toBe('{\n  "a": 1\n}')
    expect(shownData('{"a":1')?.text).toBe('{"a":1')
    expect(shownData('12345678901234567890')?.text).toBe('12345678901234567890')
    expect(shownData('mode=subscribe')?.text).toBe('mode=subscribe')
    expect(shownData(false)?.text).toBe('false')
  })

  it('is cut when it is very long, and says how long it was', () => {
    const shown = shownData('x'.repeat(MOST_TEXT + 1))
    expect(shown).toEqual({ text: 'x'.repeat(MOST_TEXT), cutFrom: MOST_TEXT + 1 })
    expect(shownData('x'.repeat(MOST_TEXT))?.cutFrom).toBeNull()
  })

  it('never holds half a character, which server and browser would draw differently', () => {
    expect(shownData('a\ud800b')?.text).toBe('a\ufffdb')
    expect(shownData(`${'x'.repeat(MOST_TEXT - 1)}😀`)?.text.endsWith('x\ufffd')).toBe(true)
    expect(shownData('😀')?.text).toBe('😀')
  })
})
