// Notices about an endpoint that fails, stopped or recovered, and their e-mails.
import type { Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'

export type NoticeKind = 'failing' | 'stopped' | 'recovered'

/** The owner of an address: a webhook, or a forwarding rule with its own name. */
export interface NoticeSubject {
  objectType: string
  /** Exactly one of the two is set. */
  webhookId: number | null
  rule: { id: number; name: string } | null
}

/** The endpoint fields this decision needs. Same field names as the stored endpoint. */
export interface WatchedCondition {
  state: 'active' | 'paused' | 'stopped' | 'failing' | 'deleted'
  stateReason: string | null
  stateSince: Millis
  failingSince: Millis | null
  /** Number of different events that failed since then; counted up to three. */
  failedEvents: number
  lastSuccessAt: Millis | null
  lastSentence: string | null
}

/** The newest notice about the endpoint, dismissed or not. */
export interface LatestNotice {
  id: number
  kind: NoticeKind
  since: Millis
  at: Millis
}

export interface NewNotice {
  kind: NoticeKind
  /** When the change happened. Endpoint, kind and `since` identify the change. */
  since: Millis
  reason: Reason
}

/** Retention of a notice that is not dismissed; the newest of each endpoint stays. */
export const NOTICES_KEPT = days(90)

/** An account's choice. `email` null = the platform's address for the account. */
export interface MailChoice {
  byMail: boolean
  email: string | null
}

export type MailPlan = { state: 'pending'; dueAt: Millis } | { state: 'none'; reason: Reason }

export type AfterMail =
  | { state: 'sent'; reason: Reason }
  | { state: 'pending'; dueAt: Millis; reason: Reason }
  | { state: 'failed'; reason: Reason }
