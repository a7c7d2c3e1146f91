/** What happened, newest first: the log of a webhook, the activity page, what we said to the platform. */
import type { Millis } from '#app/lib/clock.ts'

/** One attempt of one delivery, as the log shows it. */
interface AttemptRow {
  deliveryId: number
  number: number
  url: string
  at: Millis
  durationMs: number
  /** Parts of the duration, ms; null = not known. */
  dnsMs: number | null
  connectMs: number | null
  tlsMs: number | null
  firstByteMs: number | null
  outcome: string
  statusCode: number | null
  sentence: string
  responseBody: string | null
}

/** One event's way to one endpoint. */
export interface DeliveryLogRow {
  id: number
  url: string
  /** Name of the forwarding rule whose address it is; null = the webhook's own. */
  rule: string | null
  state: 'pending' | 'delivered' | 'expired' | 'stopped'
  stateReason: string | null
  dueAt: Millis
  /** When it was delivered or given up; null while it waits. */
  settledAt: Millis | null
  /** In the order they were made. */
  attempts: AttemptRow[]
}

/** An event and what became of it. */
export interface EventLogRow {
  seq: number
  id: string
  object: string
  objectUuid: string
  changedFields: string[]
  receivedAt: Millis
  /** The text that is forwarded; null once it is no longer kept (or was not asked for). */
  body: string | null
  deliveries: DeliveryLogRow[]
}

/** `forwarded` = at least one attempt was made. `failed` = attempted, and not delivered so far. */
type ForwardingFilter = 'all' | 'forwarded' | 'not_forwarded' | 'success' | 'failed'

export interface EventLogQuery {
  /** Of one object; null = of all. */
  object: string | null
  /** Only what was meant for this endpoint, and what became of it there; absent or null = for any. */
  endpointId?: number | null
  /** Received at or after; null = from the beginning. */
  since: Millis | null
  forwarding: ForwardingFilter
  /** Only events older than this seq (keyset); null = from the newest. */
  before: number | null
  limit: number
  /** With the text of the event. */
  withBody: boolean
  /** With what receivers answered. */
  withResponses: boolean
}

type ApiActivityType = 'challenge_response' | 'api_call' | 'sign_in' | 'opening' | 'webhook'

/** One exchange with the platform, either way. Secrets in it are masked and its texts cut when it is written. */
export interface NewApiActivity {
  accountUuid: string
  activityType: ApiActivityType
  /** Address without host, or with it; at most 500 characters are kept. */
  endpoint: string
  method: string
  requestData: string | null
  responseData: string | null
  /** Null = no answer. */
  statusCode: number | null
  userAgent: string | null
  remoteIp: string | null
  durationMs: number | null
  /** An `api_call` of an automation: it counts as used. Absent = it is free. */
  counts?: boolean
}

export interface ApiActivityRow extends Omit<NewApiActivity, 'activityType' | 'counts'> {
  id: number
  activityType: string
  createdAt: Millis
}

/** All reads use the read-only connection and yield between steps: a long search does not hold up events. */
export interface ActivityStore {
  /** Newest first. */
  listEventLog(accountUuid: string, query: EventLogQuery): Promise<EventLogRow[]>
  /** Has the account ever had an event, or a webhook, of this object? */
  knowsObject(accountUuid: string, object: string): Promise<boolean>
  /** When the account's latest event, of any object, was received. */
  lastEventAt(accountUuid: string): Promise<Millis | null>
  /** Newest first, at most `limit`. */
  listApiActivity(accountUuid: string, limit: number): Promise<ApiActivityRow[]>
  /** When calls to the platform were made since a moment (at most 400), and how many on a UTC day (days since the epoch). */
  recentApiCalls(accountUuid: string, input: { since: Millis; day: number }): Promise<{ at: Millis[]; inDay: number }>
  /** Writes one, masked; an `api_call` is counted, as used or as free, in the same act. The oldest beyond some 1,000 go. */
  recordApiActivity(activity: NewApiActivity): Promise<void>
}
