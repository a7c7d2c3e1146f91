// Assembles the delivery engine: the group commit that stores events, the pump that sends them, and housekeeping.
import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { signForward } from '#app/adapters/standard-webhooks.server.ts'
import type { App } from '#app/context/app-context.ts'
import { RETRY_FOR } from '#app/domain/deliveries/delivery.ts'
import { AMPLE_SPACE, type Space } from '#app/domain/space.ts'
import {
  createDeliveryPump,
  type DeliveryPump,
  type PumpEndpoint,
  type PumpStatus,
} from '#app/engine/delivery-pump.server.ts'
import { createGroupCommit, SLOW_DISK } from '#app/engine/group-commit.server.ts'
import type { LaneLimits } from '#app/engine/lane-limits.ts'
import { createSteadyLoop } from '#app/engine/steady-loop.server.ts'
import { createDeliver, type Deliver } from '#app/features/events/delivering/deliver.server.ts'
import { STOPPED_BY_RECEIVER } from '#app/features/events/delivering/delivery.ts'
import { gateOf } from '#app/features/events/delivering/endpoint-health.ts'
import {
  endStopped,
  expireHeld,
  growReplays,
  PENDING_LIMIT,
  tidyAfterRestart,
} from '#app/features/events/delivering/housekeeping.server.ts'
import type { DeliverNow } from '#app/features/events/delivering/send-again.server.ts'
import { paceOf, settleOptions, withoutSnippets } from '#app/features/events/delivering/settle.server.ts'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import type { Millis } from '#app/lib/clock.ts'
import { minutes, seconds } from '#app/lib/duration.ts'
import type { AttemptReport, DeliveryJob, EndpointLane } from '#db/store/deliveries.ts'
import type { AcceptedEvent, AcceptOptions, IncomingEvent, PendingLimit } from '#db/store/events.ts'
import type { PolledTake, TakenIn } from '#db/store/records.ts'

export interface DeliveryEngineInput
  extends Pick<App, 'store' | 'clock' | 'log' | 'outbound' | 'secrets' | 'settings'> {
  /** Identifies this start of the process. Default: random. */
  owner?: string
  /** From 0 to below 1, for the retry jitter. Default: random. */
  random?: () => number
  limits?: Partial<LaneLimits>
  pendingLimit?: PendingLimit
  /** Default: always enough space. */
  space?: Pick<Space, 'switches'>
  /** Wraps the sending of attempts. Default: nothing. */
  around?: (deliver: Deliver) => Deliver
  /** ms between lease renewals. */
  beatMs?: number
  /** ms that an attempt's result may wait to be stored together with others. */
  gatherMs?: number
}

export interface DeliveryEngine {
  acceptEvent(event: IncomingEvent): Promise<AcceptedEvent>
  /** Polled records: events stored like posted ones, with snapshots and cursor in one transaction. */
  acceptPolled(take: PolledTake): Promise<TakenIn>
  /** The endpoint changed or has new events. */
  wake(endpointId: number): void
  deliverNow: DeliverNow
  /** `turning` false = delivery is off on purpose: then silence is not a reason. */
  ready(turning?: boolean): Promise<{ ready: boolean; reasons: string[] }>
  status(): PumpStatus
  /** Deliveries in flight now. */
  flights: DeliveryPump['flights']
  /** Starts delivering. Events are accepted before that too. */
  start(): void
  beginDrain(): void
  /** Commits accepted events, waits for attempts in flight (at most 15 s), releases the lease. */
  drain(): Promise<void>
  /** Resolves when nothing is due or in flight. For tests. */
  idle(): Promise<void>
}

/** One commit of arrivals. A failure or a longer wait is answered 503, and the platform sends again. */
const BATCH = 256
const MOST_WAITING = 10_000
const MOST_WAITING_BYTES = 64 * 1024 * 1024
const COMMIT_LIMIT = seconds(8)

/** The engine is not ready after this long without a heartbeat. It sends one every 3 s. */
const SILENCE = seconds(5)

const SLOW = 'the database takes longer than 2 s for a small write'
/** Limits how often a trial, a synced write, runs. Requests in between get the last result. */
const TRIAL_EVERY = seconds(3)
/** A database slower than this for one small write counts as unavailable. */
const TRIAL_WRITE_LIMIT = seconds(2)

