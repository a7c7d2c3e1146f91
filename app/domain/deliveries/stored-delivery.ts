// A delivery as it is stored, searched and found.
import type { Millis } from '#app/lib/clock.ts'
import type { AttemptTiming } from './attempt-timing.ts'
import type { DeliveryCause } from './delivery.ts'

/** The state of an address, as far as it keeps deliveries waiting. */
export interface AddressState {
  /** Empty = nothing can be sent. */
  url: string
  state: 'active' | 'paused' | 'stopped' | 'failing' | 'deleted'
  holdUntil: Millis | null
  holdReason: string | null
  breaker: 'closed' | 'open'
  nextProbeAt: Millis | null
  /** Why nothing is sent for the account at all; null or absent = it is. */
  accountHold?: string | null
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

/** An event and one of its deliveries, as far as they are searched. */
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
  /** Of each attempt that was made, null = no answer. Empty when nobody asked for it. */
  codes: (number | null)[]
}

/** A row that matched, with what a list says about it. */
export interface FoundRow extends SearchedRow {
  eventId: string
  /** object | event | signed | test */
  source: string
  /** What would be sent again is still there. */
  bodyKept: boolean
  delivery: FoundDelivery | null
}

export interface FoundDelivery extends SearchedDelivery {
  stateReason: string | null
  settledAt: Millis | null
  lastCode: number | null
  /** Of the last row among its attempts; null = there is none. */
  lastSentence: string | null
  lastUrl: string | null
}

/** Rows are newest first: by event, and for one event by delivery. A cursor stands behind the row it names. */
export interface SearchCursor {
  seq: number
  /** 0 = behind all rows of the event. */
  deliveryId: number
}

/** One row among the attempts of a delivery: a try, or why there was none. */
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

/** What a delivery's address belongs to: a webhook, or a forwarding rule. */
interface AddressOwner {
  webhookId: number | null
  forwardingRuleId: number | null
  forwardingRuleName: string | null
  objectType: string
}

/** A delivery with its event, its attempts and its siblings. */
export interface StoredDelivery extends FoundRow {
  delivery: FoundDelivery
  /** The text that is sent; null = no longer kept. */
  body: string | null
  owner: AddressOwner
  /** Newest first, the latest few. */
  attempts: StoredAttempt[]
  /** Other deliveries of the same event, newest first, the latest few. */
  others: FoundDelivery[]
}
