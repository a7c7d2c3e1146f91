// Shared by both pumps: a lease, one turn at a time, a timer for the next due time, and an orderly shutdown.
import type { Clock, Millis } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { createOwnership, type OwnershipInput } from './ownership.server.ts'

export interface PumpLease {
  clock: Clock
  log: Log
  lease: OwnershipInput['store']
  owner: string
  isGone(owner: string): boolean
  /** ms between renewals of the lease; default 3 s. */
  beatMs?: number
}

interface PumpLoopInput extends PumpLease {
  /** The name of the lease. */
  name: string
  /** Called after a lease renewal; `taken` = it was not ours before. */
  onHeld(taken: boolean): Promise<void>
  /** Starts what can start. Called only as the owner, and not while draining. */
  turn(): void
  onAlarm(): void
  /** True = work is in progress. */
  isAtWork(): boolean
  /** True = something is due, or it is unknown whether. */
  hasMore(): boolean
}

export interface PumpLoop {
  start(): void
  /** Schedules a turn soon; several calls cause one turn. */
  schedule(): void
  /** Null = no timer. */
  setAlarm(at: Millis | null): void
  /** Sets the timer unless it fires earlier anyway. */
  bringForward(at: Millis): void
  mayBegin(): boolean
  /** Has the process stopped waiting for work in progress? */
  stopped(): boolean
  status(): { owner: boolean; draining: boolean; lastBeatAt: Millis | null; turns: number }
  beginDrain(): void
  /** Waits for work in progress (at most `limitMs`), calls `finish`, releases the lease. */
  drain(limitMs: number, finish: () => Promise<void>): Promise<void>
  /** Notifies waiting callers if the pump is quiet. */
  tellQuiet(): void
  whenQuiet(): Promise<void>
}

export function createPumpLoop(input: PumpLoopInput): PumpLoop {
  const { clock } = input
  const alarm = createAlarm(clock, input.onAlarm)
  let draining = false
  let stopped = false
  let scheduled = false
  let quiet: (() => void)[] = []

  const ownership = createOwnership({
    ...input,
    store: input.lease,
    async onHeld(taken) {
      await input.onHeld(taken)
      schedule()
    },
  })

  const mayBegin = () => !draining && ownership.holds(clock.now())

  function schedule(): void {
    if (scheduled || stopped) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      if (mayBegin()) input.turn()
      tellQuiet()
    })
  }

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
    setAlarm: alarm.set,
    bringForward(at) {
      if (!stopped) alarm.bringForward(at)
    },
    mayBegin,
    stopped: () => stopped,
    status: () => ({
      owner: ownership.holds(clock.now()),
      draining,
      lastBeatAt: ownership.lastRunAt(),
      turns: ownership.turns(),
    }),
    beginDrain,
    async drain(limitMs, finish) {
      beginDrain()
      await Promise.race([whenQuiet(), new Promise<void>((resolve) => clock.wake(clock.now() + limitMs, resolve))])
      stopped = true
      await finish()
      await ownership.release()
    },
    tellQuiet,
    whenQuiet,
  }
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
