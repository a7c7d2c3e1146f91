// A job about which an automation wrote to a customer, and what its history of messages may show.
import type { Millis } from '#app/lib/clock.ts'
import type { JournalEffect } from './journal-row.ts'
import type { Channel, ReceiptState } from './receipt.ts'

/** A job whose history is looked at. */
export interface Conversation {
  accountUuid: string
  jobUuid: string
  channel: Channel
  companyUuid: string | null
  /** The first message of the present conversation, and the latest. */
  openedAt: Millis
  lastMessageAt: Millis
  lookedAt: Millis | null
  /** Looks that failed since the last good one. */
  tries: number
  nextLookAt: Millis
}

/** A message whose receipt is open or may still change, with what identifies it in the history. */
export interface WantedReceipt extends SentMessage, ReceiptChange {
  runId: number
  stepId: string
  itemKey: string
}

/** What identifies a message in the history. */
export interface SentMessage {
  sentAt: Millis
  effect: JournalEffect
}

export interface ReceiptChange {
  id: number
  state: ReceiptState
  stateAt: Millis | null
  nextLookAt: Millis | null
  historyUuid: string | null
}

/** An answer that was read before. */
export interface KnownAnswer {
  historyUuid: string
  words: string
  writtenAt: Millis
}

/** open = waits for a person. muted = they asked for silence. rule = an automation dealt with it. */
export const ANSWER_STATES = ['open', 'went_on', 'stopped', 'muted', 'rule'] as const
export type AnswerState = (typeof ANSWER_STATES)[number]

/** What a customer wrote back. */
export interface Answer extends Pick<Conversation, 'accountUuid' | 'jobUuid' | 'companyUuid' | 'channel'> {
  id: number
  words: string
  writtenAt: Millis
  seenAt: Millis
  state: AnswerState
  settledAt: Millis | null
  settledBy: string | null
}

/** The facts of an account; null = its histories were never asked for. */
export interface ListeningFacts {
  smsRefusedAt: Millis | null
  emailRefusedAt: Millis | null
  /** Conversations that were looked at. */
  conversations: number
  inboundAt: Millis | null
  dismissedAt: Millis | null
}
