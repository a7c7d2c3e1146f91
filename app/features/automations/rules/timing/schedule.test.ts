// Long: one table of schedules, in every zone.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PollInterval, PollTrigger } from '#app/domain/automations/rule.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { pollTrigger } from '#tests/support/record-facts.ts'
import { firstRun, localBefore, movedTick, nextRun, scheduleProblem, scheduleText } from './schedule.ts'

const LONDON = 'Europe/London'
const utc = (text: string) => Date.parse(`${text}Z`)
const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString().slice(0, 16))
const next = (given: Partial<PollTrigger>, after: string, zone = LONDON) =>
  iso(nextRun(pollTrigger(given), zone, utc(after)))

/** So many ticks in a row, as UTC. */
function ticks(given: Partial<PollTrigger>, after: string, count: number, zone = LONDON): (string | null)[] {
  const found: (string | null)[] = []
  let last: number | null = null
  for (let index = 0; index < count; index += 1) {
    const tick = nextRun(pollTrigger(given), zone, last ?? utc(after), last)
    found.push(iso(tick))
    if (tick === null) break
    last = tick
  }
  return found
}

describe('the next tick', () => {
  it('of a daily rule is at its time in the zone of the account', () => {
    expect(ticks({ interval: 'daily', runTime: '07:30' }, '2026-11-21T07:30:00', 2)).toEqual([
      '2026-11-22T07:30',
      '2026-11-23T07:30',
    ])
    expect(next({ interval: 'daily', runTime: '07:30' }, '2026-07-01T00:00:00')).toBe('2026-07-01T06:30')
    expect(next({ interval: 'daily', runTime: '07:30' }, '2026-07-01T00:00:00', 'Australia/Brisbane')).toBe(
      '2026-07-01T21:30',
    )
    expect(next({ interval: 'daily', runTime: '07:30' }, '2026-07-01T00:00:00', 'Mars/Phobos')).toBe('2026-07-01T07:30')
  })

  it('on working days leaves the weekend out', () => {
    expect(ticks({ interval: 'daily', workingDays: true }, '2026-11-20T10:00:00', 2)).toEqual([
      '2026-11-23T10:00',
      '2026-11-24T10:00',
    ])
    expect(next({ interval: 'hourly', runTime: '00:15', workingDays: true }, '2026-11-20T23:30:00')).toBe(
      '2026-11-23T00:15',
    )
  })

  it('of an hourly rule is at the minutes of its time', () => {
    expect(ticks({ interval: 'hourly', runTime: '10:20' }, '2026-11-21T09:20:00', 3)).toEqual([
      '2026-11-21T10:20',
      '2026-11-21T11:20',
      '2026-11-21T12:20',
    ])
    expect(next({ interval: 'hourly', runTime: '10:20' }, '2026-11-21T09:00:00', 'Asia/Kolkata')).toBe(
      '2026-11-21T09:50',
    )
  })

  it('of a weekly rule is on its day', () => {
    expect(ticks({ interval: 'weekly', weekday: 1, runTime: '08:00' }, '2026-11-21T00:00:00', 2)).toEqual([
      '2026-11-23T08:00',
      '2026-11-30T08:00',
    ])
    expect(next({ interval: 'weekly', weekday: 7 }, '2026-11-21T00:00:00')).toBe('2026-11-22T10:00')
  })

  it('of a weekly rule on working days only is never at the weekend', () => {
    const saturdays = { interval: 'weekly', weekday: 6, workingDays: true, runTime: '08:00' } as const
    expect(ticks(saturdays, '2026-11-21T00:00:00', 2)).toEqual(['2026-11-23T08:00', '2026-11-30T08:00'])
    expect(scheduleText(pollTrigger(saturdays))).toBe('Every Monday at 08:00')
    expect(next({ ...saturdays, weekday: 5 }, '2026-11-21T00:00:00')).toBe('2026-11-27T08:00')
  })

  it('comes once, though the account moves to another zone in between', () => {
    const first = { interval: 'first_of_month', runTime: '08:00' } as const
    const inSydney = nextRun(pollTrigger(first), 'Australia/Sydney', utc('2026-11-10T00:00:00'))
    // 05:00 in Perth: 08:00 of the same day is still to come.
    expect(iso(nextRun(pollTrigger(first), 'Australia/Perth', inSydney ?? 0, inSydney))).toBe('2027-01-01T00:00')
    const inPerth = nextRun(pollTrigger({ runTime: '08:00' }), 'Australia/Perth', utc('2026-11-10T01:00:00'))
    expect(iso(nextRun(pollTrigger({ runTime: '08:00' }), 'Australia/Sydney', inPerth ?? 0, inPerth))).toBe(
      '2026-11-11T21:00',
    )
  })

  it('of a monthly rule is on its day, or the last day where the month is shorter', () => {
    expect(ticks({ interval: 'monthly', dayOfMonth: 31 }, '2027-01-01T00:00:00', 4)).toEqual([
      '2027-01-31T10:00',
      '2027-02-28T10:00',
      '2027-03-31T09:00',
      '2027-04-30T09:00',
    ])
    expect(next({ interval: 'monthly', dayOfMonth: 29 }, '2028-02-01T00:00:00')).toBe('2028-02-29T10:00')
  })

  it('on the first and the last of the month', () => {
    expect(ticks({ interval: 'first_of_month' }, '2026-11-01T10:00:00', 2)).toEqual([
      '2026-12-01T10:00',
      '2027-01-01T10:00',
    ])
    expect(ticks({ interval: 'last_of_month' }, '2026-11-21T00:00:00', 3)).toEqual([
      '2026-11-30T10:00',
      '2026-12-31T10:00',
      '2027-01-31T10:00',
    ])
  })

  it('on working days of the month stays within it', () => {
    const given = { workingDays: true, runTime: '10:00' }
    expect(next({ ...given, interval: 'first_of_month' }, '2026-07-31T12:00:00')).toBe('2026-08-03T09:00')
    expect(next({ ...given, interval: 'last_of_month' }, '2027-01-02T12:00:00')).toBe('2027-01-29T10:00')
    expect(next({ ...given, interval: 'monthly', dayOfMonth: 15 }, '2026-08-01T12:00:00')).toBe('2026-08-17T09:00')
    expect(next({ ...given, interval: 'monthly', dayOfMonth: 31 }, '2026-10-01T12:00:00')).toBe('2026-10-30T10:00')
  })

  it('of a rule that runs on demand never comes', () => {
    expect(next({ interval: 'on_demand' }, '2026-11-21T00:00:00')).toBe(null)
    expect(firstRun(pollTrigger({ interval: 'on_demand' }), LONDON, utc('2026-11-21T00:00:00'))).toBe(null)
  })

  it('of a rule that runs once is its date, and then none', () => {
    const once = { interval: 'once', scheduleDate: '2026-12-03', runTime: '09:30' } as const
    expect(ticks(once, '2026-11-21T00:00:00', 3)).toEqual(['2026-12-03T09:30', null])
    expect(next({ ...once, scheduleDate: '2026-12-03T14:45' }, '2026-11-21T00:00:00')).toBe('2026-12-03T14:45')
    const now = utc('2026-11-21T00:00:00')
    expect(firstRun(pollTrigger({ interval: 'once' }), LONDON, now)).toBe(now)
    expect(firstRun(pollTrigger({ ...once, scheduleDate: '2026-01-01' }), LONDON, now)).toBe(now)
    expect(iso(firstRun(pollTrigger(once), LONDON, now))).toBe('2026-12-03T09:30')
  })

  it('of a rule that starts on a date does not come before it', () => {
    const later = { scheduleType: 'scheduled', scheduleDate: '2026-12-03', interval: 'daily' } as const
    expect(next(later, '2026-11-21T00:00:00')).toBe('2026-12-03T10:00')
    expect(next(later, '2026-12-10T12:00:00')).toBe('2026-12-11T10:00')
    expect(next({ ...later, scheduleDate: '2026-12-03T10:00' }, '2026-11-21T00:00:00')).toBe('2026-12-03T10:00')
    expect(next({ ...later, scheduleDate: '2026-12-03T10:01' }, '2026-11-21T00:00:00')).toBe('2026-12-04T10:00')
    expect(next({ ...later, scheduleType: 'immediate' }, '2026-11-21T00:00:00')).toBe('2026-11-21T10:00')
  })

  it('of a recurrence in words or as a cron line is the line’s', () => {
    const recurring = { scheduleType: 'recurring', interval: 'monthly' } as const
    expect(next({ ...recurring, scheduleRecurrence: 'daily' }, '2026-11-21T12:00:00')).toBe('2026-11-22T10:00')
    expect(next({ ...recurring, scheduleRecurrence: 'weekdays' }, '2026-11-21T12:00:00')).toBe('2026-11-23T10:00')
    expect(ticks({ ...recurring, scheduleRecurrence: '15 8 * * MON-FRI' }, '2026-11-20T08:15:30', 2)).toEqual([
      '2026-11-23T08:15',
      '2026-11-24T08:15',
    ])
    expect(next({ ...recurring, scheduleRecurrence: 'now and then' }, '2026-11-21T12:00:00')).toBe('2026-12-01T10:00')
    expect(next({ ...recurring, scheduleRecurrence: '0 0 30 2 *' }, '2026-11-21T12:00:00')).toBe(null)
  })

  it('of a cron line is never closer than five minutes to the one before, however late that was handled', () => {
    const minute = pollTrigger({ scheduleType: 'recurring', scheduleRecurrence: '* * * * *' })
    const five = { ...minute, scheduleRecurrence: '*/5 * * * *' }
    const noon = utc('2026-11-21T12:00:00')
    expect(ticks(minute, '2026-11-21T12:00:20', 3)).toEqual([
      '2026-11-21T12:01',
      '2026-11-21T12:06',
      '2026-11-21T12:11',
    ])
    expect(next(five, '2026-11-21T12:00:03')).toBe('2026-11-21T12:05')
    expect(iso(nextRun(minute, LONDON, noon + minutes(1), noon))).toBe('2026-11-21T12:05')
    expect(iso(nextRun(five, LONDON, noon + minutes(4), noon))).toBe('2026-11-21T12:05')
    expect(iso(nextRun(five, LONDON, noon + minutes(9), noon))).toBe('2026-11-21T12:10')
  })

  it('of a cron line that starts now is its next one, however close', () => {
    const mondays = pollTrigger({ scheduleType: 'recurring', scheduleRecurrence: '0 9 * * MON' })
    expect(iso(firstRun(mondays, LONDON, utc('2026-11-23T08:57:00')))).toBe('2026-11-23T09:00')
    expect(iso(firstRun(mondays, LONDON, utc('2026-11-23T09:00:00')))).toBe('2026-11-30T09:00')
  })

  it('with a time nobody can read is at nine', () => {
    expect(next({ interval: 'daily', runTime: 'later' }, '2026-11-21T00:00:00')).toBe('2026-11-21T09:00')
  })
})

