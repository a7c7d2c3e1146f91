// What an account is told: about an address, an automation, or the account itself. One mechanism for all: a trouble is
// one notice that counts, its end is a notice of its own, and both may be mailed.
import type { AddressHealth } from '#app/domain/deliveries/delivery.ts'
import type { Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'

export const NOTICE_KINDS = [
  /** Deliveries or runs go wrong. */
  'failing',
  /** Only a person can start it again. */
  'stopped',
  'recovered',
  /** Runs wait for a person's decision. */
  'waiting',
  /** It has not run for unusually long. */
  'silent',
  /** Messages to customers came back, or are not in the history of their job. */
  'undelivered',
  /** Causes that stop several automations of the account. */
  'reconnect',
  'suspended',
  'permission',
  'plan',
  'upstream',
  /** The line that an account asked for. */
  'weekly',
] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** Identifies whom a notice is about, as it is stored. `id` is 0 for the account. */
export interface SubjectRef {
  kind: 'endpoint' | 'rule' | 'account'
  id: number
}

/** The owner of an address: a webhook, or a forwarding rule with its own name. */
export interface EndpointSubject {
  kind: 'endpoint'
  objectType: string
  /** Exactly one of the two is set. */
  webhookId: number | null
  rule: { id: number; name: string } | null
}

export type NoticeSubject = EndpointSubject | { kind: 'rule'; automationId: number; name: string } | { kind: 'account' }

/** The endpoint fields this decision needs. Same field names as the stored endpoint. */
export type WatchedCondition = Pick<
  AddressHealth,
  | ('state' | 'stateReason' | 'stateSince' | 'failingSince' | 'lastSuccessAt' | 'redirectStreak')
  | ('holdUntil' | 'failedEvents' | 'lastSentence')
>

/** The newest notice about the endpoint, dismissed or not. */
export interface LatestNotice {
  id: number
  kind: NoticeKind
  since: Millis
  at: Millis
}

export interface NewNotice {
  kind: 'failing' | 'stopped' | 'recovered'
  /** When the change happened. Endpoint, kind and `since` identify the change. */
  since: Millis
  reason: Reason
}

/** A trouble of an automation or an account, as it is seen now. */
export interface Trouble {
  kind: NoticeKind
  /** The same for the same trouble: kind, and what tells it from others of that kind. */
  fingerprint: string
  since: Millis
  /** How often since then. */
  count: number
  reason: Reason
  runId: number | null
}

/** What a run says about its rule: troubles, or that it works. */
export type ToldByRun = readonly (Pick<Trouble, 'fingerprint' | 'reason'> & { stepId: string })[] | 'works'

/** Retention of a notice after it last happened; the newest of each endpoint stays. */
export const NOTICES_KEPT = days(90)

/** What an account may keep off its e-mails; the page shows it all the same. */
export const MAIL_TOPICS = ['webhooks', 'failing', 'waiting', 'silent', 'account'] as const
export type MailTopic = (typeof MAIL_TOPICS)[number]

/** Days without work, both included, as local dates: `2026-12-24`. */
export interface ClosedDays {
  from: string
  to: string
}

/** An account's choice. `email` null = the platform's address for the account. */
export interface MailChoice {
  byMail: boolean
  email: string | null
  topicsOff: readonly MailTopic[]
  /** One line a week. */
  weekly: boolean
  /** Public holidays do not count as silence. */
  holidaysOff: boolean
  closedDays: readonly ClosedDays[]
}

export type MailPlan = { state: 'pending'; dueAt: Millis } | { state: 'none'; reason: Reason }

export type AfterMail =
  | { state: 'sent'; reason: Reason }
  | { state: 'pending'; dueAt: Millis; reason: Reason }
  | { state: 'failed'; reason: Reason }

export interface NoticeRow extends Omit<Trouble, 'fingerprint'> {
  id: number
  /** Of the endpoint or automation; 0 for the account. */
  subjectId: number
  subject: NoticeSubject
  lastAt: Millis
  at: Millis
  /** The automation was changed since the run that failed. */
  mended: boolean
  mailState: 'none' | 'pending' | 'sent' | 'failed'
  /** Why there is no mail, or the address it went to. */
  mailReason: Reason | null
  /** Pending: when the mail is due. Sent or failed: when the latest try began. */
  mailAt: Millis | null
}
