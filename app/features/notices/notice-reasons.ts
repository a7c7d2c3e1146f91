// The texts of each reason code: what an account is told, and what happened to the e-mail about it. Texts for e-mails hold
// names of automations, counts and words of our own: what others said may name a customer, and stays on the page.
import { type Reason, reasonCode, reasonsOf } from '#app/domain/reason.ts'

export const MAILS_A_DAY = 5

/** `said`: the result of the latest attempt, or why the endpoint was switched off. */
type Said = { said: string | null }

/** `step` from 1, 0 = the run as a whole; `why` = the error class; `said` = the reason as the run page shows it; `again`: it
 * is tried again. */
type FailedStep = Said & { step: number; action: string; why: string; again?: 0 | 1 }

/** `rules`: the names of the automations it stops, ready to read; '' = none. */
type Stops = { rules: string }

const stops = ({ rules }: Stops) => (rules === '' ? '' : ` It stops: ${rules}.`)

export const NOTICE_REASON_TEXTS = {
  recovered: 'Events arrive at your address again.',
  failing: ({ said }: Said) => `${said ?? 'Nothing could be delivered.'} We keep events and retry them for 72 hours.`,
  stopped: ({ said }: Said) => said ?? 'Your address asked us to send nothing more.',
  given_up: ({ said }: Said) =>
    `${said ?? 'Nothing could be delivered for 72 hours.'} We stopped retrying. New events wait.`,

  run_failed: (failed: FailedStep) =>
    `${stepName(failed)}${failed.said ?? whyText(failed.why)}${failed.again ? ' We keep trying.' : ''}`,
  run_works: 'Its latest run succeeded.',
  waiting: 'Open the list to send or discard.',
  undelivered: 'Check the phone number or e-mail address of the customer.',
  breaker: 'It ran three times for the same record within ten minutes. Check what starts it, then switch it on again.',
  silent: ({ days, usually }: { days: number; usually: string }) =>
    `It has not run for ${days} days, usually ${usually}. Unless it is a holiday, check why.`,

  reconnect: (given: Stops) => `Sign in again in the Webhook Manager.${stops(given)}`,
  suspended: (given: Stops) => `ServiceM8 accepts no calls for this account.${stops(given)}`,
  permission: ({ scope, ...given }: Stops & { scope: string }) =>
    `Sign in again and allow ${scope === '' ? 'what is asked for' : scope}.${stops(given)}`,
  /** The title says why, and until which day a late payment stops nothing. */
  plan: ({ hold, ...given }: Stops & { hold: string; until?: string }) =>
    hold === 'past_due'
      ? 'An owner presses Pay now: open Fieldhook from ServiceM8.'
      : `An owner does that: open Fieldhook from ServiceM8. Events of the last 72 hours go out then.${stops(given)}`,
  upstream: ({ object, ...given }: Stops & { object: string }) =>
    `Compare with ServiceM8 in the Webhook Manager (${object}).${stops(given)}`,
  /** `what`: the permission or the object of a cause that stopped only some; `rules`: what it stopped. */
  account_works: (_cause: { kind?: string; what?: string } & Partial<Stops>) => 'The cause is resolved.',
  weekly: ({
    rules,
    unwell,
    messages,
    failures,
  }: {
    rules: number
    unwell: number
    messages: number
    failures: number
  }) => `${weeklyHead(rules, unwell)}: ${count(messages, 'message')}, ${count(failures, 'failure')}.`,
}

function weeklyHead(rules: number, unwell: number): string {
  if (unwell > 0) return `${unwell} of your ${count(rules, 'automation')} ${unwell === 1 ? 'needs' : 'need'} you`
  return rules === 1 ? 'Your automation is working' : `All ${rules} automations are working`
}

const count = (number: number, one: string) => `${number} ${number === 1 ? one : `${one}s`}`

function stepName({ step, action }: Pick<FailedStep, 'step' | 'action'>): string {
  return step === 0 ? '' : `Step ${step}, ${action}: `
}

