/** Rules, their versions, and what the triggers ask about them. */
import type { RuleDefinition, TriggerSource } from '#app/domain/automations/rule.ts'
import type { Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'

/** A rule as it stands, deleted ones excepted. */
export interface AutomationRow {
  id: number
  accountUuid: string
  name: string
  active: boolean
  triggerSource: TriggerSource
  /** Webhook rules: the object whose events are looked at. */
  watchedObject: string | null
  version: number
  definition: RuleDefinition
  triggerKeySealed: string | null
  /** Polled rules: the next look; null = only when asked. */
  nextRunAt: Millis | null
  /** Since when it is on without a break; null = off. */
  activeSince: Millis | null
  /** False = what matches already has yet to be noted, so that it is left alone. */
  baselined: boolean
  /** Why the engine does not start it although it is on; null = it does. */
  pausedReason: Reason | null
  pausedAt: Millis | null
  executionCount: number
  lastExecutedAt: Millis | null
  createdAt: Millis
  updatedAt: Millis
}

interface NewAutomation {
  name: string
  definition: RuleDefinition
  active: boolean
  nextRunAt: Millis | null
  baselined: boolean
  triggerKey: { hash: string; sealed: string } | null
  at: Millis
}

/** Everything named is set, in one transaction; a new definition or name makes a new version. */
export interface AutomationChange {
  name?: string
  definition?: RuleDefinition
  active?: boolean
  nextRunAt?: Millis | null
  baselined?: boolean
  pausedReason?: Reason | null
  triggerKey?: { hash: string; sealed: string } | null
  at: Millis
}

export interface AutomationStore {
  /** Newest first. */
  listAutomations(accountUuid: string): Promise<AutomationRow[]>
  findAutomation(accountUuid: string, id: number): Promise<AutomationRow | null>
  /** How many there are, and how many characters they have together as stored. */
  sizeOfAutomations(accountUuid: string): Promise<{ count: number; characters: number }>
  /** Resolves with its id. */
  createAutomation(accountUuid: string, input: NewAutomation): Promise<number>
  /** Null = no such rule of this account. */
  changeAutomation(accountUuid: string, id: number, change: AutomationChange): Promise<AutomationRow | null>
  /** Deletes it and ends its runs that have not begun as cancelled, in one transaction. False = no such rule. */
  deleteAutomation(accountUuid: string, id: number, input: { reason: Reason; at: Millis }): Promise<boolean>
  /** What a rule said at a version; deleted rules included, for runs that began with it. */
  findAutomationVersion(
    accountUuid: string,
    id: number,
    version: number,
  ): Promise<{ name: string; definition: RuleDefinition } | null>
  /** Has it rules from before "how often" was a choice, which can write to a customer again, and was it not told yet? */
  owesRepeatNotice(accountUuid: string): Promise<boolean>
  dismissRepeatNotice(accountUuid: string): Promise<void>
  /** The only lookup without an account: the key is the proof. */
  findAutomationByTriggerKey(keyHash: string): Promise<AutomationRow | null>
  /** Rules that are on, not paused, and watch the object. */
  automationsWatching(accountUuid: string, object: string): Promise<AutomationRow[]>
  /** Polled rules that are on, not paused, and due, earliest first; of all accounts. */
  dueAutomations(now: Millis, limit: number): Promise<AutomationRow[]>
  /** The earliest `nextRunAt` after `now`, for the alarm clock; null = none. */
  nextAutomationDueAt(): Promise<Millis | null>
}
