/** Activity, newest first: a webhook's log, the activity page, and calls to and from the platform. */
import type {
  LoggedDelivery,
  RecordedCall,
  SearchedRow,
  StoredAttempt,
} from '#app/domain/deliveries/stored-delivery.ts'
import type { Millis } from '#app/lib/clock.ts'

/** One attempt of one delivery, as the log shows it. */
interface AttemptRow extends Omit<StoredAttempt, 'peerIp'> {
  deliveryId: number
}

export interface DeliveryLogRow extends LoggedDelivery {
  attempts: AttemptRow[]
}

/** An event and its deliveries. */
export interface EventLogRow extends Omit<SearchedRow, 'delivery'> {
  id: string
  /** The forwarded text; null once it is no longer kept (or was not requested). */
  body: string | null
  deliveries: DeliveryLogRow[]
}

/** `forwarded` = at least one attempt was made. `failed` = not delivered so far, and attempted or ended. */
type ForwardingFilter = 'all' | 'forwarded' | 'not_forwarded' | 'success' | 'failed'

export interface EventLogQuery {
  /** Only this object; null = all objects. */
  object: string | null
  /** Only events for this endpoint, with their deliveries to it; missing or null = all endpoints. */
  endpointId?: number | null
  /** Received at or after; null = from the beginning. */
  since: Millis | null
  forwarding: ForwardingFilter
  /** Only events older than this seq (keyset); null = from the newest. */
  before: number | null
  limit: number
  /** Include the event's text. */
  withBody: boolean
  /** Include the receivers' responses. */
  withResponses: boolean
}

type ApiActivityType = 'challenge_response' | 'api_call' | 'sign_in' | 'opening' | 'webhook'

/** One call to or from the platform. Secrets in it are masked and long texts cut when it is stored. */
export interface NewApiActivity extends RecordedCall {
  accountUuid: string
  activityType: ApiActivityType
  durationMs: number | null
  /** True = an automation's `api_call`, counted as used. Missing = it is free. */
  counts?: boolean
}

interface ApiActivityRow extends Omit<NewApiActivity, 'activityType' | 'counts'> {
  id: number
  activityType: string
  createdAt: Millis
}

/** All reads use the read-only connection and yield between steps: a long search does not delay events. */
export interface ActivityStore {
  /** Newest first. */
  listEventLog(accountUuid: string, query: EventLogQuery): Promise<EventLogRow[]>
  /** Has the account ever had an event or a webhook of this object? */
  knowsObject(accountUuid: string, object: string): Promise<boolean>
  /** When the account's latest event of any object was received. */
  lastEventAt(accountUuid: string): Promise<Millis | null>
  /** Newest first, at most `limit`. */
  listApiActivity(accountUuid: string, limit: number): Promise<ApiActivityRow[]>
  /** Times of calls to the platform since a moment (at most 400), and how many on a UTC day (days since the epoch). */
  recentApiCalls(accountUuid: string, input: { since: Millis; day: number }): Promise<{ at: Millis[]; inDay: number }>
  /** Stores one call, masked, and counts an `api_call` as used or free in the same transaction. Keeps about 1,000. */
  recordApiActivity(activity: NewApiActivity): Promise<void>
}