export function createDeliveryEngine(input: DeliveryEngineInput): DeliveryEngine {
  const { store, clock, log } = input
  const random = input.random ?? Math.random
  const pendingLimit = input.pendingLimit ?? PENDING_LIMIT
  const made = createDeliver(input, signForward)
  const deliver = input.around?.(made) ?? made
  const settling = settleOptions(random)
  const { switches } = input.space ?? AMPLE_SPACE
  const settle = (reports: AttemptReport[]) =>
    store.deliveries.settleAttempts(switches().keepSnippets ? reports : withoutSnippets(reports), settling)
  const self = processName()
  const held = heldEndpoints()

  const pump = createDeliveryPump<DeliveryJob, AttemptReport>({
    clock,
    log,
    lease: store.ops,
    owner: `${self}|${input.owner ?? randomUUID()}`,
    isGone: (owner) => isGone(owner, self),
    ...(input.limits && { limits: input.limits }),
    ...(input.beatMs !== undefined && { beatMs: input.beatMs }),
    ...(input.gatherMs !== undefined && { gatherMs: input.gatherMs }),
    ports: {
      takeOver: () => tidyAfterRestart(input),
      endpointsWithWork: async () => (await store.deliveries.endpointsWithWork()).map(held.toPump),
      changedElsewhere: store.ops.changedElsewhere,
      async adopt(endpointId) {
        const lane = await store.deliveries.adoptEndpoint(endpointId, RETRY_FOR)
        return lane && held.toPump(lane)
      },
      due: store.deliveries.dueDeliveries,
      load: store.deliveries.loadDeliveries,
      deliver,
      async settle(reports) {
        // New arrivals share the transaction, and the other way round.
        arrivals.hurry()
        return (await settle(reports)).map((one) => held.keepClosed(one.endpointId, paceOf(one)))
      },
      trialWrite: store.ops.trialWrite,
    },
  })

  const accepting: AcceptOptions = {
    choose: chooseEndpoints,
    limit: pendingLimit,
    retryFor: RETRY_FOR,
    stoppedReason: STOPPED_BY_RECEIVER,
  }
  const arrivals = createGroupCommit<IncomingEvent, AcceptedEvent>({
    clock,
    maxBatch: BATCH,
    maxWaiting: MOST_WAITING,
    maxWaitingBytes: MOST_WAITING_BYTES,
    sizeOf: (event) => event.body.length,
    limitMs: COMMIT_LIMIT,
    onSlowDisk: SLOW_DISK,
    async commit(events) {
      // Results from receivers share the transaction: one disk sync for both.
      pump.settleNow()
      const accepted = await store.events.acceptEvents(events, accepting)
      pump.offer(offered(accepted, events))
      return accepted
    },
  })

  const loops = housekeeping(input, pump, pendingLimit)
  const tryToWrite = writeTrial(input)

  return {
    acceptEvent: arrivals.add,
    async acceptPolled(take) {
      const taken = await store.records.takeInPolled(take, accepting)
      const events = take.records.flatMap(({ event }) => event ?? [])
      if (taken.outcome !== 'overtaken') pump.offer(offered(taken.accepted, events))
      return taken
    },
    wake(endpointId) {
      pump.wake(endpointId)
      loops.wake()
    },
    async deliverNow(deliveryId) {
      const [job] = await store.deliveries.loadDeliveries([deliveryId])
      if (!job) return null
      const report = await deliver(job, { probe: false })
      await settle([report])
      pump.wake(job.endpointId)
      return report
    },
    async ready(turning = true) {
      const reasons: string[] = []
      const { draining, lastBeatAt } = pump.status()
      const silent = lastBeatAt === null || clock.now() - lastBeatAt > SILENCE
      if (draining) reasons.push('shutting down')
      else if (turning && silent) reasons.push('the delivery engine is silent')
      const trouble = await tryToWrite()
      if (trouble !== null) reasons.push(trouble)
      return { ready: reasons.length === 0, reasons }
    },
    status: pump.status,
    flights: pump.flights,
    start() {
      pump.start()
      loops.start()
    },
    beginDrain: pump.beginDrain,
    async drain() {
      pump.beginDrain()
      await arrivals.flush()
      await loops.stop()
      await pump.drain()
    },
    idle: pump.idle,
  }
}