describe('a change of the clocks', () => {
  it('moves a tick that falls into the gap to the first minute after it, that day only', () => {
    expect(ticks({ interval: 'daily', runTime: '01:30' }, '2026-03-28T00:00:00', 3)).toEqual([
      '2026-03-28T01:30',
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ])
  })

  it('gives a time that comes twice one tick: the first', () => {
    expect(ticks({ interval: 'daily', runTime: '01:30' }, '2026-10-24T00:00:00', 3)).toEqual([
      '2026-10-24T00:30',
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ])
    expect(ticks({ interval: 'hourly', runTime: '00:30' }, '2026-10-24T23:00:00', 3)).toEqual([
      '2026-10-24T23:30',
      '2026-10-25T00:30',
      '2026-10-25T02:30',
    ])
    expect(ticks({ scheduleType: 'recurring', scheduleRecurrence: '30 1 * * *' }, '2026-10-24T12:00:00', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ])
  })

  it('leaves an hour without a tick where that hour does not exist', () => {
    expect(ticks({ interval: 'hourly', runTime: '00:30' }, '2026-03-29T00:00:00', 2)).toEqual([
      '2026-03-29T00:30',
      '2026-03-29T01:30',
    ])
  })
})

// What a clock on the account's wall shows, minute by minute, without any of our arithmetic.
function wallsOf(zone: string, from: number, until: number): { at: number; wall: string }[] {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  return Array.from({ length: (until - from) / minutes(1) }, (_, index) => {
    const at = from + minutes(index)
    return { at, wall: format.format(at) }
  })
}

