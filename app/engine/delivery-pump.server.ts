// Sends due deliveries fairly and stores the results. Features are behind the ports: what a delivery is, how it is
// sent, what follows. Nothing here is durable: after a crash, everything unsettled is still pending.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DueList } from '#db/store/deliveries.ts'
import type { Millis } from '../lib/clock.ts'
import { createGroupCommit } from './group-commit.server.ts'
import type { LaneGate, LaneKind, LaneResult } from './lane-endpoint.ts'
import { LANE_LIMITS, type LaneLimits } from './lane-limits.ts'
import type { LaneItem } from './lane-window.ts'
import { type Claim, Lanes } from './lanes.ts'
import type { Accounts } from './ownership.ts'
import { createPumpLoop, type LoopStatus, type PumpLoop, type PumpOwner, waitShortly } from './pump-loop.server.ts'
import { settleSteadily } from './settle-steadily.server.ts'
import { createSteadyLoop } from './steady-loop.server.ts'

export interface PumpEndpoint {
  endpointId: number
  account: string
  gate: LaneGate
}

/** A delivery that is being sent. */
interface Attempt {
  id: number
  endpointId: number
}

interface PumpSettled {
  id: number
  /** When it is due again; null = settled. */
  dueAt: Millis | null
  result: LaneResult
  gate: LaneGate
}

interface PumpPorts<Job extends { dueAt: Millis }, Report> {
  /** Runs each time the process becomes the owner, before anything is sent. */
  takeOver(): Promise<void>
  endpointsWithWork(): Promise<PumpEndpoint[]>
  changedElsewhere(): Promise<boolean>
  /** In the order of the ids; null = there is none for us. */
  adopt(endpointIds: number[]): Promise<(PumpEndpoint | null)[]>
  /** One answer for each list. */
  due(wants: DueList[]): Promise<LaneItem[][]>
  /** Null = no longer pending. */
  load(ids: number[]): Promise<(Job | null)[]>
  /** Never rejects. */
  deliver(job: Job, how: { probe: boolean }): Promise<Report>
  /** All in one transaction. `again`: a try before may have stored some of them. */
  settle(reports: Report[], again: boolean): Promise<PumpSettled[]>
  /** Rejects when the database cannot be written at all. */
  trialWrite(): Promise<void>
  /** Before `until`, others send nothing to these endpoints, and none of these deliveries, not even by hand. */
  rest(attempts: readonly Attempt[], until: Millis): Promise<void>
  /** The attempts have ended: their owner goes on with the endpoint at once. */
  endRest(endpointId: number, until: Millis): Promise<void>
}

interface PumpInput<Job extends { dueAt: Millis }, Report> extends PumpOwner {
  ports: PumpPorts<Job, Report>
  limits?: Partial<LaneLimits>
  /** ms a result may wait so that several are stored together; default 2. */
  gatherMs?: number
  /** Commits of results that may wait for the disk at once; default 1. */
  mostCommits?: number
}

interface OfferedDelivery extends LaneItem {
  endpointId: number
  kind: LaneKind
}

interface PumpStatus extends LoopStatus {
  inFlight: number
  endpoints: number
  /** The key metric: age in ms of the oldest delivery that is due and not held. */
  oldestDueAgeMs: number
  /** The same for endpoints that neither fail nor drag: only we hold it up. */
  lagMs: number
}

export interface DeliveryPump {
  start(): void
  /** Announces new committed deliveries. */
  offer(deliveries: readonly OfferedDelivery[]): void
  /** The endpoint changed or has something new: reload it. */
  wake(endpointId: number): void
  /** Reloads every endpoint with pending deliveries. */
  lookAgain(): Promise<void>
  status(): PumpStatus
  /** The deliveries being sent right now. */
  flights(): { id: number; kind: LaneKind }[]
  /** Stores results now, together with another write that is about to happen. */
  settleNow(): void
  /** Stops claiming. */
  beginDrain(): void
  /** Waits for attempts in flight (at most `limitMs`), stores their results, releases the lease. */
  drain(limitMs?: number): Promise<void>
  /** Resolves when this is the owner, nothing is in flight, nothing is due and nothing is being loaded. For tests. */
  idle(): Promise<void>
}

/** Endpoints, then lists, that are read at once. After each, sending goes on. */
const LOADED_AT_ONCE = 48
const LOAD_FAILED_PAUSE = 1_000
/** A database that comes back is noticed within this time. ms */
const BACK_WITHIN = 2_000
/** An attempt has ended after this time, so it is not met by one of another instance. ms */
const LONGEST_ATTEMPT = 16_000
/** An attempt whose result cannot be stored is set aside, otherwise it would be sent again and again. */
const PUT_ASIDE = 5 * 60_000

