// Decides when an automation is silent for unusually long: "has not run for 9 days, usually twice a week".
//
// The rule: the days on which it ran make its rhythm, at least five of them over at least two weeks. Weekdays on which it
// never ran, holidays and the account's closed days are left out, in the past as well as now. It is silent when it missed
// two of its turns, two days more than ever before, half as many again as ever before, and more than an irregular
// rhythm explains (four times its spread). A rule that runs at random has a wide spread, so it needs a long silence.
import { weekdayOf } from '#app/domain/time/local-time.ts'
import type { IsOff } from './closed-days.ts'

interface Silence {
  /** The day of the last run, counted from 1970. */
  last: number
  /** Whole days since then. */
  days: number
  /** `twice a week`. */
  usually: string
}

/** How far back the rhythm is looked at: runs are kept a little longer. */
export const RHYTHM_DAYS = 89
const LEAST_DAYS = 5
const LEAST_SPAN = 14

/**
 * `days`: the local days on which it ran, ascending, each once. `today`: nothing is expected of it yet. `since`: the day it
 * was switched on; silence counts from then at the earliest. Null = nothing unusual, or too little is known.
 */
export function silenceOf(days: readonly number[], today: number, since: number, isOff: IsOff): Silence | null {
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined || days.length < LEAST_DAYS || last - first < LEAST_SPAN) return null
  const works = workingWeekdays(days)
  const missed = (from: number, to: number) => {
    let count = 0
    for (let day = from + 1; day < to; day++) if (works.has(weekdayOf(day)) && !isOff(day)) count++
    return count
  }
  const gaps = days.slice(1).map((day, index) => missed(days[index] as number, day))
  const now = missed(Math.max(last, since - 1), today)
  return now < bearable(gaps) ? null : { last, days: today - last, usually: usuallyText(days.length, last - first) }
}

/** The days it may miss: fewer than this is usual. */
function bearable(gaps: readonly number[]): number {
  const most = Math.max(...gaps)
  const steps = gaps.map((gap) => gap + 1)
  const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length
  const spread = Math.sqrt(steps.reduce((sum, step) => sum + (step - mean) ** 2, 0) / steps.length)
  return Math.max(Math.ceil(mean * 2), most + 2, Math.ceil(most * 1.5), Math.ceil(mean + 4 * spread) - 1)
}

/** The weekdays it ever ran on. */
function workingWeekdays(days: readonly number[]): ReadonlySet<number> {
  return new Set(days.map(weekdayOf))
}

/** `days` run days over `span` days: `every day`, `twice a week`, `every 2 weeks`. */
function usuallyText(days: number, span: number): string {
  const aWeek = ((days - 1) / span) * 7
  if (aWeek >= 6.5) return 'every day'
  if (aWeek >= 2.5) return `${Math.round(aWeek)} days a week`
  if (aWeek >= 1.5) return 'twice a week'
  if (aWeek >= 0.75) return 'once a week'
  return `every ${Math.round(1 / aWeek)} weeks`
}