function walkedTicks(trigger: PollTrigger, walls: { at: number; wall: string }[]): number[] {
  return trigger.interval === 'hourly' ? walkedHours(trigger, walls) : walkedDays(trigger, walls)
}

/** Somebody who looks at the clock every minute, and acts once it shows the time or is past it, once for each day. */
function walkedDays(trigger: PollTrigger, walls: { at: number; wall: string }[]): number[] {
  const dates = [...new Set(walls.map(({ wall }) => wall.slice(0, 10)))]
  const wanted = dates.filter((date) => isWanted(trigger, date)).map((date) => `${date} ${trigger.runTime}`)
  const found: number[] = []
  let waiting = wanted.filter((wall) => wall >= (walls[0]?.wall ?? ''))
  for (const { at, wall } of walls) {
    if (waiting.length === 0 || wall < (waiting[0] ?? '')) continue
    found.push(at)
    waiting = waiting.filter((one) => one > wall)
  }
  return found
}

function walkedHours(trigger: PollTrigger, walls: { at: number; wall: string }[]): number[] {
  const shown = new Set<string>()
  const atItsMinute = walls.filter(({ wall }) => wall.endsWith(trigger.runTime.slice(2)))
  return atItsMinute.flatMap(({ at, wall }) => {
    if (shown.has(wall)) return []
    shown.add(wall)
    return !trigger.workingDays || isWorkingDate(wall.slice(0, 10)) ? [at] : []
  })
}

