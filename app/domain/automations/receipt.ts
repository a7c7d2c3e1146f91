// What became of a message to a customer: its states, and how long an answer is listened for.
import type { Millis } from '#app/lib/clock.ts'
import { days, minutes } from '#app/lib/duration.ts'

export type Channel = 'sms' | 'email'

/**
 * open = it is looked for · listed = an e-mail that ServiceM8 has sent on · delivered = a text · missing = not in the
 * job's history after half an hour · none = it is about no job, so there is no history to look in.
 */
export type ReceiptState = 'open' | 'listed' | 'delivered' | 'opened' | 'bounced' | 'missing' | 'none'

/** As the history shows it beside its message. */
export interface Receipt {
  state: ReceiptState
  /** When it was delivered, listed or opened, by the platform's clock; for a bounce, when it was seen. */
  stateAt: Millis | null
  lookedAt: Millis | null
}

/** A message that the platform's history may show. */
export interface SentAbout {
  /** Null = about no job. */
  jobUuid: string | null
  companyUuid: string | null
  /** When the sending began. */
  sentAt: Millis
  /** When the history is looked at first. */
  firstLookAt: Millis
  /** A conversation whose latest message is older has ended: this message begins another. */
  overBefore: Millis
}

/** After a message, its job's history is looked at then. */
export const RECEIPT_LOOKS: readonly number[] = [minutes(1), minutes(5), minutes(15), minutes(30)]
/** E-mails are opened, or come back, later. */
export const EMAIL_LOOKS: readonly number[] = [days(1), days(2), days(3)]

/** An answer is listened for this long after the latest automatic message about a job. */
export const CONVERSATION_OPEN = days(14)
/** Most customers answer within this time; later, less and less often. */
export const CONVERSATION_FRESH = minutes(30)

/** The platform's clock and ours may differ by ten minutes, and both show whole seconds. */
export const CLOCKS_DIFFER = minutes(10.5)

/** A customer or a job that gets no automatic messages. */
export interface Mute {
  id: number
  kind: 'company' | 'job'
  recordUuid: string
  /** The name when it was muted; '' = unknown. */
  name: string
  /** Null = no end. */
  until: Millis | null
  createdAt: Millis
  /** Who muted it; null = unknown. */
  by: string | null
}

/** Messages to customers so far. A day is the account's calendar day. */
export interface MessagesSent {
  byRuleToday: number
  byRuleLastHour: number
  byAccountToday: number
  /** The latest message to this customer, from this rule and from any rule; null = none. */
  lastByRule: Millis | null
  lastByAnyRule: Millis | null
  /** When they got the very same message about the same job, within the last hour. */
  sameAt?: Millis | null
}
