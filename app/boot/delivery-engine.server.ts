// Assembles the delivery engine: the group commit that stores events, the pump that sends them, and housekeeping.
import { randomUUID } from 'node:crypto'
import { signForward } from '#app/adapters/standard-webhooks.server.ts'
import type { App } from '#app/context/app-context.ts'
import { RETRY_FOR } from '#app/domain/deliveries/delivery.ts'
import type { NamesOf } from '#app/domain/record-name.ts'
import { AMPLE_SPACE, type Space } from '#app/domain/space.ts'
import { createAdmission } from '#app/engine/admission.ts'
import { createDeliveryPump, type DeliveryPump, type PumpEndpoint } from '#app/engine/delivery-pump.server.ts'
import { createGroupCommit } from '#app/engine/group-commit.server.ts'
import { createKnocks } from '#app/engine/knocks.server.ts'
import type { LaneLimits } from '#app/engine/lane-limits.ts'
import { heldByLease } from '#app/engine/lease.server.ts'
import type { Shares } from '#app/engine/shares.server.ts'
import { createSteadyLoop } from '#app/engine/steady-loop.server.ts'
import { createDeliver, type Deliver } from '#app/features/events/delivering/deliver.server.ts'
import { STOPPED_BY_RECEIVER } from '#app/features/events/delivering/delivery.ts'
import { gateOf, isUnreachable } from '#app/features/events/delivering/endpoint-health.ts'
import {
  endStopped,
  expireHeld,
  growReplays,
  PENDING_LIMIT,
  tidyAfterRestart,
} from '#app/features/events/delivering/housekeeping.server.ts'
import { paceOf, settleOptions, withoutSnippets } from '#app/features/events/delivering/settle.server.ts'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import type { Millis } from '#app/lib/clock.ts'
import { machineTime } from '#app/lib/clocks.server.ts'
import { minutes, seconds } from '#app/lib/duration.ts'
import type { AttemptReport, DeliveryJob, EndpointLane } from '#db/store/deliveries.ts'
import type { AcceptedEvent, AcceptOptions, IncomingEvent, PendingLimit } from '#db/store/events.ts'
import type { PolledTake } from '#db/store/records.ts'
import type { AutomationEngineInput } from './automation-engine.server.ts'
import { troubleAmongOthers, writeTrial } from './delivery-ready.server.ts'
import { isGone, processName } from './process-name.server.ts'

export interface DeliveryEngineInput
  extends Pick<App, 'store' | 'clock' | 'log' | 'outbound' | 'secrets' | 'settings'>,
    Pick<AutomationEngineInput, 'owner' | 'beatMs' | 'shares'> {
  /** From 0 to below 1, for the retry jitter. Default: random. */
  random?: () => number
  limits?: Partial<LaneLimits>
  pendingLimit?: PendingLimit
  /** Default: always enough space. */
  space?: Pick<Space, 'switches'>
  /** What records are called, for messages in words. Default: what the store knows. */
  namesOf?: NamesOf
  /** Wraps the sending of attempts. Default: nothing. */
  around?: (deliver: Deliver) => Deliver
  /** ms that an attempt's result may wait to be stored together with others. */
  gatherMs?: number
}

export type DeliveryEngine = ReturnType<typeof createDeliveryEngine>

/** One commit of arrivals. A failure or a longer wait is answered 503, and the platform sends again. */
const BATCH = 256
const MOST_WAITING = 10_000
const MOST_WAITING_BYTES = 64 * 1024 * 1024
const COMMIT_LIMIT = seconds(8)

/** A file commits in the order of the calls, and what waits for its disk shares the next sync. */
const COMMITS_AT_ONCE = 64

/** More than an account may have waiting. */
const ALL_WAITING = 1_000_000

/** The engine is not ready after this long without a heartbeat. It sends one every 3 s. */
const SILENCE = seconds(5)

/** News that no bell has told of is read this often. ms */
const NEWS_EVERY = 500

