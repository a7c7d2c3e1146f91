/** What protects customers: counts of messages, mutes, an account's choices; and rules that pause by themselves. */

import type { AccountGuards, AutomationSettings } from '#app/domain/automations/account-guards.ts'
import type { Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'

/** What is asked before a message to a customer. */
interface MessageQuestion {
  automationId: number
  /** The receiver under every key in use: see `receiverHashes`. */
  receiverHashes: readonly string[]
  /** Customers and jobs that the message is about. */
  companyUuids: readonly string[]
  jobUuids: readonly string[]
  now: Millis
  /** When the account's day began. */
  dayStart: Millis
  hourStart: Millis
}

export interface MessageFacts {
  muted: { kind: 'company' | 'job'; until: Millis | null } | null
  byRuleToday: number
  byRuleLastHour: number
  byAccountToday: number
  lastByRule: Millis | null
  lastByAnyRule: Millis | null
}

/** A message that went out, or may have. */
export interface MessageNote {
  automationId: number
  channel: 'sms' | 'email'
  /** Keyed hash of the receiver: see `receiverHashes`. */
  receiverHash: string
}

/** A message that a customer got from an automation. */
export interface GotMessage {
  at: Millis
  channel: 'sms' | 'email'
  runId: number
  automationName: string
}

export interface MuteRow {
  id: number
  kind: 'company' | 'job'
  recordUuid: string
  /** As it was called when it was stopped; '' = not known. */
  name: string
  /** Null = for good. */
  until: Millis | null
  createdAt: Millis
  /** Who stopped it; null = not known. */
  by: string | null
}

/** What a person changed about the limits, in words. */
export interface GuardChange {
  at: Millis
  /** Null = somebody whose name is not known. */
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
  /** The latest messages of any rule to a receiver, newest first. */
  messagesTo(accountUuid: string, receiverHashes: readonly string[], limit: number): Promise<GotMessage[]>
  /** As stored, to be read with `readAccountGuards`; null = nothing was chosen. */
  findAccountGuards(accountUuid: string): Promise<unknown>
  /** What is not named stays. `change` joins the list of changes, in the same transaction. */
  saveAccountGuards(
    accountUuid: string,
    guards: AccountGuards & Partial<Pick<AutomationSettings, 'senderStaffUuid'>>,
    at: Millis,
    change?: Omit<GuardChange, 'at'>,
  ): Promise<void>
  /** The latest changes, newest first; older ones are forgotten. */
  listGuardChanges(accountUuid: string): Promise<GuardChange[]>
  /** Newest first; those that are over are left out. */
  listMutes(accountUuid: string, now: Millis): Promise<MuteRow[]>
  /** Replaces the one of the same record. `change` joins the list of changes. */
  saveMute(
    accountUuid: string,
    mute: { kind: 'company' | 'job'; recordUuid: string; until: Millis | null; name?: string },
    at: Millis,
    change?: Omit<GuardChange, 'at'>,
  ): Promise<{ id: number; isNew: boolean }>
  /** False = no such mute of this account, and then no change is noted. */
  removeMute(accountUuid: string, id: number, change?: GuardChange): Promise<boolean>
  /** When the rule ran on the record since a moment, newest first. */
  runsOnRecord(accountUuid: string, automationId: number, recordUuid: string, since: Millis): Promise<Millis[]>

  /** Pauses rules that are on and not paused yet: one, or (null) all of the account. Answers how many. */
  pauseAutomations(
    accountUuid: string,
    input: { automationId: number | null; reason: Reason; at: Millis },
  ): Promise<number>
  /** Of every account. */
  pausedAutomations(): Promise<PausedRule[]>
  /** Takes back a pause, if it is still the same one; and what waits for it is due now. Answers how many rules go on. */
  resumeAutomations(accountUuid: string, reasons: readonly Reason[], now: Millis): Promise<number>
}
