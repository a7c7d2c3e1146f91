// Formats times in the account's zone, the same on the server and in every browser.
import { dateOf, dayOf, localStamp, MONTHS, WEEKDAYS, weekdayOf } from '#app/domain/time/local-time.ts'
import { plural } from '#app/domain/time/moments.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import { isZone, wallAt } from '#app/lib/zone.ts'

/** Built here, because ready-made formats differ between versions of the same locale data. */
function pieces(at: Millis, zone: string) {
  const wall = wallAt(at, zone)
  const day = dayOf(wall)
  const { year, month, date } = dateOf(day)
  return {
    day,
    year,
    weekday: WEEKDAYS[weekdayOf(day) - 1]?.slice(0, 3),
    date: `${date} ${MONTHS[month - 1]?.slice(0, 3)}`,
    clock: localStamp(wall).slice(11, 16),
    second: localStamp(wall).slice(17),
  }
}

/** `Fri 21 Nov 2025, 09:14:32 (Australia/Sydney)`: complete and unambiguous. */
export function exactTime(at: Millis, zone: string): string {
  const { weekday, date, year, clock, second } = pieces(at, zone)
  return `${weekday} ${date} ${year}, ${clock}:${second} (${isZone(zone) ? zone : 'UTC'})`
}

/** As short as possible without ambiguity: `09:14`, `Yesterday 09:14`, `Tue 18 Nov 09:14`, `18 Nov 2024 09:14`. */
export function clockTime(at: Millis, now: Millis, zone: string): string {
  const then = pieces(at, zone)
  const today = pieces(now, zone)
  if (then.day === today.day) return then.clock
  if (then.day === today.day - 1) return `Yesterday ${then.clock}`
  if (then.day === today.day + 1) return `Tomorrow ${then.clock}`
  if (then.year === today.year) return `${then.weekday} ${then.date} ${then.clock}`
  return `${then.date} ${then.year} ${then.clock}`
}

/** `just now`, `2 minutes ago`, `in 3 hours`; counts days up to 30, then shows the date. */
export function relativeTime(at: Millis, now: Millis, zone: string): string {
  const distance = Math.abs(now - at)
  const ahead = at > now
  const say = (words: string) => (ahead ? `in ${words}` : `${words} ago`)
  if (distance < seconds(10)) return ahead ? 'any moment' : 'just now'
  if (distance < minutes(1)) return say(plural(Math.floor(distance / seconds(1)), 'second'))
  if (distance < hours(1)) return say(plural(Math.floor(distance / minutes(1)), 'minute'))
  if (distance < days(1)) return say(plural(Math.floor(distance / hours(1)), 'hour'))
  if (distance < days(30)) return say(plural(Math.floor(distance / days(1)), 'day'))
  return clockTime(at, now, zone)
}

/** `86 ms`, `1.2 s`, `14 s`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const inSeconds = ms / 1000
  return inSeconds < 10 ? `${inSeconds.toFixed(1)} s` : `${Math.round(inSeconds)} s`
}
