// A delivery as stored, and as the search reads and returns it.
import type { Millis } from '#app/lib/clock.ts'
import type { AttemptTiming } from './attempt-timing.ts'
import type { DeliveryCause, EndpointHealth } from './delivery.ts'

/** The state of an address that can keep deliveries pending. */
export interface AddressState
  extends Pick<EndpointHealth, 'state' | 'holdUntil' | 'holdReason' | 'breaker' | 'nextProbeAt'> {
  /** Empty = nothing can be sent. */
  url: string
  /** Why sending is on hold for the whole account; null or missing = it is not. */
  accountHold?: string | null
  /** Name of its forwarding rule; null or missing = the webhook's own. */
  rule?: string | null
}

export interface DeliveryCondition {
  cause: DeliveryCause
  state: 'pending' | 'delivered' | 'expired' | 'stopped'
  /** Attempts made. */
  attempts: number
  dueAt: Millis
  deadlineAt: Millis
  createdAt: Millis
  address: AddressState
}

/** An event and one of its deliveries, with the searchable fields. */
export interface SearchedRow {
  seq: number
  object: string
  objectUuid: string
  changedFields: string[]
  receivedAt: Millis
  delivery: SearchedDelivery | null
}

export interface SearchedDelivery extends DeliveryCondition {
  id: number
  endpointId: number
  /** Status code of each attempt; null = no response. Empty when not requested. */
  codes: (number | null)[]
}

/** A matching row, with the fields a list shows. */
export interface FoundRow extends SearchedRow {
  eventId: string
  /** object | event | signed | test */
  source: string
  /** True = the body is still kept, so it can be sent again. */
  bodyKept: boolean
  delivery: FoundDelivery | null
}

export interface FoundDelivery extends SearchedDelivery {
  stateReason: string | null
  settledAt: Millis | null
  lastCode: number | null
  /** From the last attempt row; null = there is none. */
  lastSentence: string | null
  lastUrl: string | null
  lastMs: number | null
  /** Its address got the event later, with another delivery. Only read for one that ended undelivered. */
  deliveredSince?: boolean
}

/** Rows are newest first: by event, and for one event by delivery. A cursor points behind the row it names. */
export interface SearchCursor {
  seq: number
  /** 0 = behind all rows of the event. */
  deliveryId: number
}

/** One attempt row of a delivery: an attempt, or why there was none. */
export interface StoredAttempt extends AttemptTiming {
  number: number
  url: string
  at: Millis
  durationMs: number
  outcome: string
  statusCode: number | null
  sentence: string
  peerIp: string | null
  responseBody: string | null
}

/** The owner of a delivery's address: a webhook or a forwarding rule. */
interface AddressOwner {
  webhookId: number | null
  forwardingRuleId: number | null
  objectType: string
}

/** A delivery with its event, its attempts and its siblings. */
export interface StoredDelivery extends FoundRow {
  delivery: FoundDelivery
  /** The text to send; null = no longer kept. */
  body: string | null
  owner: AddressOwner
  /** The latest few, newest first. */
  attempts: StoredAttempt[]
  /** Other deliveries of the same event: the latest few, newest first. */
  others: FoundDelivery[]
}
