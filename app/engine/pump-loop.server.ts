// Shared by both pumps: ownership, one turn at a time, a timer for the next due time, and an orderly shutdown.
import type { Clock, Millis } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { pause } from '../lib/turns.server.ts'
import type { MakeOwnership, OwnershipUse } from './ownership.ts'

export interface PumpOwner {
  clock: Clock
  log: Log
  ownership: MakeOwnership
}

interface PumpLoopInput extends PumpOwner, OwnershipUse {
  /** Starts what can start. Called only as the owner, and not while draining. */
  turn(): void
  onAlarm(): void
  /** True = work is in progress. */
  isAtWork(): boolean
  /** True = something is due, or it is unknown whether. */
  hasMore(): boolean
}

export interface LoopStatus {
  owner: boolean
  draining: boolean
  /** When it last gave a sign of life; null = not yet. */
  lastBeatAt: Millis | null
  /** Attempts to renew the lease since the start, successful or failed: for the watchdog. */
  turns: number
}

export type PumpLoop = ReturnType<typeof createPumpLoop>

export function createPumpLoop(input: PumpLoopInput) {
  const { clock } = input
  const alarm = createAlarm(clock, input.onAlarm)
  let draining = false
  let stopped = false
  let scheduled = false
  let quiet: (() => void)[] = []

  const ownership = input.ownership({
    name: input.name,
    giveUp: input.giveUp,
    async onHeld(taken) {
      await input.onHeld(taken)
      schedule()
    },
  })

  const mayBegin = () => !draining && ownership.holds(clock.now())

  /** Schedules a turn soon; several calls cause one turn. */
  function schedule(): void {
    if (scheduled || stopped) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      if (mayBegin()) input.turn()
      tellQuiet()
    })
  }

  /** Notifies waiting callers if the pump is quiet. */
  function tellQuiet(): void {
    if (quiet.length === 0 || scheduled || input.isAtWork()) return
    if (!draining && (input.hasMore() || !mayBegin())) return
    for (const tell of quiet.splice(0)) tell()
  }

  function whenQuiet(): Promise<void> {
    return new Promise((resolve) => {
      quiet = [...quiet, resolve]
      schedule()
    })
  }

  function beginDrain(): void {
    draining = true
    alarm.cancel()
  }

  return {
    start: ownership.start,
    schedule,
    /** Null = no timer. */
    setAlarm: alarm.set,
    /** Sets the timer unless it fires earlier anyway. */
    bringForward(at: Millis) {
      if (!stopped) alarm.bringForward(at)
    },
    mayBegin,
    owns: ownership.owns,
    /** Has the process stopped waiting for work in progress? */
    stopped: () => stopped,
    status: (): LoopStatus => ({
      owner: ownership.holds(clock.now()),
      draining,
      lastBeatAt: ownership.lastRunAt(),
      turns: ownership.turns(),
    }),
    beginDrain,
    /** Waits for work in progress (at most `limitMs`), calls `finish`, gives its accounts back. */
    async drain(limitMs: number, finish: () => Promise<void>) {
      beginDrain()
      await Promise.race([whenQuiet(), pause(clock, limitMs)])
      stopped = true
      await finish()
      await ownership.release()
    },
    tellQuiet,
    whenQuiet,
  }
}

/** At most this long does another instance wait for what ends soon, and how often it is looked at. ms */
const HAND_OVER = 1_000
const LOOK_EVERY = 20

/** Resolves when it is done, or after a second. */
export async function waitShortly(clock: Clock, isDone: () => boolean): Promise<void> {
  for (let waited = 0; waited < HAND_OVER && !isDone(); waited += LOOK_EVERY) await pause(clock, LOOK_EVERY)
}

function createAlarm(clock: Clock, ring: () => void) {
  let at: Millis | null = null
  let cancel = () => {}

  function set(next: Millis | null): void {
    if (next === at) return
    cancel()
    at = next
    cancel = next === null ? () => {} : clock.wake(next, rings)
  }
  function rings(): void {
    at = null
    ring()
  }

  return {
    set,
    bringForward(next: Millis) {
      if (at === null || next < at) set(next)
    },
    cancel: () => cancel(),
  }
}
