import { expect, test } from 'vitest'
import { isLocalTime, isoWithOffset, localDate, localText, offsetMinutes, parseLocal, toLocal } from './local-time.ts'

const MORNING = Date.UTC(2026, 0, 5, 9, 0, 0)

test('a moment is written on the wall of the account, whatever the machine thinks', () => {
  expect(localText(MORNING, 'Australia/Sydney')).toBe('2026-01-05 20:00:00')
  expect(localText(MORNING, 'Europe/London')).toBe('2026-01-05 09:00:00')
  expect(localText(MORNING, 'Asia/Kathmandu')).toBe('2026-01-05 14:45:00')
  expect(localText(Date.UTC(2026, 0, 5, 13, 0, 0), 'Australia/Sydney')).toBe('2026-01-06 00:00:00')
})

test('the offset follows daylight saving', () => {
  expect(offsetMinutes(Date.UTC(2026, 0, 5), 'Europe/London')).toBe(0)
  expect(offsetMinutes(Date.UTC(2026, 6, 5), 'Europe/London')).toBe(60)
  expect(offsetMinutes(Date.UTC(2026, 0, 5), 'America/St_Johns')).toBe(-210)
})

test.each(['Australia/Sydney', 'Europe/London', 'America/New_York', 'Asia/Kathmandu'])(
  'in %s reading a local time gives back the moment it was written at',
  (zone) => {
    for (const at of [MORNING, Date.UTC(2026, 2, 29, 3), Date.UTC(2026, 9, 3, 14), Date.UTC(2026, 10, 1, 12)]) {
      expect(parseLocal(localText(at, zone), zone)).toBe(at)
    }
  },
)

test('unset and impossible times mean no moment', () => {
  for (const text of ['', '0000-00-00 00:00:00', '2026-02-30 10:00:00', '2026-01-05 25:00:00', 'tomorrow']) {
    expect(parseLocal(text, 'Europe/London')).toBeNull()
  }
  expect(isLocalTime('0000-00-00 00:00:00')).toBe(true)
  expect(isLocalTime('2026-01-05')).toBe(true)
  expect(isLocalTime('2026-02-30')).toBe(false)
})

test('with ISO8601 asked for, times carry their offset and unset ones stay unset', () => {
  expect(isoWithOffset('2026-01-05 20:00:00', 'Australia/Sydney')).toBe('2026-01-05T20:00:00+11:00')
  expect(isoWithOffset('2026-01-05 09:00:00', 'America/St_Johns')).toBe('2026-01-05T09:00:00-03:30')
  expect(isoWithOffset('0000-00-00 00:00:00', 'Europe/London')).toBe('0000-00-00 00:00:00')
})

test('a time sent with an offset is kept in local time', () => {
  expect(toLocal('2026-01-05T09:00:00Z', 'Australia/Sydney')).toBe('2026-01-05 20:00:00')
  expect(toLocal('2026-01-05 09:00:00', 'Australia/Sydney')).toBe('2026-01-05 09:00:00')
})

test('days are counted from the account’s own day', () => {
  expect(localDate(Date.UTC(2026, 0, 5, 20), 'Australia/Sydney')).toBe('2026-01-06')
  expect(localDate(MORNING, 'Europe/London', -6)).toBe('2025-12-30')
})
