import { describe, expect, it } from 'vitest'
import { messageOf, readAnswer, retryMoment, type WireAnswer } from './servicem8-answer.ts'

const NOW = Date.UTC(2026, 0, 5, 9, 0, 20)

function answer(status: number, text: string, headers: Record<string, string> = {}): WireAnswer {
  return { status, text, headers }
}

describe('reading an answer', () => {
  it.each([
    [400, 'refused'],
    [401, 'unauthorized'],
    [402, 'suspended'],
    [403, 'forbidden'],
    [404, 'refused'],
    [409, 'refused'],
    [426, 'refused'],
    [429, 'rate_limited'],
    [302, 'unavailable'],
    [500, 'unavailable'],
    [503, 'unavailable'],
  ])('takes status %i for %s', (status, outcome) => {
    expect(readAnswer(answer(status, '{"errorCode":1,"message":"No."}'), NOW)).toMatchObject({
      outcome,
      status,
      message: 'No.',
    })
  })

  it.each(['{"errorCode":0,"message":"OK"}', '{"errorCode":"0","message":"OK"}', '{"success":true}', '[]', ''])(
    'takes 200 with %s for good',
    (text) => {
      expect(readAnswer(answer(200, text), NOW)).toMatchObject({ outcome: 'ok' })
    },
  )

  it('believes an error code in a 200, whether number or text', () => {
    expect(readAnswer(answer(200, '{"errorCode":"401","message":"Authorization Required"}'), NOW)).toMatchObject({
      outcome: 'unauthorized',
    })
    expect(readAnswer(answer(200, '{"errorCode":1000,"message":"Bad data"}'), NOW)).toMatchObject({
      outcome: 'refused',
      message: 'Bad data',
    })
  })

  it('believes success: false in a 200', () => {
    expect(readAnswer(answer(200, '{"success":false,"message":"No object"}'), NOW)).toMatchObject({
      outcome: 'refused',
      message: 'No object',
    })
  })

  it('says when to come back after a 429 in plain text', () => {
    const text = 'Number of allowed API requests per minute exceeded'
    expect(readAnswer(answer(429, text), NOW)).toEqual({
      outcome: 'rate_limited',
      status: 429,
      message: text,
      retryAt: Date.UTC(2026, 0, 5, 9, 1, 0),
    })
  })
})

describe("the platform's words", () => {
  it.each([
    ['{"message":"Job not found"}', 'Job not found'],
    ['{"error":"invalid_grant","error_description":"Used before"}', 'Used before'],
    ['{"error":"invalid_grant"}', 'invalid_grant'],
    ['"\\"\\" is not a valid field for subscription"', '"" is not a valid field for subscription'],
    ['Object Potato does not support subscription', 'Object Potato does not support subscription'],
    ['<html><h1>Bad gateway</h1></html>', 'ServiceM8 answered with status 400.'],
    ['', 'ServiceM8 answered with status 400.'],
    ['{}', 'ServiceM8 answered with status 400.'],
    ['one\r\ntwo\u0000', 'one two'],
  ])('in %j are %j', (text, message) => {
    expect(messageOf({ status: 400, text })).toBe(message)
  })

  it('are cut at 500 characters', () => {
    expect(messageOf({ status: 400, text: 'x'.repeat(9000) })).toHaveLength(500)
  })
})

describe('when to ask again', () => {
  const MINUTE = 'Number of allowed API requests per minute exceeded'
  const DAY = 'Number of allowed API requests per day exceeded'

  it.each([
    [MINUTE, null, Date.UTC(2026, 0, 5, 9, 1, 0)],
    [DAY, null, NOW + 3_600_000],
    ['', null, Date.UTC(2026, 0, 5, 9, 1, 0)],
    [MINUTE, '7', NOW + 7_000],
    [MINUTE, '0', NOW + 1_000],
    [MINUTE, '99999999', NOW + 86_400_000],
    [MINUTE, 'Mon, 05 Jan 2026 09:05:00 GMT', Date.UTC(2026, 0, 5, 9, 5, 0)],
    [MINUTE, 'Mon, 05 Jan 2015 09:05:00 GMT', NOW + 1_000],
    [DAY, 'soon', NOW + 3_600_000],
  ])('after %j with Retry-After %j', (text, retryAfter, expected) => {
    expect(retryMoment({ text, retryAfter, now: NOW })).toBe(expected)
  })
})
