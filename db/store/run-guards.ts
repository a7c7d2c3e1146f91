/** Protection of customers: message counts, mutes, account settings; and rules paused by the engine. */

import type { AutomationSettings } from '#app/domain/automations/account-guards.ts'
import type { MessagesSent, Mute, SentAbout } from '#app/domain/automations/receipt.ts'
import type { Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'

/** Who a message is for, and the jobs and customers it is about. */
export interface MessageReceiver {
  jobUuids: readonly string[]
  companyUuids: readonly string[]
  /** Under every key in use: see `receiverHashes`. */
  receiverHashes: readonly string[]
}

/** The facts checked before a message to a customer. */
interface MessageQuestion extends MessageReceiver {
  automationId: number
  /** What this run sent itself is no earlier message; null = no run yet. */
  runId: number | null
  now: Millis
  /** When the account's day began. */
  dayStart: Millis
  hourStart: Millis
}

interface MessageFacts extends Omit<MessagesSent, 'sameAt'> {
  muted: Pick<Mute, 'id' | 'kind' | 'until'> | null
  /** What this receiver got since `hourStart`, from any rule, and since the same rule last wrote about the record: as stored. */
  got: { at: Millis; effect: string }[]
}

/** A message that was sent, or may have been. */
export interface MessageNote {
  automationId: number
  channel: 'sms' | 'email'
  /** Keyed hash of the receiver: see `receiverHashes`. */
  receiverHash: string
  /** Where its receipt is looked for; missing = it is not sent now. */
  sent?: SentAbout
}

/** A message a customer received from an automation. */
export interface GotMessage {
  at: Millis
  channel: 'sms' | 'email'
  runId: number
  automationName: string
}

/** A person's change to the limits, in words. */
export interface GuardChange {
  at: Millis
  /** Null = a person whose name is unknown. */
  by: string | null
  words: string
}

export interface PausedRule {
  accountUuid: string
  automationId: number
  reason: Reason
  pausedAt: Millis
}

export interface RunGuardStore {
  messageFacts(accountUuid: string, question: MessageQuestion): Promise<MessageFacts>
  /** The latest messages of all rules to a receiver, newest first. */
  messagesTo(accountUuid: string, receiverHashes: readonly string[], limit: number): Promise<GotMessage[]>
  /** Messages to customers since a moment, of all rules, deleted ones too. */
  countMessages(accountUuid: string, since: Millis): Promise<{ sms: number; email: number }>
  /** As stored, for `readAccountGuards`; null = no settings saved. */
  findAccountGuards(accountUuid: string): Promise<unknown>
  /** Omitted settings stay. Appends `change` to the list of changes, in the same transaction. */
  saveAccountGuards(
    accountUuid: string,
    guards: Partial<AutomationSettings>,
    at: Millis,
    change?: Omit<GuardChange, 'at'>,
  ): Promise<void>
  /** The latest changes, newest first; older ones are deleted. */
  listGuardChanges(accountUuid: string): Promise<GuardChange[]>
  /** Newest first, without expired ones. */
  listMutes(accountUuid: string, now: Millis): Promise<Mute[]>
  /** Replaces the existing mute of the same record. Appends `change`, whose `by` it is unless the mute has its own. */
  saveMute(
    accountUuid: string,
    mute: { kind: 'company' | 'job'; recordUuid: string; until: Millis | null; name?: string; by?: string | null },
    at: Millis,
    change?: Omit<GuardChange, 'at'>,
  ): Promise<{ id: number; isNew: boolean }>
  /** What was muted; null = no such mute of this account: then no change is stored. */
  removeMute(accountUuid: string, id: number, change?: GuardChange): Promise<Pick<Mute, 'kind' | 'recordUuid'> | null>

  /** Pauses rules that are on and not paused yet: one, or (null) all of the account. Returns how many. */
  pauseAutomations(
    accountUuid: string,
    input: { automationId: number | null; reason: Reason; at: Millis },
  ): Promise<number>
  /** Of all accounts. */
  pausedAutomations(): Promise<PausedRule[]>
  /** Ends a pause if its reason is unchanged; the rules' waiting work is due now. Returns how many rules resume. */
  resumeAutomations(accountUuid: string, reasons: readonly Reason[], now: Millis): Promise<number>
}
