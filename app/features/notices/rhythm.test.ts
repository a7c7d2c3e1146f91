import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayOf, weekdayOf } from '#app/domain/time/local-time.ts'
import { closedDaysText, daysOff, easterOf, isHoliday, readClosedDays } from './closed-days.ts'
import { silenceOf } from './watch-rules.server.ts'

const day = (text: string) => dayOf(Date.parse(`${text}T00:00:00Z`))
const NEVER = () => false
/** Monday, 3 August 2026: no holiday for months. */
const START = day('2026-08-03')

const everyWeek = (weekdays: number[], weeks: number) =>
  Array.from({ length: weeks * 7 }, (_, index) => START + index).filter((one) => weekdays.includes(weekdayOf(one)))

/** The first day, and one after each gap. */
function daysAfter(gaps: readonly number[]): number[] {
  const days = [START]
  for (const gap of gaps) days.push((days.at(-1) as number) + gap)
  return days
}

describe('a rhythm', () => {
  test('of twice a week is missed after both days were missed', () => {
    const ran = everyWeek([2, 4], 6)
    const last = ran.at(-1) as number
    expect(silenceOf(ran, last + 7, START, NEVER)).toBeNull()
    expect(silenceOf(ran, last + 8, START, NEVER)).toEqual({ days: 8, usually: 'twice a week' })
  })

  test('is not known after four days, or within two weeks', () => {
    expect(silenceOf(everyWeek([1], 4), START + 300, START, NEVER)).toBeNull()
    expect(
      silenceOf(
        [0, 1, 2, 3, 4].map((one) => START + one),
        START + 300,
        START,
        NEVER,
      ),
    ).toBeNull()
    expect(silenceOf([], START, START, NEVER)).toBeNull()
  })

  test('begins anew when the automation is switched on again', () => {
    const ran = everyWeek([1, 2, 3, 4, 5], 4)
    const on = START + 60
    expect(silenceOf(ran, on + 1, on, NEVER)).toBeNull()
    expect(silenceOf(ran, on + 7, on, NEVER)).not.toBeNull()
  })

  test('does not count holidays and closed days, when they were or are', () => {
    const ran = everyWeek([1, 2, 3, 4, 5], 5)
    const last = ran.at(-1) as number
    const off = daysOff({ holidaysOff: false, closedDays: [{ from: '2026-09-07', to: '2026-09-18' }] })
    expect(silenceOf(ran, last + 14, START, off)).toBeNull()
    expect(silenceOf(ran, last + 14, START, NEVER)).not.toBeNull()
    expect(silenceOf(ran, last + 19, START, off)).not.toBeNull()
  })

  test('that is random is never missed after as many days as it once left out', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 5, maxLength: 40 }), (gaps) => {
        const ran = daysAfter(gaps)
        const today = (ran.at(-1) as number) + Math.max(...gaps)
        expect(silenceOf(ran, today, START, NEVER)).toBeNull()
      }),
    )
  })

  test('is missed one day at the latest, and then stays so', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 14, maxLength: 40 }), (gaps) => {
        const ran = daysAfter(gaps)
        const last = ran.at(-1) as number
        const silent = Array.from({ length: 150 }, (_, later) => silenceOf(ran, last + later, START, NEVER) !== null)
        expect(silent.at(-1)).toBe(true)
        expect(silent.slice(silent.indexOf(true)).every(Boolean)).toBe(true)
      }),
    )
  })

  test.each([
    [[1, 2, 3, 4, 5, 6, 7], 'every day'],
    [[1, 2, 3, 4, 5], '5 days a week'],
    [[1, 3, 5], '3 days a week'],
    [[2, 5], 'twice a week'],
    [[4], 'once a week'],
  ])('of the weekdays %j is called %s', (weekdays, usually) => {
    const ran = everyWeek(weekdays, 8)
    expect(silenceOf(ran, (ran.at(-1) as number) + 40, START, NEVER)?.usually).toBe(usually)
  })

  test('of every other week is called so', () => {
    const ran = [0, 14, 28, 42, 56].map((one) => START + one)
    expect(silenceOf(ran, START + 56 + 60, START, NEVER)?.usually).toBe('every 2 weeks')
  })
})

describe('days off', () => {
  test.each([
    [2025, '2025-04-20'],
    [2026, '2026-04-05'],
    [2027, '2027-03-28'],
    [2038, '2038-04-25'],
    [2049, '2049-04-18'],
    [2076, '2076-04-19'],
  ])('Easter of %i is %s', (year, date) => {
    expect(easterOf(year)).toBe(day(date))
  })

  test('are Christmas to New Year, and Good Friday to Easter Monday', () => {
    const off = ['2026-12-24', '2026-12-31', '2027-01-02', '2026-04-03', '2026-04-06']
    const on = ['2026-12-23', '2027-01-03', '2026-04-02', '2026-04-07', '2026-08-31']
    expect(off.map((text) => isHoliday(day(text)))).toEqual(off.map(() => true))
    expect(on.map((text) => isHoliday(day(text)))).toEqual(on.map(() => false))
  })

  test('of one’s own are read line by line, and shown as they are read', () => {
    const text = '2026-12-21 to 2027-01-08\n\n2026-06-12\n2026-08-03 – 2026-08-07'
    const read = readClosedDays(text)
    expect(read).toEqual([
      { from: '2026-12-21', to: '2027-01-08' },
      { from: '2026-06-12', to: '2026-06-12' },
      { from: '2026-08-03', to: '2026-08-07' },
    ])
    expect(typeof read === 'string' ? read : readClosedDays(closedDaysText(read))).toEqual(read)
  })

  test.each([
    ['Christmas', 'Write days like 2026-12-24 to 2027-01-03: “Christmas”'],
    ['2026-02-30', 'Write days like 2026-12-24 to 2027-01-03: “2026-02-30”'],
    ['2026-03-02 to 2026-03-01', 'The last day comes before the first: “2026-03-02 to 2026-03-01”'],
    ['2026-01-01 to 2026-12-31', 'At most 120 days in one line: “2026-01-01 to 2026-12-31”'],
  ])('%j is refused with what is wrong', (text, said) => {
    expect(readClosedDays(text)).toBe(said)
  })

  test('are a few, not a calendar', () => {
    expect(readClosedDays(Array.from({ length: 61 }, () => '2026-01-01').join('\n'))).toBe('Enter at most 60 lines')
  })
})
