// Notices by e-mail: whether one can be sent, when to try again, and the text.
import { z } from 'zod'
import type { AfterMail, MailChoice, MailPlan, NoticeKind, NoticeSubject } from '#app/domain/endpoints/notice.ts'
import { clockTime, plural } from '#app/domain/moments.ts'
import { type Reason, reasonCode } from '#app/domain/reason.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { subjectName } from './notice.ts'
import { type MailProblem, mailReason, mailReasonText } from './notice-reasons.ts'

const MAIL_SCOPE = 'publish_email'
export const MAILS_COUNT_FOR = days(1)

/** The waits after each try that certainly sent nothing. */
const GAPS: readonly number[] = [minutes(1), minutes(5), minutes(15), hours(1), hours(4)]
/** Older notices are on the page only. */
const NEWS_FOR = hours(24)

/** The default when the account has chosen nothing. */
export const DEFAULT_MAIL_CHOICE: MailChoice = { byMail: true, email: null }

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

/** Decides whether a new notice is mailed. */
export function planMail(choice: MailChoice, connection: MailConnection | null, now: Millis): MailPlan {
  if (!choice.byMail) return { state: 'none', reason: mailReason('off') }
  const problem = mailProblem(connection)
  return problem === null ? { state: 'pending', dueAt: now } : { state: 'none', reason: mailReason(problem) }
}

/** A send call takes only a fraction of this. */
const SENDING = minutes(1)

/** Describes the e-mail of a notice; null when there is nothing to say yet. `triedAt` = when its latest try began. */
export function mailSaid(reason: Reason | null, triedAt: Millis | null, now: Millis): string | null {
  const sending = reasonCode(reason) === 'unclear' && triedAt !== null && now - triedAt < SENDING
  return sending ? 'An e-mail is being sent.' : reason && mailReasonText(reason)
}

/** The result of a try, from the platform's answer. */
export type MailAnswer =
  | { outcome: 'ok' }
  | { outcome: 'rate_limited'; message: string; retryAt: Millis }
  | { outcome: 'unavailable'; status: number | null; message: string; undone?: true }
  | { outcome: 'unauthorized' | 'forbidden' | 'suspended' | 'refused' | 'not_connected' | 'reconnect'; message: string }

/**
 * Decides what follows a try. Tries again only when certainly nothing was sent (a clear answer, or no connection), at
 * most five times and while the notice is news. `tries` = tries so far, including this one; `at` = the notice's moment.
 */
export function afterMail(answer: MailAnswer, mail: { to: string; tries: number; at: Millis }, now: Millis): AfterMail {
  switch (answer.outcome) {
    case 'ok':
      return { state: 'sent', reason: mailReason('sent', { to: mail.to }) }
    case 'unavailable':
      if (answer.status === null && answer.undone === undefined)
        return { state: 'failed', reason: mailReason('unclear') }
      return again(answer.message, mail, now, now)
    case 'rate_limited':
      return again(answer.message, mail, now, answer.retryAt)
    default:
      return { state: 'failed', reason: mailReason('refused', { message: said(answer.message) }) }
  }
}

/** The same when no try was possible, because the lookup of the recipient's address failed. */
export function postponed(message: string, mail: { tries: number; at: Millis }, now: Millis): AfterMail {
  return again(message, mail, now, now)
}

function again(
  message: string,
  { tries, at }: { tries: number; at: Millis },
  now: Millis,
  notBefore: Millis,
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
export interface MailFacts {
  kind: NoticeKind
  subject: NoticeSubject
  accountName: string
  sentence: string
  since: Millis
  /** For a recovery: since when it had failed; null when unknown. */
  troubleSince: Millis | null
  /** Number of deliveries waiting now. */
  waiting: number
  /** The next step from the check of the address; null when there is none. */
  next: string | null
  /** Link to the card. */
  link: string
  timezone: string
}

/** Writes a short plain text: what happened, since when, how many deliveries wait, what to do, and a link. */
export function noticeMail(facts: MailFacts, now: Millis): { subject: string; text: string } {
  const { kind, accountName, sentence, waiting, next, link, timezone } = facts
  const name = subjectName(facts.subject)
  const time = (at: Millis) => clockTime(at, now, timezone)
  const since = time(facts.since)
  const wait = waiting === 0 ? '' : `${waiting === 1 ? '1 event is' : `${plural(waiting, 'event')} are`} waiting.`
  const lines = (...parts: (string | null)[]) => parts.filter((part) => part !== null && part !== '').join('\n\n')
  const end = [`Open it: ${link}`, signature(accountName)] as const
  switch (kind) {
    case 'failing':
      return {
        subject: `Your ${name} is failing`,
        text: lines(`Your ${name} has been failing since ${since}.`, sentence, wait, next, ...end),
      }
    case 'stopped':
      return {
        subject: `Your ${name} was stopped`,
        text: lines(`Your ${name} was stopped at ${since}.`, sentence, wait, next ?? RESTART, ...end),
      }
    case 'recovered': {
      const from = facts.troubleSince === null ? null : `It had not worked since ${time(facts.troubleSince)}.`
      const left = waiting === 0 ? null : `${wait.slice(0, -1)} and being sent now.`
      return {
        subject: `Your ${name} works again`,
        text: lines(`Your ${name} has been working again since ${since}.`, from, left, ...end),
      }
    }
    default:
      return assertNever(kind)
  }
}

const RESTART =
  'When your system is ready again, press “Start again” on the webhook’s card. What it missed can be sent again.'

function signature(accountName: string): string {
  const whose = accountName === '' ? 'your account' : accountName
  return `Fieldhook wrote this for ${whose}. E-mails like this are switched off on the same page.`
}

const EMAIL_WRONG = 'Enter one e-mail address, such as office@example.com'

/** Empty or null for the address ServiceM8 has. */
const emailField = z
  .string(EMAIL_WRONG)
  .trim()
  .max(254, EMAIL_WRONG)
  .nullable()
  .transform((text) => (text === '' ? null : text))
  .refine((text) => text === null || z.email().safeParse(text).success, EMAIL_WRONG)

/** Schema of the form: an unticked box is missing. */
export const mailChoiceForm = z.object({
  byMail: z
    .string()
    .optional()
    .transform((value) => value === 'yes'),
  email: emailField.default(null),
})

/** Schema of the call's body. */
export const mailChoiceChange = z.strictObject({
  byMail: z.boolean('Must be true or false').optional(),
  email: emailField.optional(),
})
