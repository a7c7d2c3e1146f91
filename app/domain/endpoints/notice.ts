// Notices about an address that fails, stopped or recovered, and the e-mail about them.
import type { Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'

export type NoticeKind = 'failing' | 'stopped' | 'recovered'

/** What an address belongs to: a webhook, or a forwarding rule with a name of its own. */
export interface NoticeSubject {
  objectType: string
  /** Exactly one of the two. */
  webhookId: number | null
  rule: { id: number; name: string } | null
}

/** An endpoint as far as this is decided from it. Field names are those of the stored one. */
export interface WatchedCondition {
  state: 'active' | 'paused' | 'stopped' | 'failing' | 'deleted'
  stateReason: string | null
  stateSince: Millis
  failingSince: Millis | null
  /** How many different events failed since then; counted up to three. */
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
  /** When the change happened: with endpoint and kind it names the change. */
  since: Millis
  reason: Reason
}

/** A notice that nobody dismisses is kept this long; the newest of each address always. */
export const NOTICES_KEPT = days(90)

/** What an account has chosen. `email` null = the address the platform has. */
export interface MailChoice {
  byMail: boolean
  email: string | null
}

export type MailPlan = { state: 'pending'; dueAt: Millis } | { state: 'none'; reason: Reason }

export type AfterMail =
  | { state: 'sent'; reason: Reason }
  | { state: 'pending'; dueAt: Millis; reason: Reason }
  | { state: 'failed'; reason: Reason }
