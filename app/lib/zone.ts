// The only way between moments and the clocks of a time zone. What the offsets are is known by `@date-fns/tz`; the rule for clock
// changes is croner's: a local time that comes twice is the first of the two, one that is left out is the first moment after the gap.
import { tzOffset } from '@date-fns/tz/tzOffset'
import type { Millis } from './clock.ts'
import { hours, minutes, seconds } from './duration.ts'

/**
 * Date and time on the wall of a zone, as the milliseconds that the same date and time would have in UTC. Days, weeks and months
 * are then plain arithmetic.
 */
export type Wall = number

/** Longer than the widest jump of any zone (Samoa left out a whole day), so that both sides of a change are seen. */
const AROUND = hours(26)

/** Zone names come from the platform: a made-up stream of them must not fill the memory. */
const MOST_ZONES = 600

/** Asking builds a whole formatter, and every moment that is shown or compared asks. */
const KNOWN = new Map<string, boolean>()

/** Is it a zone this machine knows? An unknown one is treated as UTC everywhere: a page or a rule must not break over it. */
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

/** Clocks change at quarters of an hour of UTC: within one the offset is known. One page asks for the same few hundreds of times. */
const QUARTER = minutes(15)
const MOST_OFFSETS = 5_000
const OFFSETS = new Map<string, number>()

/** How far the clocks of the zone are ahead of UTC at a moment, in ms. */
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

/** The wall reading of a moment, to the second. */
export function wallAt(at: Millis, zone: string): Wall {
  return Math.floor(at / 1000) * 1000 + offsetAt(at, zone)
}

/** The moment at which the clocks of the zone show `wall`. `exists` is false in a gap: `at` is then the first moment after it. */
export function momentOfWall(wall: Wall, zone: string): { at: Millis; exists: boolean } {
  const before = offsetAt(wall - AROUND, zone)
  const after = offsetAt(wall + AROUND, zone)
  const shown = [wall - before, wall - after].filter((at) => at + offsetAt(at, zone) === wall)
  if (shown.length > 0) return { at: Math.min(...shown), exists: true }
  return { at: changeBetween(wall - after, wall - before, zone), exists: false }
}

/** The first second with the new offset: the span in which the clocks jumped is halved until it is left. */
function changeBetween(early: Millis, late: Millis, zone: string): Millis {
  if (late - early <= seconds(1)) return late
  const middle = Math.floor((early + late) / 2 / 1000) * 1000
  return offsetAt(middle, zone) === offsetAt(late, zone)
    ? changeBetween(early, middle, zone)
    : changeBetween(middle, late, zone)
}
