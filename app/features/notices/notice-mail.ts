// Notices by e-mail: whether one can be sent, when to try again, and the text.
import type { AfterMail, MailChoice, NoticeKind } from '#app/domain/notices/notice.ts'
import { type CodedReason, type Reason, reasonCode } from '#app/domain/reason.ts'
import { clockTime, plural } from '#app/domain/time/moments.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { type MailProblem, mailableReason, mailReason, mailReasonText, noticeReasonText } from './notice-reasons.ts'
import { noticeTitle, paramsOf, subjectName, type Titled } from './notice-text.ts'

const MAIL_SCOPE = 'publish_email'
export const MAILS_COUNT_FOR = days(1)

/** The waits after each try that certainly sent nothing. */
const GAPS: readonly number[] = [minutes(1), minutes(5), minutes(15), hours(1), hours(4)]
/** Older notices are on the page only. */
const NEWS_FOR = hours(24)

/** The default when the account has chosen nothing. */
export const DEFAULT_MAIL_CHOICE: MailChoice = {
  byMail: true,
  email: null,
  topicsOff: [],
  weekly: false,
  holidaysOff: true,
  closedDays: [],
}

/** The relevant part of the account's connection; null when there is none. */
interface MailConnection {
  state: 'connected' | 'reconnect'
  /** Space-separated; '' when the platform did not say. */
  scope: string
}

/** Returns why no e-mail can be sent for this account now; null when it can. The page then offers to sign in again. */
export function mailProblem(connection: MailConnection | null): MailProblem | null {
  if (connection === null || connection.state === 'reconnect') {
    return 'not_connected'
  }
  const granted = connection.scope.split(/\s+/).filter(Boolean)
  if (granted.length === 0 || granted.includes(MAIL_SCOPE)) return null
  return 'not_allowed'
}

/** A send call takes only a fraction of this. */
const SENDING = minutes(1)

const UNCLEAR: ReadonlySet<string | null> = new Set(['unclear', 'smtp_unclear'])

/** Describes the e-mail of a notice; null when there is nothing to say yet. `triedAt` = when its latest try began. */
export function mailSaid(reason: Reason | null, triedAt: Millis | null, now: Millis): string | null {
  const sending = UNCLEAR.has(reasonCode(reason)) && triedAt !== null && now - triedAt < SENDING
  return sending ? 'An e-mail is being sent.' : reason && mailReasonText(reason)
}

/** The result of a try, from the platform's answer. */
export type MailAnswer =
  | { outcome: 'ok' }
  | { outcome: 'rate_limited'; message: string; retryAt: Millis }
  | { outcome: 'unavailable'; status: number | null; message: string; undone?: true; answered?: true }
  | { outcome: 'unauthorized' | 'forbidden' | 'suspended' | 'refused' | 'not_connected' | 'reconnect'; message: string }

/** Which way an e-mail went: through the platform in the account's name, or through the operator's mail server. */
export type MailWay = 'platform' | 'smtp'

/**
 * Decides what follows a try. Tries again only when certainly nothing was sent (a clear answer, or no connection), at
 * most five times and while the notice is news. `tries` = tries so far, including this one; `at` = the notice's moment.
 */
export function afterMail(
  answer: MailAnswer,
  mail: { to: string; tries: number; at: Millis },
  now: Millis,
  way: MailWay = 'platform',
): AfterMail {
  const smtp = way === 'smtp'
  switch (answer.outcome) {
    case 'ok':
      return { state: 'sent', reason: mailReason(smtp ? 'smtp_sent' : 'sent', { to: mail.to }) }
    case 'unavailable':
      // Also a gateway's 502 or 504: what is behind it may have sent the mail.
      if (answer.undone === undefined) return { state: 'failed', reason: unclearReason(way) }
      return again(answer.message, mail, now)
    case 'rate_limited':
      return again(answer.message, mail, now, answer.retryAt)
    default:
      return {
        state: 'failed',
        reason: mailReason(smtp ? 'smtp_refused' : 'refused', { message: said(answer.message) }),
      }
  }
}

/** Stored before sending: it stays when the result is unknown. */
export function unclearReason(way: MailWay): CodedReason {
  return mailReason(way === 'smtp' ? 'smtp_unclear' : 'unclear')
}

/** Also when no try was possible, because the lookup of the recipient's address failed. */
export function again(
  message: string,
  { tries, at }: { tries: number; at: Millis },
  now: Millis,
  notBefore: Millis = now,
): AfterMail {
  const gap = GAPS[Math.max(0, tries - 1)]
  const dueAt = gap === undefined ? null : Math.max(now + gap, notBefore)
  const why = { message: said(message) }
  if (dueAt === null || dueAt - at > NEWS_FOR) return { state: 'failed', reason: mailReason('refused', why) }
  return { state: 'pending', dueAt, reason: mailReason('again', why) }
}

