import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { folded, isBlank, isNothing, isUuid, readFlag, readList, readNumber, readPaymentDays } from './field-value.ts'

describe('numbers', () => {
  test('are read as people and platforms write them', () => {
    const written: [string, number][] = [
      ['12', 12],
      ['-3.5', -3.5],
      ['1234.50', 1234.5],
      ['1,234.50', 1234.5],
      ['£1,234.50', 1234.5],
      ['$ 99', 99],
      ['A$12.30', 12.3],
      ['AUD 40', 40],
      ['40 EUR', 40],
      ['€1.234,50', 1234.5],
      ['1234,5', 1234.5],
      ['1,234', 1234],
      ['1.234.567', 1234567],
      ["1'234.5", 1234.5],
      ['1 234.5', 1234.5],
      ['-£12', -12],
      ['£-12', -12],
      ['\u221212', -12],
      ['+7', 7],
    ]
    for (const [text, number] of written) expect([text, readNumber(text)]).toEqual([text, number])
  })

  test('are not read out of texts that are none', () => {
    for (const text of [
      '',
      ' ',
      'twelve',
      '12 High Street',
      '1,23,4',
      '1.2.3',
      '--5',
      '-£-5',
      '2026-11-21',
      '1e5',
      'Infinity',
      '.',
    ]) {
      expect([text, readNumber(text)]).toEqual([text, null])
    }
  })

  test('come back from their plain spelling', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 99 }), (whole, cents) => {
        const text = `${whole}.${String(cents).padStart(2, '0')}`
        expect(readNumber(text)).toBe(Number(text))
      }),
    )
  })
})

test('flags are 1, "1", true and their opposites; nothing set is no', () => {
  expect(['1', 'true', 'TRUE', ' yes ', 'on'].map(readFlag)).toEqual([true, true, true, true, true])
  expect(['0', 'false', 'No', '', ' '].map(readFlag)).toEqual([false, false, false, false, false])
  expect(['2', 'maybe'].map(readFlag)).toEqual([null, null])
})

test('lists come as JSON in a text, or with commas', () => {
  expect(readList('["a","b"]')).toEqual(['a', 'b'])
  expect(readList('[1,{"x":2}]')).toEqual(['1', '{"x":2}'])
  expect(readList('a, b ,,c')).toEqual(['a', 'b', 'c'])
  expect(readList('[]')).toEqual([])
  expect(readList('')).toEqual([])
  expect(readList('[broken')).toEqual(['[broken'])
})

test('a time that was never set is blank, and words for nothing are nothing', () => {
  expect(['', '  ', '0000-00-00', '0000-00-00 00:00:00'].map(isBlank)).toEqual([true, true, true, true])
  expect(isBlank('0')).toBe(false)
  expect(['null', 'undefined', ''].map(isNothing)).toEqual([true, true, true])
  expect(['Null', 'none', '0'].map(isNothing)).toEqual([false, false, false])
})

test('folding makes case, outer blanks and spellings of an accent equal', () => {
  expect(folded('  Caf\u00e9 ')).toBe(folded('CAFE\u0301'))
  expect(isUuid(' 11111111-2222-4333-8444-555555555555 ')).toBe(true)
  expect(isUuid('queue-1')).toBe(false)
})

test('payment terms are read out of what somebody typed', () => {
  expect(readPaymentDays('14 days from the date of invoice')).toBe(14)
  expect(readPaymentDays('Net 30')).toBe(30)
  expect(readPaymentDays('7')).toBe(7)
  expect(readPaymentDays('2 weeks')).toBe(14)
  expect(readPaymentDays('1 month')).toBe(30)
  expect(readPaymentDays('Due on receipt')).toBe(0)
  expect(readPaymentDays('COD')).toBe(0)
  expect(readPaymentDays('')).toBe(null)
  expect(readPaymentDays('as agreed')).toBe(null)
})

test.each([
  ['7 days from completion of works', 7],
  ['14 days (2 weeks)', 14],
  ['50% deposit, balance within 14 days', 14],
  ['14 days from completion', 14],
  ['10 working days', 10],
  ['COD, 30-day account', 30],
  ['2/10 net 30', 30],
  ['$100 upfront', 0],
  ['Due on receipt, then 1.5% per month', 0],
  ['within 24 hours', null],
  ['1000 days', null],
  ['20th of the following month', 51],
  ['20th of month', 51],
  ['30 days from end of month', 61],
  ['30 days EOM', 61],
  ['End of month', 31],
  ['End of the following month', 61],
])('payment terms: the number beside its unit decides, and a month end comes late: %s', (terms, days) => {
  expect(readPaymentDays(terms)).toBe(days)
})
