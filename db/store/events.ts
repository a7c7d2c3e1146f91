import type { KnownSubscription } from '#app/domain/endpoints/upstream.ts'
import type { Millis } from '#app/lib/clock.ts'

/** An event received from the platform, not yet stored. */
export interface IncomingEvent {
  accountUuid: string
  subscriptionId: number | null
  source: 'object' | 'event' | 'signed' | 'test'
  /** Lower case, no underscores: `jobactivity`. */
  object: string
  objectUuid: string
  changedFields: string[]
  receivedAt: Millis
  /** Identifies the event within the account: same text = same event. */
  dedupe: string
  /** The JSON text to forward, byte for byte. */
  body: string
}

/** The fields of an endpoint needed to decide whether it gets an event. */
export interface FanOutEndpoint {
  id: number
  objectType: string
  /** Comma-separated; empty = every event of the object. */
  fieldFilter: string
  url: string
  state: string
}

/** Chooses the endpoints of an event. Pure; called inside the transaction. */
type ChooseEndpoints = (
  event: { object: string; changedFields: readonly string[] },
  endpoints: readonly FanOutEndpoint[],
) => FanOutEndpoint[]

export type AcceptedEvent =
  | {
      outcome: 'stored'
      seq: number
      /** The pending ones. A delivery to a stopped endpoint is stored as "stopped" and not listed here. */
      deliveries: { id: number; endpointId: number }[]
      /** True = a rule of the account watches the object: the record is queued for evaluation. */
      touched?: true
    }
  | { outcome: 'duplicate'; seq: number }
  /** The account has too much pending (50,000 deliveries or 50 MB): asks the platform to slow down for it. */
  | { outcome: 'over_limit' }
  /** Only this event could not be stored; the others of the batch were. */
  | { outcome: 'rejected'; message: string }

/** Limits on one account's pending deliveries. */
export interface PendingLimit {
  deliveries: number
  /** Characters of bodies, counted once per delivery. */
  bytes: number
}

export interface AcceptOptions {
  choose: ChooseEndpoints
  limit: PendingLimit
  /** ms after receipt when deliveries of an event expire. */
  retryFor: number
  /** The reason stored on deliveries to a stopped endpoint. */
  stoppedReason: string
}

/** The owner of one of our callback addresses, found by the hash of its secret part. */
export interface Ingress extends Pick<KnownSubscription, 'object' | 'state' | 'endsAt'> {
  subscriptionId: number
  accountUuid: string
}

/** Stores incoming events. */
export interface EventStore {
  /** The only lookup without an account: the token authorizes it. */
  findIngress(tokenHash: string): Promise<Ingress | null>
  /**
   * Stores events, bodies, one delivery per chosen endpoint, counters and usage in one transaction. Resolves after it
   * is on disk (`synchronous=FULL`). Throws when nothing could be committed. Returns results in the order of `events`.
   */
  acceptEvents(events: IncomingEvent[], options: AcceptOptions): Promise<AcceptedEvent[]>
  /**
   * Creates a test event for one endpoint, with one delivery (cause `test`), without fan-out. Null = no such endpoint
   * of this account, or it has no address.
   */
  createTestDelivery(
    accountUuid: string,
    endpointId: number,
    sample: Pick<IncomingEvent, 'object' | 'objectUuid' | 'changedFields' | 'body'>,
    now: Millis,
  ): Promise<number | null>
}
