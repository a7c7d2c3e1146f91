/** Due deliveries, and the results of their attempts. */

import type { AttemptTiming } from '#app/domain/deliveries/attempt-timing.ts'
import type {
  AttemptOutcome,
  DeliveryCause,
  DeliveryProgress,
  EndpointHealth,
  Settlement,
  Verdict,
} from '#app/domain/deliveries/delivery.ts'
import type { Replay, ReplayRequest, SearchedRow } from '#app/domain/deliveries/stored-delivery.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { AcceptOptions, FanOutEndpoint } from './events.ts'

/** An endpoint as the scheduler sees it. */
export interface EndpointLane {
  endpointId: number
  accountUuid: string
  /** False = nothing can be sent until the endpoint gets an address. */
  hasAddress: boolean
  /** True = the account is on hold: its deliveries stay pending. */
  accountHeld: boolean
  health: EndpointHealth
}

/** A pending delivery. */
export interface DueDelivery {
  id: number
  /** Two deliveries of one record never run in parallel to one endpoint. */
  record: string
  dueAt: Millis
  cause: DeliveryCause
}

/**
 * live: everything but replays · replay: only replays · by_hand: manual retries without an attempt yet, whose endpoint
 * has an address and whose account is not on hold.
 */
export type DueLane = 'live' | 'replay' | 'by_hand'

export interface DueList {
  endpointId: number
  kind: DueLane
  /** Rows, most. */
  limit: number
}

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

/** The result of an attempt, or (`notSent`) why there was none. */
export interface AttemptReport {
  job: DeliveryJob
  /** True = this attempt was the probe let through an open breaker. */
  probe: boolean
  startedAt: Millis
  endedAt: Millis
  result:
    | (AttemptTiming & {
        kind: 'sent'
        verdict: Verdict
        durationMs: number
        /** It failed after the request was sent. */
        reached?: boolean
        peerIp: string | null
        /** At most 4 KB of text. */
        responseBody: string | null
      })
    | { kind: 'not_sent'; reason: string }
}

/**
 * Decides what follows from a report. Pure; called inside the transaction with the endpoint's current state. `moved` = the
 * endpoint has another address since.
 */
type DecideNext = (report: AttemptReport, verdict: Verdict, endpoint: EndpointHealth, moved: boolean) => Settlement

export interface SettleOptions {
  decide: DecideNext
  /** Why a delivery ended without being sent itself. */
  reasons: { deliveredByAnother: string; stopped: string }
  /** A try before may have stored some of the reports: its answer got lost. They are not stored twice. */
  again?: boolean
}

export interface SettledAttempt {
  deliveryId: number
  endpointId: number
  /** When the delivery is due again; null = settled. */
  dueAt: Millis | null
  /** The attempt's outcome; null = no attempt was made. */
  outcome: AttemptOutcome | null
  /** The endpoint has another address since: the outcome says nothing about it. */
  moved: boolean
  /** The endpoint's health afterwards. */
  endpoint: EndpointHealth
}

export interface ReplayRow extends Replay {
  endpointId: number
  made: number
}

/** An event that a replay may send again. */
export interface ReplayedEvent extends Omit<SearchedRow, 'receivedAt' | 'delivery'> {
  /** Length of the body in characters. */
  bytes: number
}

/** Pending deliveries of one endpoint that are not sent any more, and why. `sample` = whoever tested it has ended. */
export type Ending = { endpointId: number } & (
  | { because: 'sample' | 'stopped' | 'deleted' | 'rule_deleted' }
  | { because: 'cancelled'; replayId: number }
)

/** The new deliveries · ended = the replay is over · waits = it has no room for more at present. */
export type GrownReplay = { id: number; endpointId: number; record: string }[] | 'ended' | 'waits'

type RetryCreated =
  /** waiting = one was asked for before and is not sent yet: it serves both. */
  | { outcome: 'created' | 'waiting'; deliveryId: number; endpointId: number }
  | { outcome: 'not_found' }
  /** The endpoint is deleted or has no address. */
  | { outcome: 'no_address' }
  /** The event's body is no longer kept. */
  | { outcome: 'body_gone' }

/** Position of a pass over held deliveries. */
export type HeldCursor = Pick<DeliveryJob, 'endpointId' | 'dueAt' | 'id'>

export type HeldHealth = EndpointHealth & { hasAddress: boolean }

export type HeldFailure = Pick<EndpointHealth, 'failingSince' | 'failureEvents'>

export interface ExpireHeldOptions {
  graceMs: number
  pausedForMs: number
  /** Why the delivery was never sent. Pure; called inside the transaction. */
  reason: (health: HeldHealth, accountHold: string | null) => string
  /** What giving these up says about the address; null = nothing. Pure, as well. */
  failure: (health: HeldHealth, lost: readonly { eventSeq: number }[], now: Millis) => HeldFailure | null
}

export interface GrowOptions extends Omit<AcceptOptions, 'stoppedReason'> {
  waitingPerReplay: number
  step: number
}

export interface DeliveryStore {
  // ---- for the engine: covers every account ----

