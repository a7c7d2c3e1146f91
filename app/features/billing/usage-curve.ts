// The operations of a billing period as a line: how many there are, and how many there will be at this pace.
import { grouped } from '#app/domain/count-text.ts'
import { INCLUDED_OPERATIONS, type SubscriptionFacts } from '#app/domain/plan.ts'
import { dayOf } from '#app/domain/time/local-time.ts'
import { dayText } from '#app/domain/time/moments.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'

export interface UsageCurve {
  /** Operations up to the end of each day, from the first day to the present one. */
  sums: number[]
  /** Days of the whole period. */
  days: number
  /** Expected at the end of the period; null = it is over, or too young to tell. */
  expected: number | null
  sentence: string
}

/** Null = there was no operation, or the first day is not over. Days are UTC, as they are counted. */
export function usageCurve(
  { byDay, usage, billingPeriod: { start, end } }: Pick<SubscriptionFacts, 'byDay' | 'usage' | 'billingPeriod'>,
  { now, zone }: { now: Millis; zone: string },
): UsageCurve | null {
  if (usage.total === 0) return null
  const first = dayOf(start)
  const last = dayOf(Math.max(start, end - 1))
  const counts = new Map(byDay.map(({ day, count }) => [day, count]))
  const sums: number[] = []
  for (let day = first; day <= Math.min(last, Math.max(first, dayOf(now))); day++) {
    sums.push((sums.at(-1) ?? 0) + (counts.get(day) ?? 0))
  }
  if (sums.length < 2) return null
  const expected = expectedAt(usage.total, { start, end, now })
  const pace = expected === null ? '' : `, about ${grouped(expected)} by ${dayText(end, zone)} at this pace`
  const sentence = `${grouped(usage.total)} of ${grouped(INCLUDED_OPERATIONS)} operations${pace}.`
  return { sums, days: last - first + 1, expected, sentence }
}

/** The first day says too little. */
function expectedAt(total: number, { start, end, now }: { start: Millis; end: Millis; now: Millis }): number | null {
  if (now >= end || now - start < days(1)) return null
  return Math.max(total, rounded((total * (end - start)) / (now - start)))
}

/** Two digits: a pace is no measurement. */
function rounded(count: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, count))) - 1)
  return Math.round(count / step) * step
}
