import { describe, expect, it } from 'vitest'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import { clockTime, durationText, exactTime, relativeTime } from './time-text.ts'

const SYDNEY = 'Australia/Sydney'
/** Fri 21 Nov 2025, 15:12:09 in Sydney. */
const NOW = Date.UTC(2025, 10, 21, 4, 12, 9)

describe('the exact time', () => {
  it('leaves nothing to ask', () => {
    expect(exactTime(NOW, SYDNEY)).toBe('Fri 21 Nov 2025, 15:12:09 (Australia/Sydney)')
  })

  it('falls back to UTC for a zone nobody knows', () => {
    expect(exactTime(NOW, 'Mars/Olympus')).toBe('Fri 21 Nov 2025, 04:12:09 (UTC)')
  })

  it('writes midnight as 00:00', () => {
    expect(exactTime(Date.UTC(2025, 10, 20, 13, 0, 0), SYDNEY)).toBe('Fri 21 Nov 2025, 00:00:00 (Australia/Sydney)')
  })
})

describe('the clock time', () => {
  it.each([
    ['15:08', NOW - minutes(4)],
    ['Yesterday 23:59', NOW - hours(15) - minutes(13)],
    ['Tomorrow 02:12', NOW + hours(11)],
    ['Tue 18 Nov 15:12', NOW - days(3)],
    ['21 Nov 2024 15:12', NOW - days(365)],
  ])('says %s', (words, at) => {
    expect(clockTime(at, NOW, SYDNEY)).toBe(words)
  })

  it('knows yesterday on the day after a clock change', () => {
    // Sydney put its clocks forward on 5 October 2025: that day had 23 hours.
    const mondayMorning = Date.UTC(2025, 9, 5, 13, 30)
    expect(clockTime(mondayMorning - hours(1), mondayMorning, SYDNEY)).toBe('Yesterday 23:30')
  })
})

describe('the relative time', () => {
  it.each([
    ['just now', NOW],
    ['any moment', NOW + seconds(3)],
    ['40 seconds ago', NOW - seconds(40)],
    ['1 minute ago', NOW - seconds(61)],
    ['2 minutes ago', NOW - minutes(2)],
    ['in 4 minutes', NOW + minutes(4)],
    ['3 hours ago', NOW - hours(3)],
    ['2 days ago', NOW - days(2)],
    ['Tue 30 Sep 14:12', NOW - days(52)],
  ])('says %s', (words, at) => {
    expect(relativeTime(at, NOW, SYDNEY)).toBe(words)
  })
})

describe('a duration', () => {
  it.each([
    ['86 ms', 86.4],
    ['1.2 s', 1_240],
    ['15 s', 15_003],
  ])('is said as %s', (words, ms) => {
    expect(durationText(ms)).toBe(words)
  })
})
