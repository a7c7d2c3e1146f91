// One event on its way to one address: why it is sent, how far it has come, and what an answer means for it.
import type { Millis } from '#app/lib/clock.ts'
import { hours } from '#app/lib/duration.ts'

/** `internal`: we could not even send it. */
export type NoAnswer = 'blocked' | 'dns' | 'refused' | 'reset' | 'tls' | 'timeout' | 'protocol' | 'internal'

export type AttemptOutcome = 'delivered' | 'http_error' | 'redirect' | 'gone' | 'rate_limited' | NoAnswer

export interface Verdict {
  outcome: AttemptOutcome
  statusCode: number | null
  /** ms from now that the receiver asked us to wait; null = it did not say. */
  retryAfterMs: number | null
  sentence: string
}

export interface EndpointHealth {
  /** active | paused (by the user) | stopped (by the receiver) | failing (72 h without success) | deleted */
  state: 'active' | 'paused' | 'stopped' | 'failing' | 'deleted'
  stateReason: string | null
  stateSince: Millis
  /** Nothing is sent before this. */
  holdUntil: Millis | null
  holdReason: string | null
  holdSince: Millis | null
  /** open: one delivery at a time is let through as a probe, at `nextProbeAt`. */
  breaker: 'closed' | 'open'
  breakerProbes: number
  nextProbeAt: Millis | null
  /** First failure since the last success. */
  failingSince: Millis | null
  failureStreak: number
  /** Up to three different events that failed in this streak. */
  failureEvents: number[]
  /** Redirects or refused addresses in a row: answers that will not change by themselves. */
  redirectStreak: number
  lastSuccessAt: Millis | null
}

/** live: the platform told us · replay: "send everything since" · retry: one, by hand · test: a sample. */
export type DeliveryCause = 'live' | 'replay' | 'retry' | 'test'

/** A delivery as far as its next step needs it. */
export interface DeliveryProgress {
  eventSeq: number
  cause: DeliveryCause
  /** Steps of the schedule used up. A wait that the receiver asked for uses none. */
  steps: number
  deadlineAt: Millis
}

export type NextStep =
  | { step: 'done' }
  /** Due again at `at`, with so many steps used up. */
  | { step: 'retry'; at: Millis; steps: number }
  /** Ended by the receiver (410): this one and everything that waits for the endpoint. */
  | { step: 'stopped'; reason: string }
  /** Ended by the deadline. */
  | { step: 'expired'; reason: string }

/** How long an event is tried, from the moment it was received (a replay: from the moment it was asked for). */
export const RETRY_FOR = hours(72)

/** An endpoint that is paused keeps what waits for it this long. */
export const PAUSED_FOR_AT_MOST = hours(24 * 30)

export interface Settlement {
  delivery: NextStep
  endpoint: EndpointHealth
}
