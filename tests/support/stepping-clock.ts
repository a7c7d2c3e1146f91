// A clock that only moves when told to run, and then stops at every time somebody waits for, until everything triggered
// by it has happened.
import type { Clock, Millis } from '#app/lib/clock.ts'

export interface SteppingClock extends Clock {
  /** Advances by `ms`, waking every waiter on the way in order. */
  run(ms: number): Promise<void>
  /** Lets everything happen that needs no time to pass. */
  settle(): Promise<void>
  /** Moves at once, like a machine that slept: every due waiter is woken only then. */
  leap(ms: number): void
}

interface Sleeper {
  at: Millis
  order: number
  run: () => void
}

/** After this many turns of the event loop without a call of `now`, all work has ended. */
const QUIET_TURNS = 4

/** Starts on Mon 5 Jan 2026, 09:00 UTC. */
export function steppingClock(start: Millis = Date.UTC(2026, 0, 5, 9, 0, 0)): SteppingClock {
  let current = start
  let order = 0
  let activity = 0
  let sleepers: Sleeper[] = []

  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
      const before = activity
      await new Promise((resolve) => {
        setImmediate(resolve)
      })
      if (activity !== before) quiet = -1
    }
  }

  function takeNext(until: Millis): Sleeper | null {
    let next: Sleeper | null = null
    for (const one of sleepers) {
      if (one.at <= until && (!next || one.at < next.at || (one.at === next.at && one.order < next.order))) next = one
    }
    if (next) sleepers = sleepers.filter((one) => one !== next)
    return next
  }

  return {
    now() {
      activity++
      return current
    },
    wake(at, run) {
      activity++
      if (at <= current) {
        const immediate = setImmediate(run)
        return () => clearImmediate(immediate)
      }
      const sleeper = { at, order: order++, run }
      sleepers.push(sleeper)
      return () => {
        sleepers = sleepers.filter((one) => one !== sleeper)
      }
    },
    settle,
    async run(ms) {
      const until = current + ms
      await settle()
      for (let next = takeNext(until); next; next = takeNext(until)) {
        current = Math.max(current, next.at)
        next.run()
        await settle()
      }
      current = until
      await settle()
    },
    leap(ms) {
      current += ms
      for (let next = takeNext(current); next; next = takeNext(current)) next.run()
    },
  }
}
