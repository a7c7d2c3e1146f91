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
export type ChooseEndpoints = (event: IncomingEvent, endpoints: FanOutEndpoint[]) => FanOutEndpoint[]

export type AcceptedEvent =
  | { outcome: 'stored'; seq: number; deliveries: { id: number; endpointId: number }[] }
  | { outcome: 'duplicate'; seq: number }
  /** The account has too much waiting (50,000 deliveries or 50 MB): the platform should slow down for it. */
  | { outcome: 'over_limit' }
  /** This event alone could not be written; its neighbours were. */
  | { outcome: 'rejected'; message: string }

/** Taking events in. */
export interface EventStore {
  /**
   * One transaction: event, body, one delivery per chosen endpoint, counters, usage. Resolves after it is on disk
   * (`synchronous=FULL`). Throws when nothing could be committed. Answers in the order asked.
   */
  acceptEvents(events: IncomingEvent[], choose: ChooseEndpoints): Promise<AcceptedEvent[]>
}
