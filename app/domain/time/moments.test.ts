import { expect, test } from 'vitest'
import { clockTime, momentText, plural } from './moments.ts'

test('a moment is said where the account is, and in UTC where nobody knows its zone', () => {
  const at = Date.UTC(2026, 11, 31, 22, 5)
  expect(momentText(at, 'Australia/Sydney')).toBe('1 January 2027, 09:05')
  expect(momentText(at, 'Nowhere/At all')).toBe('31 December 2026, 22:05')
})

test('the same date of another year is not today', () => {
  const now = Date.UTC(2026, 8, 20, 12, 0)
  expect(clockTime(Date.UTC(2026, 8, 20, 9, 14), now, 'UTC')).toBe('09:14')
  expect(clockTime(Date.UTC(2025, 8, 20, 9, 14), now, 'UTC')).toBe('20 Sep, 09:14')
})

test('a large number is grouped, as everywhere else', () => {
  expect([plural(1, 'event'), plural(999, 'event'), plural(1258, 'event')]).toEqual([
    '1 event',
    '999 events',
    '1,258 events',
  ])
})
