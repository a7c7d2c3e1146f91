// The operator's curves of the last 24 hours, from the figures that the process keeps in memory.

import type { QuarterFigures } from '#app/domain/process-signs.ts'
import { grouped, spanText } from '#app/domain/time/moments.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, minutes } from '#app/lib/duration.ts'

const QUARTER = minutes(15)
/** Quarters of an hour in a day. */
export const QUARTERS = days(1) / QUARTER

interface DayCurve {
  /** The chart in one sentence. */
  sentence: string
  /** One for each quarter up to the present one; null = before the start. */
  values: (number | null)[]
}

export interface DayCurves {
  /** The time that the curves cover, as a title. */
  title: string
  /** Events a minute. */
  events: DayCurve
  /** ms that the oldest due delivery waited. */
  overdue: DayCurve
  /** Bytes of the database. */
  size: DayCurve['values']
}

export function dayCurves(
  day: readonly QuarterFigures[],
  { now, startedAt }: { now: Millis; startedAt: Millis },
): DayCurves {
  const present = Math.floor(now / QUARTER) * QUARTER
  const byTime = new Map(day.map((quarter) => [quarter.at, quarter]))
  const quarters = Array.from(
    { length: QUARTERS },
    (_, place) => byTime.get(present - (QUARTERS - 1 - place) * QUARTER) ?? null,
  )
  const of = (read: (quarter: QuarterFigures) => number) =>
    quarters.map((quarter) => (quarter === null ? null : read(quarter)))
  const events = of((quarter) => perMinute(quarter, { now, startedAt }))
  const overdue = of(({ oldestDueAgeMs }) => oldestDueAgeMs)
  const age = now - startedAt
  return {
    title: age < days(1) ? `Since the last start, ${spanText(Math.max(0, age))} ago` : 'Last 24 hours',
    events: {
      sentence: `Events a minute: ${rateText(events.at(-1))} now, peak ${rateText(mostOf(events))}.`,
      values: events,
    },
    overdue: {
      sentence: `Oldest due delivery: ${waitText(overdue.at(-1))} now, peak ${waitText(mostOf(overdue))}.`,
      values: overdue,
    },
    size: of(({ usedBytes }) => usedBytes),
  }
}

/** The first and the present quarter are shorter; a rate needs a minute. */
function perMinute({ at, events }: QuarterFigures, { now, startedAt }: { now: Millis; startedAt: Millis }): number {
  const lasted = Math.min(now, at + QUARTER) - Math.max(at, startedAt)
  return events / Math.max(1, lasted / minutes(1))
}

function mostOf(values: readonly (number | null)[]): number {
  return Math.max(0, ...values.filter((value) => value !== null))
}

/** `0.4` below ten, whole numbers above. */
function rateText(rate: number | null = 0): string {
  if (rate === null) return '–'
  return rate < 10 ? String(Math.round(rate * 10) / 10) : grouped(Math.round(rate))
}

function waitText(ms: number | null = 0): string {
  if (ms === null) return '–'
  return ms < 1_000 ? 'none' : spanText(ms)
}
