// The activity page's single list: merges received events and platform calls and describes them.
import type { RecordedCall } from '#app/domain/deliveries/stored-delivery.ts'
import type { Millis } from '#app/lib/clock.ts'
import { activityLabel } from './log.ts'

export const ACTIVITY_TEXTS = {
  noAccount: 'Please provide an account UUID to view webhook activity',
  forbidden: 'Webhook activity is for admins of this add-on. This account is not one.',
  empty: 'No Webhook Activity Yet',
} as const

/** The fields of `GET /api/webhook-activity` that the page shows. Dates are ISO strings. */
export interface WebhookRecord {
  id: number
  objectType: string
  objectUuid: string
  /** `Note on job 3128 · Joan Hartley`, as far as it is known. */
  recordName: string
  /** Sent by Send test event: no record changed. */
  test: boolean
  changedFields: string[]
  /** Null when the event's body is no longer stored. */
  webhookData: unknown
  receivedAt: string
}

/** The fields of `GET /api/api-activity` that the page shows. Dates are ISO strings. */
export interface ApiRecord extends RecordedCall {
  id: number
  activityType: string
  /** Milliseconds. */
  duration: number | null
  createdAt: string
}

export interface WebhookItem extends Omit<WebhookRecord, 'webhookData' | 'receivedAt'> {
  kind: 'webhook'
  /** Unique in the merged list and stable across refreshes. */
  key: string
  at: Millis
  data: ShownData | null
}

export interface ApiItem extends Pick<ApiRecord, 'id' | 'method' | 'endpoint' | 'remoteIp' | 'userAgent'> {
  kind: 'api'
  key: string
  at: Millis
  type: string
  label: string
  status: CallStatus
  durationMs: number | null
  request: ShownData | null
  response: ShownData | null
}

export type ActivityItem = WebhookItem | ApiItem

export function webhookItems(records: readonly WebhookRecord[]): WebhookItem[] {
  return records.map((record) => ({
    kind: 'webhook',
    key: `webhook-${record.id}`,
    id: record.id,
    at: Date.parse(record.receivedAt),
    objectType: record.objectType,
    objectUuid: record.objectUuid,
    recordName: record.test ? `Test: ${record.recordName}` : record.recordName,
    test: record.test,
    changedFields: record.changedFields,
    data: shownData(record.webhookData),
  }))
}

export function apiItems(records: readonly ApiRecord[]): ApiItem[] {
  return records.map((record) => ({
    kind: 'api',
    key: `api-${record.id}`,
    id: record.id,
    at: Date.parse(record.createdAt),
    type: record.activityType,
    label: activityLabel(record.activityType),
    method: record.method,
    endpoint: record.endpoint,
    status: callStatus(record.statusCode),
    durationMs: record.duration,
    remoteIp: record.remoteIp,
    userAgent: record.userAgent,
    request: shownData(record.requestData),
    response: shownData(record.responseData),
  }))
}

/** What the page can be narrowed to; events are what people come for. */
export const ACTIVITY_TYPES = ['events', 'calls', 'challenges', 'all'] as const
export type ActivityType = (typeof ACTIVITY_TYPES)[number]

export const ACTIVITY_TYPE_TEXTS: Record<ActivityType, string> = {
  events: 'Events',
  calls: 'Calls',
  challenges: 'Challenges',
  all: 'All',
}

export function readActivityType(text: string | null): ActivityType {
  return ACTIVITY_TYPES.find((type) => type === text) ?? 'events'
}

export function isOfType(item: ActivityItem, type: ActivityType): boolean {
  if (type === 'all') return true
  if (item.kind === 'webhook') return type === 'events'
  return type === (item.type === 'challenge_response' ? 'challenges' : 'calls')
}

/** Rows shown at first: more fill a phone many times over. */
export const FEW_ROWS = 30

/** Merges both lists, newest first. At the same moment the later written entry comes first, so the order is stable. */
export function newestFirst(events: readonly WebhookItem[], calls: readonly ApiItem[]): ActivityItem[] {
  return [...events, ...calls].sort(
    (a, b) => b.at - a.at || (a.kind === b.kind ? b.id - a.id : a.kind === 'api' ? 1 : -1),
  )
}

/** Counts the `items` that were not in `before`. */
export function countNews(items: readonly ActivityItem[], before: readonly ActivityItem[]): number {
  const known = new Set(before.map((item) => item.key))
  return items.filter((item) => !known.has(item.key)).length
}

interface CallStatus {
  tone: 'normal' | 'error'
  words: string
}

/** From the specification: below 300 is normal, anything else an error. */
export function callStatus(code: number | null): CallStatus {
  if (code === null) return { tone: 'error', words: 'No answer' }
  return code < 300 ? { tone: 'normal', words: `Status ${code}` } : { tone: 'error', words: `Error ${code}` }
}

export interface ShownData {
  text: string
  /** The full length in characters when `text` is cut, otherwise null. */
  cutFrom: number | null
}

/** Keeps a page of 200 entries usable: nobody reads more of one text on a screen. Characters. */
export const MOST_TEXT = 10_000

/** Formats data for reading: JSON indented, other text unchanged. Null for nothing. */
export function shownData(value: unknown): ShownData | null {
  if (value === null || value === undefined || value === '') return null
  const whole = typeof value === 'string' ? indentedIfJson(value) : JSON.stringify(value, null, 2)
  // The server and the browser would render half of a surrogate pair differently.
  const text = whole.slice(0, MOST_TEXT).replace(/\p{Surrogate}/gu, '\uFFFD')
  return { text, cutFrom: whole.length > MOST_TEXT ? whole.length : null }
}

function indentedIfJson(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
