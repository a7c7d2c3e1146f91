import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { creditText, lengthProblem, optionText, smsCredits, smsHint } from './message-limits.ts'

describe('a text message', () => {
  it('costs a credit for each 153 characters begun', () => {
    const credits = [0, 1, 152, 153, 154, 306, 307, 1600].map((length) => smsCredits('x'.repeat(length)))
    expect(credits).toEqual([0, 1, 1, 1, 2, 2, 3, 11])
    expect([creditText(1), creditText(2)]).toEqual(['1 credit', '2 credits'])
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(smsCredits(a + b)).toBeLessThanOrEqual(smsCredits(a) + smsCredits(b))
      }),
    )
  })

  it('has the hint of the specification', () => {
    expect(smsHint('Hello')).toBe('5/1600 characters. Messages over 153 chars use multiple SMS credits.')
    expect([smsCredits('x'.repeat(153)), smsCredits('x'.repeat(154))]).toEqual([1, 2])
  })
})

it('texts that are too long are refused with their length', () => {
  expect(lengthProblem('sms', 'x'.repeat(1600))).toBe(null)
  expect(lengthProblem('sms', 'x'.repeat(1601))).toBe('The text message has 1601 characters; at most 1600 can be sent.')
  expect(lengthProblem('feed', 'x'.repeat(501))).toBe('The message has 501 characters; at most 500 can be sent.')
})

it('an option of a list is cut to fifty characters', () => {
  expect(optionText(`  two\n lines `)).toBe('two lines')
  expect(optionText('x'.repeat(60))).toBe(`${'x'.repeat(50)}…`)
})
