/** What is due, and what became of each attempt. */
import type {
  AttemptOutcome,
  DeliveryCause,
  DeliveryProgress,
  EndpointHealth,
  Settlement,
  Verdict,
} from '#app/domain/deliveries/delivery.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { ChooseEndpoints, FanOutEndpoint, PendingLimit } from './events.ts'

/** An endpoint as the scheduler sees it. */
export interface EndpointLane {
  endpointId: number
  accountUuid: string
  /** False = nothing can be sent until it gets one. */
  hasAddress: boolean
  /** Nothing is sent for its account at present: what arrives waits. */
  accountHeld: boolean
  health: EndpointHealth
}

/** A delivery that waits. */
export interface DueDelivery {
  id: number
  /** Two deliveries of one record never run in parallel to one endpoint. */
  record: string
  dueAt: Millis
  cause: DeliveryCause
}

/**
 * live: everything but replays · replay: only those · by_hand: manual retries that were not tried yet, have an address, and are not
 * of an account that is held.
 */
export type DueLane = 'live' | 'replay' | 'by_hand'

/** A delivery with everything an attempt needs. */
export interface DeliveryJob extends DeliveryProgress {
  id: number
  endpointId: number
  accountUuid: string
  dueAt: Millis
  attempts: number
  causeNo: number
  eventId: string
  receivedAt: Millis
  /** Null = no longer kept. */
  body: string | null
  url: string
  secretSealed: string
  previousSecretSealed: string | null
  previousSecretUntil: Millis | null
}

/** What an attempt found out, or (`notSent`) why there was none. */
export interface AttemptReport {
  job: DeliveryJob
  /** It was the one let through an open breaker. */
  probe: boolean
  startedAt: Millis
  endedAt: Millis
  result:
    | {
        kind: 'sent'
        verdict: Verdict
        durationMs: number
        dnsMs: number | null
        connectMs: number | null
        tlsMs: number | null
        firstByteMs: number | null
        peerIp: string | null
        /** At most 4 KB of text. */
        responseBody: string | null
      }
    | { kind: 'not_sent'; reason: string }
}

/** What follows from a report. Pure; called inside the transaction with the endpoint as it is then. */
type DecideNext = (report: AttemptReport, verdict: Verdict, endpoint: EndpointHealth) => Settlement

export interface SettleOptions {
  decide: DecideNext
  /** Why a delivery ended that was not sent itself. */
  reasons: { deliveredByAnother: string; stopped: string }
}

export interface SettledAttempt {
  deliveryId: number
  endpointId: number
  /** When it is due again; null = it is settled. */
  dueAt: Millis | null
  /** How the attempt went; null = none was made. */
  outcome: AttemptOutcome | null
  /** The endpoint after it. */
  endpoint: EndpointHealth
}

export interface ReplayRequest {
  since: Millis
  /** failed = given up or stopped, and never delivered to this endpoint. */
  status: 'all' | 'failed'
  objectUuid: string | null
}

export interface ReplayRow extends ReplayRequest {
  id: number
  endpointId: number
  state: 'running' | 'done' | 'cancelled'
  total: number
  made: number
  delivered: number
  undelivered: number
  createdAt: Millis
  endedAt: Millis | null
}

/** An event that a replay may send again. */
export interface ReplayedEvent {
  seq: number
  object: string
  objectUuid: string
  changedFields: string[]
  /** Characters of its body. */
  bytes: number
}

export interface GrownReplays {
  made: { id: number; endpointId: number; record: string }[]
  /** Replays that are not at their end. */
  running: number
  /** Some could go on at once. */
  more: boolean
}

type RetryCreated =
  | { outcome: 'created'; deliveryId: number; endpointId: number }
  | { outcome: 'not_found' }
  /** The endpoint is deleted or has no address. */
  | { outcome: 'no_address' }
  /** What would be sent is no longer kept. */
  | { outcome: 'body_gone' }

/** How far a round over what is held has come. */
export interface HeldCursor {
  endpointId: number
  dueAt: Millis
  id: number
}

export interface ExpireHeldOptions {
  graceMs: number
  pausedForMs: number
  /** Why it was never sent. Pure; called inside the transaction. */
  reason: (health: EndpointHealth, accountHold: string | null) => string
}

export interface GrowOptions {
  choose: ChooseEndpoints
  limit: PendingLimit
  waitingPerReplay: number
  step: number
  retryFor: number
}

