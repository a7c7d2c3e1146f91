// The texts of each reason code: what an account is told about its addresses, and what happened to the e-mail about it.
import { reasonsOf } from '#app/domain/reason.ts'

export const MAILS_A_DAY = 5

/** `said`: the result of the latest attempt, or why the endpoint was switched off. */
type Said = { said: string | null }

export const NOTICE_REASON_TEXTS = {
  recovered: 'Events arrive at your address again.',
  failing: ({ said }: Said) => `${said ?? 'Nothing could be delivered.'} Events are kept and tried again for 72 hours.`,
  stopped: ({ said }: Said) => said ?? 'Your address asked us to send nothing more.',
  given_up: ({ said }: Said) =>
    `${said ?? 'Nothing could be delivered for 72 hours.'} We have stopped trying; new events are kept.`,
}

/** Why no e-mail can be sent for an account now. */
export const MAIL_PROBLEM_TEXTS = {
  not_connected: 'E-mails go through ServiceM8, which is not connected at present. Sign in again to get them.',
  not_allowed: 'ServiceM8 has not been allowed to send e-mails for Fieldhook. Sign in again and allow it.',
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
  unclear: 'The e-mail may not have been sent: ServiceM8 did not say. It is not repeated.',
  account_erased: 'The account was erased.',
  sent: ({ to }: { to: string }) => `E-mail sent to ${to}.`,
  refused: ({ message }: { message: string }) => `No e-mail: ${message}`,
  again: ({ message }: { message: string }) => `The e-mail is tried again: ${message}`,
}

export const { reason: noticeReason, text: noticeReasonText } = reasonsOf(NOTICE_REASON_TEXTS)
export const { reason: mailReason, text: mailReasonText } = reasonsOf(MAIL_REASON_TEXTS)