/** The error classes of steps, in words that name nobody. */
const WHY: Readonly<Record<string, string>> = {
  invalid: 'ServiceM8 rejected the values.',
  not_found: 'something it needs is no longer in ServiceM8.',
  template_missing: 'its template is no longer in ServiceM8.',
  document_missing: 'its document is missing.',
  staff_gone: 'the staff member no longer works there.',
  too_many_lines: 'it has too many lines.',
  value: 'a value in it is not valid.',
  parent_missing: 'the record it belongs to was not created.',
  address_refused: 'its address refused it.',
  address_failed: 'its address did not take it.',
  unavailable: 'nobody answered.',
  rate_limited: 'the limit for calls was reached for too long.',
  limit: 'the limit for calls was reached for too long.',
  reconnect: 'ServiceM8 was not connected for too long.',
  scope: 'a permission was missing for too long.',
  suspended: 'the ServiceM8 account was suspended for too long.',
  not_done: 'it was tried several times, and ServiceM8 does not have it.',
  unclear: 'no clear answer came back.',
}

function whyText(why: string): string {
  return Object.hasOwn(WHY, why) ? (WHY[why] as string) : 'it could not be done.'
}

/** The reason for an e-mail: without what ServiceM8, a receiver or an action said. */
export function mailableReason(reason: Reason): Reason {
  if (typeof reason === 'string') return ''
  if (reasonCode(reason) !== 'run_failed') return reason
  return { ...reason, params: { ...reason.params, said: null } }
}

/** Why no e-mail can be sent for an account now. */
export const MAIL_PROBLEM_TEXTS = {
  not_connected: 'E-mails go through ServiceM8, which is not connected at present. Sign in again to get them.',
  not_allowed: 'Fieldhook may not send e-mails through ServiceM8. Sign in again and allow it.',
}

export type MailProblem = keyof typeof MAIL_PROBLEM_TEXTS

export const MAIL_REASON_TEXTS = {
  off: 'No e-mail: they are switched off.',
  not_connected: () => `No e-mail. ${MAIL_PROBLEM_TEXTS.not_connected}`,
  not_allowed: () => `No e-mail. ${MAIL_PROBLEM_TEXTS.not_allowed}`,
  superseded: 'No e-mail: it was over before one could be sent.',
  too_many: `No e-mail: ${MAILS_A_DAY} were sent within 24 hours already.`,
  no_address: 'No e-mail: ServiceM8 has no e-mail address for your account. Enter one under “Notices by e-mail”.',
  /** Stored before sending: it stays when the result is unknown. */
  unclear: 'ServiceM8 did not confirm the e-mail. It may not have been sent. We do not resend it.',
  smtp_unclear: 'The mail server did not confirm the e-mail. It may not have been sent. We do not resend it.',
  account_erased: 'The account was erased.',
  sent: ({ to }: { to: string }) => `E-mail sent to ${to}.`,
  smtp_sent: ({ to }: { to: string }) => `E-mail sent to ${to} by Fieldhook’s own mail server.`,
  refused: ({ message }: { message: string }) => `No e-mail: ${message}`,
  smtp_refused: ({ message }: { message: string }) => `No e-mail. The mail server said: ${message}`,
  again: ({ message }: { message: string }) => `We retry the e-mail: ${message}`,
}

/** The ends of an e-mail after which nobody was told although somebody was to be. */
const UNTOLD: ReadonlySet<string> = new Set<keyof typeof MAIL_REASON_TEXTS>([
  ...(['not_connected', 'not_allowed', 'no_address', 'refused', 'unclear', 'smtp_refused', 'smtp_unclear'] as const),
])

/** For the operator: how many could be told to nobody, and whether the mail server had a part in it. */
export function untoldOf(ends: readonly { code: string; count: number }[]): { count: number; bySmtp: boolean } {
  const untold = ends.filter(({ code }) => UNTOLD.has(code))
  const count = untold.reduce((sum, end) => sum + end.count, 0)
  return { count, bySmtp: untold.some(({ code }) => code.startsWith('smtp_')) }
}

export const { reason: noticeReason, text: noticeReasonText } = reasonsOf(NOTICE_REASON_TEXTS)
export const { reason: mailReason, text: mailReasonText } = reasonsOf(MAIL_REASON_TEXTS)
