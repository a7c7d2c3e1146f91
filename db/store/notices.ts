/** What accounts are told about endpoints, automations and themselves: notices, their e-mails, and what is watched. */

import type { CheckStep } from '#app/domain/endpoints/endpoint-check.ts'
import type { EventRhythm, UpstreamNote } from '#app/domain/endpoints/upstream.ts'
import type {
  AfterMail,
  ClosedDays,
  LatestNotice,
  MailChoice,
  MailPlan,
  NewNotice,
  NoticeKind,
  NoticeRow,
  SubjectRef,
  Trouble,
  WatchedCondition,
} from '#app/domain/notices/notice.ts'
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

/** A notice whose e-mail is due, with everything the e-mail needs. */
export interface DueMail extends NoticeRow {
  accountUuid: string
  accountName: string
  timezone: string
  /** The address the platform had for the account; null = not known. */
  accountEmail: string | null
  /** Tries begun so far. */
  tries: number
  /** It is over, its subject is gone, or something newer was said. */
  superseded: boolean
  /** For recovered: since when there had been trouble. */
  troubleSince: Millis | null
  /** The endpoint's pending deliveries; 0 for other subjects. */
  waiting: number
}

export type MailClaim =
  /** Claimed and marked as tried, so no other process sends it. `tries` includes this one. */
  | { outcome: 'claimed'; tries: number }
  /** The account reached its e-mail limit; the notice says so. */
  | { outcome: 'too_many' }
  /** The same trouble was mailed less than a day ago: due again when that day is over. */
  | { outcome: 'later' }
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

/** A rule that stopped itself, has runs that wait for a person, or sent messages that did not arrive. */
export interface TroubledRule {
  kind: 'stopped' | 'waiting' | 'undelivered'
  accountUuid: string
  automationId: number
  count: number
  /** When the oldest of them began to wait, or was sent. */
  since: Millis
  /** Undelivered: the newest run; null for others. */
  runId: number | null
}

/** An automation that is on, by its name. */
export interface NamedRule {
  id: number
  name: string
  /** Of rules that events start. */
  watchedObject: string | null
  pausedCode: string | null
  /** The permission it waits for; '' = none. */
  pausedScope: string
}

/** Something that stops several automations of an account. */
export interface AccountCause {
  accountUuid: string
  kind: 'reconnect' | 'suspended' | 'permission' | 'plan' | 'upstream'
  /** The scope, the plan's hold (`past_due` before it holds) or the object; '' for the others. */
  what: string
  since: Millis
}

export interface OpenTrouble {
  accountUuid: string
  subject: SubjectRef
  kind: NoticeKind
  fingerprint: string
  reason: Reason
}

/** A rule that is on and starts by itself, with what its rhythm is judged by. */
export interface RhythmRule {
  id: number
  accountUuid: string
  timezone: string
  activeSince: Millis
  holidaysOff: boolean
  closedDays: readonly ClosedDays[]
}

/** The figures of an account's week. */
export interface WeekFigures {
  /** Automations that are on, and those of them with an open notice. */
  rules: number
  unwell: number
  messages: number
  failures: number
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
  /**
   * Stores a trouble, updates the open notice with the same fingerprint, or opens the ended one of that moment again. An
   * e-mail is due for a new one and, a day after the last, for one with a higher count or opened again. `total`: `count`
   * is the whole number, not what to add.
   */
  raiseTrouble(
    accountUuid: string,
    subject: SubjectRef,
    trouble: Trouble & { total: boolean },
    at: Millis,
  ): Promise<void>
  /** Ends the open notices with that fingerprint. `say` = with a notice that it works again. False = there was none. */
  endTrouble(
    accountUuid: string,
    subject: SubjectRef,
    fingerprint: string,
    input: { at: Millis; say: Reason | null },
  ): Promise<boolean>
  /** Open notices of those kinds about automations and accounts. */
  openTroubles(kinds: readonly NoticeKind[]): Promise<OpenTrouble[]>
  /** Ends notices about automations that were switched off or deleted, and silence of those that ran by themselves since. */
  endOutdated(at: Millis): Promise<number>
  /**
   * Messages that came back or are missing count when they were sent since then. They are missing only where the account's
   * history has shown another of that channel.
   */
  troubledRules(sentSince: Millis): Promise<TroubledRule[]>
  /** Of accounts with an automation that is on; a held plan also of accounts with an active address. */
  accountCauses(): Promise<AccountCause[]>
  /** By name. */
  namedRules(accountUuid: string): Promise<NamedRule[]>
  /** Reads up to `size` rules with an id above `after`. Skips those that are paused, held, or started by a person only. */
  rhythmRulesStep(after: number, size: number): Promise<{ rules: RhythmRule[]; next: number | null }>
  /** The quarter hours since 1970 (UTC) in which the rule started by itself, ascending. */
  quartersOfRuns(automationId: number, since: Millis): Promise<number[]>
  /** Accounts that asked for a line a week and have an automation that is on. */
  weeklyAccounts(): Promise<{ accountUuid: string; timezone: string }[]>
  /** Messages and runs from `since` on, before `until`. */
  weekFigures(accountUuid: string, since: Millis, until: Millis): Promise<WeekFigures>
  /** Stores the week's line, once per week. `since` = when the week began. */
  raiseWeekly(accountUuid: string, line: { since: Millis; reason: Reason; at: Millis }): Promise<boolean>
  /** Connected accounts that use something, or are late with a payment, whose e-mail address was never read. */
  accountsWithoutEmail(limit: number): Promise<string[]>
  /** Remembers the address the platform has for the account; '' = it has none. */
  noteAccountEmail(accountUuid: string, email: string): Promise<void>
  findAccountEmail(accountUuid: string): Promise<string | null>
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
  /** How many notices since then have an e-mail with that reason code, by code. For the operator. */
  mailEnds(since: Millis): Promise<{ code: string; count: number }[]>
  /** Removes up to `limit` notices older than `before`; keeps what goes on, and the newest of each endpoint that is there. */
  forgetNoticesStep(before: Millis, limit: number): Promise<number>

  // ---- for users: always scoped to their account ----

  /**
   * Notices that are not dismissed, without those of deleted endpoints and automations; newest first. Of an endpoint, the
   * newest, which replaces the older ones. About automations and the account: those that go on, also a day after they
   * were dismissed, and the newest that tells of an end, which is news for a week. `of` = only those about endpoints, or
   * only the others.
   */
  listNotices(accountUuid: string, limit: number, now: Millis, of?: 'endpoint' | 'others'): Promise<NoticeRow[]>
  /** Dismisses the notice and earlier ones of the same endpoint, or of the same trouble. False = no such notice. */
  dismissNotice(accountUuid: string, noticeId: number, at: Millis): Promise<boolean>

  /** Null = nothing chosen yet. */
  findMailChoice(accountUuid: string): Promise<MailChoice | null>
  /** Changes what is named, and where nothing is chosen yet, of `unchosen`. Resolves with what is chosen now. */
  saveMailChoice(
    accountUuid: string,
    change: Partial<MailChoice>,
    unchosen: MailChoice,
    at: Millis,
  ): Promise<MailChoice>

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