export function createDeliveryPump<Job extends { dueAt: Millis }, Report>(input: PumpInput<Job, Report>): DeliveryPump {
  const { clock, ports } = input
  const lanes = new Lanes({ ...LANE_LIMITS, ...input.limits })
  const toAdopt = new Set<number>()
  const hasMore = () => toAdopt.size > 0 || lanes.hasWants()

  const pump = createPumpLoop({
    ...input,
    name: 'deliveries',
    async onHeld(taken) {
      if (taken) await takeOver(taken)
      else if (await ports.changedElsewhere()) await lookAtAll(lanes.ids())
    },
    async giveUp(isOurs) {
      lanes.leave(isOurs)
      await waitShortly(clock, () => lanes.strayFlights(isOurs).length === 0)
      const stray = lanes.strayFlights(isOurs)
      if (stray.length > 0) await rests.begin(stray)
    },
    turn() {
      const now = clock.now()
      const claims: Claim[] = []
      for (let claim = lanes.take(now); claim; claim = lanes.take(now)) claims.push(claim)
      if (claims.length > 0) void sender.send(claims)
      if (hasMore()) loads.wake()
      pump.setAlarm(lanes.nextAt())
    },
    onAlarm: () => pump.schedule(),
    isAtWork: () => loads.isBusy() || sender.isLoading() || lanes.status(clock.now()).inFlight > 0,
    hasMore,
  })
  const rests = createRests(input, lanes, (endpointId) => wake(endpointId))
  const parts: Parts<Job, Report> = { input, lanes, toAdopt, pump, rests }
  const loads = createLoads(parts)
  const sender = createSender(parts)

  /** Discards what is in memory about these accounts: another process may have worked for them. */
  async function takeOver(taken: Accounts): Promise<void> {
    await ports.takeOver()
    await ports.changedElsewhere()
    // A database that has forgotten commits may have taken accounts from us, too.
    lanes.leave(pump.owns)
    lanes.reset(taken, clock.now())
    await lookAtAll([], taken)
  }

  /**
   * Reloads all endpoints, because an overlapping process stored events, or changed or tested an endpoint, and cannot
   * tell us which. `others` = endpoints without pending deliveries, so later ones never meet an outdated gate.
   */
  async function lookAtAll(others: readonly number[], accounts?: Accounts): Promise<void> {
    for (const endpointId of others) toAdopt.add(endpointId)
    for (const { endpointId, account } of await ports.endpointsWithWork())
      if (!accounts || accounts(account)) toAdopt.add(endpointId)
    loads.wake()
  }

  function wake(endpointId: number): void {
    toAdopt.add(endpointId)
    pump.schedule()
  }

  return {
    start() {
      loads.start()
      pump.start()
    },
    offer(deliveries) {
      const now = clock.now()
      for (const { endpointId, kind, id, record, dueAt } of deliveries) {
        if (!lanes.offer(endpointId, kind, { id, record, dueAt }, now)) toAdopt.add(endpointId)
      }
      pump.schedule()
    },
    wake,
    lookAgain: () => lookAtAll([]),
    status: () => ({ ...lanes.status(clock.now()), ...pump.status() }),
    flights: () => lanes.flights(),
    settleNow: sender.settleNow,
    beginDrain: pump.beginDrain,
    drain: (limitMs = 15_000) =>
      pump.drain(limitMs, async () => {
        await sender.flush()
        await rests.allTold()
        await loads.stop()
      }),
    idle: pump.whenQuiet,
  }
}

interface Parts<Job extends { dueAt: Millis }, Report> {
  input: PumpInput<Job, Report>
  lanes: Lanes
  /** Endpoints to reload. */
  toAdopt: Set<number>
  pump: PumpLoop
  rests: Rests
}

type Rests = ReturnType<typeof createRests>

/** Endpoints that are others' by now, and rest until our attempts have ended. */
function createRests<Job extends { dueAt: Millis }, Report>(
  { clock, log, ports }: PumpInput<Job, Report>,
  lanes: Lanes,
  wake: (endpointId: number) => void,
) {
  const resting = new Map<number, Millis>()
  const ending = new Set<Promise<void>>()

  function ended(endpointId: number): void {
    const until = resting.get(endpointId)
    if (until === undefined || lanes.isSendingTo(endpointId)) return
    resting.delete(endpointId)
    const told = ports.endRest(endpointId, until).then(
      // It may be ours again.
      () => wake(endpointId),
      // The owner goes on when the time is over.
      (error: unknown) => log.warn({ error, endpointId }, 'pump.rest_not_ended'),
    )
    ending.add(told)
    void told.then(() => ending.delete(told))
  }
  return {
    ended,
    allTold: () => Promise.all(ending),
    async begin(attempts: readonly Attempt[]): Promise<void> {
      const until = clock.now() + LONGEST_ATTEMPT
      await ports.rest(attempts, until)
      const endpointIds = new Set(attempts.map(({ endpointId }) => endpointId))
      for (const endpointId of endpointIds) resting.set(endpointId, until)
      // Some may have ended meanwhile.
      for (const endpointId of endpointIds) ended(endpointId)
    },
  }
}

