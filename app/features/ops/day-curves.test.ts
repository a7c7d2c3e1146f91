import { describe, expect, it } from 'vitest'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { dayCurves, QUARTERS } from './day-curves.ts'

const NOW = Date.UTC(2026, 10, 24, 14, 5)
const PRESENT = Date.UTC(2026, 10, 24, 14)
const quarter = (back: number, over: object = {}) => ({
  at: PRESENT - back * minutes(15),
  events: 0,
  oldestDueAgeMs: 0,
  usedBytes: 1_000,
  ...over,
})

describe('the curves of a day', () => {
  it('end with the present quarter; what is older than the start is unknown', () => {
    const day = [quarter(2, { events: 30 }), quarter(1), quarter(0, { events: 10 })]
    const { events, size } = dayCurves(day, { now: NOW, startedAt: PRESENT - hours(2) })
    expect(events.values).toHaveLength(QUARTERS)
    expect(events.values.slice(-4)).toEqual([null, 2, 0, 2])
    expect(size.slice(-4)).toEqual([null, 1_000, 1_000, 1_000])
  })

  it('say the value now and the most', () => {
    const day = [
      quarter(2, { events: 1_500, oldestDueAgeMs: minutes(4) }),
      quarter(0, { events: 2, oldestDueAgeMs: 300 }),
    ]
    const curves = dayCurves(day, { now: NOW, startedAt: PRESENT - days(3) })
    expect(curves.title).toBe('Last 24 hours')
    expect(curves.events.sentence).toBe('Events a minute: 0.4 now, peak 100.')
    expect(curves.overdue.sentence).toBe('Oldest due delivery: none now, peak 4 minutes.')
  })

  it('say since when they are known after a start, and take no rate from less than a minute', () => {
    const startedAt = NOW - minutes(30)
    expect(dayCurves([], { now: NOW, startedAt }).title).toBe('Since the last start, 30 minutes ago')
    const justNow = dayCurves([quarter(0, { events: 7 })], { now: NOW, startedAt: NOW - 5_000 })
    expect(justNow.events.sentence).toBe('Events a minute: 7 now, peak 7.')
  })

  it('say – for what is not known', () => {
    const { events, overdue } = dayCurves([], { now: NOW, startedAt: NOW })
    expect(events.sentence).toBe('Events a minute: – now, peak 0.')
    expect(overdue.sentence).toBe('Oldest due delivery: – now, peak none.')
  })
})
