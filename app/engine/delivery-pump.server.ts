// Sends what is due, fairly, and writes down what became of it. Knows no feature: what a delivery is, how it is sent and what
// follows is behind the ports. Nothing here is durable: after a crash everything unsettled is simply still waiting.
import type { OperationsStore } from '#db/store/operations.ts'
import type { Clock, Millis } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { createGroupCommit, SLOW_DISK } from './group-commit.server.ts'
import type { LaneGate, LaneResult } from './lane-endpoint.ts'
import { LANE_LIMITS, type LaneLimits } from './lane-limits.ts'
import type { LaneItem } from './lane-window.ts'
import { type Claim, createLanes, type LaneKind } from './lanes.ts'
import { createOwnership } from './ownership.server.ts'
import { settleSteadily } from './settle-steadily.server.ts'
import { createSteadyLoop } from './steady-loop.server.ts'

export interface PumpEndpoint {
  endpointId: number
  account: string
  gate: LaneGate
}

export interface PumpSettled {
  id: number
  /** When it is due again; null = it is settled. */
  dueAt: Millis | null
  result: LaneResult
  gate: LaneGate
}

export interface PumpPorts<Job extends { dueAt: Millis }, Report> {
  /** Once for each time of being the owner, before anything is sent. */
  takeOver(): Promise<void>
  endpointsWithWork(): Promise<PumpEndpoint[]>
  changedElsewhere(): Promise<boolean>
  adopt(endpointId: number): Promise<PumpEndpoint | null>
  due(endpointId: number, kind: LaneKind, limit: number): Promise<LaneItem[]>
  /** Null = it does not wait any more. */
  load(ids: number[]): Promise<(Job | null)[]>
  /** Never rejects. */
  deliver(job: Job, how: { probe: boolean }): Promise<Report>
  /** All in one transaction. */
  settle(reports: Report[]): Promise<PumpSettled[]>
  /** Rejects when nothing at all can be written. */
  trialWrite(): Promise<void>
}

export interface PumpInput<Job extends { dueAt: Millis }, Report> {
  clock: Clock
  log: Log
  lease: Pick<OperationsStore, 'findLease' | 'acquireLease' | 'releaseLease'>
  owner: string
  isGone(owner: string): boolean
  ports: PumpPorts<Job, Report>
  limits?: Partial<LaneLimits>
  /** ms between renewals of the lease; default 3 s. */
  beatMs?: number
  /** ms that a result may wait for others to be written down with; default 2. */
  gatherMs?: number
}

export interface OfferedDelivery extends LaneItem {
  endpointId: number
  kind: LaneKind
}

export interface PumpStatus {
  owner: boolean
  draining: boolean
  inFlight: number
  endpoints: number
  /** The one number to watch: age of the oldest delivery that is due and not held, ms. */
  oldestDueAgeMs: number
  /** When the pump last proved to be alive; null = not yet. */
  lastBeatAt: Millis | null
  /** Signs of life since the start, good or bad: for the watchdog. */
  turns: number
}

export interface DeliveryPump {
  start(): void
  /** New deliveries that are committed. */
  offer(deliveries: readonly OfferedDelivery[]): void
  /** The endpoint changed, or has something new: look at it again. */
  wake(endpointId: number): void
  status(): PumpStatus
  /** What is being sent at this moment. */
  flights(): { id: number; kind: LaneKind }[]
  /** Something else is about to be written: write down results together with it. */
  settleNow(): void
  /** Claims nothing more. */
  beginDrain(): void
  /** Waits for attempts in flight (at most `limitMs`), writes down what became of them, gives up the lease. */
  drain(limitMs?: number): Promise<void>
  /** Resolves when this is the owner, nothing is in flight, nothing is due and nothing is being loaded. For tests. */
  idle(): Promise<void>
}

/** After loads of this many lists the event loop gets its turn. */
const LOADS_PER_TURN = 50
const LOAD_FAILED_PAUSE = 1_000
/** An attempt whose result cannot be written down is put aside, or it would be sent over and over. */
const PUT_ASIDE = 5 * 60_000

