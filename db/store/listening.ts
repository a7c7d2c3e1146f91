/** What the platform's histories of messages show: receipts of what was sent, and answers of customers. */

import type { JournalEffect } from '#app/domain/automations/journal-row.ts'
import type { Channel, ReceiptState } from '#app/domain/automations/receipt.ts'
import type { StepState } from '#app/domain/automations/run.ts'
import type { Millis } from '#app/lib/clock.ts'

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
export interface WantedReceipt {
  id: number
  runId: number
  stepId: string
  itemKey: string
  state: ReceiptState
  stateAt: Millis | null
  sentAt: Millis
  nextLookAt: Millis | null
  historyUuid: string | null
  effect: JournalEffect
  /** State of its row in the journal. */
  stepState: StepState
}

export interface ReceiptChange {
  id: number
  state: ReceiptState
  stateAt: Millis | null
  nextLookAt: Millis | null
  historyUuid: string | null
}

/** The outcome of a look at one conversation. */
export interface Look {
  at: Millis
  /** Null = the conversation is over: its row goes. */
  nextLookAt: Millis | null
  receipts: readonly ReceiptChange[]
}

/** What an account lets us read; null = it was never asked. */
export interface Listening {
  smsRefusedAt: Millis | null
  emailRefusedAt: Millis | null
  readAt: Millis | null
  /** Conversations that were looked at. */
  conversations: number
  inboundAt: Millis | null
  dismissedAt: Millis | null
}

export interface ListeningStore {
  /** Conversations whose look is due, oldest first, at most `perAccount` of an account. Covers every account. */
  dueConversations(now: Millis, limit: { limit: number; perAccount: number }): Promise<Conversation[]>
  /** The earliest time at which a look is due; null = none. */
  nextLookAt(): Promise<Millis | null>
  /** How many conversations of the account are listened to. */
  countConversations(accountUuid: string): Promise<number>
  /** Messages about the job since a moment, oldest first. */
  wantedReceipts(conversation: Conversation, since: Millis): Promise<WantedReceipt[]>
  /**
   * Stores what a look showed, all or nothing. A message that may have been sent and is there becomes sent, and its run
   * goes on. A look that began before the latest stored one changes nothing. Returns the settled messages.
   */
  settleLook(conversation: Conversation, look: Look): Promise<{ settled: number } | null>
  /** Puts off a look that failed. `refusedAt` = the platform does not let us read this history. */
  postponeLook(conversation: Conversation, input: { nextLookAt: Millis; refusedAt: Millis | null }): Promise<void>
  findListening(accountUuid: string): Promise<Listening | null>
  /** The latest bounce of an e-mail to a receiver, unless a later one arrived; null = none. */
  lastBounce(accountUuid: string, receiverHashes: readonly string[]): Promise<Millis | null>
}
