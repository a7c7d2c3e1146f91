// An account's calendar: days, weeks and months in its local time, and reading and writing local times.
import type { Millis } from '#app/lib/clock.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { momentOfWall, type Wall, wallAt } from '#app/lib/zone.ts'

/** The day of a wall time, counted from 1 January 1970. */
export function dayOf(wall: Wall): number {
  return Math.floor(wall / days(1))
}

/** The midnight that starts a counted day. */
export function wallOfDay(day: number): Wall {
  return day * days(1)
}

/** 1 (Monday) to 7 (Sunday). */
export function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1
}

/** The account's current day, as a counted day. */
export function todayOf({ now, zone }: { now: Millis; zone: string }): number {
  // A poll asks this for every condition of every record, always with the same time.
  if (now !== LATEST.now || zone !== LATEST.zone) Object.assign(LATEST, { now, zone, day: dayOf(wallAt(now, zone)) })
  return LATEST.day
}

const LATEST = { now: Number.NaN, zone: '', day: 0 }

/** Year, month (1 to 12) and day of the month of a counted day. */
export function dateOf(day: number): { year: number; month: number; date: number } {
  const moment = new Date(wallOfDay(day))
  return { year: moment.getUTCFullYear(), month: moment.getUTCMonth() + 1, date: moment.getUTCDate() }
}

/** The counted day of a date; a day beyond the month's last is the last. `month` may go past the end of the year. */
export function dayOfDate(year: number, month: number, date: number): number {
  const first = dayOf(Date.UTC(year, month - 1, 1))
  const last = dayOf(Date.UTC(year, month, 1)) - 1
  return Math.min(first + date - 1, last)
}

/** ISO week of a counted day: a week belongs to the year of its Thursday. */
export function weekOf(day: number): { year: number; week: number } {
  const thursday = day + 4 - weekdayOf(day)
  const { year } = dateOf(thursday)
  return { year, week: Math.floor((thursday - dayOfDate(year, 1, 1)) / 7) + 1 }
}

/** `2026-11-21`. */
export function isoDate(day: number): string {
  return new Date(wallOfDay(day)).toISOString().slice(0, 10)
}

/** `2026-11-21 09:14:05`, the platform's format for local times. */
export function localStamp(wall: Wall): string {
  return new Date(wall).toISOString().slice(0, 19).replace('T', ' ')
}

/** `2026-11-21T09:14`, the format of a date and time field. */
export function localInput(at: Millis, zone: string): string {
  return new Date(wallAt(at, zone)).toISOString().slice(0, 16)
}

/** The moment of a typed date and time in the zone; null when the text is not a date. */
export function momentOf(text: string, zone: string): Millis | null {
  const reading = readLocal(text.trim(), zone)
  return reading?.hasTime ? momentOfWall(reading.wall, zone).at : null
}

/** The start of the day `later` days after a date (`2026-11-21`) in the zone; null when it is not a date. */
export function startOfDay(date: string, later: number, zone: string): Millis | null {
  const reading = readLocal(date, zone)
  return reading && !reading.hasTime ? momentOfWall(reading.wall + days(later), zone).at : null
}

interface LocalReading {
  wall: Wall
  /** False = the text has only a date. */
  hasTime: boolean
}

const LOCAL = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/

/**
 * Reads a date or time in the formats of the platform, a date field or JSON: `2026-11-21`, `2026-11-21 09:14:05`,
 * `2026-11-21T09:14`, with or without an offset (then converted to local time). Unset (`''`, `0000-00-00 …`),
 * impossible and unreadable texts return null. Source of the platform's format: servicem8 facts 5.4.
 */
export function readLocal(text: string, zone: string): LocalReading | null {
  const match = LOCAL.exec(text)
  if (!match) return null
  const [, year = '', month = '', date = '', hour, minute = '00', second = '00', offset] = match
  const [hours24, minutes60, seconds60] = [Number(hour ?? 0), Number(minute), Number(second)]
  if (hours24 > 23 || minutes60 > 59 || seconds60 > 59 || date === '00') return null
  const wall = Date.UTC(Number(year), Number(month) - 1, Number(date), hours24, minutes60, seconds60)
  // Date rolls over the 31st of a shorter month, month 13 and years below 100, so compare month and year.
  const back = new Date(wall)
  if (back.getUTCMonth() !== Number(month) - 1 || back.getUTCFullYear() !== Number(year)) return null
  if (offset === undefined) return { wall, hasTime: hour !== undefined }
  return { wall: wallAt(wall - offsetOf(offset), zone), hasTime: true }
}

/** The same, and `NOW`: the moment at which a condition is judged. */
export function readMoment(text: string, { now, zone }: { now: Millis; zone: string }): LocalReading | null {
  return /^now$/i.test(text) ? { wall: wallAt(now, zone), hasTime: true } : readLocal(text, zone)
}

function offsetOf(text: string): number {
  if (text === 'Z') return 0
  const size = hours(Number(text.slice(1, 3))) + minutes(Number(text.slice(-2)))
  return text.startsWith('-') ? -size : size
}

const TIME_OF_DAY = /^([01]?\d|2[0-3]):([0-5]\d)$/

/** `09:30` as ms after midnight; null for anything else. */
export function readTimeOfDay(text: string): number | null {
  const [, hour, minute] = TIME_OF_DAY.exec(text.trim()) ?? []
  return hour === undefined || minute === undefined ? null : hours(Number(hour)) + minutes(Number(minute))
}

const TODAY = /^today\s*(?:([+-])\s*(\d{1,4})(?:\s*days?)?)?$/i

/** `TODAY`, `TODAY-3`, `today + 7`: days from today; null for anything else. */
export function readToday(text: string): number | null {
  const match = TODAY.exec(text.trim())
  if (!match) return null
  const [, sign, count = '0'] = match
  return sign === '-' ? 0 - Number(count) : Number(count)
}

export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const
export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const
