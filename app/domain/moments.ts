// Moments as an owner reads them. Pure: the present and the zone are handed in.
import type { Millis } from '#app/lib/clock.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'

/** `2 minutes ago`; `just now` within the first minute (and for a clock that runs slightly ahead of us). */
export function ago(at: Millis, now: Millis): string {
  const passed = now - at
  if (passed < minutes(1)) return 'just now'
  if (passed < hours(1)) return `${plural(Math.floor(passed / minutes(1)), 'minute')} ago`
  if (passed < days(1)) return `${plural(Math.floor(passed / hours(1)), 'hour')} ago`
  return `${plural(Math.floor(passed / days(1)), 'day')} ago`
}

/** `1 event`, `2 events`. */
export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

/** `09:14` today, `20 Nov, 09:14` on any other day, in the given IANA zone (UTC when the zone is unknown). */
export function clockTime(at: Millis, now: Millis, timezone: string): string {
  const time = format(at, timezone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const day: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' }
  const dayThen = format(at, timezone, day)
  return dayThen === format(now, timezone, day) ? time : `${dayThen}, ${time}`
}

function format(at: Millis, timezone: string, options: Intl.DateTimeFormatOptions): string {
  try {
    return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: timezone }).format(at)
  } catch {
    // The platform's zone names are its own business: an unknown one must not break a page.
    return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(at)
  }
}