export interface DeliveryStore {
  // ---- for the engine, which serves every account ----

  /** Endpoints that have something waiting. */
  endpointsWithWork(): Promise<EndpointLane[]>
  /**
   * The endpoint as it is now. Before that, deliveries that waited while it was paused or switched off get `graceMs` from
   * its return: time in which nothing could be sent does not count. Null = there is none, or it is deleted.
   */
  adoptEndpoint(endpointId: number, graceMs: number): Promise<EndpointLane | null>
  /** What waits for an endpoint, earliest due first. */
  dueDeliveries(endpointId: number, lane: DueLane, limit: number): Promise<DueDelivery[]>
  /**
   * In the order asked; null = it no longer waits, or nothing may be sent to its endpoint (what a person asked for goes to a
   * paused or stopped one too).
   */
  loadDeliveries(ids: number[]): Promise<(DeliveryJob | null)[]>
  /**
   * One transaction for all: attempt rows, what follows for deliveries and endpoints, counters, usage. A delivery that was
   * settled meanwhile keeps its state; its attempt is recorded all the same. A success also ends what else waits of the same
   * event for the same endpoint, and makes the rest due when it shows that the endpoint has recovered; a 410 ends what waits.
   */
  settleAttempts(reports: AttemptReport[], options: SettleOptions): Promise<SettledAttempt[]>

  /**
   * At take-over: brings the counters of what waits in line with the rows, spreads overdue retries over `spreadMs` so that
   * they do not come back all at once, gives events that were never tried, because we were away, at least `graceMs`, and ends
   * samples nobody waits for any more.
   */
  tidyAfterRestart(
    now: Millis,
    options: { spreadMs: { from: number; to: number }; graceMs: number; sampleReason: string },
  ): Promise<{ spread: number }>
  /** Ends up to `limit` deliveries that wait for stopped or deleted endpoints, or belong to cancelled replays. */
  endStoppedStep(
    now: Millis,
    limit: number,
    reasons: { stopped: string; deleted: string; ruleDeleted: string; cancelled: string },
  ): Promise<number>
  /**
   * Looks at a stretch of what waits for held endpoints, from `cursor` on, and ends what is past its deadline (of paused ones:
   * what waits longer than `pausedForMs`). What can be sent is left to the scheduler, which gives it its last try.
   */
  expireHeldStep(
    now: Millis,
    cursor: HeldCursor | null,
    options: ExpireHeldOptions,
  ): Promise<{ ended: number; next: HeldCursor | null }>
  /** Adds the next deliveries of running replays, at most `waitingPerReplay` unsettled ones each and within the account's limit. */
  growReplaysStep(now: Millis, options: GrowOptions): Promise<GrownReplays>

  // ---- for people: always with their account ----

  /** A new delivery of the same event to the same endpoint, due at once and tried even if the endpoint is held. */
  retryDelivery(accountUuid: string, deliveryId: number, now: Millis, retryFor: number): Promise<RetryCreated>
  /** Pauses it: events are kept waiting. False = no such endpoint of this account. */
  pauseEndpoint(accountUuid: string, endpointId: number, now: Millis): Promise<boolean>
  /** Back to active with a clean slate, from paused, stopped or failing; what waits is due at once. False = no such endpoint of this account. */
  resumeEndpoint(accountUuid: string, endpointId: number, now: Millis): Promise<boolean>
  /**
   * A page of the events of the endpoint's object that a replay may send, oldest first; `from` null = from `since` on, else `next`
   * of the page before. Null = no such endpoint of this account.
   */
  findReplayableEvents(
    accountUuid: string,
    endpointId: number,
    request: ReplayRequest,
    from: number | null,
  ): Promise<{ endpoint: FanOutEndpoint; events: ReplayedEvent[]; next: number | null } | null>
  /** Starts one; the engine makes its deliveries. Null = no such endpoint of this account, or it has no address. */
  startReplay(
    accountUuid: string,
    endpointId: number,
    request: ReplayRequest,
    total: number,
    now: Millis,
  ): Promise<number | null>
  findReplay(accountUuid: string, replayId: number): Promise<ReplayRow | null>
  /** Stops making more; what waits ends as "stopped". False = no such running replay of this account. */
  cancelReplay(accountUuid: string, replayId: number, now: Millis): Promise<boolean>
  /** How much waits over all accounts, from counters. */
  waitingTotals(): Promise<{ deliveries: number; bytes: number }>
}
