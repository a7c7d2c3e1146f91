import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { isZone, momentOfWall, wallAt } from '#app/lib/zone.ts'
import {
  dateOf,
  dayOf,
  dayOfDate,
  isoDate,
  localStamp,
  readLocal,
  readTimeOfDay,
  readToday,
  todayOf,
  wallOfDay,
  weekdayOf,
  weekOf,
} from './local-time.ts'

const wall = (text: string) => Date.parse(`${text}Z`)
const iso = (at: number) => new Date(at).toISOString().slice(0, 19)

describe('a moment on the wall of a zone', () => {
  it('is what the clocks there show', () => {
    expect(localStamp(wallAt(Date.UTC(2026, 6, 1, 12), 'Europe/London'))).toBe('2026-07-01 13:00:00')
    expect(localStamp(wallAt(Date.UTC(2026, 6, 1, 12), 'Australia/Brisbane'))).toBe('2026-07-01 22:00:00')
    expect(localStamp(wallAt(Date.UTC(2026, 0, 1, 0, 0, 0), 'Europe/London'))).toBe('2026-01-01 00:00:00')
    expect(localStamp(wallAt(Date.UTC(2026, 0, 1, 4), 'Asia/Kathmandu'))).toBe('2026-01-01 09:45:00')
  })

  it('in a zone nobody knows is UTC', () => {
    expect(isZone('Mars/Phobos')).toBe(false)
    expect(localStamp(wallAt(Date.UTC(2026, 0, 1, 4), 'Mars/Phobos'))).toBe('2026-01-01 04:00:00')
  })

  it('comes back from the wall, except that of two moments with the same wall the first is meant', () => {
    const zones = [
      'Europe/London',
      'Australia/Sydney',
      'Australia/Lord_Howe',
      'America/St_Johns',
      'Pacific/Auckland',
      'UTC',
    ]
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: Date.UTC(2024, 0, 1) / 1000, max: Date.UTC(2028, 0, 1) / 1000 }),
        (zone, second) => {
          const at = second * 1000
          const shown = wallAt(at, zone)
          const back = momentOfWall(shown, zone)
          expect(back.exists).toBe(true)
          expect(wallAt(back.at, zone)).toBe(shown)
          expect(back.at).toBeLessThanOrEqual(at)
          expect(at - back.at).toBeLessThanOrEqual(hours(1))
        },
      ),
      { numRuns: 400 },
    )
  })
})

describe('a local time around a change of the clocks', () => {
  it('that does not exist is the first moment after the gap', () => {
    expect(momentOfWall(wall('2026-03-29T01:30:00'), 'Europe/London')).toEqual({
      at: Date.UTC(2026, 2, 29, 1),
      exists: false,
    })
    expect(momentOfWall(wall('2026-03-29T01:00:00'), 'Europe/London')).toEqual({
      at: Date.UTC(2026, 2, 29, 1),
      exists: false,
    })
    expect(momentOfWall(wall('2026-10-04T02:10:00'), 'Australia/Lord_Howe').exists).toBe(false)
    expect(iso(momentOfWall(wall('2026-10-04T02:10:00'), 'Australia/Lord_Howe').at)).toBe('2026-10-03T15:30:00')
  })

  it('that comes twice is the first of the two', () => {
    expect(iso(momentOfWall(wall('2026-10-25T01:30:00'), 'Europe/London').at)).toBe('2026-10-25T00:30:00')
    expect(iso(momentOfWall(wall('2026-11-01T01:30:00'), 'America/New_York').at)).toBe('2026-11-01T05:30:00')
  })

  it('of a day that a zone left out is the beginning of the next day', () => {
    expect(momentOfWall(wall('2011-12-30T10:00:00'), 'Pacific/Apia')).toEqual({
      at: Date.UTC(2011, 11, 30, 10),
      exists: false,
    })
  })
})

describe('the calendar', () => {
  it('counts days, weekdays and ISO weeks', () => {
    const day = dayOf(wall('2026-11-21T23:59:59'))
    expect(isoDate(day)).toBe('2026-11-21')
    expect(weekdayOf(day)).toBe(6)
    expect(weekdayOf(-4)).toBe(7)
    expect(weekOf(day)).toEqual({ year: 2026, week: 47 })
    expect(weekOf(dayOf(wall('2027-01-03T00:00:00')))).toEqual({ year: 2026, week: 53 })
    expect(weekOf(dayOf(wall('2024-12-30T00:00:00')))).toEqual({ year: 2025, week: 1 })
    expect(dateOf(day)).toEqual({ year: 2026, month: 11, date: 21 })
    expect(wallOfDay(day)).toBe(wall('2026-11-21T00:00:00'))
  })

  it('takes the last day where a month is shorter', () => {
    expect(isoDate(dayOfDate(2026, 2, 31))).toBe('2026-02-28')
    expect(isoDate(dayOfDate(2028, 2, 30))).toBe('2028-02-29')
    expect(isoDate(dayOfDate(2026, 12, 31))).toBe('2026-12-31')
    expect(isoDate(dayOfDate(2026, 13, 1))).toBe('2027-01-01')
  })

  it('knows today of the account, not of the server', () => {
    const now = Date.UTC(2026, 10, 21, 20)
    expect(isoDate(todayOf({ now, zone: 'Australia/Brisbane' }))).toBe('2026-11-22')
    expect(isoDate(todayOf({ now, zone: 'America/New_York' }))).toBe('2026-11-21')
  })
})

describe('reading a local time', () => {
  const read = (text: string, zone = 'Europe/London') => {
    const reading = readLocal(text, zone)
    return reading && `${localStamp(reading.wall)} ${reading.hasTime}`
  }

  it('takes the spellings of the platform and of date fields', () => {
    expect(read('2026-11-21')).toBe('2026-11-21 00:00:00 false')
    expect(read('2026-11-21 09:14:05')).toBe('2026-11-21 09:14:05 true')
    expect(read('2026-11-21T09:14')).toBe('2026-11-21 09:14:00 true')
    expect(read('2026-07-01T09:14:00.123Z')).toBe('2026-07-01 10:14:00 true')
    expect(read('2026-07-01T09:14:00+10:00')).toBe('2026-07-01 00:14:00 true')
    expect(read('2026-07-01T09:14:00-0330')).toBe('2026-07-01 13:44:00 true')
  })

  it('takes nothing that is no date', () => {
    for (const text of ['', '0000-00-00', '0000-00-00 00:00:00', '2026-02-30', '2026-13-01', '2026-11-21 24:00:00']) {
      expect(read(text)).toBe(null)
    }
    for (const text of ['tomorrow', '21/11/2026', '2026-11-21 9:5', '2026-11-21 09:60', '1', '2026-11-21x']) {
      expect(read(text)).toBe(null)
    }
  })

  it('reads a time of day and TODAY with its offset', () => {
    expect(readTimeOfDay('07:30')).toBe(hours(7) + minutes(30))
    expect(readTimeOfDay(' 7:05 ')).toBe(hours(7) + minutes(5))
    expect(readTimeOfDay('24:00')).toBe(null)
    expect(readTimeOfDay('noon')).toBe(null)
    expect(seconds(1)).toBe(1000)
    expect(['TODAY', 'today', 'TODAY-3', 'Today + 7', 'today +2 days', 'TODAY-0'].map(readToday)).toEqual([
      0, 0, -3, 7, 2, 0,
    ])
    expect(['TODAYS', 'TODAY 3', 'TODAY-', 'yesterday', ''].map(readToday)).toEqual([null, null, null, null, null])
  })
})
