// Times as owners read them. Pure: callers pass the current time and the zone; an unknown zone counts as UTC.
import type { Millis } from '#app/lib/clock.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import { wallAt } from '#app/lib/zone.ts'
import { dateOf, dayOf, localStamp, MONTHS, todayOf } from './local-time.ts'

/** `1,234`. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `2 minutes ago`; `just now` within the first minute (and for a clock slightly ahead of ours). */
export function ago(at: Millis, now: Millis): string {
  const passed = now - at
  if (passed < minutes(1)) return 'just now'
  if (passed < hours(1)) return `${plural(Math.floor(passed / minutes(1)), 'minute')} ago`
  if (passed < days(1)) return `${plural(Math.floor(passed / hours(1)), 'hour')} ago`
  return `${plural(Math.floor(passed / days(1)), 'day')} ago`
}

/** `1 event`, `1,258 events`, `2 deliveries`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`
}

/** `3 seconds`, `12 minutes`, `2 hours`, `5 days`; rounded down. */
export function spanText(ms: number): string {
  if (ms < minutes(1)) return plural(Math.max(0, Math.floor(ms / seconds(1))), 'second')
  if (ms < hours(1)) return plural(Math.floor(ms / minutes(1)), 'minute')
  if (ms < days(2)) return plural(Math.floor(ms / hours(1)), 'hour')
  return plural(Math.floor(ms / days(1)), 'day')
}

/** `09:14` today, `20 Nov, 09:14` on any other day. */
export function clockTime(at: Millis, now: Millis, zone: string): string {
  const day = dayOf(wallAt(at, zone))
  if (day === todayOf({ now, zone })) return timeText(at, zone)
  const { month, date } = dateOf(day)
  return `${date} ${MONTHS[month - 1]?.slice(0, 3)}, ${timeText(at, zone)}`
}

/** `5 December 2026`. */
export function dayText(at: Millis, zone: string): string {
  const { year, month, date } = dateOf(dayOf(wallAt(at, zone)))
  return `${date} ${MONTHS[month - 1]} ${year}`
}

/** `14:03`. */
export function timeText(at: Millis, zone: string): string {
  return localStamp(wallAt(at, zone)).slice(11, 16)
}

/** `5 December 2026, 14:03`. */
export function momentText(at: Millis, zone: string): string {
  return `${dayText(at, zone)}, ${timeText(at, zone)}`
}
