// Starts what is due, fairly: accounts take turns, each has a few at work at once, and nothing is worked on twice at a time.
// Knows no feature: what a run is and what it does is behind the ports. Nothing here is durable.
import type { OperationsStore } from '#db/store/operations.ts'
import type { Clock, Millis } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { createOwnership } from './ownership.server.ts'
import { createSteadyLoop } from './steady-loop.server.ts'

export interface PumpRun {
  id: number
  account: string
  /** What it works on, within the account: of two runs that share one, the second waits. */
  keys: readonly string[]
  /** It was begun before, by us or by a process that is gone. */
  begun: boolean
}

export interface RunPumpPorts {
  /** Runs that can go on now, the longest due of each account first, at most so many of one account. */
  due(now: Millis, perAccount: number): Promise<PumpRun[]>
  /** The earliest moment after `now` at which one can go on. */
  nextDueAt(now: Millis): Promise<Millis | null>
  /** Works until the run ends, waits, or `goOn` says no. Resolves with when it is due again; null = not by itself. */
  work(run: PumpRun, goOn: () => boolean): Promise<Millis | null>
}

export interface RunPumpInput {
  clock: Clock
  log: Log
  lease: Pick<OperationsStore, 'findLease' | 'acquireLease' | 'releaseLease'>
  owner: string
  isGone(owner: string): boolean
  ports: RunPumpPorts
  limits?: Partial<RunLimits>
  /** ms between renewals of the lease; default 3 s. */
  beatMs?: number
}

export interface RunLimits {
  /** Runs at work at once. */
  overall: number
  /** Of one account. */
  perAccount: number
  /** Of one account, known in advance. */
  window: number
}

/** A run mostly waits for the platform: with few places, four accounts that get no answers would stop everybody's rules. */
export const RUN_LIMITS: RunLimits = { overall: 32, perAccount: 2, window: 50 }

export interface RunPumpStatus {
  owner: boolean
  draining: boolean
  inFlight: number
  /** Due, known, and not at work. */
  known: number
  lastBeatAt: Millis | null
  /** Signs of life since the start, good or bad: for the watchdog. */
  turns: number
}

export interface RunPump {
  start(): void
  /** There is something new, or something was changed: look again. */
  wake(): void
  status(): RunPumpStatus
  /** Claims nothing more, and what is at work stops at its next boundary. */
  beginDrain(): void
  /** Waits for what is at work (at most `limitMs`), gives up the lease. */
  drain(limitMs?: number): Promise<void>
  /** Resolves when this is the owner, nothing is at work and nothing known is due. For tests. */
  idle(): Promise<void>
}

/** What another process has written is seen at the latest after so many renewals of the lease. */
const BEATS_PER_LOOK = 5
/** A run whose work broke off by a fault is left alone this long, then longer each time. */
const FIRST_PAUSE = 5_000
const LONGEST_PAUSE = 60_000