function isWorkingDate(date: string): boolean {
  const weekday = new Date(`${date}T12:00:00Z`).getUTCDay()
  return weekday !== 0 && weekday !== 6
}

function isWanted(trigger: PollTrigger, date: string): boolean {
  switch (trigger.interval) {
    case 'daily':
      return !trigger.workingDays || isWorkingDate(date)
    case 'weekly':
      return (
        (new Date(`${date}T12:00:00Z`).getUTCDay() || 7) ===
        (trigger.workingDays && trigger.weekday > 5 ? 1 : trigger.weekday)
      )
    default:
      return date === dateInMonth(trigger, date.slice(0, 7))
  }
}

function dateInMonth(trigger: PollTrigger, month: string): string {
  const all = Array.from({ length: 31 }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`)
  const dates = all.filter((date) => !Number.isNaN(Date.parse(date)) && new Date(date).toISOString().startsWith(date))
  const day = trigger.interval === 'first_of_month' ? 1 : trigger.interval === 'last_of_month' ? 31 : trigger.dayOfMonth
  const wanted = dates[Math.min(day, dates.length) - 1] ?? ''
  if (!trigger.workingDays || isWorkingDate(wanted)) return wanted
  const later = dates.find((date) => date > wanted && isWorkingDate(date))
  return later ?? dates.filter((date) => date < wanted && isWorkingDate(date)).at(-1) ?? ''
}

describe('a tick of an account that moved', () => {
  const moved = (given: Partial<PollTrigger>, zone: string, tick: string, now: string) =>
    iso(movedTick(pollTrigger(given), zone, utc(tick), utc(now)))

  it('keeps its time of day', () => {
    const daily = { interval: 'daily', runTime: '16:00' } as const
    const tick = '2026-01-15T16:00:00'
    expect(moved(daily, 'Australia/Sydney', tick, '2026-01-15T04:00:00')).toBe('2026-01-15T05:00')
    expect(moved(daily, LONDON, tick, '2026-01-15T04:00:00')).toBeNull()
  })

  it('comes once in its day, before the move or after it', () => {
    const daily = { interval: 'daily', runTime: '16:00' } as const
    // That of 15 January came at 16:00 in London.
    const toNewYork = moved(daily, 'America/New_York', '2026-01-16T16:00:00', '2026-01-15T17:00:00')
    expect(toNewYork).toBe('2026-01-16T21:00')
    // 16:00 in Sydney is past, and 16:00 in London is 03:00 of the 16th there, which has its own.
    const sydney = (time: string) =>
      moved({ ...daily, runTime: time }, 'Australia/Sydney', `2026-01-15T${time}:00`, '2026-01-15T06:00:00')
    expect(sydney('16:00')).toBe('2026-01-16T05:00')
    // 10:00 in London is 21:00 of the 15th there: it stays.
    expect(sydney('10:00')).toBeNull()
  })

  it('of a line with two times moves to the nearest', () => {
    const line = { scheduleType: 'recurring', scheduleRecurrence: '0 9,17 * * *' } as const
    const berlin = (tick: string, now: string) => moved(line, 'Europe/Berlin', tick, now)
    expect(berlin('2026-01-15T17:00:00', '2026-01-15T12:00:00')).toBe('2026-01-15T16:00')
    expect(berlin('2026-01-15T17:00:00', '2026-01-15T16:30:00')).toBeNull()
    // The next one of that date is another one.
    expect(berlin('2026-01-15T09:00:00', '2026-01-15T08:30:00')).toBeNull()
  })

  it('comes once in its month, before the move or after it', () => {
    const first = { interval: 'first_of_month', runTime: '08:00' } as const
    const newYork = (tick: string, now: string) => moved(first, 'America/New_York', tick, now)
    expect(newYork('2026-01-31T21:00:00', '2026-01-30T12:00:00')).toBe('2026-02-01T13:00')
    expect(newYork('2026-02-28T21:00:00', '2026-02-01T01:00:00')).toBe('2026-03-01T13:00')
    // 08:00 in Sydney is past: it stays, and the next is that of March.
    expect(moved(first, 'Australia/Sydney', '2026-02-01T13:00:00', '2026-02-01T05:00:00')).toBeNull()
  })

  it('stays where it has no time of day', () => {
    expect(moved({ interval: 'once' }, 'Australia/Sydney', '2026-01-15T16:00:00', '2026-01-15T04:00:00')).toBeNull()
  })
})

describe('every schedule', () => {
  const INTERVALS: PollInterval[] = ['hourly', 'daily', 'weekly', 'monthly', 'first_of_month', 'last_of_month']
  // Both changes of the clocks, one at midnight, one of half an hour, four in one year, and zones without any.
  const SPANS: [string, string, number][] = [
    ['Europe/London', '2026-03-23', 14],
    ['Europe/London', '2026-10-20', 16],
    ['Australia/Sydney', '2026-03-28', 14],
    ['Australia/Sydney', '2026-09-25', 14],
    ['Australia/Lord_Howe', '2026-09-28', 12],
    ['Australia/Lord_Howe', '2026-03-30', 12],
    ['America/New_York', '2026-10-25', 14],
    ['America/St_Johns', '2026-03-01', 14],
    ['Africa/Cairo', '2026-04-18', 14],
    ['America/Santiago', '2026-08-28', 14],
    ['Africa/Casablanca', '2026-02-10', 12],
    ['Africa/Casablanca', '2026-03-17', 12],
    ['Asia/Kolkata', '2026-01-25', 14],
  ]

  for (const [zone, date, length] of SPANS) {
    it(`in ${zone} from ${date} on ticks when somebody who watches the clock would`, () => {
      const from = utc(`${date}T00:00:00`)
      const until = from + days(length)
      const walls = wallsOf(zone, from, until)
      fc.assert(
        fc.property(
          fc.record({
            interval: fc.constantFrom(...INTERVALS),
            // Most changes of the clocks happen in the small hours.
            hour: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 23 })),
            minute: fc.integer({ min: 0, max: 59 }),
            weekday: fc.integer({ min: 1, max: 7 }),
            dayOfMonth: fc.integer({ min: 1, max: 31 }),
            workingDays: fc.boolean(),
          }),
          ({ hour, minute, ...given }) => {
            const runTime = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
            const trigger = pollTrigger({ ...given, runTime })
            // The first day may have begun before the walk: a day's time that is past is not waited for.
            const expected = walkedTicks(trigger, walls).filter((at) => at > from + hours(26))
            const found: number[] = []
            for (
              let at = nextRun(trigger, zone, from + hours(26));
              at !== null && at < until;
              at = nextRun(trigger, zone, at)
            ) {
              found.push(at)
            }
            expect(found.map(iso)).toEqual(expected.map(iso))
          },
        ),
        { numRuns: 20 },
      )
    })
  }
})

describe('what a person has to put right', () => {
  it.each([
    [{}, null, null],
    [{ runTime: '25:00' }, 'runTime', /HH:MM/],
    [{ interval: 'weekly', weekday: 0 }, 'weekday', /day of the week/],
    [{ interval: 'monthly', dayOfMonth: 32 }, 'dayOfMonth', /1 to 31/],
    [{ scheduleDate: '2026-02-30' }, 'scheduleDate', /not a date/],
    [{ scheduleType: 'scheduled' }, 'scheduleDate', /starts on/],
    [{ scheduleType: 'recurring', scheduleRecurrence: 'sometimes' }, 'scheduleRecurrence', /cannot be read/],
    [{ scheduleType: 'recurring', scheduleRecurrence: '0 9 * * 1' }, null, null],
  ] satisfies [Partial<PollTrigger>, string | null, RegExp | null][])('%j is told at %s', (given, field, words) => {
    const problem = scheduleProblem(pollTrigger(given))
    expect(problem?.field ?? null).toBe(field)
    if (words) expect(problem?.message).toMatch(words)
  })
})

it('a local time some hours earlier is on the same wall, whatever the clocks did', () => {
  expect(localBefore('2026-10-25 01:30:00', 2)).toBe('2026-10-24 23:30:00')
  expect(localBefore('2026-03-01 00:10:05', 2)).toBe('2026-02-28 22:10:05')
  expect(localBefore('', 2)).toBe('')
})
