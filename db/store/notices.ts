/** Notices to an account about its endpoints, their e-mails, endpoint checks, and the rhythm of events. */

import type { CheckStep } from '#app/domain/endpoints/endpoint-check.ts'
import type {
  AfterMail,
  LatestNotice,
  MailChoice,
  MailPlan,
  NewNotice,
  NoticeKind,
  NoticeSubject,
  WatchedCondition,
} from '#app/domain/endpoints/notice.ts'
import type { EventRhythm, UpstreamNote } from '#app/domain/endpoints/upstream.ts'
import type { Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'

/** An endpoint in trouble, or with a notice whose condition may be over. */
export interface WatchedEndpoint extends WatchedCondition {
  endpointId: number
  accountUuid: string
  latest: LatestNotice | null
  /** When its address was last checked. */
  checkedAt: Millis | null
}

export interface NoticeRow {
  id: number
  endpointId: number
  subject: NoticeSubject
  kind: NoticeKind
  since: Millis
  reason: Reason
  at: Millis
  mailState: 'none' | 'pending' | 'sent' | 'failed'
  /** Why there is no mail, or the address it went to. */
  mailReason: Reason | null
  /** Pending: when the mail is due. Sent or failed: when the latest try began. */
  mailAt: Millis | null
}

/** A notice whose e-mail is due, with everything the e-mail needs. */
export interface DueMail extends NoticeRow {
  accountUuid: string
  accountName: string
  timezone: string
  /** Tries begun so far. */
  tries: number
  /** The endpoint is deleted or has a newer notice. */
  superseded: boolean
  /** For recovered: since when the endpoint had been failing. */
  troubleSince: Millis | null
  /** The endpoint's pending deliveries. */
  waiting: number
}

export type MailClaim =
  /** Claimed and marked as tried, so no other process sends it. `tries` includes this one. */
  | { outcome: 'claimed'; tries: number }
  /** The account reached its e-mail limit; the notice says so. */
  | { outcome: 'too_many' }
  /** Another process has it, or it is settled. */
  | { outcome: 'gone' }

/** An address to check, and its response to the latest event. */
export interface CheckTarget {
  url: string
  lastCode: number | null
  /** Null = nothing was sent to it yet. */
  lastSentence: string | null
}

/** Both sides of an endpoint's health: our check of its address, and the platform's list. */
export interface EndpointCheckRow {
  endpointId: number
  /** The address that was checked; it may have changed since. */
  url: string
  at: Millis
  /** Empty = not checked yet. */
  steps: CheckStep[]
  upstream: UpstreamNote | null
}

export interface NoticeStore {
  // ---- for background jobs: covers every account ----

  /** Reads up to `size` endpoints with an id above `after`. `next` is null after the last ones. */
  watchedEndpointsStep(after: number, size: number): Promise<{ endpoints: WatchedEndpoint[]; next: number | null }>
  /**
   * Stores a notice, unless the same change already has one or a notice newer than `latestId` exists. True = stored.
   */
  raiseNotice(
    endpoint: { accountUuid: string; endpointId: number; latestId: number | null },
    notice: NewNotice & { at: Millis; mail: MailPlan },
  ): Promise<boolean>
  /** Notices whose e-mail is due, oldest first. */
  dueNoticeMails(now: Millis, limit: number): Promise<DueMail[]>
  /**
   * Marks an e-mail as tried and unclear before it is sent, in one transaction with the count of the account's e-mails
   * since `countSince`. If the process ends in between, it stays marked and is not sent again.
   */
  claimNoticeMail(
    accountUuid: string,
    noticeId: number,
    claim: { at: Millis; countSince: Millis; most: number; unclear: Reason; tooMany: Reason },
  ): Promise<MailClaim>
  /** Stores the result of a claimed e-mail or, with `claimed` false, of one that was never tried. */
  settleNoticeMail(
    accountUuid: string,
    noticeId: number,
    after: AfterMail | { state: 'none'; reason: Reason },
    claimed: boolean,
  ): Promise<void>
  /** Removes up to `limit` notices older than `before`; keeps the newest of each endpoint. */
  forgetNoticesStep(before: Millis, limit: number): Promise<number>

  // ---- for users: always scoped to their account ----

  /** Notices that are not dismissed, without those of deleted endpoints; newest first. */
  listNotices(accountUuid: string, limit: number): Promise<NoticeRow[]>
  /** Dismisses the notice and earlier ones of the same endpoint. False = no such notice of this account. */
  dismissNotice(accountUuid: string, noticeId: number, at: Millis): Promise<boolean>

  /** Null = nothing chosen yet. */
  findMailChoice(accountUuid: string): Promise<MailChoice | null>
  saveMailChoice(accountUuid: string, choice: MailChoice, at: Millis): Promise<void>

  /** Null = no such endpoint of this account, or it is deleted. */
  findCheckTarget(accountUuid: string, endpointId: number): Promise<CheckTarget | null>
  listEndpointChecks(accountUuid: string): Promise<EndpointCheckRow[]>
  findEndpointCheck(accountUuid: string, endpointId: number): Promise<EndpointCheckRow | null>
  /** Replaces the previous check. */
  saveEndpointCheck(
    accountUuid: string,
    endpointId: number,
    check: { url: string; at: Millis; steps: CheckStep[] },
  ): Promise<void>
  /** Stores the state of that object's webhook in the platform's list; null clears it. */
  noteUpstream(accountUuid: string, objectType: string, note: UpstreamNote | null): Promise<void>
  /** Event counts for the `length` hours up to the latest event. */
  eventRhythm(accountUuid: string, endpointId: number, length: number): Promise<EventRhythm>
}
