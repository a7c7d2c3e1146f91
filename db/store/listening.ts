/** What the platform's histories of messages show: receipts of what was sent, and answers of customers. */

import type {
  Answer,
  AnswerState,
  Conversation,
  KnownAnswer,
  ListeningFacts,
  ReceiptChange,
  SentMessage,
  WantedReceipt,
} from '#app/domain/automations/conversation.ts'
import type { JournalEffect } from '#app/domain/automations/journal-row.ts'
import type { Mute, ReceiptState } from '#app/domain/automations/receipt.ts'
import type { RunRequest } from '#app/domain/automations/run.ts'
import type { Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { MessageReceiver } from './run-guards.ts'
import type { NewVerdict } from './triggers.ts'

interface NewAnswer extends KnownAnswer {
  /** '' = the platform does not say who. */
  senderHash: string
  state: 'open' | 'muted'
  /** Our id of the staff message about it. */
  tellUuid: string
}

/** Names a message among the effects of its run. */
type MessagePlace = Pick<WantedReceipt, 'runId' | 'stepId' | 'itemKey'>

/** Nothing automatic goes to this customer, or about this job, any more. */
export interface StopMute extends Pick<Mute, 'kind' | 'recordUuid' | 'name'> {
  /** `text of 14:02`. */
  source: string
  /** For the list of changes. */
  words: string
}

/** The outcome of a look at one conversation. */
export interface Look {
  at: Millis
  /** Null = the conversation is over: its row goes. */
  nextLookAt: Millis | null
  receipts: readonly ReceiptChange[]
  answers: readonly NewAnswer[]
  mute: StopMute | null
  /** Messages to the same customer that wait: they are asked again now, and wait for a person. */
  wake: readonly MessagePlace[]
  /** The history shows something that came in, whenever. */
  hasInbound: boolean
}

/** A message to a customer that waits for a time. */
export interface WaitingMessage extends MessagePlace {
  effect: JournalEffect
  companyUuids: string[]
  jobUuids: string[]
}

/** A message that was opened or did not arrive. */
export interface JudgedReceipt extends Pick<Answer, 'id' | 'accountUuid' | 'jobUuid' | 'channel' | 'seenAt'> {
  state: ReceiptState
  /** It came back, or is missing where the history shows others. */
  notArrived: boolean
  /** When it came to this state, by the platform or by our look. */
  happenedAt: Millis
}

/** An answer that no colleague was told of yet. */
export interface UntoldAnswer extends Answer {
  tellUuid: string
  tellTries: number
}

/** What an account lets us read; null = it was never asked. */
export interface Listening extends ListeningFacts {
  readAt: Millis | null
}

/** The conversations of an account that are listened to. */
export interface Listened {
  open: number
  /** Their sum: 1 for one younger than `fresh`, a half at twice that age. */
  freshness: number
}

export interface ListeningStore {
  /** Conversations whose look is due, oldest first, at most `perAccount` of an account. Covers every account. */
  dueConversations(now: Millis, limit: { limit: number; perAccount: number }): Promise<Conversation[]>
  /** The earliest time at which a look is due; null = none. */
  nextLookAt(): Promise<Millis | null>
  countConversations(accountUuid: string, now: Millis, fresh: number): Promise<Listened>
  /** Messages about the job since a moment, oldest first. */
  wantedReceipts(conversation: Conversation, since: Millis): Promise<WantedReceipt[]>
  /** Effects of an account that are on their way: they may stand in the history already, and have no receipt yet. */
  sendingNow(accountUuid: string): Promise<SentMessage[]>
  /**
   * Stores what a look showed, all or nothing. A message that may have been sent and is there becomes sent, and its run
   * goes on. A look that began before the latest stored one changes nothing. Returns the settled messages.
   */
  settleLook(conversation: Conversation, look: Look): Promise<{ settled: number; woken: number } | null>
  /** Answers of the job that were read before. */
  knownAnswers(conversation: Conversation): Promise<KnownAnswer[]>
  /** Messages to customers that wait for a time of their own. */
  waitingMessages(accountUuid: string, now: Millis): Promise<WaitingMessage[]>
  /** Conversations in which this receiver may have answered. */
  conversationsWith(accountUuid: string, receiver: MessageReceiver, since: Millis): Promise<Conversation[]>
  /** The latest open answer of this receiver since a moment, without the one that set off the run; null = none. */
  openAnswer(
    accountUuid: string,
    receiver: MessageReceiver,
    input: { since: Millis; except: number | null },
  ): Promise<Answer | null>
  /**
   * Newest first; `states` null = all. `before` = an id: only older ones. `since`: only those seen after it, or for
   * which a message is held.
   */
  listAnswers(
    accountUuid: string,
    states: readonly AnswerState[] | null,
    limit: number,
    before?: number | null,
    since?: Millis,
  ): Promise<Answer[]>
  /**
   * A person decides about an open answer, and older ones of the same customer: what waits for them goes on, or is left
   * out with `reason`. Null = it is not open.
   */
  settleAnswer(
    accountUuid: string,
    id: number,
    input: { state: 'went_on' | 'stopped'; by: string | null; reason: Reason; at: Millis },
  ): Promise<{ messages: number } | null>
  /** Answers that a colleague is to be told of now. Covers every account. */
  answersToTell(now: Millis, limit: number): Promise<UntoldAnswer[]>
  /** Answers that no rule has been asked about, oldest first, at most `perAccount` of an account. Covers every account. */
  answersToJudge(now: Millis, limit: { limit: number; perAccount: number }): Promise<Answer[]>
  /**
   * Starts what the answer sets off and notes the rest, all or nothing. `takes` = a rule deals with it: messages that
   * wait for it go on. Null = it was judged before.
   */
  settleJudged(
    accountUuid: string,
    id: number,
    input: { requests: readonly RunRequest[]; verdicts: readonly NewVerdict[]; takes: boolean; at: Millis },
  ): Promise<{ started: number; wentOn: number } | null>
  /** The job of the answer could not be read: it is judged later. */
  postponeJudging(accountUuid: string, id: number, judgeAt: Millis): Promise<void>
  /** Receipts that no rule has been asked about, like `answersToJudge`. */
  receiptsToJudge(now: Millis, limit: { limit: number; perAccount: number }): Promise<JudgedReceipt[]>
  /** Like `settleJudged`; how many runs started. */
  settleReceipt(
    accountUuid: string,
    id: number,
    input: { requests: readonly RunRequest[]; verdicts: readonly NewVerdict[]; at: Millis },
  ): Promise<number | null>
  /** The job of the message could not be read: it is judged later. */
  postponeReceipt(accountUuid: string, id: number, judgeAt: Millis): Promise<void>
  /** Answers read since a moment, newest first. */
  answersSince(accountUuid: string, since: Millis, limit: number): Promise<Answer[]>
  /** `tellAt` null = told, or given up. */
  noteTold(accountUuid: string, id: number, tellAt: Millis | null): Promise<void>
  /** A person has read that answers do not show. */
  dismissListening(accountUuid: string, at: Millis): Promise<void>
  /** Puts off a look that failed. `refusedAt` = the platform does not let us read this history. */
  postponeLook(conversation: Conversation, input: { nextLookAt: Millis; refusedAt: Millis | null }): Promise<void>
  findListening(accountUuid: string): Promise<Listening | null>
  /** The latest bounce of an e-mail to a receiver, unless a later one arrived; null = none. */
  lastBounce(accountUuid: string, receiverHashes: readonly string[]): Promise<Millis | null>
}
