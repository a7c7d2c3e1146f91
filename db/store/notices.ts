/** What an account is told about its addresses: notices and their e-mails, the check of an address, the rhythm of its events. */

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

/** An endpoint that is in trouble, or that something was said about which may be over. */
export interface WatchedEndpoint extends WatchedCondition {
  endpointId: number
  accountUuid: string
  latest: LatestNotice | null
  /** When its address was looked at last. */
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
  /** Why there is no mail, or where it went. */
  mailReason: Reason | null
  /** Pending: when it is due. Sent or failed: when its latest try began. */
  mailAt: Millis | null
}

/** A notice whose e-mail is due, with everything it says. */
export interface DueMail extends NoticeRow {
  accountUuid: string
  accountName: string
  timezone: string
  /** Tries that were begun. */
  tries: number
  /** The endpoint is deleted, or something newer was said about it. */
  superseded: boolean
  /** Recovered: since when it had not worked. */
  troubleSince: Millis | null
  /** Deliveries that wait for the endpoint. */
  waiting: number
}

export type MailClaim =
  /** It is ours, and marked: whatever happens now, nobody else sends it. `tries` = with this one. */
  | { outcome: 'claimed'; tries: number }
  /** The account has had its share; the notice says so. */
  | { outcome: 'too_many' }
  /** Somebody else has it, or it is settled. */
  | { outcome: 'gone' }

/** An address to look at, and how it answered the latest event. */
export interface CheckTarget {
  url: string
  lastCode: number | null
  /** Null = nothing was sent to it yet. */
  lastSentence: string | null
}

/** What is known about an endpoint from both sides: our look at its address, and the platform's list. */
export interface EndpointCheckRow {
  endpointId: number
  /** The address that was looked at; it may have been changed since. */
  url: string
  at: Millis
  /** Empty = it was not looked at yet. */
  steps: CheckStep[]
  upstream: UpstreamNote | null
}

export interface NoticeStore {
  // ---- for timed work, which serves every account ----

  /** Looks at up to `look` endpoints with an id above `after`. `next` null = those were the last. */
  watchedEndpointsStep(after: number, size: number): Promise<{ endpoints: WatchedEndpoint[]; next: number | null }>
  /**
   * Writes a notice down, unless the same change was told before or something newer than `latestId` was said meanwhile.
   * True = it is new.
   */
  raiseNotice(
    endpoint: { accountUuid: string; endpointId: number; latestId: number | null },
    notice: NewNotice & { at: Millis; mail: MailPlan },
  ): Promise<boolean>
  /** Notices whose e-mail is due, oldest first. */
  dueNoticeMails(now: Millis, limit: number): Promise<DueMail[]>
  /**
   * Before an e-mail is sent: marks it as tried and unclear, in one transaction with the count of the account's e-mails since
   * `countSince`. It stays like that when we end in between, and is then not sent again.
   */
  claimNoticeMail(
    accountUuid: string,
    noticeId: number,
    claim: { at: Millis; countSince: Millis; most: number; unclear: Reason; tooMany: Reason },
  ): Promise<MailClaim>
  /** What became of a claimed e-mail; or, `claimed` false, of one that was not even tried. */
  settleNoticeMail(
    accountUuid: string,
    noticeId: number,
    after: AfterMail | { state: 'none'; reason: Reason },
    claimed: boolean,
  ): Promise<void>
  /** Removes up to `limit` notices from before that moment; the newest of each endpoint stays. */
  forgetNoticesStep(before: Millis, limit: number): Promise<number>

  // ---- for people: always with their account ----

  /** Neither dismissed nor of a deleted endpoint; newest first. */
  listNotices(accountUuid: string, limit: number): Promise<NoticeRow[]>
  /** It, and what was said about the same endpoint before. False = no such notice of this account. */
  dismissNotice(accountUuid: string, noticeId: number, at: Millis): Promise<boolean>

  /** Null = nothing chosen yet. */
  findMailChoice(accountUuid: string): Promise<MailChoice | null>
  saveMailChoice(accountUuid: string, choice: MailChoice, at: Millis): Promise<void>

  /** Null = no such endpoint of this account, or it is deleted. */
  findCheckTarget(accountUuid: string, endpointId: number): Promise<CheckTarget | null>
  listEndpointChecks(accountUuid: string): Promise<EndpointCheckRow[]>
  findEndpointCheck(accountUuid: string, endpointId: number): Promise<EndpointCheckRow | null>
  /** The latest look replaces the one before. */
  saveEndpointCheck(
    accountUuid: string,
    endpointId: number,
    check: { url: string; at: Millis; steps: CheckStep[] },
  ): Promise<void>
  /** What the platform's list said about the webhook of that object; null takes it back. */
  noteUpstream(accountUuid: string, objectType: string, note: UpstreamNote | null): Promise<void>
  /** Counted events of the `length` hours up to the latest one. */
  eventRhythm(accountUuid: string, endpointId: number, length: number): Promise<EventRhythm>
}
