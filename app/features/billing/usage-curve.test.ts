import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dayOf } from '#app/domain/time/local-time.ts'
import { days, hours } from '#app/lib/duration.ts'
import { usageCurve } from './plan-view.ts'

const START = Date.UTC(2026, 10, 21, 14, 3)
const PERIOD = { start: START, end: Date.UTC(2026, 11, 21, 14, 3) }
const FIRST = dayOf(START)

const ALL = { fromDay: FIRST, beforeDay: dayOf(PERIOD.end) + 1 }

function curve(byDay: { day: number; count: number }[], now: number, counted = ALL, billingPeriod = PERIOD) {
  const total = byDay.reduce((sum, { count }) => sum + count, 0)
  const usage = { apiCalls: total, webhooksReceived: 0, webhooksForwarded: 0, total }
  return usageCurve({ byDay, usage, billingPeriod, counted }, { now, zone: 'Europe/London' })
}

describe('the line of a period', () => {
  it('adds up the days, days without use included, and ends today', () => {
    const drawn = curve(
      [
        { day: FIRST, count: 5 },
        { day: FIRST + 3, count: 7 },
      ],
      START + days(4),
    )
    expect(drawn).toMatchObject({ sums: [5, 5, 5, 12, 12], days: 31 })
  })

  it('says how many there will be at this pace, also when they are too many', () => {
    expect(curve([{ day: FIRST, count: 200 }], START + days(10))?.sentence).toBe(
      '200 of 1,000 operations, about 600 by 21 December 2026 at this pace.',
    )
    expect(curve([{ day: FIRST, count: 700 }], START + days(10))?.sentence).toBe(
      '700 of 1,000 operations, about 2,100 by 21 December 2026 at this pace.',
    )
  })

  it('of a paid month has the whole days that count, and their pace', () => {
    const month = { start: Date.UTC(2026, 0, 5, 1), end: Date.UTC(2026, 1, 5, 1) }
    const first = dayOf(month.start) + 1
    const used = [0, 1, 2].map((after) => ({ day: first + after, count: after === 2 ? 25 : 50 }))
    const now = Date.UTC(2026, 0, 8, 12)
    const drawn = curve(used, now, { fromDay: first, beforeDay: dayOf(month.end) }, month)
    expect(drawn).toMatchObject({ sums: [50, 100, 125], days: 30, expected: 1500 })
  })

  it('expects nothing on the first day, and nothing once the period is over', () => {
    expect(curve([{ day: FIRST, count: 1 }], START + hours(23))).toMatchObject({
      expected: null,
      sentence: '1 of 1,000 operations.',
    })
    const over = curve([{ day: FIRST, count: 9 }], PERIOD.end + days(3))
    expect([over?.expected, over?.sums.length, over?.days]).toEqual([null, 31, 31])
  })

  it('is not drawn without any use', () => {
    expect(curve([], START + days(4))).toBeNull()
    expect(curve([{ day: FIRST, count: 5 }], START + hours(1))).toBeNull()
  })

  it('never falls, ends at the total, and expects no fewer', () => {
    const day = fc.record({
      day: fc.integer({ min: FIRST, max: FIRST + 30 }),
      count: fc.integer({ min: 1, max: 9_999 }),
    })
    fc.assert(
      fc.property(
        fc.uniqueArray(day, { selector: (one) => one.day, minLength: 1, maxLength: 31 }),
        fc.integer({ min: 0, max: days(40) }),
        (used, passed) => {
          const now = START + passed
          const byDay = used.filter((one) => one.day <= dayOf(now))
          const drawn = curve(byDay, now)
          if (drawn === null) {
            expect(byDay.length === 0 || dayOf(now) === FIRST).toBe(true)
            return
          }
          const total = byDay.reduce((sum, { count }) => sum + count, 0)
          expect(drawn.sums).toEqual([...drawn.sums].sort((a, b) => a - b))
          expect(drawn.sums.at(-1)).toBe(total)
          expect(drawn.sums.length).toBeLessThanOrEqual(drawn.days)
          expect(drawn.expected ?? total).toBeGreaterThanOrEqual(total)
        },
      ),
    )
  })
})
