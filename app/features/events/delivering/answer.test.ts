import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judgeAnswer, judgeNotification, judgeTest, parseRetryAfter } from './answer.ts'

const NOW = Date.UTC(2026, 0, 5, 9, 0, 0)
const judge = (status: number, headers: Record<string, string> = {}) =>
  judgeAnswer({ outcome: 'response', status, headers }, NOW)

describe('what an answer means', () => {
  it('is decided by its status, and a redirect by where it leads too', () => {
    const outcomes: [number, string][] = [
      [200, 'delivered'],
      [204, 'delivered'],
      [299, 'delivered'],
      [301, 'redirect'],
      [302, 'redirect'],
      [304, 'http_error'],
      [307, 'redirect'],
      [400, 'http_error'],
      [404, 'http_error'],
      [408, 'http_error'],
      [410, 'gone'],
      [425, 'http_error'],
      [429, 'rate_limited'],
      [500, 'http_error'],
      [502, 'http_error'],
      [503, 'http_error'],
      [504, 'http_error'],
      [599, 'http_error'],
      [101, 'http_error'],
    ]
    for (const [status, outcome] of outcomes) {
      const leads: Record<string, string> = outcome === 'redirect' ? { location: '/elsewhere' } : {}
      expect(judge(status, leads)).toMatchObject({ outcome, statusCode: status })
    }
  })

  it('without an answer is what went wrong, in the words of whoever called', () => {
    expect(judgeAnswer({ outcome: 'timeout', sentence: 'No answer within 15 seconds.' }, NOW)).toEqual({
      outcome: 'timeout',
      statusCode: null,
      retryAfterMs: null,
      sentence: 'No answer within 15 seconds.',
    })
  })

  it('is told in a sentence that names the next step', () => {
    expect(judge(404).sentence).toBe('Your address answered 404. Is the scenario switched on?')
    expect(judge(500).sentence).toBe('Your address answered 500. The receiving system reported an error.')
    expect(judge(599).sentence).toBe('Your address answered 599. The receiving system reported an error.')
    expect(judge(418).sentence).toBe('Your address answered 418.')
    expect(judge(410).sentence).toMatch(/asks us to send nothing more/)
    expect(judge(503, { 'retry-after': '90' }).sentence).toMatch(/maintained\. It asked us to wait 90 seconds\.$/)
    expect(judge(429, { 'retry-after': '7200' }).sentence).toMatch(/asked us to wait 2 hours/)
  })

  it.each([
    ['0', /429: it wants fewer requests\. We pause/, /maintained\.$/],
    ['1', /429 and asked us to wait 1 second\. We pause/, /maintained\. It asked us to wait 1 second\.$/],
    [
      '9000',
      /asked us to wait 2 hours 30 minutes\. /,
      /It asked us to wait 2 hours 30 minutes\. We wait 60 minutes at most\.$/,
    ],
    ['315360000', /429 and asked us to wait 720 hours\. We wait 24 hours at most\. We pause/, / 60 minutes at most\.$/],
  ])('tells a Retry-After of %s as it is followed', (wait, slowed, maintained) => {
    expect(judge(429, { 'retry-after': wait }).sentence).toMatch(slowed)
    expect(judge(503, { 'retry-after': wait }).sentence).toMatch(maintained)
  })

  it.each([
    ['a test', judgeTest],
    ['a notification of an automation', judgeNotification],
  ])('tells nothing of how long a webhook waits in the answer to %s', (_what, its) => {
    const sentenceOf = (status: number) =>
      its({ outcome: 'response', status, headers: { 'retry-after': '9000' } }, NOW).sentence
    expect(sentenceOf(503)).toMatch(/maintained\. It asked us to wait 2 hours 30 minutes\.$/)
    expect(sentenceOf(429)).not.toMatch(/at most/)
  })

  it('says of a test that it changed nothing', () => {
    for (const status of [410, 429]) {
      const { sentence } = judgeTest({ outcome: 'response', status, headers: { 'retry-after': '60' } }, NOW)
      expect(sentence).toMatch(new RegExp(`^Your address answered ${status}.* The test changed nothing\\.`))
    }
  })

  it('names the target of a redirect without what may be secret in it', () => {
    expect(judge(302, { location: 'https://elsewhere.example.com/new?key=secret#x' }).sentence).toBe(
      'Your address answered 302 and redirects to https://elsewhere.example.com/new. Redirects are not followed: please enter the final address.',
    )
    for (const location of ['/relative', 'javascript:alert(1)', 'nonsense']) {
      expect(judge(302, { location }).sentence).toMatch(/^Your address answered 302 and redirects\. /)
    }
    expect(judge(302, { location: `https://x.example.com/${'a'.repeat(500)}` }).sentence.length).toBeLessThan(200)
  })

  it.each([300, 304, 302])('tells %s that leads nowhere as an answer that is no delivery', (status) => {
    const headers: Record<string, string> = status === 302 ? {} : { location: 'https://x.example.com/' }
    expect(judge(status, headers)).toMatchObject({
      outcome: 'http_error',
      sentence: `Your address answered ${status}, which is no delivery.`,
    })
  })

  it('asks for a wait only with 429 and 503', () => {
    expect(judge(429, { 'retry-after': '120' }).retryAfterMs).toBe(120_000)
    expect(judge(503, { 'retry-after': '120' }).retryAfterMs).toBe(120_000)
    expect(judge(500, { 'retry-after': '120' }).retryAfterMs).toBeNull()
    expect(judge(200, { 'retry-after': '120' }).retryAfterMs).toBeNull()
  })
})

describe('Retry-After', () => {
  it('is read in every form', () => {
    const cases: [string | undefined, number | null][] = [
      ['0', 0],
      ['120', 120_000],
      [' 120 ', 120_000],
      ['1.5', 1_500],
      ['0.0004', 1],
      ['30, 30', 30_000],
      ['Mon, 05 Jan 2026 09:01:00 GMT', 60_000],
      ['mon, 05 jan 2026 09:01:00 gmt', 60_000],
      ['Monday, 05-Jan-26 09:01:00 GMT', 60_000],
      ['Mon Jan  5 09:01:00 2026', 60_000],
      ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
      ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
      ['99999999999999999999999999', 30 * 86_400_000],
      [undefined, null],
      ['', null],
      ['-5', null],
      ['1e3', null],
      ['0x10', null],
      ['soon', null],
      ['2026-01-05T09:01:00Z', null],
      ['Mon, 32 Jan 2026 09:01:00 GMT', null],
      ['Mon, 05 Foo 2026 09:01:00 GMT', null],
      ['Mon, 05 Jan 2026 25:01:00 GMT', null],
      ['Mon, 05 Jan 2026 09:01:00 CET', null],
      ['12 minutes', null],
    ]
    for (const [text, expected] of cases) expect([text, parseRetryAfter(text, NOW)]).toEqual([text, expected])
  })

  it('only ever delays, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 0, max: 4e12 }), (text, now) => {
        const wait = parseRetryAfter(text, now)
        expect(wait === null || (Number.isSafeInteger(wait) && wait >= 0)).toBe(true)
      }),
    )
  })
})