/** Loads endpoints and their pending deliveries, some at a time, so that others get their turn. */
function createLoads<Job extends { dueAt: Millis }, Report>({ input, lanes, toAdopt, pump }: Parts<Job, Report>) {
  const { clock, log, ports } = input

  async function adoptSome(): Promise<void> {
    const ids = toAdopt.values().take(LOADED_AT_ONCE).toArray()
    if (ids.length === 0) return
    // Before they are read: a wake-up meanwhile asks for another reading.
    for (const id of ids) toAdopt.delete(id)
    const endpoints = await ports.adopt(ids).catch((error: unknown) => {
      for (const id of ids) toAdopt.add(id)
      throw error
    })
    for (const [index, id] of ids.entries()) {
      const endpoint = endpoints[index]
      if (endpoint && pump.owns(endpoint.account)) lanes.put(endpoint, clock.now())
      else lanes.remove(id)
    }
  }

  async function fillSome(): Promise<void> {
    const wants = lanes.takeWants(LOADED_AT_ONCE)
    if (wants.length === 0) return
    const lists = await ports.due(wants).catch((error: unknown) => {
      for (const want of wants) lanes.unfilled(want)
      throw error
    })
    for (const [index, { endpointId, kind, limit }] of wants.entries())
      lanes.fill(endpointId, kind, lists[index] ?? [], limit, clock.now())
  }

  let busy = false
  const loop = createSteadyLoop({
    name: 'pump.loads',
    clock,
    log,
    ceilingMs: BACK_WITHIN,
    async run() {
      busy = true
      try {
        while (toAdopt.size > 0 || lanes.hasWants()) {
          await adoptSome()
          await fillSome()
          pump.schedule()
          await nextTurn()
        }
      } finally {
        busy = false
      }
      pump.schedule()
      pump.tellQuiet()
      return null
    },
  })
  return { ...loop, isBusy: () => busy }
}

/** Loads claimed deliveries, has them sent, and stores the results. */
function createSender<Job extends { dueAt: Millis }, Report>({
  input,
  lanes,
  toAdopt,
  pump,
  rests,
}: Parts<Job, Report>) {
  const { clock, log, ports } = input
  let loading = 0

  const settling = createGroupCommit<Report, PumpSettled | null>({
    clock,
    commit: (reports) => settleSteadily({ ...ports, clock, log, stopped: pump.stopped }, reports),
    maxBatch: 64,
    gatherMs: input.gatherMs ?? 2,
    mostUnderWay: input.mostCommits ?? 1,
    maxWaiting: Number.POSITIVE_INFINITY,
    maxWaitingBytes: Number.POSITIVE_INFINITY,
    sizeOf: () => 0,
    limitMs: null,
  })

  async function send(claims: Claim[]): Promise<void> {
    loading++
    try {
      const jobs = await ports.load(claims.map(({ id }) => id))
      const now = clock.now()
      claims.forEach((claim, index) => {
        const job = jobs[index] ?? null
        if (job && job.dueAt <= now) {
          void attempt(claim, job)
          return
        }
        // Someone else settled or changed the delivery, so its endpoint's state may be outdated.
        lanes.settle(claim.id, { dueAt: job?.dueAt ?? null, result: 'unsent', gate: null }, now)
        rests.ended(claim.endpointId)
        if (!job) toAdopt.add(claim.endpointId)
        pump.schedule()
      })
    } catch (error) {
      log.error({ error, deliveries: claims.length }, 'pump.load_failed')
      const now = clock.now()
      for (const { id, endpointId } of claims) {
        lanes.settle(id, { dueAt: now + LOAD_FAILED_PAUSE, result: 'unsent', gate: null }, now)
        rests.ended(endpointId)
      }
      pump.schedule()
    } finally {
      loading--
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
    // The result opened or closed the endpoint: reload its pending deliveries.
    if (lanes.settle(claim.id, end, now)) toAdopt.add(claim.endpointId)
    rests.ended(claim.endpointId)
    pump.schedule()
  }

  return { send, isLoading: () => loading > 0, settleNow: settling.hurry, flush: settling.flush }
}
