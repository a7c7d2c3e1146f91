/** Forwarding rules: more addresses for an object's events, beside its webhook's own. */
import type { Millis } from '#app/lib/clock.ts'
import type { EndpointFacts, SubscriptionRow, SubscriptionSwitch } from './webhooks.ts'

/** Address, field filter, secret and state are its endpoint's. */
export interface ForwardingRuleRow {
  id: number
  accountUuid: string
  name: string
  objectType: string
  createdAt: Millis
  updatedAt: Millis
}

/** A rule with everything its card shows. */
export interface ForwardingRuleRecord extends EndpointFacts {
  rule: ForwardingRuleRow
}

export interface NewForwardingRule {
  name: string
  objectType: string
  url: string
  /** Comma-separated; empty = every event of the object. */
  fieldFilter: string
  active: boolean
  secretSealed: string
  /** Null = the object's subscription covers it already. */
  subscription: SubscriptionSwitch | null
  at: Millis
}

export interface ForwardingRuleUpdate {
  name?: string
  fieldFilter?: string
  url?: string
  active?: boolean
  subscription: SubscriptionSwitch | null
  at: Millis
}

export interface ForwardingRuleStore {
  /** Oldest first, without deleted ones. */
  listForwardingRules(accountUuid: string): Promise<ForwardingRuleRecord[]>
  /** Of all of them, what events they want: comma-separated fields, empty = every event of the object. Reads nothing else. */
  listRuleFilters(accountUuid: string): Promise<{ objectType: string; fields: string }[]>
  findForwardingRule(accountUuid: string, id: number): Promise<ForwardingRuleRecord | null>
  /** Addresses of webhooks and rules together, deleted ones not counted. */
  countEndpoints(accountUuid: string): Promise<number>

  /** Makes the rule and its endpoint, and switches the subscription, all in one transaction. */
  saveForwardingRule(accountUuid: string, input: NewForwardingRule): Promise<{ id: number; endpointId: number }>
  /**
   * Changes what is named, in one transaction. Resuming, or a new address, clears what is known about failures and makes
   * everything that waits due. Null = no such rule of this account.
   */
  updateForwardingRule(
    accountUuid: string,
    id: number,
    change: ForwardingRuleUpdate,
  ): Promise<{ endpointId: number } | null>
  /**
   * Deletes it, its endpoint with it, in one transaction; the delivery engine then ends what waits for the endpoint, in
   * steps. `endSubscriptions` = nobody else needs the object: its subscriptions become tombstones (410) and are returned,
   * for the platform to be told.
   * Null = no such rule of this account.
   */
  deleteForwardingRule(
    accountUuid: string,
    id: number,
    input: { reason: string; endSubscriptions: boolean; at: Millis },
  ): Promise<{ endpointId: number; objectType: string; ended: SubscriptionRow[] } | null>
}
