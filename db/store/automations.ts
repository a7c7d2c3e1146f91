/** Rules, their versions, and the queries that triggers use. */
import type { RuleDefinition, StoredRule, TriggerSource } from '#app/domain/automations/rule.ts'
import type { Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'

/** A rule's current state. Never a deleted one. */
export interface AutomationRow extends StoredRule {
  accountUuid: string
  triggerSource: TriggerSource
  /** Webhook rules: the object whose events are evaluated. */
  watchedObject: string | null
  version: number
  triggerKeySealed: string | null
  /** When the rule was last switched on; null = off. */
  activeSince: Millis | null
  pausedAt: Millis | null
}

interface NewAutomation extends Pick<StoredRule, 'name' | 'definition' | 'active' | 'nextRunAt' | 'baselined'> {
  triggerKey: { hash: string; sealed: string } | null
  at: Millis
}

/** Sets all given fields in one transaction; a new definition or name creates a new version. */
export interface AutomationChange {
  /** Only while it is at this version. */
  ifVersion?: number
  name?: string
  definition?: RuleDefinition
  active?: boolean
  nextRunAt?: Millis | null
  baselined?: boolean
  /** The records that were there when it was switched on count as new ones. */
  forgetsBaseline?: boolean
  pausedReason?: Reason | null
  triggerKey?: { hash: string; sealed: string } | null
  at: Millis
}

/** A deleted rule, as it would come back. */
export interface DeletedAutomation extends AutomationRow {
  deletedAt: Millis
}

interface RestoredAutomation {
  since: Millis
  /** For a manual rule: the hash of its key. */
  triggerKeyHash: string | null
  /** Of the deletion, as it was given then; and of the runs that come back. */
  deletedReason: Reason
  reason: Reason
  at: Millis
}

export interface AutomationStore {
  /** Newest first. */
  listAutomations(accountUuid: string): Promise<AutomationRow[]>
  findAutomation(accountUuid: string, id: number): Promise<AutomationRow | null>
  /** How many rules there are, and their total size in characters as stored. */
  sizeOfAutomations(accountUuid: string): Promise<{ count: number; characters: number }>
  /** Resolves with the new id. */
  createAutomation(accountUuid: string, input: NewAutomation): Promise<number>
  /** Null = no such rule of this account, or it is at another version. */
  changeAutomation(accountUuid: string, id: number, change: AutomationChange): Promise<AutomationRow | null>
  /** Deletes the rule and cancels its runs that have not started, in one transaction. False = no such rule. */
  deleteAutomation(accountUuid: string, id: number, input: { reason: Reason; at: Millis }): Promise<boolean>
  /** A rule deleted at or after `since`, for an undo. Null = none. */
  findDeletedAutomation(accountUuid: string, id: number, since: Millis): Promise<DeletedAutomation | null>
  /**
   * Brings a deleted rule back as it was, on or off, with the runs that its deletion cancelled, in one transaction.
   * Null = no such rule deleted at or after `since`.
   */
  restoreAutomation(accountUuid: string, id: number, input: RestoredAutomation): Promise<AutomationRow | null>
  /** Is the notice open about rules older than the "how often" setting, which can message a customer again? */
  owesRepeatNotice(accountUuid: string): Promise<boolean>
  dismissRepeatNotice(accountUuid: string): Promise<void>
  /** The only lookup without an account: the key authorizes it. */
  findAutomationByTriggerKey(keyHash: string): Promise<AutomationRow | null>
  /** Rules that are on, not paused, and watch the object. */
  automationsWatching(accountUuid: string, object: string): Promise<AutomationRow[]>
  /** Rules that are on, not paused, and start on answers of customers or on receipts. */
  automationsOnMessages(accountUuid: string): Promise<AutomationRow[]>
  /** Polled rules that are on, not paused, and due, earliest first; of all accounts. */
  dueAutomations(now: Millis, limit: number): Promise<AutomationRow[]>
  /** The earliest `nextRunAt` after `now`, for the timer; null = none. */
  nextAutomationDueAt(): Promise<Millis | null>
}
