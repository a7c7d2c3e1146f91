// Filters that narrow a list to what was edited lately.
import { localStamp } from '#app/domain/time/local-time.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'

/** A year, a quarter and a month back; a day more or less for the time zone does not matter. */
export function recentEdits(now: Millis): string[] {
  return [365, 90, 30].map((ago) => `edit_date gt '${localStamp(now - days(ago))}'`)
}