function said(message: string): string {
  const text = message.trim().slice(0, 300)
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** The facts for the text of an e-mail. */
export interface MailFacts extends Titled {
  accountName: string
  since: Millis
  /** For a recovery: since when it had failed; null when unknown. */
  troubleSince: Millis | null
  /** Number of deliveries waiting now. */
  waiting: number
  /** The next step from the check of the address; null when there is none. */
  next: string | null
  /** Link to the card, the run or the page. */
  link: string
  timezone: string
}

interface MailText {
  subject: string
  text: string
}

/** Writes a short plain text: what happened, since when, what to do, and a link. It names no customer. */
export function noticeMail(facts: MailFacts, now: Millis): MailText {
  return facts.subject.kind === 'endpoint' ? endpointMail(facts, now) : ruleMail(facts, now)
}

const lines = (...parts: (string | null)[]) => parts.filter((part) => part !== null && part !== '').join('\n\n')

function endpointMail(facts: MailFacts, now: Millis): MailText {
  const { kind, accountName, waiting, next, link, timezone } = facts
  const name = subjectName(facts.subject)
  const sentence = noticeReasonText(facts.reason)
  const time = (at: Millis) => clockTime(at, now, timezone)
  const since = time(facts.since)
  const wait = waiting === 0 ? '' : `${waiting === 1 ? '1 event is' : `${plural(waiting, 'event')} are`} waiting.`
  const end = [`Open it: ${link}`, signature(accountName)] as const
  if (kind === 'stopped') {
    return {
      subject: `Your ${name} was stopped`,
      text: lines(`Your ${name} was stopped at ${since}.`, sentence, wait, next ?? RESTART, ...end),
    }
  }
  if (kind === 'recovered') {
    const from = facts.troubleSince === null ? null : `It had not worked since ${time(facts.troubleSince)}.`
    const left = waiting === 0 ? null : `${wait.slice(0, -1)} and being sent now.`
    return {
      subject: `Your ${name} works again`,
      text: lines(`Your ${name} has been working again since ${since}.`, from, left, ...end),
    }
  }
  return {
    subject: `Your ${name} is failing`,
    text: lines(`Your ${name} has been failing since ${since}.`, sentence, wait, next, ...end),
  }
}

const RESTART =
  'When your system works again, press “Start again” on the webhook’s card. What it missed can be sent again.'

/** How the link is announced, by kind. */
const OPEN: Partial<Record<NoticeKind, string>> = {
  waiting: 'Decide here',
  silent: 'See why',
  undelivered: 'See the latest',
  reconnect: 'Sign in again',
  permission: 'Sign in again',
}

function ruleMail(facts: MailFacts, now: Millis): MailText {
  const { kind, accountName, link, timezone } = facts
  const sentence = noticeReasonText(mailableReason(facts.reason))
  const end = [`${OPEN[kind] ?? 'Open it'}: ${link}`, signature(accountName)] as const
  if (kind === 'weekly') return { subject: sentence.replace(/\.$/, ''), text: lines(sentence, ...end) }
  const title = noticeTitle(facts)
  const time = (at: Millis) => clockTime(at, now, timezone)
  if (kind === 'recovered') {
    const cause = String(paramsOf(facts.reason).kind)
    const had = facts.subject.kind === 'account' ? (HAD[cause] ?? 'They had stood still') : 'It had failed'
    const from = facts.troubleSince === null ? null : `${had} since ${time(facts.troubleSince)}.`
    return { subject: title, text: lines(`${title} since ${time(facts.since)}.`, from, ...end) }
  }
  // A silence has its days in the title, and a cause its own sentence.
  const dated = kind === 'failing' || kind === 'waiting' || kind === 'stopped'
  const word = kind === 'stopped' || (kind === 'failing' && facts.count === 1) ? 'at' : 'since'
  const first = dated ? `${title} ${word} ${time(facts.since)}.` : `${title}.`
  return { subject: title, text: lines(first, kind === 'silent' ? SILENT : sentence, ...end) }
}

/** Where only some had stood still. */
const HAD: Readonly<Record<string, string>> = {
  permission: 'Those that need it had waited',
  upstream: 'They had missed changes',
}

const SILENT = 'Unless it is a holiday, check why it did not run.'

function signature(accountName: string): string {
  const whose = accountName === '' ? 'your account' : accountName
  return `Fieldhook wrote this for ${whose}. To stop these e-mails, open “Notices by e-mail” in the Webhook Manager.`
}