  /** Endpoints with pending deliveries. */
  endpointsWithWork(): Promise<EndpointLane[]>
  /**
   * The endpoints' current states, in the order of the ids; null when one does not exist or is deleted. First gives
   * deliveries that waited while it was paused or switched off `graceMs` from its return: time without sending does not
   * count.
   */
  adoptEndpoints(endpointIds: readonly number[], graceMs: number): Promise<(EndpointLane | null)[]>
  /** Pending deliveries, earliest due first: one answer for each list. */
  dueDeliveries(lists: readonly DueList[]): Promise<DueDelivery[][]>
  /**
   * In the order of `ids`. Null = no longer pending, or the endpoint must not receive anything (deliveries that a
   * person requested go to a paused or stopped endpoint too).
   */
  loadDeliveries(ids: number[]): Promise<(DeliveryJob | null)[]>
  /**
   * Stores everything in one transaction: attempts, deliveries, endpoints, counters, usage. A delivery that was settled
   * meanwhile keeps its state; its attempt is still recorded. A success also ends other pending deliveries of the event
   * to the endpoint, and makes the rest due if it shows the endpoint has recovered; a 410 ends the pending deliveries. An
   * attempt at an address that the endpoint no longer has changes nothing about the endpoint.
   */
  settleAttempts(reports: AttemptReport[], options: SettleOptions): Promise<SettledAttempt[]>

  /**
   * Runs at take-over, for the accounts taken over. Spreads overdue retries over `spreadMs` and gives events that were
   * never tried because nobody sent them at least `graceMs`. `alone`, when no other process can be at work: aligns the
   * counters of pending deliveries with the rows, and ends test deliveries that nobody waits for any more.
   */
  tidyAfterRestart(
    now: Millis,
    options: { alone: boolean; spreadMs: { from: number; to: number }; graceMs: number; sampleReason: string },
  ): Promise<{ spread: number }>
  /** What has to end: of stopped endpoints, of those deleted before `deletedBefore`, of cancelled replays, and old tests. */
  listEndings(now: Millis, deletedBefore: Millis): Promise<Ending[]>
  /** Ends up to `limit` of them. Returns how many. */
  endStoppedStep(ending: Ending, reason: string, now: Millis, limit: number): Promise<number>
  /**
   * Scans some deliveries of held endpoints from `cursor` on and ends those past their deadline (for paused endpoints:
   * those pending longer than `pausedForMs`). Leaves sendable ones to the scheduler, which makes their last attempt.
   */
  expireHeldStep(
    now: Millis,
    cursor: HeldCursor | null,
    options: ExpireHeldOptions,
  ): Promise<{ ended: number; next: HeldCursor | null }>
  /**
   * Another instance goes on with the endpoints of these attempts, and cannot see them: nothing is sent to the endpoints
   * before `until`, nor these deliveries again, not even by hand.
   */
  restEndpoints(attempts: readonly { id: number; endpointId: number }[], now: Millis, until: Millis): Promise<void>
  /** The attempts have ended: the endpoint rests no longer, unless something else holds it. */
  endRest(endpointId: number, until: Millis): Promise<void>
  /**
   * Makes pending deliveries of an endpoint due now, the earliest first, at most `limit`, and the probe of its open
   * breaker. What holds the endpoint otherwise stays. Returns their number.
   */
  bringForward(endpointId: number, now: Millis, limit: number): Promise<number>
  listRunningReplays(): Promise<number[]>
  /** Adds deliveries to a running replay: at most `waitingPerReplay` unsettled, within the account's limit. */
  growReplayStep(replayId: number, now: Millis, options: GrowOptions): Promise<GrownReplay>

  // ---- for users: always scoped to their account ----

  /** Creates a new delivery of the same event to the same endpoint, due at once and attempted even during a hold. */
  retryDelivery(accountUuid: string, deliveryId: number, now: Millis, retryFor: number): Promise<RetryCreated>
  /** Makes a paused, stopped or failing endpoint active, with a clean slate and deliveries due. False = not found. */
  resumeEndpoint(accountUuid: string, endpointId: number, now: Millis): Promise<boolean>
  /**
   * A page of the object's events that a replay may send, oldest first. `from` null = start at `since`, otherwise the
   * previous page's `next`. Null = no such endpoint of this account.
   */
  findReplayableEvents(
    accountUuid: string,
    endpointId: number,
    request: ReplayRequest,
    from: number | null,
  ): Promise<{ endpoint: FanOutEndpoint; events: ReplayedEvent[]; next: number | null } | null>
  /** Starts a replay; the engine creates its deliveries. Null = no such endpoint of this account, or no address. */
  startReplay(
    accountUuid: string,
    endpointId: number,
    request: ReplayRequest,
    total: number,
    now: Millis,
  ): Promise<number | null>
  findReplay(accountUuid: string, replayId: number): Promise<ReplayRow | null>
  /** Stops the replay; its pending deliveries end as "stopped". False = no such running replay of this account. */
  cancelReplay(accountUuid: string, replayId: number, now: Millis): Promise<boolean>
  /** Pending deliveries and bytes over all accounts, read from counters. */
  waitingTotals(): Promise<{ deliveries: number; bytes: number }>
}
