import { performance } from 'node:perf_hooks'
import type { Clock, Millis } from './clock.ts'

const LONGEST_TIMER = 2 ** 31 - 1

/** The machine's clock. Timers do not keep the process alive. */
export function systemClock(): Clock {
  return movableClock()
}

export interface MovableClock extends Clock {
  /** Moves the clock forward by `ms` (never back) and wakes everything in between. */
  advance(ms: number): void
  /** How far ahead of the machine's clock it is, in ms. */
  offset(): number
}

/**
 * The machine's clock plus an offset. The sandbox moves it forward to show the next three days; several instances on one
 * database nudge theirs to agree.
 */
export function movableClock(): MovableClock {
  let offset = 0
  const sleepers = new Set<() => void>()
  const now = () => Date.now() + offset
  return {
    now,
    offset: () => offset,
    advance(ms) {
      offset += Math.max(0, ms)
      for (const rearm of [...sleepers]) rearm()
    },
    nudge(ms) {
      offset += ms
    },
    wake(at, run) {
      let timer: NodeJS.Timeout | undefined
      const cancel = () => {
        clearTimeout(timer)
        sleepers.delete(arm)
      }
      const arm = () => {
        clearTimeout(timer)
        const left = at - now()
        timer = setTimeout(
          () => {
            if (at > now()) return arm()
            cancel()
            run()
          },
          Math.min(Math.max(0, left), LONGEST_TIMER),
        )
        timer.unref()
      }
      sleepers.add(arm)
      arm()
      return cancel
    },
  }
}

export interface FixedClock extends Clock {
  /** Moves to a time and runs, in order, every timer due by then. */
  set(at: Millis): void
  advance(ms: number): void
}

/** A clock for tests: it moves only when told to. */
export function fixedClock(start: Millis = Date.UTC(2026, 0, 5, 9, 0, 0)): FixedClock {
  let current = start
  const sleepers = new Set<{ at: Millis; run: () => void }>()
  const clock: FixedClock = {
    now: () => current,
    advance: (ms) => clock.set(current + ms),
    set(at) {
      for (;;) {
        const next = [...sleepers].filter((one) => one.at <= at).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        sleepers.delete(next)
        current = Math.max(current, next.at)
        next.run()
      }
      current = Math.max(current, at)
    },
    wake(at, run) {
      const sleeper = { at, run }
      if (at <= current) {
        const immediate = setImmediate(run)
        return () => clearImmediate(immediate)
      }
      sleepers.add(sleeper)
      return () => sleepers.delete(sleeper)
    },
  }
  return clock
}

/** What this machine can do follows no clock that is moved. `busy`: share of the time since the last question, 0 to 1. */
export function machineTime() {
  let measured = performance.eventLoopUtilization()
  return {
    now: () => performance.now(),
    later: (ms: number, run: () => void) => setTimeout(run, ms).unref(),
    busy() {
      const before = measured
      measured = performance.eventLoopUtilization()
      return performance.eventLoopUtilization(measured, before).utilization
    },
  }
}
