// Moments as a person types them: the account's date and time of day, without a zone. Pure.
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'

const LOCAL = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,3})?)?$/

/** `2026-11-21T09:14`, as a date and time field holds it, in the given IANA zone (UTC when the zone is unknown). */
export function localInput(at: Millis, timezone: string): string {
  return new Date(at + offsetAt(at, timezone)).toISOString().slice(0, 16)
}

/**
 * The moment that such a text means in the zone; null when it is none. A time of day that a clock change left out is the
 * moment that much later; one that came twice is the first of them.
 */
export function momentOf(text: string, timezone: string): Millis | null {
  const [, year, month, day, hour, minute, second = '00'] = LOCAL.exec(text.trim()) ?? []
  if (year === undefined) return null
  const wall = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const asUtc = Date.parse(`${wall}Z`)
  // Date.parse lets the 31st of a shorter month through as the 1st of the next.
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString().slice(0, 19) !== wall) return null
  // Tried with the offsets around it: before a change to an earlier clock comes first.
  const offsets = [offsetAt(asUtc - minutes(24 * 60), timezone), offsetAt(asUtc + minutes(24 * 60), timezone)]
  const fits = offsets.map((offset) => asUtc - offset).filter((at) => at + offsetAt(at, timezone) === asUtc)
  return fits.length > 0 ? Math.min(...fits) : asUtc - (offsets[0] ?? 0)
}

/** How far the zone's clock is ahead of UTC at a moment, in ms. */
function offsetAt(at: Millis, timezone: string): number {
  const whole = Math.floor(at / 1000) * 1000
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {}
  for (const { type, value } of formatOf(timezone).formatToParts(whole)) part[type] = value
  const wall = Date.UTC(
    Number(part.year),
    Number(part.month) - 1,
    Number(part.day),
    Number(part.hour),
    Number(part.minute),
    Number(part.second),
  )
  return wall - whole
}

function formatOf(timezone: string): Intl.DateTimeFormat {
  const options: Intl.DateTimeFormatOptions = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }
  try {
    return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: timezone })
  } catch {
    return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
  }
}
