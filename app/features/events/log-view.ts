// The data a screen shows about the log of an address.
import type { AttemptTiming } from '#app/domain/deliveries/attempt-timing.ts'
import type { Millis } from '#app/lib/clock.ts'

/** One entry of a webhook's log: an event and its results. */
export interface LogEntryView {
  id: string
  type: string
  objectUuid: string
  /** What people call the record: `Job 3128 · Joan Hartley`; its kind when nothing more is known. */
  recordName: string
  /** Sent by Send test event: no record changed. */
  test: boolean
  receivedAt: Millis
  changedFields: string[]
  /** The addresses the event was meant for; empty when no forwarding was configured. */
  forwardedTo: string[]
  /** Oldest first, including deliveries not tried yet. */
  deliveries: EntryDelivery[]
  forwardingResults: ForwardingResultView[]
}

interface EntryDelivery {
  id: number
  endpointId: number
  /** Where it is sent now; the last address once there is none. Attempts keep the one they had. */
  url: string
  /** Name of the rule; missing for the webhook's own address. */
  rule?: string
  /** Set while it waits for its first attempt; `nextAt` null = that depends on a person. */
  waits?: { nextAt: Millis | null }
}

/** One attempt of one delivery. */
export interface ForwardingResultView {
  deliveryId: number
  /** Name of the address's forwarding rule; missing for the webhook's own address. */
  rule?: string
  attempt: number
  url: string
  at: Millis
  success: boolean
  statusCode: number | null
  /** ms */
  responseTime: number
  /** How that time was spent. Null when nothing was sent: the row says why. */
  timing: AttemptTiming | null
  /** One sentence; null when delivered. */
  error: string | null
  responseBody: string | null
  /** When the next attempt is due, on the latest attempt of a delivery that waits; null when that depends on a person. */
  nextAttemptAt: Millis | null
}

export const PAGE_SIZES = [5, 10, 25, 50] as const

export const TIME_RANGES = ['hour', 'day', 'week', 'month', 'all'] as const

export const FORWARDING_FILTERS = ['all', 'forwarded', 'not_forwarded', 'success', 'failed'] as const

export interface LogFilter {
  limit: (typeof PAGE_SIZES)[number]
  timeRange: (typeof TIME_RANGES)[number]
  forwardingStatus: (typeof FORWARDING_FILTERS)[number]
  /** Include the receiver's answers. */
  hasDetails: boolean
}

export const DEFAULT_LOG_FILTER: LogFilter = { limit: 10, timeRange: 'day', forwardingStatus: 'all', hasDetails: true }
