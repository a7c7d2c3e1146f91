// Starts what is due, fairly: accounts take turns, each has a few at work at once, and nothing is worked on twice at a time.
// Knows no feature: what a run is and what it does is behind the ports. Nothing here is durable.
import type { Millis } from '../lib/clock.ts'
import { createPumpLoop, type PumpLease } from './pump-loop.server.ts'
import { createSteadyLoop } from './steady-loop.server.ts'

export interface PumpRun {
  id: number
  account: string
  /** What it works on, within the account: of two runs that share one, the second waits. */
  keys: readonly string[]
  /** It was begun before, by us or by a process that is gone. */
  begun: boolean
}

interface RunPumpPorts {
  /** Runs that can go on now, the longest due of each account first, at most so many of one account. */
  due(now: Millis, perAccount: number): Promise<PumpRun[]>
  /** The earliest moment after `now` at which one can go on. */
  nextDueAt(now: Millis): Promise<Millis | null>
  /** Works until the run ends, waits, or `goOn` says no. Resolves with when it is due again; null = not by itself. */
  work(run: PumpRun, goOn: () => boolean): Promise<Millis | null>
}

export interface RunPumpInput extends PumpLease {
  ports: RunPumpPorts
  limits?: Partial<RunLimits>
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
const BEATS_PER_CLAIM = 5
/** A run whose work broke off by a fault is left alone this long, then longer each time. */
const FIRST_PAUSE = 5_000
const LONGEST_PAUSE = 60_000

export function createRunPump(input: RunPumpInput): RunPump {
  const { clock, log, ports } = input
  const limits = { ...RUN_LIMITS, ...input.limits }
  const known = createRunWindow(limits, () => claims.wake())
  const aside = createAside()
  let beats = 0
  let claimed = false

  const pump = createPumpLoop({
    ...input,
    name: 'runs',
    async onHeld(taken) {
      beats++
      if (taken) {
        claimed = false
        aside.clear()
      }
      if (taken || beats % BEATS_PER_CLAIM === 0) claims.wake()
    },
    turn() {
      for (let run = known.take(); run; run = known.take()) void work(run)
    },
    onAlarm: () => claims.wake(),
    isAtWork: () => known.inFlight() > 0,
    hasMore: () => !claimed || known.hasMore(),
  })

  const claims = createSteadyLoop({
    name: 'runs.claim',
    clock,
    log,
    async run() {
      const now = clock.now()
      known.beginLook()
      const runs = await ports.due(now, limits.window)
      const next = await ports.nextDueAt(now)
      known.endLook(runs, (id) => aside.isAside(id, now))
      pump.setAlarm(next)
      for (const until of aside.after(now)) pump.bringForward(until)
      claimed = true
      pump.schedule()
      return null
    },
  })

  async function work(run: PumpRun): Promise<void> {
    const { id, account } = run
    try {
      const dueAt = await ports.work(run, pump.mayBegin)
      aside.forget(id)
      if (dueAt !== null) pump.bringForward(dueAt)
    } catch (error) {
      const { until, times } = aside.put(id, clock.now())
      pump.bringForward(until)
      log.error({ run: id, account, times, error }, 'run.broke_off')
    } finally {
      known.end(run)
      pump.schedule()
    }
  }

  return {
    start() {
      claims.start()
      pump.start()
    },
    wake: claims.wake,
    status: () => ({ ...pump.status(), inFlight: known.inFlight(), known: known.waiting() }),
    beginDrain: pump.beginDrain,
    drain: (limitMs = 15_000) => pump.drain(limitMs, claims.stop),
    async idle() {
      claimed = false
      claims.wake()
      await pump.whenQuiet()
    },
  }
}

/** Which runs are due and which are at work. `look`: what is known is not all, or no longer true. */
function createRunWindow(limits: RunLimits, look: () => void) {
  /** Due runs by account. Maps keep the order of insertion: taking out and putting back in is the turn. */
  const window = new Map<string, PumpRun[]>()
  /** Accounts that have more due than is known. */
  const more = new Set<string>()
  const inFlight = new Map<number, PumpRun>()
  const atWork = new Map<string, number>()
  const busy = new Set<string>()
  /** Due again while still at work. */
  const again = new Set<number>()
  /** Ended since the last look began: what it says of them may be old. */
  const endedSince = new Set<number>()

  function know(run: PumpRun): void {
    if (inFlight.has(run.id)) {
      // Let go of and taken up again while we are still putting it away.
      if (!run.begun) again.add(run.id)
    } else if (endedSince.has(run.id)) look()
    else window.set(run.account, [...(window.get(run.account) ?? []), run])
  }

  function begin(run: PumpRun): void {
    const { id, account, keys } = run
    inFlight.set(id, run)
    atWork.set(account, (atWork.get(account) ?? 0) + 1)
    for (const key of keys) busy.add(`${account} ${key}`)
  }

  function isFree({ account, keys }: PumpRun): boolean {
    return !keys.some((key) => busy.has(`${account} ${key}`))
  }

  return {
    inFlight: () => inFlight.size,
    waiting: () => [...window.values()].reduce((sum, list) => sum + list.length, 0),
    hasMore: () => window.size > 0 || again.size > 0,
    beginLook: () => endedSince.clear(),
    endLook(runs: readonly PumpRun[], isAside: (id: number) => boolean) {
      window.clear()
      more.clear()
      const counts = new Map<string, number>()
      for (const run of runs) {
        if (inFlight.has(run.id) || endedSince.has(run.id) || !isAside(run.id)) know(run)
        counts.set(run.account, (counts.get(run.account) ?? 0) + 1)
      }
      for (const [account, count] of counts) if (count >= limits.window) more.add(account)
    },
    /** The next run of the next account that may begin one; null = none. Its account goes to the end of the line. */
    take(): PumpRun | null {
      if (inFlight.size >= limits.overall) return null
      for (const [account, list] of window) {
        if ((atWork.get(account) ?? 0) >= limits.perAccount) continue
        const index = list.findIndex(isFree)
        const run = list[index]
        if (!run) continue
        list.splice(index, 1)
        window.delete(account)
        if (list.length > 0) window.set(account, list)
        else if (more.delete(account)) look()
        begin(run)
        return run
      }
      return null
    },
    end({ id, account, keys }: PumpRun) {
      inFlight.delete(id)
      endedSince.add(id)
      const left = (atWork.get(account) ?? 1) - 1
      if (left > 0) atWork.set(account, left)
      else atWork.delete(account)
      for (const key of keys) busy.delete(`${account} ${key}`)
      if (again.delete(id)) look()
    },
  }
}

/** Runs that met a fault: until when they are left alone, and how often it was. */
function createAside() {
  const runs = new Map<number, { until: Millis; times: number }>()
  return {
    put(id: number, now: Millis) {
      const times = (runs.get(id)?.times ?? 0) + 1
      const until = now + Math.min(FIRST_PAUSE * 2 ** Math.min(times - 1, 10), LONGEST_PAUSE)
      runs.set(id, { until, times })
      return { until, times }
    },
    forget: (id: number) => runs.delete(id),
    clear: () => runs.clear(),
    isAside: (id: number, now: Millis) => (runs.get(id)?.until ?? now) > now,
    after: (now: Millis) => [...runs.values()].map(({ until }) => until).filter((until) => until > now),
  }
}
