// Puts the delivery engine together: the group commit that takes events in, the pump that sends them, the housekeeping.
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
  /** Names this start of the process. Default: random. */
  owner?: string
  /** 0 to below 1, for the jitter of retries. Default: chance. */
  random?: () => number
  limits?: Partial<LaneLimits>
  pendingLimit?: PendingLimit
  /** Default: there is always room. */
  space?: Pick<Space, 'switches'>
  /** Put around the making of attempts. Default: nothing. */
  around?: (deliver: Deliver) => Deliver
  /** ms between renewals of the lease. */
  beatMs?: number
  /** ms that the result of an attempt may wait to be written down together with others. */
  gatherMs?: number
}

export interface DeliveryEngine {
  acceptEvent(event: IncomingEvent): Promise<AcceptedEvent>
  /** What was read from a list: events taken in as those that were posted, with snapshots and cursor in one transaction. */
  acceptPolled(take: PolledTake): Promise<TakenIn>
  /** The endpoint changed, or has something new. */
  wake(endpointId: number): void
  deliverNow: DeliverNow
  /** `turning` false = it is not to deliver at present: that it is silent is then no reason. */
  ready(turning?: boolean): Promise<{ ready: boolean; reasons: string[] }>
  status(): PumpStatus
  /** What is being sent at this moment. */
  flights: DeliveryPump['flights']
  /** Begins to deliver. Events are taken in before that too. */
  start(): void
  beginDrain(): void
  /** Commits what has been taken in, waits for attempts in flight (at most 15 s), lets go of the lease. */
  drain(): Promise<void>
  /** Resolves when nothing is due or in flight. For tests. */
  idle(): Promise<void>
}

/** One commit of arrivals. A failure or a longer wait is answered 503, and the platform sends again. */
const BATCH = 256
const MOST_WAITING = 10_000
const MOST_WAITING_BYTES = 64 * 1024 * 1024
const COMMIT_LIMIT = seconds(8)

/** Without a sign of life for this long the engine is not ready. It gives one every 3 s. */
const SILENCE = seconds(5)

const SLOW = 'the database takes longer than 2 s for a small write'
/** Whoever asks how often: a trial is a synced write. Asked meanwhile, the last one counts. */
const TRIAL_EVERY = seconds(3)
/** A database that takes longer than this for one small write is as good as none. */
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
        // What has just come in shares the transaction, as it does the other way round.
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
      // What has come back from receivers shares the transaction: one sync of the disk for both.
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

/** What waits by now. `events` as they were given, one for each answer. */
function offered(accepted: readonly AcceptedEvent[], events: readonly IncomingEvent[]) {
  return accepted.flatMap((answer, index) => {
    const event = events[index]
    if (answer.outcome !== 'stored' || !event) return []
    const { objectUuid: record, receivedAt: dueAt } = event
    return answer.deliveries.map(({ id, endpointId }) => ({ id, endpointId, record, dueAt, kind: 'live' as const }))
  })
}

/** What goes on beside the pump, in small steps. */
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

/** Returns what tells why nothing can be written; null = it went well. */
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
 * Endpoints of accounts that are held, as they were last looked at: an attempt that was under way when the hold began knows only how
 * its endpoint does, and must not open it again. Asking the database for each attempt would cost every event.
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

/** This machine since its start, this namespace of process ids, this process since its start. */
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
 * Did the process that held the lease end without giving it up? Known only on the same machine; otherwise its lease has to
 * expire. A process id that came back belongs to somebody else if the start differs.
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
