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

/** One event's delivery to one endpoint, as a log shows it. */
export interface LoggedDelivery
  extends Pick<FoundDelivery, 'id' | 'endpointId' | 'state' | 'stateReason' | 'dueAt' | 'settledAt'> {
  /** Where it is sent now. */
  url: string
  /** Name of the forwarding rule that owns the address; null or missing = the webhook's own. */
  rule?: string | null
  /** In the order they were made. */
  attempts: Omit<StoredAttempt, 'peerIp'>[]
  /** What decides when it is tried next. */
  standing: DeliveryCondition
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

/** A call to or from the platform, as it is kept. */
export interface RecordedCall {
  /** Address with or without host; at most 500 characters are kept. */
  endpoint: string
  method: string
  requestData: string | null
  responseData: string | null
  /** Null = no response. */
  statusCode: number | null
  userAgent: string | null
  remoteIp: string | null
}

export interface ReplayRequest {
  since: Millis
  /** failed = expired or stopped, and never delivered to this endpoint. */
  status: 'all' | 'failed'
  /** Only events of this record; null = all records. */
  objectUuid: string | null
}

/** A replay of everything since a moment, with its progress. */
export interface Replay extends ReplayRequest {
  id: number
  state: 'running' | 'done' | 'cancelled'
  /** Number of events found when the replay was requested. */
  total: number
  delivered: number
  undelivered: number
  createdAt: Millis
  endedAt: Millis | null
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
