// Receiving must not starve sending: both use one event loop. While it has no idle time and deliveries wait though they
// are due, new calls wait as well, and one goes on for each delivery that has ended. Idle time lets more of them go on:
// when everything was sent, no delivery is left to end. A caller that waits costs nothing, and one that has waited too
// long is refused: the platform repeats the call.
import type { Millis } from '#app/lib/clock.ts'

export interface AdmissionInput {
  /** Real time: what a machine can do does not follow a clock that is moved. */
  now(): Millis
  /** Calls `run` after `ms`. */
  later(ms: number, run: () => void): void
  /** Age in ms of the oldest delivery that is due and that only we hold up. */
  lagMs(): number
  /** Share of the time since the last question in which the event loop was busy, 0 to 1. */
  busy(): number
}

export interface Admission {
  /** True: go on. A promise: wait, then go on (true) or refuse (false). `key`: callers with different keys take turns. */
  admit(key: string): true | Promise<boolean>
  /** So many attempts at a delivery have ended. */
  ended(count: number): void
}

/** ms between two looks. */
const EVERY = 100
/** A burst may wait this long before any call waits. ms */
const PATIENCE = 500
const SATURATED = 0.9
/** Calls that go on for each ended delivery. It falls and rises until what comes in is what goes out. */
const FALL = 0.9
const RISE = 0.05
const LEAST = 0.05
/** From here on nothing waits. */
const OPEN = 2
/** A call waits this long at most. ms */
const LONGEST_WAIT = 2_000
const MOST_WAITING = 1_000

interface Waiting {
  since: Millis
  go(on: boolean): void
}

/** Keeps receiving from starving sending. */
export function createAdmission({ now, later, lagMs, busy }: AdmissionInput): Admission {
  let lookedAt = Number.NEGATIVE_INFINITY
  let perEnded = OPEN
  let credit = 0
  let count = 0
  let timed = false
  /** The first key has its turn next. */
  const waiting = new Map<string, Waiting[]>()

  function look(): void {
    const at = now()
    if (at - lookedAt < EVERY) return
    lookedAt = at
    const load = busy()
    if (load >= SATURATED && lagMs() > PATIENCE) perEnded = Math.max(LEAST, Math.min(perEnded, 1) * FALL)
    else {
      const idle = Math.max(0, 1 - load)
      perEnded = Math.min(OPEN, perEnded + RISE + idle)
      credit += count * idle
    }
    for (const [key, line] of waiting) {
      while (line[0] && at - line[0].since > LONGEST_WAIT) next(line, false)
      if (line.length === 0) waiting.delete(key)
    }
    release()
  }

  function next(line: Waiting[], on: boolean): void {
    count--
    line.shift()?.go(on)
  }

  function release(): void {
    for (const [key, line] of waiting) {
      if (perEnded < OPEN && credit < 1) return
      credit = Math.max(0, credit - 1)
      waiting.delete(key)
      next(line, true)
      if (line.length > 0) waiting.set(key, line)
    }
  }

  function watch(): void {
    if (timed || count === 0) return
    timed = true
    later(EVERY, () => {
      timed = false
      look()
      watch()
    })
  }

  return {
    admit(key) {
      look()
      if (perEnded >= OPEN && count === 0) return true
      if (count >= MOST_WAITING) return Promise.resolve(false)
      const line = waiting.get(key) ?? []
      waiting.set(key, line)
      count++
      watch()
      return new Promise((go) => line.push({ since: now(), go }))
    },
    ended(deliveries) {
      if (perEnded >= OPEN) return
      credit += deliveries * perEnded
      release()
    },
  }
}