export function createDeliveryPump<Job extends { dueAt: Millis }, Report>(input: PumpInput<Job, Report>): DeliveryPump {
  const { clock, log, ports } = input
  const lanes = createLanes({ ...LANE_LIMITS, ...input.limits })
  const toAdopt = new Set<number>()
  let draining = false
  let stopped = false
  let scheduled = false
  let sending = 0
  let alarmAt: Millis | null = null
  let cancelAlarm = () => {}
  let quiet: (() => void)[] = []

  const ownership = createOwnership({
    store: input.lease,
    clock,
    log,
    name: 'deliveries',
    owner: input.owner,
    isGone: input.isGone,
    ...(input.beatMs && { beatMs: input.beatMs }),
    async onHeld(taken) {
      if (taken) await takeOver()
      else if (await ports.changedElsewhere()) await noticeOthers()
      schedule()
    },
  })

  /** Nothing in memory counts any more: another process may have been at work. */
  async function takeOver(): Promise<void> {
    await ports.takeOver()
    await ports.changedElsewhere()
    lanes.reset(clock.now())
    for (const endpoint of await ports.endpointsWithWork()) toAdopt.add(endpoint.endpointId)
    loads.wake()
  }

  /**
   * An overlapping process has taken events in, or paused, resumed or tested an endpoint: it cannot tell us which, so that all
   * are looked at anew. What has nothing waiting too: what comes next must not meet a gate that is long open.
   */
  async function noticeOthers(): Promise<void> {
    for (const endpointId of lanes.ids()) toAdopt.add(endpointId)
    for (const { endpointId } of await ports.endpointsWithWork()) toAdopt.add(endpointId)
    loads.wake()
  }

  const loads = createSteadyLoop({
    name: 'pump.loads',
    clock,
    log,
    async run() {
      let loaded = 0
      for (const endpointId of toAdopt) {
        const endpoint = await ports.adopt(endpointId)
        toAdopt.delete(endpointId)
        if (endpoint) lanes.put(endpoint, clock.now())
        else lanes.remove(endpointId)
        if (++loaded % LOADS_PER_TURN === 0) await nextTurn()
      }
      const wants = lanes.takeWants()
      try {
        for (let want = wants[0]; want; want = wants[0]) {
          const items = await ports.due(want.endpointId, want.kind, want.limit)
          lanes.fill(want.endpointId, want.kind, items, want.limit, clock.now())
          wants.shift()
          if (++loaded % LOADS_PER_TURN === 0) await nextTurn()
        }
      } finally {
        for (const want of wants) lanes.unfilled(want)
      }
      schedule()
      tellQuiet()
      return null
    },
  })

  const settling = createGroupCommit<Report, PumpSettled | null>({
    clock,
    commit: (reports) => settleSteadily({ ...ports, clock, log, stopped: () => stopped }, reports),
    maxBatch: 64,
    gatherMs: input.gatherMs ?? 2,
    onSlowDisk: SLOW_DISK,
    maxWaiting: Number.POSITIVE_INFINITY,
    maxWaitingBytes: Number.POSITIVE_INFINITY,
    sizeOf: () => 0,
    limitMs: null,
  })

  function schedule(): void {
    if (scheduled || stopped) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      turn()
    })
  }

  function turn(): void {
    const now = clock.now()
    if (!draining && ownership.holds(now)) {
      const claims: Claim[] = []
      for (let claim = lanes.take(now); claim; claim = lanes.take(now)) claims.push(claim)
      if (claims.length > 0) void send(claims)
      if (toAdopt.size > 0 || lanes.hasWants()) loads.wake()
      setAlarm(lanes.nextAt())
    }
    tellQuiet()
  }

  function setAlarm(at: Millis | null): void {
    if (at === alarmAt) return
    cancelAlarm()
    alarmAt = at
    cancelAlarm =
      at === null
        ? () => {}
        : clock.wake(at, () => {
            alarmAt = null
            schedule()
          })
  }

  async function send(claims: Claim[]): Promise<void> {
    sending++
    try {
      const jobs = await ports.load(claims.map(({ id }) => id))
      const now = clock.now()
      claims.forEach((claim, index) => {
        const job = jobs[index] ?? null
        if (job && job.dueAt <= now) {
          void attempt(claim, job)
          return
        }
        // Settled or changed by somebody else: what is known of its endpoint may be old.
        lanes.settle(claim.id, { dueAt: job?.dueAt ?? null, result: 'none', gate: null }, now)
        if (!job) toAdopt.add(claim.endpointId)
        schedule()
      })
    } catch (error) {
      log.error({ error, deliveries: claims.length }, 'pump.load_failed')
      const now = clock.now()
      for (const { id } of claims) {
        lanes.settle(id, { dueAt: now + LOAD_FAILED_PAUSE, result: 'none', gate: null }, now)
      }
      schedule()
    } finally {
      sending--
    }
  }

  async function attempt(claim: Claim, job: Job): Promise<void> {
    let settled: PumpSettled | null = null
    try {
      const report = await ports.deliver(job, { probe: claim.probe })
      settled = await settling.add(report)
    } catch (error) {
      log.error({ error, deliveryId: claim.id }, 'pump.attempt_failed')
    }
    const now = clock.now()
    const end = settled ?? { dueAt: now + PUT_ASIDE, result: 'none' as const, gate: null }
    // Opened or closed by its own answer: what waits for it has to be looked at in the new light.
    if (lanes.settle(claim.id, end, now)) toAdopt.add(claim.endpointId)
    schedule()
  }

  function isQuiet(now: Millis): boolean {
    if (lanes.status(now).inFlight > 0 || sending > 0 || scheduled) return false
    return draining || (ownership.holds(now) && toAdopt.size === 0 && !lanes.hasWants())
  }

  function tellQuiet(): void {
    if (quiet.length === 0 || !isQuiet(clock.now())) return
    for (const tell of quiet.splice(0)) tell()
  }

  return {
    start() {
      loads.start()
      ownership.start()
    },
    offer(deliveries) {
      const now = clock.now()
      for (const { endpointId, kind, id, record, dueAt } of deliveries) {
        if (!lanes.offer(endpointId, kind, { id, record, dueAt }, now)) toAdopt.add(endpointId)
      }
      schedule()
    },
    wake(endpointId) {
      toAdopt.add(endpointId)
      schedule()
    },
    status() {
      const now = clock.now()
      return {
        ...lanes.status(now),
        owner: ownership.holds(now),
        draining,
        lastBeatAt: ownership.lastRunAt(),
        turns: ownership.turns(),
      }
    },
    flights: lanes.flights,
    settleNow: settling.hurry,
    beginDrain() {
      draining = true
      cancelAlarm()
    },
    async drain(limitMs = 15_000) {
      draining = true
      cancelAlarm()
      await Promise.race([whenQuiet(), new Promise<void>((resolve) => clock.wake(clock.now() + limitMs, resolve))])
      stopped = true
      await settling.flush()
      await loads.stop()
      await ownership.release()
    },
    idle: whenQuiet,
  }

  function whenQuiet(): Promise<void> {
    return new Promise((resolve) => {
      quiet = [...quiet, resolve]
      schedule()
    })
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
