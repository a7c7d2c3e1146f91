// The last 24 hours of this process in quarters of an hour, for the operator's curves: a few numbers in memory.
import type { QuarterFigures } from '#app/domain/process-signs.ts'
import type { Clock, Millis } from '#app/lib/clock.ts'
import { days, minutes } from '#app/lib/duration.ts'

const QUARTER = minutes(15)
const KEPT = days(1) / QUARTER

interface Sample {
  /** ms. */
  oldestDueAgeMs: number
  usedBytes: number
}

/** Samples once a minute. `now` = reads the present figures, from memory. */
export function watchDay({ clock, now }: { clock: Pick<Clock, 'now'>; now: () => Sample }) {
  const quarters: QuarterFigures[] = []

  /** The present quarter. A clock that was moved back goes on with the last one. */
  function present(): QuarterFigures {
    const at: Millis = Math.floor(clock.now() / QUARTER) * QUARTER
    const last = quarters.at(-1)
    if (last && last.at >= at) return last
    const next = { at, events: 0, oldestDueAgeMs: 0, usedBytes: last?.usedBytes ?? 0 }
    quarters.push(next)
    if (quarters.length > KEPT) quarters.shift()
    return next
  }

  /** Notes how it is now. */
  function sample(): void {
    const { oldestDueAgeMs, usedBytes } = now()
    const quarter = present()
    quarter.oldestDueAgeMs = Math.max(quarter.oldestDueAgeMs, oldestDueAgeMs)
    quarter.usedBytes = usedBytes
  }

  const timer = setInterval(sample, minutes(1))
  timer.unref()
  return {
    /** An event was stored. */
    eventStored(count = 1) {
      present().events += count
    },
    sample,
    /** Oldest first, the present quarter last; quarters without a sample are missing. */
    read() {
      sample()
      return quarters.map((quarter) => ({ ...quarter }))
    },
    stop: () => clearInterval(timer),
  }
}
