import { expect, it, test } from 'vitest'
import { momentWords, monthLater } from './day-words.ts'

test('a moment is said where the account is, and in UTC where nobody knows its zone', () => {
  const at = Date.UTC(2026, 11, 31, 22, 5)
  expect(momentWords(at, 'Australia/Sydney')).toBe('1 January 2027, 09:05')
  expect(momentWords(at, 'Nowhere/At all')).toBe('31 December 2026, 22:05')
})

it.each([
  ['2026-01-31T10:00:00.000Z', '2026-02-28T10:00:00.000Z'],
  ['2028-01-31T10:00:00.000Z', '2028-02-29T10:00:00.000Z'],
  ['2026-12-31T10:00:00.000Z', '2027-01-31T10:00:00.000Z'],
  ['2026-11-21T14:03:00.000Z', '2026-12-21T14:03:00.000Z'],
])('a month after %s is %s', (from, to) => {
  expect(new Date(monthLater(Date.parse(from))).toISOString()).toBe(to)
})
