// Moments of a subscription as its owner reads them: with the year, since they may be a year away.
import type { Millis } from '#app/lib/clock.ts'
import { dayWords } from './plan-notice.ts'

/** `5 December 2026, 14:03` in the given IANA zone (UTC when it is unknown). */
export function momentWords(at: Millis, zone: string): string {
  return `${dayWords(at, zone)}, ${timeWords(at, zone)}`
}

function timeWords(at: Millis, zone: string): string {
  const time: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
  try {
    return new Intl.DateTimeFormat('en-GB', { ...time, timeZone: zone }).format(at)
  } catch {
    // Zone names come from the platform: one that is not known here must not break a page.
    return new Intl.DateTimeFormat('en-GB', { ...time, timeZone: 'UTC' }).format(at)
  }
}

/** The same day of the next month, or its last day where it has no such day; in UTC, as the payment provider counts. */
export function monthLater(at: Millis): Millis {
  const from = new Date(at)
  const month = from.getUTCMonth() + 1
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate()
  const then = new Date(at)
  then.setUTCMonth(month, Math.min(from.getUTCDate(), lastDay))
  return then.getTime()
}
