// The filter of a log panel: its form in a URL, and its texts.
import {
  DEFAULT_LOG_FILTER,
  FORWARDING_FILTERS,
  type LogEntryView,
  type LogFilter,
  PAGE_SIZES,
  TIME_RANGES,
} from '#app/features/events/log-view.ts'
import type { Millis } from '#app/lib/clock.ts'

/** The JSON answer of a log panel's resource: newest first. `now` = the server's time. */
export interface LogAnswer {
  entries: LogEntryView[]
  now: Millis
}

/** Tolerant, because people share and edit URLs: an unknown value becomes the default. */
export function readLogFilter(params: URLSearchParams): LogFilter {
  const limit = Number(params.get('limit'))
  const details = params.getAll('hasDetails')
  return {
    limit: PAGE_SIZES.find((size) => size === limit) ?? DEFAULT_LOG_FILTER.limit,
    timeRange: TIME_RANGES.find((range) => range === params.get('timeRange')) ?? DEFAULT_LOG_FILTER.timeRange,
    forwardingStatus:
      FORWARDING_FILTERS.find((status) => status === params.get('forwardingStatus')) ??
      DEFAULT_LOG_FILTER.forwardingStatus,
    // An unticked box sends nothing, so the form sends `false` before it.
    hasDetails: details.length === 0 ? DEFAULT_LOG_FILTER.hasDetails : details.includes('true'),
  }
}

export function logFilterQuery(filter: LogFilter): Record<string, string> {
  return {
    limit: String(filter.limit),
    timeRange: filter.timeRange,
    forwardingStatus: filter.forwardingStatus,
    hasDetails: String(filter.hasDetails),
  }
}

export const TIME_RANGE_TEXTS: Record<LogFilter['timeRange'], string> = {
  hour: 'Last hour',
  day: 'Last day',
  week: 'Last week',
  month: 'Last month',
  all: 'All time',
}

export const FORWARDING_TEXTS: Record<LogFilter['forwardingStatus'], string> = {
  all: 'All',
  forwarded: 'Forwarded',
  not_forwarded: 'Not forwarded',
  success: 'Success',
  failed: 'Failed',
}
