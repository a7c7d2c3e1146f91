// Decides when silence from the platform is unusual: "No events for 26 hours, usually 40 a day".
//
// The rule: the same hours one week and two weeks before each brought at least five events, spread over at least three
// hours; now they brought none. Nights, weekends and half days are quiet in those weeks too, so they need no special
// case; one busy hour (an import) is not a pattern; accounts younger than two weeks are not judged. The rule cannot
// know public holidays, and the sentence says so.
import type { EventRhythm } from '#app/domain/endpoints/upstream.ts'
import { plural } from '#app/domain/time/moments.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hours } from '#app/lib/duration.ts'

interface Silence {
  since: Millis
  /** Whole hours without any event. */
  hours: number
  /** The median of the last fourteen days before the silence. */
  usualPerDay: number
  /** Events in the same hours one and two weeks before. */
  weekBefore: number
  twoWeeksBefore: number
}

const HOUR = hours(1)
const WEEK = 7 * 24
export const RHYTHM_HOURS = 2 * WEEK
/** With five events expected, the chance of none at all is below one in a hundred. */
const LEAST_EVENTS = 5
const LEAST_HOURS = 3
const LEAST_PER_DAY = 5

/** Returns null when nothing is unusual or too little is known. */
export function upstreamSilence({ lastEventAt, hours: counted }: EventRhythm, now: Millis): Silence | null {
  if (lastEventAt === null) return null
  const last = Math.floor(lastEventAt / HOUR)
  const silent = Math.floor(now / HOUR) - 1 - last
  if (silent < LEAST_HOURS) return null
  const events = new Map(counted.map(({ hour, events: count }) => [hour, count]))
  const usualPerDay = medianDay(events, last)
  if (usualPerDay < LEAST_PER_DAY) return null
  const compared = Math.min(silent, WEEK)
  const weekBefore = sumOf(events, last + 1 - WEEK, compared)
  const twoWeeksBefore = sumOf(events, last + 1 - 2 * WEEK, compared)
  const usual = [weekBefore, twoWeeksBefore].every((one) => one.events >= LEAST_EVENTS && one.hours >= LEAST_HOURS)
  if (!usual) return null
  return {
    since: lastEventAt,
    hours: Math.floor((now - lastEventAt) / HOUR),
    usualPerDay,
    weekBefore: weekBefore.events,
    twoWeeksBefore: twoWeeksBefore.events,
  }
}

/** The sentence for the owner. */
export function silenceSentence(silence: Silence): string {
  const { hours: passed, usualPerDay, weekBefore, twoWeeksBefore } = silence
  const how = passed < 72 ? plural(passed, 'hour') : plural(Math.floor(passed / 24), 'day')
  return `No events for ${how}, usually about ${usualPerDay} a day. The same hours had ${weekBefore} last week and ${twoWeeksBefore} the week before. Unless it is a holiday, compare with ServiceM8.`
}

function sumOf(events: ReadonlyMap<number, number>, from: number, length: number) {
  let sum = 0
  let busy = 0
  for (let hour = from; hour < from + length; hour += 1) {
    const count = events.get(hour) ?? 0
    sum += count
    if (count > 0) busy += 1
  }
  return { events: sum, hours: busy }
}

/** The median over days of 24 hours, counted back from the latest event. */
function medianDay(events: ReadonlyMap<number, number>, last: number): number {
  const days = Array.from({ length: 14 }, (_, day) => sumOf(events, last + 1 - 24 * (day + 1), 24).events)
  days.sort((a, b) => a - b)
  return Math.round(((days[6] ?? 0) + (days[7] ?? 0)) / 2)
}
