import { expect, test } from 'vitest'
import { afterPeriods, isDecimal, periodEndAfter, priceOf, unusedShare } from './billing-months.ts'

const at = (text: string) => Date.parse(`${text}Z`) / 1000
const text = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 16)

test('a month ends on the same day, or on the last one there is', () => {
  const anchor = at('2026-01-31T10:30:00')
  const ends = [1, 2, 3, 13].map((count) => text(afterPeriods(anchor, count, 'month')))
  expect(ends).toEqual(['2026-02-28T10:30', '2026-03-31T10:30', '2026-04-30T10:30', '2027-02-28T10:30'])
  expect(text(afterPeriods(at('2027-12-31T23:59:00'), 2, 'month'))).toBe('2028-02-29T23:59')
})

test('the other intervals', () => {
  const anchor = at('2024-02-29T00:00:00')
  expect(text(afterPeriods(anchor, 1, 'year'))).toBe('2025-02-28T00:00')
  expect(text(afterPeriods(anchor, 4, 'year'))).toBe('2028-02-29T00:00')
  expect(text(afterPeriods(anchor, 1, 'week', 2))).toBe('2024-03-14T00:00')
  expect(text(afterPeriods(anchor, 3, 'day'))).toBe('2024-03-03T00:00')
})

test('the period that holds a moment ends after it', () => {
  const anchor = at('2026-01-31T10:30:00')
  expect(text(periodEndAfter(anchor, anchor, 'month'))).toBe('2026-02-28T10:30')
  expect(text(periodEndAfter(anchor, at('2026-02-28T10:29:59'), 'month'))).toBe('2026-02-28T10:30')
  expect(text(periodEndAfter(anchor, at('2026-02-28T10:30:00'), 'month'))).toBe('2026-03-31T10:30')
})

test('what is not used is worth its share by the second', () => {
  expect(unusedShare(500, 0, 1000, 0)).toBe(500)
  expect(unusedShare(500, 0, 1000, 500)).toBe(250)
  expect(unusedShare(500, 0, 1000, 999)).toBe(1)
  expect(unusedShare(500, 0, 1000, 2000)).toBe(0)
  expect(unusedShare(500, 100, 1000, 0)).toBe(500)
  expect(unusedShare(500, 7, 7, 7)).toBe(0)
})

test('prices with decimals and tiers are rounded once', () => {
  const plain = { unitAmount: '0.0005', tiers: null, tiersMode: null }
  expect(priceOf(plain, 999)).toBe(0)
  expect(priceOf(plain, 1000)).toBe(1)
  expect(priceOf({ ...plain, unitAmount: '-233' }, 1)).toBe(-233)
  const tiers = [
    { upTo: 1000, unitAmount: '0', flatAmount: null },
    { upTo: null, unitAmount: '0.0005', flatAmount: null },
  ]
  const graduated = { unitAmount: null, tiers, tiersMode: 'graduated' as const }
  expect([0, 1000, 1999, 2000, 10_000, 1_000_000].map((quantity) => priceOf(graduated, quantity))).toEqual([
    0, 0, 0, 1, 5, 500,
  ])
  expect(priceOf({ ...graduated, tiersMode: 'volume' }, 10_000)).toBe(5)
})

test('decimals have at most twelve places', () => {
  expect(['0.0005', '-1', '500', '0.000000000001'].every(isDecimal)).toBe(true)
  expect(['', 'x', '1.', '1e3', '0.0000000000001', '1,5'].some(isDecimal)).toBe(false)
})
