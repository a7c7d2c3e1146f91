// The add-on's call limits per account: 180 a minute and 20,000 a day.
import type { Millis } from '#app/lib/clock.ts'
import { localText } from './local-time.ts'

export interface CallCount {
  minute: number
  inMinute: number
  day: string
  inDay: number
}

export function noCalls(): CallCount {
  return { minute: 0, inMinute: 0, day: '', inDay: 0 }
}

/**
 * Counts one call and returns whether it is within the limits. Minutes follow the clock, days the account's time zone.
 * A refused call does not count.
 */
export function countCall(
  count: CallCount,
  at: Millis,
  zone: string,
  limits: { perMinute: number; perDay: number },
): 'ok' | 'minute' | 'day' {
  const minute = Math.floor(at / 60_000)
  const day = localText(at, zone).slice(0, 10)
  if (count.minute !== minute) Object.assign(count, { minute, inMinute: 0 })
  if (count.day !== day) Object.assign(count, { day, inDay: 0 })
  if (count.inDay >= limits.perDay) return 'day'
  if (count.inMinute >= limits.perMinute) return 'minute'
  count.inMinute++
  count.inDay++
  return 'ok'
}

/** The plain text of the 429. */
export function limitMessage(which: 'minute' | 'day'): string {
  return `Number of allowed API requests per ${which} exceeded`
}
