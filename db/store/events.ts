import type { Millis } from '#app/lib/clock.ts'

/** An event read from the wire, not yet stored. */
export interface IncomingEvent {
  accountUuid: string
  subscriptionId: number | null
  source: 'object' | 'event' | 'signed' | 'test'
  /** Lower case, no underscores: `jobactivity`. */
  object: string
  objectUuid: string
  changedFields: string[]
  receivedAt: Millis
  /** Same text = same event, within the account. */
  dedupe: string
  /** The JSON text that is forwarded, byte for byte. */
  body: string
}

/** An endpoint as far as the choice "does it get this event?" needs it. */
export interface FanOutEndpoint {
  id: number
  objectType: string
  /** Comma-separated; empty = every event of the object. */
  fieldFilter: string
  url: string
  state: string
}

/** Decides which endpoints an event goes to. Pure; called inside the transaction. */
export type ChooseEndpoints = (
  event: { object: string; changedFields: readonly string[] },
  endpoints: readonly FanOutEndpoint[],
) => FanOutEndpoint[]

export type AcceptedEvent =
  | {
      outcome: 'stored'
      seq: number
      /** Those that wait to be sent. For an endpoint that was stopped, one is stored as "stopped" and not named here. */
      deliveries: { id: number; endpointId: number }[]
      /** True = a rule of the account watches the object: its record waits to be looked at. */
      touched?: true
    }
  | { outcome: 'duplicate'; seq: number }
  /** The account has too much waiting (50,000 deliveries or 50 MB): the platform should slow down for it. */
  | { outcome: 'over_limit' }
  /** This event alone could not be written; its neighbours were. */
  | { outcome: 'rejected'; message: string }

/** What one account may have waiting. */
export interface PendingLimit {
  deliveries: number
  /** Characters of bodies, counted once per delivery. */
  bytes: number
}

export interface AcceptOptions {
  choose: ChooseEndpoints
  limit: PendingLimit
  /** ms after its receipt when an event is given up. */
  retryFor: number
  /** Why a delivery to a stopped endpoint is not sent. */
  stoppedReason: string
}

/** What an address of ours belongs to, found by the hash of its secret part. */
export interface Ingress {
  subscriptionId: number
  accountUuid: string
  /** Normalised object name. */
  object: string
  state: 'pending' | 'active' | 'replaced' | 'deleted'
  /** Replaced: accepted until then. */
  endsAt: Millis | null
}

/** Taking events in. */
export interface EventStore {
  /** The only lookup without an account: the token is the proof. */
  findIngress(tokenHash: string): Promise<Ingress | null>
  /**
   * One transaction: event, body, one delivery per chosen endpoint, counters, usage. Resolves after it is on disk
   * (`synchronous=FULL`). Throws when nothing could be committed. Answers in the order asked.
   */
  acceptEvents(events: IncomingEvent[], options: AcceptOptions): Promise<AcceptedEvent[]>
  /**
   * A sample for one endpoint, with its one delivery (cause `test`), outside of fan-out. Null = no such endpoint of this
   * account, or it has no address.
   */
  createTestDelivery(
    accountUuid: string,
    endpointId: number,
    sample: Pick<IncomingEvent, 'object' | 'objectUuid' | 'changedFields' | 'body'>,
    now: Millis,
  ): Promise<number | null>
}
