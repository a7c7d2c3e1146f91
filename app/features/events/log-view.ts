// What a screen knows of the log of an address.
import type { AttemptTiming } from '#app/domain/deliveries/attempt-timing.ts'
import type { Millis } from '#app/lib/clock.ts'

/** One entry of a webhook's log: an event and what became of it. */
export interface LogEntryView {
  id: string
  type: string
  objectUuid: string
  receivedAt: Millis
  changedFields: string[]
  /** Addresses it was meant for. Empty = no forwarding was configured. */
  forwardedTo: string[]
  /** Oldest first, those included that were not tried so far. */
  deliveries: { id: number; url: string /** Of this forwarding rule; absent = the webhook's own. */; rule?: string }[]
  forwardingResults: ForwardingResultView[]
}

/** One attempt of one delivery. */
export interface ForwardingResultView {
  deliveryId: number
  /** Name of the forwarding rule whose address it is; absent = the webhook's own. */
  rule?: string
  attempt: number
  url: string
  at: Millis
  success: boolean
  statusCode: number | null
  /** ms */
  responseTime: number
  /** Where that time went. Null = nothing was sent: the row says why. */
  timing: AttemptTiming | null
  /** One sentence, null when delivered. */
  error: string | null
  responseBody: string | null
  /** When the next attempt is due, on the latest attempt of a delivery that is still waiting. */
  nextAttemptAt: Millis | null
}

export const PAGE_SIZES = [5, 10, 25, 50] as const

export const TIME_RANGES = ['hour', 'day', 'week', 'month', 'all'] as const

export const FORWARDING_FILTERS = ['all', 'forwarded', 'not_forwarded', 'success', 'failed'] as const

export interface LogFilter {
  limit: (typeof PAGE_SIZES)[number]
  timeRange: (typeof TIME_RANGES)[number]
  forwardingStatus: (typeof FORWARDING_FILTERS)[number]
  /** With the receiver's answers. */
  hasDetails: boolean
}

export const DEFAULT_LOG_FILTER: LogFilter = { limit: 10, timeRange: 'day', forwardingStatus: 'all', hasDetails: true }
