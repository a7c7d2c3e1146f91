// Starts due runs fairly: accounts take turns, each has a few in progress, and no run or record is worked on twice at a
// time. Features are behind the ports: what a run is and does. Nothing here is durable.
import type { Millis } from '../lib/clock.ts'
import { createPumpLoop, type LoopStatus, type PumpOwner, waitShortly } from './pump-loop.server.ts'
import { createSteadyLoop } from './steady-loop.server.ts'

export interface PumpRun {
  id: number
  account: string
  /** The records it works on, within the account: of two runs that share a key, the second waits. */
  keys: readonly string[]
  /** True = a process already started it: this one, or one that has ended. */
  begun: boolean
}

interface RunPumpPorts {
  /** Runs that can continue now, as many of each account as of the others; within each, longest due first. */
  due(now: Millis, most: { limit: number; perAccount: number }): Promise<PumpRun[]>
  /** The earliest time after `now` at which a run can continue. */
  nextDueAt(now: Millis): Promise<Millis | null>
  /** Works until the run ends, waits, or `goOn` returns false. Resolves with the next due time; null = none. */
  work(run: PumpRun, goOn: () => boolean): Promise<Millis | null>
  /** Nobody else goes on with these runs before `until`. */
  rest(runIds: readonly number[], until: Millis): Promise<void>
}

export interface RunPumpInput extends PumpOwner {
  ports: RunPumpPorts
  limits?: Partial<RunLimits>
  /** Writes of another process are noticed after at most this many beats; default 5. */
  beatsPerClaim?: number
}

export interface RunLimits {
  /** Maximum runs in progress. */
  overall: number
  /** Maximum runs in progress per account. */
  perAccount: number
  /** Maximum due runs loaded ahead per account. */
  window: number
}

/** A run mostly waits for the platform: with few slots, four accounts without responses would block all rules. */
export const RUN_LIMITS: RunLimits = { overall: 32, perAccount: 2, window: 500 }

/** Each look ranks all that is due, and loads as much of it as memory allows. */
const AT_ONCE = 5_000

export interface RunPumpStatus extends LoopStatus {
  inFlight: number
  /** Due runs that are loaded and not in progress. */
  known: number
}

export type RunPump = ReturnType<typeof createRunPump>

const BEATS_PER_CLAIM = 5
/** A run has reached a boundary after this time. ms */
const LONGEST_STEP = 20_000
/** After a run crashes, it rests this long, then longer each time. */
const FIRST_PAUSE = 5_000
const LONGEST_PAUSE = 60_000

export function createRunPump(input: RunPumpInput) {
  const { clock, log, ports, beatsPerClaim = BEATS_PER_CLAIM } = input
  const limits = { ...RUN_LIMITS, ...input.limits }
  const known = createRunWindow(limits, () => claims.wake())
  const aside = createAside()
  /** Runs under way here whose accounts are others'. */
  const rested = new Set<number>()
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
      if (taken || beats % beatsPerClaim === 0) claims.wake()
    },
    async giveUp(isOurs) {
      known.leave(isOurs)
      await waitShortly(clock, () => known.stray(isOurs).length === 0)
      const stray = known.stray(isOurs)
      for (const id of stray) rested.add(id)
      if (stray.length > 0) await ports.rest(stray, clock.now() + LONGEST_STEP)
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
      const runs = await ports.due(now, { limit: AT_ONCE, perAccount: limits.window })
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
      const dueAt = await ports.work(run, () => pump.mayBegin() && pump.owns(account))
      aside.forget(id)
      if (dueAt !== null) pump.bringForward(dueAt)
    } catch (error) {
      const { until, times } = aside.put(id, clock.now())
      pump.bringForward(until)
      log.error({ run: id, account, times, error }, 'run.broke_off')
    } finally {
      known.end(run)
      // Its owner goes on at once; without this, when the rest is over.
      if (rested.delete(id)) await ports.rest([id], clock.now()).catch(() => {})
      pump.schedule()
    }
  }

  return {
    start() {
      claims.start()
      pump.start()
    },
    /** Something is new or changed: load again. */
    wake: claims.wake,
    status: (): RunPumpStatus => ({ ...pump.status(), inFlight: known.inFlight(), known: known.waiting() }),
    /** Stops claiming, and runs in progress stop at their next boundary. */
    beginDrain: pump.beginDrain,
    /** Waits for runs in progress (at most `limitMs`), releases the lease. */
    drain: (limitMs = 15_000) => pump.drain(limitMs, claims.stop),
    /** Resolves when this is the owner, no run is in progress and no known run is due. For tests. */
    async idle() {
      claimed = false
      claims.wake()
      await pump.whenQuiet()
    },
  }
}

/** Tracks due runs and runs in progress. `look`: the loaded runs are incomplete or outdated. */
function createRunWindow(limits: RunLimits, look: () => void) {
  /** Due runs by account. A Map keeps insertion order, so removing and re-adding an account rotates the turns. */
  const window = new Map<string, PumpRun[]>()
  /** Accounts with more due runs than are loaded. */
  const more = new Set<string>()
  const inFlight = new Map<number, PumpRun>()
  const atWork = new Map<string, number>()
  const busy = new Set<string>()
  /** Due again while still in progress. */
  const again = new Set<number>()
  /** While this many accounts have loaded runs, no place for a run at work stays empty: no look is needed. */
  let enough = 0
  /** Ended since the last load began, so its result may be outdated for them. */
  const endedSince = new Set<number>()

  function know(run: PumpRun): void {
    if (inFlight.has(run.id)) {
      // Released and due again before this process finished with it.
      if (!run.begun) again.add(run.id)
    } else if (endedSince.has(run.id)) look()
    else
      window
        .set(run.account, window.get(run.account) ?? [])
        .get(run.account)
        ?.push(run)
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
    leave(isOurs: (account: string) => boolean) {
      for (const account of [...window.keys()]) if (!isOurs(account)) window.delete(account)
    },
    stray: (isOurs: (account: string) => boolean) =>
      [...inFlight.values()].filter(({ account }) => !isOurs(account)).map(({ id }) => id),
    beginLook: () => endedSince.clear(),
    endLook(runs: readonly PumpRun[], isAside: (id: number) => boolean) {
      window.clear()
      more.clear()
      const counts = new Map<string, number>()
      for (const run of runs) {
        if (inFlight.has(run.id) || endedSince.has(run.id) || !isAside(run.id)) know(run)
        counts.set(run.account, (counts.get(run.account) ?? 0) + 1)
      }
      enough = runs.length < AT_ONCE ? 0 : Math.max(limits.overall, counts.size / 2)
      for (const [account, count] of counts) if (count >= limits.window) more.add(account)
    },
    /** The next run of the next account that may start one; null = none. Moves the account to the end of the queue. */
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
        else if (more.delete(account) || window.size < enough) look()
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

/** Runs that crashed: when they may start again, and how often they crashed. */
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