/** The new pending deliveries. `events` in the given order, one for each answer. */
function offered(accepted: readonly AcceptedEvent[], events: readonly IncomingEvent[]) {
  return accepted.flatMap((answer, index) => {
    const event = events[index]
    if (answer.outcome !== 'stored' || !event) return []
    const { objectUuid: record, receivedAt: dueAt } = event
    return answer.deliveries.map(({ id, endpointId }) => ({ id, endpointId, record, dueAt, kind: 'live' as const }))
  })
}

/** Background work beside the pump, in small steps. */
function housekeeping(input: DeliveryEngineInput, pump: Pick<DeliveryPump, 'offer'>, pendingLimit: PendingLimit) {
  const { clock, log } = input
  const { switches } = input.space ?? AMPLE_SPACE
  const loop = (name: string, run: () => Promise<Millis | null>) => createSteadyLoop({ name, clock, log, run })
  const ending = loop('deliveries.end_stopped', async () => {
    await endStopped(input)
    return clock.now() + minutes(1)
  })
  const expiring = loop('deliveries.expire_held', async () => {
    await expireHeld(input)
    return clock.now() + minutes(5)
  })
  const replaying = loop('deliveries.replays', async () => {
    if (!switches().growReplays) return clock.now() + minutes(1)
    const { made, running, more } = await growReplays(input, pendingLimit)
    const now = clock.now()
    pump.offer(made.map((one) => ({ ...one, dueAt: now, kind: 'replay' as const })))
    if (running === 0) return null
    return now + (more ? 50 : seconds(1))
  })
  const loops = [ending, expiring, replaying]
  return {
    wake() {
      ending.wake()
      replaying.wake()
    },
    start() {
      for (const each of loops) each.start()
    },
    stop: () => Promise.all(loops.map((each) => each.stop())),
  }
}

/** Returns a function that explains why writing fails; null = writing works. */
function writeTrial({ store, clock, log }: DeliveryEngineInput): () => Promise<string | null> {
  async function trialWrite(): Promise<string | null> {
    try {
      const began = clock.now()
      await store.ops.trialWrite()
      return clock.now() - began > TRIAL_WRITE_LIMIT ? SLOW : null
    } catch (error) {
      log.error({ error }, 'database.not_writable')
      return 'the database cannot be written'
    }
  }
  let tried: { at: Millis; trouble: Promise<string | null> } | null = null
  return () => {
    const now = clock.now()
    if (!tried || now < tried.at || now - tried.at >= TRIAL_EVERY) tried = { at: now, trouble: trialWrite() }
    return tried.trouble
  }
}

/**
 * Endpoints of held accounts, as of the last check: an attempt in flight when the hold began knows only its endpoint's
 * result and must not reopen the endpoint. A database query per attempt would cost every event.
 */
function heldEndpoints() {
  const ids = new Set<number>()
  return {
    toPump({ endpointId, accountUuid, hasAddress, accountHeld, health }: EndpointLane): PumpEndpoint {
      if (accountHeld) ids.add(endpointId)
      else ids.delete(endpointId)
      const gate = gateOf(health)
      return { endpointId, account: accountUuid, gate: hasAddress && !accountHeld ? gate : { ...gate, closed: true } }
    },
    keepClosed(endpointId: number, settled: ReturnType<typeof paceOf>): ReturnType<typeof paceOf> {
      return ids.has(endpointId) ? { ...settled, gate: { ...settled.gate, closed: true } } : settled
    },
  }
}

/** This machine since its boot, this process id namespace, and this process since its start. */
export function processName(): string {
  const machine = readSystem(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
  const namespace = readSystem(() => readlinkSync('/proc/self/ns/pid'))
  return `${machine}|${namespace}|${process.pid}|${Math.round(performance.timeOrigin)}`
}

function readSystem(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

/**
 * Whether the process that held the lease ended without releasing it. Known only on the same machine; otherwise its
 * lease has to expire. A reused process id with another start time is another process.
 */
export function isGone(owner: string, self: string): boolean {
  const [machine, namespace, pid, startedAt] = owner.split('|')
  const [ourMachine, ourNamespace, ourPid, ourStart] = self.split('|')
  if (!machine || !namespace || machine !== ourMachine || namespace !== ourNamespace) return false
  if (pid === ourPid) return startedAt !== ourStart
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
