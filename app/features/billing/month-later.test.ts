import { expect, it } from 'vitest'
import { monthLater } from './plan-offers.ts'

it.each([
  ['2026-01-31T10:00:00.000Z', '2026-02-28T10:00:00.000Z'],
  ['2028-01-31T10:00:00.000Z', '2028-02-29T10:00:00.000Z'],
  ['2026-12-31T10:00:00.000Z', '2027-01-31T10:00:00.000Z'],
  ['2026-11-21T14:03:00.000Z', '2026-12-21T14:03:00.000Z'],
])('a month after %s is %s', (from, to) => {
  expect(new Date(monthLater(Date.parse(from))).toISOString()).toBe(to)
})
