// The log of a webhook: which entries a filter selects, and how an event and its attempts are shown.

import { timingOf } from '#app/domain/deliveries/attempt-timing.ts'
import { SAMPLE_UUID } from '#app/domain/deliveries/delivery.ts'
import type { LoggedDelivery, SearchedRow } from '#app/domain/deliveries/stored-delivery.ts'
import { fullName, type RecordName, recordName } from '#app/domain/record-name.ts'
import { iso, isoOrNull, type Millis } from '#app/lib/clock.ts'
import { days, hours } from '#app/lib/duration.ts'
import { parseJson } from '#app/lib/json.ts'
import { ENDED_TEXTS, waitingOf } from './delivery-status.ts'
import {
  DEFAULT_LOG_FILTER,
  FORWARDING_FILTERS,
  type ForwardingResultView,
  type LogEntryView,
  type LogFilter,
  PAGE_SIZES,
  TIME_RANGES,
} from './log-view.ts'

type LogQuery =
  | { outcome: 'filter'; filter: LogFilter }
  | { outcome: 'invalid'; message: string; errors: Record<string, string[]> }

/** Parses the filter from a call's query. A missing value gets its default; an unknown value is refused. */
export function readLogQuery(query: URLSearchParams): LogQuery {
  const errors: Record<string, string[]> = {}
  function pick<T extends string | number | boolean>(name: string, choices: readonly T[], fallback: T): T {
    const text = query.get(name)
    if (text === null || text === '') return fallback
    const found = choices.find((choice) => String(choice) === text)
    if (found === undefined) errors[name] = [`Must be one of ${choices.join(', ')}`]
    return found ?? fallback
  }
  const filter: LogFilter = {
    limit: pick('limit', PAGE_SIZES, DEFAULT_LOG_FILTER.limit),
    timeRange: pick('timeRange', TIME_RANGES, DEFAULT_LOG_FILTER.timeRange),
    forwardingStatus: pick('forwardingStatus', FORWARDING_FILTERS, DEFAULT_LOG_FILTER.forwardingStatus),
    hasDetails: pick('hasDetails', [true, false], DEFAULT_LOG_FILTER.hasDetails),
  }
  const [name] = Object.keys(errors)
  if (name === undefined) return { outcome: 'filter', filter }
  return { outcome: 'invalid', message: `${name}: ${errors[name]?.[0]}`, errors }
}

/** Returns the start of a time range; null for no limit. */
export function rangeStart(range: LogFilter['timeRange'], now: Millis): Millis | null {
  const lengths: Record<LogFilter['timeRange'], number | null> = {
    hour: hours(1),
    day: days(1),
    week: days(7),
    month: days(30),
    all: null,
  }
  const length = lengths[range]
  return length === null ? null : now - length
}

/** An event with its deliveries, as stored. */
interface LoggedEvent extends Omit<SearchedRow, 'delivery'> {
  deliveries: LoggedDelivery[]
}

/** `name`: what people call the record; null = nothing but its kind is known. */
export function logEntry(event: LoggedEvent, name: RecordName | null, now: Millis): LogEntryView {
  return {
    id: String(event.seq),
    type: event.object,
    objectUuid: event.objectUuid,
    recordName: fullName(name ?? recordName(event.object, null)),
    test: event.objectUuid === SAMPLE_UUID,
    receivedAt: event.receivedAt,
    changedFields: event.changedFields,
    // Without those that ended untried, such as one whose event another sending delivered.
    forwardedTo: [...new Set(event.deliveries.filter(isOrWasSent).map(placeOf))],
    deliveries: event.deliveries.map((delivery) => {
      const { id, endpointId, url, attempts, standing } = delivery
      const waits = attempts.length === 0 && waitingOf(standing, now)
      const place = { id, endpointId, url: url || placeOf(delivery), ...ruleOf(delivery) }
      return waits ? { ...place, waits: { nextAt: waits.nextAt } } : place
    }),
    forwardingResults: event.deliveries.flatMap((delivery) => forwardingResults(delivery, now)),
  }
}

const placeOf = ({ attempts, url }: LoggedDelivery) => attempts.at(-1)?.url ?? url

const isOrWasSent = ({ attempts, state }: LoggedDelivery) => state === 'pending' || attempts.length > 0

function forwardingResults(delivery: LoggedDelivery, now: Millis): ForwardingResultView[] {
  const results: ForwardingResultView[] = delivery.attempts.map((attempt, index) => {
    const success = attempt.outcome === 'delivered'
    const latest = index === delivery.attempts.length - 1
    return {
      deliveryId: delivery.id,
      ...ruleOf(delivery),
      attempt: attempt.number,
      url: attempt.url,
      at: attempt.at,
      success,
      statusCode: attempt.statusCode,
      responseTime: attempt.durationMs,
      timing: timingOf(attempt),
      error: success ? null : attempt.sentence,
      responseBody: attempt.responseBody,
      nextAttemptAt: latest ? (waitingOf(delivery.standing, now)?.nextAt ?? null) : null,
    }
  })
  if (delivery.state !== 'stopped' && delivery.state !== 'expired') return results
  const last = delivery.attempts.at(-1)
  const result = results.at(-1)
  // The reason of one that its last attempt ended ends with what that attempt says. Others ended without one: the
  // webhook was deleted or the deadline passed while they waited. An attempt under way then is told after that end.
  const told = delivery.attempts.some(({ outcome }) => outcome === delivery.state)
  if (!told && last && result && delivery.stateReason?.endsWith(last.sentence)) result.error = delivery.stateReason
  else if (!told) {
    results.push({
      deliveryId: delivery.id,
      ...ruleOf(delivery),
      attempt: (last?.number ?? 0) + 1,
      url: delivery.url,
      at: delivery.settledAt ?? delivery.dueAt,
      ...{ success: false, statusCode: null, responseTime: 0, timing: null },
      error: delivery.stateReason ?? ENDED_TEXTS[delivery.state],
      ...{ responseBody: null, nextAttemptAt: null },
    })
  }
  return results
}

function ruleOf({ rule }: LoggedDelivery): { rule?: string } {
  return rule ? { rule } : {}
}

/** A log entry as calls return it; without `hasDetails`, receivers' answers are left out. */
export function logEntryJson(entry: LogEntryView, hasDetails: boolean) {
  const receivedAt = iso(entry.receivedAt)
  return {
    id: Number(entry.id),
    type: entry.type,
    objectUuid: entry.objectUuid,
    test: entry.test,
    timestamp: receivedAt,
    receivedAt,
    changedFields: entry.changedFields,
    forwardedTo: entry.forwardedTo,
    forwardingResults: entry.forwardingResults.map(({ responseBody, at, nextAttemptAt, ...result }) => ({
      ...result,
      at: iso(at),
      nextAttemptAt: isoOrNull(nextAttemptAt),
      ...(hasDetails && { responseBody }),
    })),
  }
}

/** The activity page's name for a kind of exchange with the platform. */
export function activityLabel(activityType: string): string {
  const labels: Record<string, string> = {
    challenge_response: 'Challenge Response',
    api_call: 'API Call',
    sign_in: 'Sign-in',
    opening: 'Opening',
    webhook: 'Webhook',
  }
  return labels[activityType] ?? activityType
}

/** Parses a stored event's text; returns the text itself when it is not JSON, null when it is no longer stored. */
export function webhookData(body: string | null): unknown {
  if (body === null) return null
  const parsed = parseJson(body)
  return parsed === undefined ? body : parsed
}
