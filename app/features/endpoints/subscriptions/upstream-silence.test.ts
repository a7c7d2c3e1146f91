import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EventRhythm } from '#app/domain/endpoints/upstream.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { RHYTHM_HOURS, silenceSentence, upstreamSilence } from './upstream-silence.ts'

const HOUR = hours(1)
/** Fri 20 Nov 2026, 16:30 UTC: the last event of an ordinary working day. */
const FRIDAY = Date.UTC(2026, 10, 20, 16, 30)

/** Events of every hour up to `last`, as a firm with these hours brings them. `perHour` by hour of the week (Mon 00 = 0). */
function rhythm(perHour: (day: number, hour: number) => number, last = FRIDAY): EventRhythm {
  const end = Math.floor(last / HOUR)
  const counted: { hour: number; events: number }[] = []
  for (let hour = end - RHYTHM_HOURS + 1; hour <= end; hour += 1) {
    const at = new Date(hour * HOUR)
    const events = perHour((at.getUTCDay() + 6) % 7, at.getUTCHours())
    if (events > 0) counted.push({ hour, events })
  }
  return { lastEventAt: last, hours: counted }
}

/** Monday to Friday, 8 to 17, five an hour: 45 a day. */
const office = rhythm((day, hour) => (day < 5 && hour >= 8 && hour < 17 ? 5 : 0))
const after = (ms: number, of = office) => upstreamSilence(of, FRIDAY + ms)

describe('a firm that works Monday to Friday', () => {
  test('is not suspicious at night, over the weekend, or early on Monday', () => {
    for (const later of [hours(3), hours(14), hours(40), hours(62), hours(66)]) expect(after(later)).toBeNull()
  })

  test('is on Monday at noon, when the same hours brought plenty in both weeks before', () => {
    const silence = after(hours(67) + minutes(40))
    expect(silence).toEqual({
      since: FRIDAY,
      hours: 67,
      usualPerDay: 45,
      weekBefore: 20,
      twoWeeksBefore: 20,
    })
    expect(silence && silenceSentence(silence)).toBe(
      'No events for 67 hours, usually about 45 a day. The same hours had 20 last week and 20 the week before. Unless it is a holiday, compare with ServiceM8.',
    )
  })

  test('stays so until an event comes, and is said in days later on', () => {
    const silence = after(days(6))
    expect(silence).toMatchObject({ hours: 144 })
    expect(silence && silenceSentence(silence)).toContain('No events for 6 days')
    expect(after(days(40))).toMatchObject({ hours: 960 })
  })

  test('is not judged by one week alone: a holiday a week ago keeps it quiet', () => {
    const start = Math.floor(FRIDAY / HOUR) - 7 * 24
    const quiet = { ...office, hours: office.hours.filter(({ hour }) => hour <= start || hour > start + 4 * 24) }
    expect(after(hours(70), quiet)).toBeNull()
  })
})

describe('nothing is said', () => {
  test('about fewer than five a day', () => {
    expect(
      after(
        days(5),
        rhythm((day, hour) => (day < 5 && hour >= 8 && hour < 12 ? 1 : 0)),
      ),
    ).toBeNull()
    expect(
      after(
        days(5),
        rhythm((day, hour) => (day < 5 && hour >= 8 && hour < 13 ? 1 : 0)),
      ),
    ).not.toBeNull()
  })

  test('about an account younger than two weeks', () => {
    const half = { ...office, hours: office.hours.slice(Math.floor(office.hours.length / 2)) }
    expect(after(days(4), half)).toBeNull()
  })

  test('because of one import: a busy hour is no rhythm', () => {
    expect(
      after(
        days(5),
        rhythm((day, hour) => (day === 2 && hour === 10 ? 500 : 0)),
      ),
    ).toBeNull()
  })

  test('without any event, or within the first hours', () => {
    expect(upstreamSilence({ lastEventAt: null, hours: office.hours }, FRIDAY)).toBeNull()
    const always = rhythm(() => 20)
    expect(after(hours(3), always)).toBeNull()
    expect(after(hours(4), always)).toMatchObject({ usualPerDay: 480 })
  })
})

test('it only ever speaks when both weeks before brought at least five events in the same hours, and what it says is true', () => {
  const counts = fc.array(fc.record({ back: fc.nat(RHYTHM_HOURS), events: fc.integer({ min: 1, max: 40 }) }), {
    maxLength: 200,
  })
  fc.assert(
    fc.property(counts, fc.nat(30 * 24 * 60), (list, later) => {
      const end = Math.floor(FRIDAY / HOUR)
      const byHour = new Map(list.map(({ back, events }) => [end - back, events]))
      const now = FRIDAY + minutes(later)
      const silence = upstreamSilence(
        { lastEventAt: FRIDAY, hours: [...byHour].map(([hour, events]) => ({ hour, events })) },
        now,
      )
      if (!silence) return
      expect(silence.usualPerDay).toBeGreaterThanOrEqual(5)
      expect(Math.min(silence.weekBefore, silence.twoWeeksBefore)).toBeGreaterThanOrEqual(5)
      expect(silence.hours).toBe(Math.floor((now - FRIDAY) / HOUR))
      const length = Math.min(Math.floor(now / HOUR) - 1 - end, 168)
      const sum = (from: number) =>
        [...byHour].filter(([hour]) => hour > from && hour <= from + length).reduce((all, [, one]) => all + one, 0)
      expect([silence.weekBefore, silence.twoWeeksBefore]).toEqual([sum(end - 168), sum(end - 336)])
    }),
  )
})
