// How moments are said: in the account's zone, the same on the server and in every browser.
import type { Millis } from '#app/lib/clock.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const format = formats.get(zone) ?? newFormat(zone)
  formats.set(zone, format)
  return format
}

function newFormat(zone: string): Intl.DateTimeFormat {
  const options: Intl.DateTimeFormatOptions = {
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }
  try {
    return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone })
  } catch {
    // Zone names come from the platform: one that is not known here must not break a page.
    return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
  }
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The pieces are put together here: ready-made formats differ between versions of the same language data. */
function pieces(at: Millis, zone: string) {
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {}
  for (const { type, value } of formatOf(zone).formatToParts(at)) part[type] = value
  const { weekday = '', year = '', month = '', day = '', hour = '', minute = '', second = '' } = part
  return {
    weekday,
    year,
    day,
    month: MONTHS[Number(month) - 1] ?? month,
    clock: `${hour}:${minute}`,
    second,
    /** Of the clock on the wall, in ms. */
    sinceMidnight: hours(Number(hour)) + minutes(Number(minute)) + seconds(Number(second)),
  }
}

/** `Fri 21 Nov 2025, 09:14:32 (Australia/Sydney)`: nothing left to ask. */
export function exactTime(at: Millis, zone: string): string {
  const { weekday, day, month, year, clock, second } = pieces(at, zone)
  return `${weekday} ${day} ${month} ${year}, ${clock}:${second} (${formatOf(zone).resolvedOptions().timeZone})`
}

/** As short as it can be without doubt: `09:14`, `Yesterday 09:14`, `Tue 18 Nov 09:14`, `18 Nov 2024 09:14`. */
export function clockTime(at: Millis, now: Millis, zone: string): string {
  const then = pieces(at, zone)
  const today = pieces(now, zone)
  const dayOf = (one: typeof then) => `${one.day} ${one.month} ${one.year}`
  if (dayOf(then) === dayOf(today)) return then.clock
  // By way of midday, because a day with a clock change has 23 or 25 hours.
  const midday = now - today.sinceMidnight + hours(12)
  if (dayOf(then) === dayOf(pieces(midday - days(1), zone))) return `Yesterday ${then.clock}`
  if (dayOf(then) === dayOf(pieces(midday + days(1), zone))) return `Tomorrow ${then.clock}`
  if (then.year === today.year) return `${then.weekday} ${then.day} ${then.month} ${then.clock}`
  return `${then.day} ${then.month} ${then.year} ${then.clock}`
}

function count(n: number, unit: string): string {
  return `${n} ${unit}${n === 1 ? '' : 's'}`
}

/** `just now`, `2 minutes ago`, `in 3 hours`; days are counted up to 30, then it is the date. */
export function relativeTime(at: Millis, now: Millis, zone: string): string {
  const distance = Math.abs(now - at)
  const ahead = at > now
  const say = (words: string) => (ahead ? `in ${words}` : `${words} ago`)
  if (distance < seconds(10)) return ahead ? 'any moment' : 'just now'
  if (distance < minutes(1)) return say(count(Math.floor(distance / seconds(1)), 'second'))
  if (distance < hours(1)) return say(count(Math.floor(distance / minutes(1)), 'minute'))
  if (distance < days(1)) return say(count(Math.floor(distance / hours(1)), 'hour'))
  if (distance < days(30)) return say(count(Math.floor(distance / days(1)), 'day'))
  return clockTime(at, now, zone)
}

/** `86 ms`, `1.2 s`, `14 s`. */
export function durationWords(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const inSeconds = ms / 1000
  return inSeconds < 10 ? `${inSeconds.toFixed(1)} s` : `${Math.round(inSeconds)} s`
}