export function createRunPump(input: RunPumpInput): RunPump {
  const { clock, log, ports } = input
  const limits = { ...RUN_LIMITS, ...input.limits }
  /** Due runs by account. Maps keep the order of insertion: taking out and putting back in is the turn. */
  const window = new Map<string, PumpRun[]>()
  /** Accounts that have more due than is known. */
  const more = new Set<string>()
  const inFlight = new Map<number, PumpRun>()
  const atWork = new Map<string, number>()
  const busy = new Set<string>()
  /** Runs that met a fault: until when, and how often. */
  const aside = new Map<number, { until: Millis; times: number }>()
  /** Due again while still at work. */
  const again = new Set<number>()
  /** Ended since the last look began: what it says of them may be old. */
  const endedSince = new Set<number>()
  let beats = 0
  let draining = false
  let stopped = false
  let scheduled = false
  let looked = false
  let alarmAt: Millis | null = null
  let cancelAlarm = () => {}
  let quiet: (() => void)[] = []

  const ownership = createOwnership({
    store: input.lease,
    clock,
    log,
    name: 'runs',
    owner: input.owner,
    isGone: input.isGone,
    ...(input.beatMs && { beatMs: input.beatMs }),
    async onHeld(taken) {
      beats++
      if (taken) {
        looked = false
        aside.clear()
      }
      if (taken || beats % BEATS_PER_LOOK === 0) looks.wake()
      schedule()
    },
  })

  const looks = createSteadyLoop({
    name: 'runs.look',
    clock,
    log,
    async run() {
      const now = clock.now()
      endedSince.clear()
      const runs = await ports.due(now, limits.window)
      const next = await ports.nextDueAt(now)
      window.clear()
      more.clear()
      for (const run of runs) know(run, now)
      const counts = new Map<string, number>()
      for (const { account } of runs) counts.set(account, (counts.get(account) ?? 0) + 1)
      for (const [account, count] of counts) if (count >= limits.window) more.add(account)
      setAlarm(next)
      for (const { until } of aside.values()) if (until > now) bringForward(until)
      looked = true
      schedule()
      return null
    },
  })

  function know(run: PumpRun, now: Millis): void {
    if (inFlight.has(run.id)) {
      // Let go of and taken up again while we are still putting it away.
      if (!run.begun) again.add(run.id)
      return
    }
    if (endedSince.has(run.id)) {
      looks.wake()
      return
    }
    const pause = aside.get(run.id)
    if (pause && pause.until > now) return
    const list = window.get(run.account)
    if (list) list.push(run)
    else window.set(run.account, [run])
  }

  function schedule(): void {
    if (scheduled || stopped) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      turn()
    })
  }

  function turn(): void {
    if (mayBegin()) {
      for (let run = take(); run; run = take()) void work(run)
    }
    tellQuiet()
  }

  function mayBegin(): boolean {
    return !draining && !stopped && ownership.holds(clock.now())
  }

  /** The next run of the next account that may begin one; null = none. Its account goes to the end of the line. */
  function take(): PumpRun | null {
    if (inFlight.size >= limits.overall) return null
    for (const [account, list] of window) {
      if ((atWork.get(account) ?? 0) >= limits.perAccount) continue
      const index = list.findIndex((run) => !run.keys.some((key) => busy.has(`${account} ${key}`)))
      const run = list[index]
      if (!run) continue
      list.splice(index, 1)
      window.delete(account)
      if (list.length > 0) window.set(account, list)
      else lookForMore(account)
      return run
    }
    return null
  }

  function lookForMore(account: string): void {
    if (more.delete(account)) looks.wake()
  }

  async function work(run: PumpRun): Promise<void> {
    const { id, account } = run
    inFlight.set(id, run)
    atWork.set(account, (atWork.get(account) ?? 0) + 1)
    for (const key of run.keys) busy.add(`${account} ${key}`)
    try {
      const dueAt = await ports.work(run, mayBegin)
      aside.delete(id)
      if (dueAt !== null) bringForward(dueAt)
    } catch (error) {
      const times = (aside.get(id)?.times ?? 0) + 1
      const until = clock.now() + Math.min(FIRST_PAUSE * 2 ** Math.min(times - 1, 10), LONGEST_PAUSE)
      aside.set(id, { until, times })
      bringForward(until)
      log.error({ run: id, account, times, error }, 'run.broke_off')
    } finally {
      inFlight.delete(id)
      endedSince.add(id)
      const left = (atWork.get(account) ?? 1) - 1
      if (left > 0) atWork.set(account, left)
      else atWork.delete(account)
      for (const key of run.keys) busy.delete(`${account} ${key}`)
      if (again.delete(id)) looks.wake()
      schedule()
    }
  }

  function setAlarm(at: Millis | null): void {
    cancelAlarm()
    alarmAt = at
    cancelAlarm =
      at === null
        ? () => {}
        : clock.wake(at, () => {
            alarmAt = null
            looks.wake()
          })
  }

  function bringForward(at: Millis): void {
    if (!stopped && (alarmAt === null || at < alarmAt)) setAlarm(at)
  }

  function isQuiet(): boolean {
    if (inFlight.size > 0 || scheduled) return false
    return draining || (looked && window.size === 0 && again.size === 0 && ownership.holds(clock.now()))
  }

  function tellQuiet(): void {
    if (quiet.length === 0 || !isQuiet()) return
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
    cancelAlarm()
  }

  return {
    start() {
      looks.start()
      ownership.start()
    },
    wake: looks.wake,
    status: () => ({
      owner: ownership.holds(clock.now()),
      draining,
      inFlight: inFlight.size,
      known: [...window.values()].reduce((sum, list) => sum + list.length, 0),
      lastBeatAt: ownership.lastRunAt(),
      turns: ownership.turns(),
    }),
    beginDrain,
    async drain(limitMs = 15_000) {
      beginDrain()
      await Promise.race([whenQuiet(), new Promise<void>((resolve) => clock.wake(clock.now() + limitMs, resolve))])
      stopped = true
      await looks.stop()
      await ownership.release()
    },
    async idle() {
      looked = false
      looks.wake()
      await whenQuiet()
    },
  }
}
