// Times as the platform writes them: `YYYY-MM-DD HH:MM:SS` in the account's zone, without an offset.
import type { Millis } from '#app/lib/clock.ts'
import { momentOfWall, offsetAt, wallAt } from '#app/lib/zone.ts'

export const UNSET_TIME = '0000-00-00 00:00:00'

/** Formats `YYYY-MM-DD HH:MM:SS` in that zone; an unknown zone is UTC. */
export function localText(at: Millis, zone: string): string {
  return new Date(wallAt(at, zone)).toISOString().slice(0, 19).replace('T', ' ')
}

/** Minutes that the zone is ahead of UTC at that time. */
export function offsetMinutes(at: Millis, zone: string): number {
  return Math.round(offsetAt(at, zone) / 60_000)
}

const LOCAL = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?$/

/** Whether the platform accepts the text as a local time or date (an unset one too). */
export function isLocalTime(text: string): boolean {
  if (text === '' || text === UNSET_TIME || text === '0000-00-00') return true
  return wallMillis(text) !== null
}

/** Parses a local time as if the zone were UTC; null when it is not a real date and time. */
function wallMillis(text: string): Millis | null {
  const match = LOCAL.exec(text)
  if (!match) return null
  const [year, month, day, hour, minute, second] = match.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const wall = Date.UTC(year, month - 1, day, hour, minute, second)
  const back = new Date(wall).toISOString()
  const same = back.startsWith(`${match[1]}-${match[2]}-${match[3]}`) && hour < 24 && minute < 60 && second < 60
  return same ? wall : null
}

/** Parses a local time; null when unset or unreadable. */
export function parseLocal(text: string, zone: string): Millis | null {
  const wall = wallMillis(text)
  return wall === null ? null : momentOfWall(wall, zone).at
}

/** The same time with its offset (`2026-01-05T19:00:00+10:00`), for `sm-date-format: ISO8601`. Unset stays unset. */
export function isoWithOffset(text: string, zone: string): string {
  const at = parseLocal(text, zone)
  if (at === null) return text
  const offset = offsetMinutes(at, zone)
  const sign = offset < 0 ? '-' : '+'
  const hours = String(Math.floor(Math.abs(offset) / 60)).padStart(2, '0')
  const rest = String(Math.abs(offset) % 60).padStart(2, '0')
  return `${localText(at, zone).replace(' ', 'T')}${sign}${hours}:${rest}`
}

/** ISO 8601 with an offset or `Z` → local text; anything else comes back unchanged. */
export function toLocal(text: string, zone: string): string {
  if (!/T.*(Z|[+-]\d\d:?\d\d)$/.test(text)) return text
  const at = Date.parse(text)
  return Number.isNaN(at) ? text : localText(at, zone)
}

/** `YYYY-MM-DD`, that many days from the day of `at` in that zone. */
export function localDate(at: Millis, zone: string, days = 0): string {
  const midnight = Date.parse(`${localText(at, zone).slice(0, 10)}T00:00:00Z`)
  return new Date(midnight + days * 86_400_000).toISOString().slice(0, 10)
}
