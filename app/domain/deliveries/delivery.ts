// One event's delivery to one address: its cause, its progress, and the effect of a response.
import type { Millis } from '#app/lib/clock.ts'
import { hours } from '#app/lib/duration.ts'

/** `internal`: we failed to send it. */
export type NoAnswer = 'blocked' | 'dns' | 'refused' | 'reset' | 'tls' | 'timeout' | 'protocol' | 'internal'

export type AttemptOutcome = 'delivered' | 'http_error' | 'redirect' | 'gone' | 'rate_limited' | NoAnswer

export interface Verdict {
  outcome: AttemptOutcome
  statusCode: number | null
  /** ms from now that the receiver asked us to wait; null = it did not ask. */
  retryAfterMs: number | null
  sentence: string
}

export interface EndpointHealth {
  /** active | paused (by the user) | stopped (by the receiver) | failing (72 h without success) | deleted */
  state: 'active' | 'paused' | 'stopped' | 'failing' | 'deleted'
  stateReason: string | null
  stateSince: Millis
  /** Nothing is sent before this time. */
  holdUntil: Millis | null
  holdReason: string | null
  holdSince: Millis | null
  /** open: one delivery at a time is sent as a probe, at `nextProbeAt`. */
  breaker: 'closed' | 'open'
  breakerProbes: number
  nextProbeAt: Millis | null
  /** The first failure since the last success. */
  failingSince: Millis | null
  failureStreak: number
  /** Up to three different events that failed in this streak. */
  failureEvents: number[]
  /** Consecutive redirects or refused addresses: results that do not change without a fix. */
  redirectStreak: number
  lastSuccessAt: Millis | null
}

/** What screens read of an address: its health, the last answer, and what waits. */
export interface AddressHealth
  extends Omit<EndpointHealth, 'holdSince' | 'breakerProbes' | 'failureStreak' | 'failureEvents'> {
  url: string
  lastCode: number | null
  lastSentence: string | null
  pendingCount: number
  /** Number of different events that failed since `failingSince`; counted up to three. */
  failedEvents: number
}

/** live: an event from the platform · replay: "send everything since" · retry: one, by hand · test: a test event. */
export type DeliveryCause = 'live' | 'replay' | 'retry' | 'test'

/** No record has this uuid: a receiver that reads the record gets "not found", and the log makes the reason obvious. */
export const SAMPLE_UUID = '00000000-0000-4000-8000-000000007e57'

/** The fields of a delivery that decide its next step. */
export interface DeliveryProgress {
  eventSeq: number
  cause: DeliveryCause
  /** Steps of the retry schedule used up. A wait requested by the receiver uses none. */
  steps: number
  deadlineAt: Millis
}

export type NextStep =
  | { step: 'done' }
  /** Due again at `at`, with this many steps used up. */
  | { step: 'retry'; at: Millis; steps: number }
  /** Ended by the receiver (410): this delivery and all pending ones of the endpoint. */
  | { step: 'stopped'; reason: string }
  /** Ended by the deadline. */
  | { step: 'expired'; reason: string }

/** How long an event is retried, from its receipt (for a replay: from the request). */
export const RETRY_FOR = hours(72)

/** How long deliveries stay pending while their endpoint is paused. */
export const PAUSED_FOR_AT_MOST = hours(24 * 30)

export interface Settlement {
  delivery: NextStep
  endpoint: EndpointHealth
}