export function createDeliveryEngine(input: DeliveryEngineInput) {
  const { store, clock, log } = input
  const random = input.random ?? Math.random
  const pendingLimit = input.pendingLimit ?? PENDING_LIMIT
  const made = createDeliver(input, signForward, input.namesOf)
  const deliver = input.around?.(made) ?? made
  const settling = settleOptions(random)
  const { switches } = input.space ?? AMPLE_SPACE
  async function settle(reports: AttemptReport[], again = false) {
    const kept = switches().keepSnippets ? reports : withoutSnippets(reports)
    const settled = await store.deliveries.settleAttempts(kept, again ? { ...settling, again } : settling)
    for (const [index, report] of reports.entries()) if (!settled[index]?.moved) learnFrom(report)
    admission.ended(reports.length)
    return settled
  }
  const self = processName()
  const held = heldEndpoints()
  const { shares = null } = input
  const owns = shares?.owns ?? (() => true)
  const mostCommits = shares === null ? COMMITS_AT_ONCE : 1
  /** A commit failed, and may have stored events all the same. */
  let doubtful = false

  const pump = createDeliveryPump<DeliveryJob, AttemptReport>({
    clock,
    log,
    ownership:
      shares?.ownership ??
      heldByLease({
        ...{ store: store.ops, clock, log },
        owner: `${self}|${input.owner ?? randomUUID()}`,
        isGone: (owner) => isGone(owner, self),
        ...(input.beatMs !== undefined && { beatMs: input.beatMs }),
      }),
    ...(input.limits && { limits: input.limits }),
    ...(input.gatherMs !== undefined && { gatherMs: input.gatherMs }),
    mostCommits,
    ports: {
      async takeOver() {
        await tidyAfterRestart(input, shares === null)
        loops.wake()
      },
      endpointsWithWork: async () => (await store.deliveries.endpointsWithWork()).map(held.toPump),
      // Other instances leave news.
      changedElsewhere: shares === null ? store.ops.changedElsewhere : async () => false,
      adopt: async (endpointIds) =>
        (await store.deliveries.adoptEndpoints(endpointIds, RETRY_FOR)).map((lane) => lane && held.toPump(lane)),
      due: store.deliveries.dueDeliveries,
      load: store.deliveries.loadDeliveries,
      deliver,
      async settle(reports, again) {
        // New arrivals share the transaction, and the other way round.
        arrivals.hurry()
        const settled = await settle(reports, again)
        tellOwners(reports)
        return settled.map((one) => held.keepClosed(one.endpointId, paceOf(one)))
      },
      trialWrite: store.ops.trialWrite,
      rest: (attempts, until) => store.deliveries.restEndpoints(attempts, clock.now(), until),
      async endRest(endpointId, until) {
        await store.deliveries.endRest(endpointId, until)
        await tellOwner(endpointId)
      },
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
    mostUnderWay: mostCommits,
    async commit(events) {
      // Results from receivers share the transaction: one disk sync for both.
      pump.settleNow()
      const accepted = await known(store.events.acceptEvents(events, accepting))
      pump.offer(offered(accepted, events, owns))
      return accepted
    },
  })

  /** After a failure, looks for what was stored without an answer. */
  async function known<T>(storing: Promise<T>): Promise<T> {
    try {
      const stored = await storing
      if (!doubtful) return stored
      doubtful = false
      pump.lookAgain().catch((error: unknown) => {
        doubtful = true
        log.warn({ error }, 'deliveries.not_looked_through')
      })
      return stored
    } catch (error) {
      doubtful = true
      throw error
    }
  }

  const admission = createAdmission({ ...machineTime(), lagMs: () => pump.status().lagMs })
  const loops = housekeeping(input, pump, pendingLimit)

  /** An attempt that ended after its account was given to another instance: its endpoint has changed there. */
  function tellOwners(reports: readonly AttemptReport[]): void {
    if (shares === null) return
    const given = reports.filter(({ job }) => !shares.owns(job.accountUuid)).map(({ job }) => job.endpointId)
    for (const endpointId of new Set(given)) void tellOwner(endpointId)
  }
  async function tellOwner(endpointId: number): Promise<void> {
    if (shares === null || shares.alone()) return
    await shares.cluster.tell(endpointId).catch((error: unknown) => log.warn({ error, endpointId }, 'news.not_told'))
  }
  const tryToWrite = writeTrial(input)

  const knocks = createKnocks({
    ...{ clock, log, owns, random },
    dial: input.outbound.knock,
    // One delivery shows whether the address works; the others follow its success.
    reached: (endpointId) => bringForward(endpointId, 1),
  })
  async function bringForward(endpointId: number, limit: number): Promise<void> {
    await store.deliveries.bringForward(endpointId, clock.now(), limit)
    pump.wake(endpointId)
  }
  function learnFrom({ job, result }: AttemptReport): void {
    const { endpointId, accountUuid: account, url } = job
    if (result.kind !== 'sent' || result.verdict.outcome === 'internal') return
    if (isUnreachable(result)) knocks.failed({ endpointId, account, url })
    else if (knocks.forget(endpointId) && result.verdict.outcome === 'delivered') {
      bringForward(endpointId, ALL_WAITING).catch((error: unknown) =>
        log.warn({ error, endpointId }, 'deliveries.not_brought_forward'),
      )
    }
  }

  return {
    acceptEvent: arrivals.add,
    /** Is there time for another call of the platform, beside what is to be sent? */
    admit: admission.admit,
    /** Polled records: events stored like posted ones, with snapshots and cursor in one transaction. */
    async acceptPolled(take: PolledTake) {
      const taken = await known(store.records.takeInPolled(take, accepting))
      const events = take.records.flatMap(({ event }) => event ?? [])
      if (taken.outcome !== 'overtaken') pump.offer(offered(taken.accepted, events, owns))
      return taken
    },
    wake(endpointId: number) {
      // It may be paused now, or have another address.
      knocks.forget(endpointId)
      pump.wake(endpointId)
      void tellOwner(endpointId)
      loops.wake()
    },
    async deliverNow(deliveryId: number) {
      const [job] = await store.deliveries.loadDeliveries([deliveryId])
      if (!job) return null
      const report = await deliver(job, { probe: false })
      await settle([report])
      pump.wake(job.endpointId)
      void tellOwner(job.endpointId)
      return report
    },
    /** `turning` false = delivery is off on purpose: then silence is not a reason. */
    async ready(turning = true) {
      const reasons: string[] = []
      const { draining, lastBeatAt } = pump.status()
      const silent = lastBeatAt === null || clock.now() - lastBeatAt > SILENCE
      if (draining) reasons.push('shutting down')
      else if (shares) reasons.push(...troubleAmongOthers(shares, clock.now()))
      else if (turning && silent) reasons.push('the delivery engine is silent')
      const trouble = await tryToWrite()
      if (trouble !== null) reasons.push(trouble)
      return { ready: reasons.length === 0, reasons }
    },
    status: pump.status,
    flights: pump.flights,
    /** Starts delivering. Events are accepted before that too. */
    start() {
      pump.start()
      loops.start()
    },
    beginDrain() {
      knocks.stop()
      pump.beginDrain()
    },
    /** Commits accepted events, waits for attempts in flight (at most 15 s), releases the lease. */
    async drain() {
      knocks.stop()
      pump.beginDrain()
      await arrivals.flush()
      await loops.stop()
      await pump.drain()
    },
    idle: pump.idle,
  }
}

/**
 * The new pending deliveries that are ours; others' owners have news of theirs. `events` in the given order, one for each
 * answer.
 */
function offered(
  accepted: readonly AcceptedEvent[],
  events: readonly IncomingEvent[],
  owns: (account: string) => boolean,
) {
  return accepted.flatMap((answer, index) => {
    const event = events[index]
    if (answer.outcome !== 'stored' || !event || !owns(event.accountUuid)) return []
    const { objectUuid: record, receivedAt: dueAt } = event
    return answer.deliveries.map(({ id, endpointId }) => ({ id, endpointId, record, dueAt, kind: 'live' as const }))
  })
}

/** Background work beside the pump, in small steps. */
function housekeeping(
  input: DeliveryEngineInput,
  pump: Pick<DeliveryPump, 'offer' | 'wake' | 'lookAgain'>,
  pendingLimit: PendingLimit,
) {
  const { clock, log, shares } = input
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
    const { running, more } = await growReplays(input, pendingLimit, (made) =>
      pump.offer(made.map((one) => ({ ...one, dueAt: clock.now(), kind: 'replay' as const }))),
    )
    return running > 0 ? clock.now() + (more ? 50 : seconds(1)) : null
  })
  const loops = [ending, expiring, replaying, ...(shares ? [newsLoop(shares)] : [])]

  function newsLoop({ cluster, alone }: Shares) {
    let lookedAt = clock.now()
    const read = async () => {
      const told = await cluster.takeNews()
      for (const endpointId of told) pump.wake(endpointId)
      if (told.length > 0) replaying.wake()
      const now = clock.now()
      // Whoever made a change may have ended before it could tell.
      if (now - lookedAt >= minutes(1)) {
        lookedAt = now
        replaying.wake()
        await pump.lookAgain()
      }
      return now + (alone() ? seconds(2) : NEWS_EVERY)
    }
    const news = createSteadyLoop({ name: 'deliveries.news', clock, log, run: read, ceilingMs: seconds(2) })
    cluster.onRing((topic) => {
      if (topic === 'deliveries') news.wake()
    })
    return news
  }
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
