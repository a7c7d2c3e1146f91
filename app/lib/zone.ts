// The only conversion between moments and local times. Offsets come from `@date-fns/tz`; the rule for clock changes is
// croner's: a local time that occurs twice means the first, a skipped one means the first moment after the gap.
import { tzOffset } from '@date-fns/tz/tzOffset'
import type { Millis } from './clock.ts'
import { hours, minutes, seconds } from './duration.ts'

/**
 * A zone's local date and time, as the milliseconds that the same date and time would have in UTC. This makes days,
 * weeks and months plain arithmetic.
 */
export type Wall = number

/** Longer than the largest jump of any zone (Samoa skipped a whole day), so both sides of a change are visible. */
const AROUND = hours(26)

/** Zone names come from the platform: a stream of invented ones must not fill the memory. */
const MOST_ZONES = 600

/** Caches the check: it builds a whole formatter, and every displayed or compared time needs it. */
const KNOWN = new Map<string, boolean>()

/** Does this machine know the zone? An unknown zone counts as UTC everywhere, so a page or rule does not fail on it. */
export function isZone(zone: string): boolean {
  const known = KNOWN.get(zone) ?? isKnownHere(zone)
  if (KNOWN.size >= MOST_ZONES) KNOWN.clear()
  KNOWN.set(zone, known)
  return known
}

function isKnownHere(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/** Clocks change only at UTC quarter hours, so offsets are cached per quarter; a page reuses one hundreds of times. */
const QUARTER = minutes(15)
const MOST_OFFSETS = 5_000
const OFFSETS = new Map<string, number>()

/** The zone's offset from UTC at a moment, in ms; positive = ahead of UTC. */
export function offsetAt(at: Millis, zone: string): number {
  if (!isZone(zone)) return 0
  const quarter = Math.floor(at / QUARTER)
  const key = `${quarter} ${zone}`
  const known = OFFSETS.get(key)
  if (known !== undefined) return known
  const offset = Math.round(minutes(tzOffset(zone, new Date(quarter * QUARTER))))
  if (OFFSETS.size >= MOST_OFFSETS) OFFSETS.clear()
  OFFSETS.set(key, offset)
  return offset
}

/** The local time at a moment, to the second. */
export function wallAt(at: Millis, zone: string): Wall {
  return Math.floor(at / 1000) * 1000 + offsetAt(at, zone)
}

/** The moment of a local time. `exists` is false in a gap: `at` is then the first moment after it. */
export function momentOfWall(wall: Wall, zone: string): { at: Millis; exists: boolean } {
  const [first] = momentsOfWall(wall, zone)
  if (first !== undefined) return { at: first, exists: true }
  const { before, after } = offsetsAround(wall, zone)
  return { at: changeBetween(wall - after, wall - before, zone), exists: false }
}

/** Every moment of a local time, oldest first: two of one that comes twice, none of one that is skipped. */
export function momentsOfWall(wall: Wall, zone: string): Millis[] {
  const { before, after } = offsetsAround(wall, zone)
  const shown = [wall - before, wall - after].filter((at) => at + offsetAt(at, zone) === wall)
  return [...new Set(shown)].sort((a, b) => a - b)
}

function offsetsAround(wall: Wall, zone: string) {
  return { before: offsetAt(wall - AROUND, zone), after: offsetAt(wall + AROUND, zone) }
}

/** Finds the first second with the new offset, by binary search. */
function changeBetween(early: Millis, late: Millis, zone: string): Millis {
  if (late - early <= seconds(1)) return late
  const middle = Math.floor((early + late) / 2 / 1000) * 1000
  return offsetAt(middle, zone) === offsetAt(late, zone)
    ? changeBetween(early, middle, zone)
    : changeBetween(middle, late, zone)
}
