/** Billing: plans, the payment provider's events, early renewals, and paid usage. */
import type { DayOperations, Plan, PlanUsage } from '#app/domain/plan.ts'
import type { Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'

/** The fields of a plan that can change. The trial's start never does. */
export type PlanChange = Partial<Omit<Plan, 'accountUuid' | 'trialStartedAt' | 'updatedAt'>>

/** paid: not applied to the subscription yet · applied · refunded: it could not be applied. */
export type RenewalState = 'paid' | 'applied' | 'refunded'

export interface UsageReport {
  identifier: string
  accountUuid: string
  customerId: string
  /** Days since 1970, UTC. */
  day: number
  count: number
}

export interface BillingStore {
  /** Returns the account's plan; creates one with a trial of `trialMs` from now if it never had one. */
  ensurePlan(accountUuid: string, trialMs: number, now: Millis): Promise<Plan>
  findPlan(accountUuid: string): Promise<Plan | null>
  /** The plan with the account's IANA zone, for calculating days. */
  findPlanInZone(accountUuid: string): Promise<{ plan: Plan; timezone: string } | null>
  findPlanOfCustomer(customerId: string): Promise<Plan | null>
  /**
   * Saves the whole change if the plan is unchanged since it was read. Null = it changed: read it again. `release` =
   * the change ends a hold: runs due since before then are left to a person, in the same transaction.
   */
  savePlan(
    accountUuid: string,
    seenUpdatedAt: Millis,
    change: PlanChange,
    now: Millis,
    release?: { runsDueBefore: Millis; reason: Reason } | null,
  ): Promise<Plan | null>
  /** Gives every account without a plan a trial, starting now. */
  beginMissingTrials(trialMs: number, now: Millis): Promise<number>
  /** Plans ordered by account, after this one. */
  plansAfter(accountUuid: string, limit: number): Promise<Plan[]>
  /** Accounts with a customer whose projection has not been read since then, oldest first. */
  accountsToSync(readBefore: Millis, limit: number): Promise<string[]>
  /** The account's endpoints, for the delivery engine to reload. */
  endpointsOfAccount(accountUuid: string): Promise<number[]>

  /** Operations in whole UTC days, also day by day: from `fromDay` up to, not including, `beforeDay` (days since 1970). */
  usageOfDays(accountUuid: string, fromDay: number, beforeDay: number): Promise<PlanUsage & { byDay: DayOperations[] }>

  /** Stores an event on arrival. True = it still has to be processed; false = it was processed before. */
  beginPaymentEvent(event: { id: string; type: string; createdAt: Millis }, now: Millis): Promise<boolean>
  /** Marks the event as processed: its work is committed. */
  endPaymentEvent(id: string, now: Millis): Promise<void>
  failPaymentEvent(id: string, error: string): Promise<void>
  /** Deletes processed events received before then. */
  forgetPaymentEvents(receivedBefore: Millis): Promise<number>

  /** Records a paid early renewal, once; returns its state. */
  noteRenewalPaid(
    accountUuid: string,
    payment: { paymentId: string; amount: number },
    now: Millis,
  ): Promise<RenewalState>
  /** Marks it applied or refunded. Clears the plan's open payment in the same transaction. */
  endRenewal(accountUuid: string, paymentId: string, state: Exclude<RenewalState, 'paid'>, now: Millis): Promise<void>
  /** Paid renewals that are neither applied nor refunded. */
  renewalsToApply(limit: number): Promise<{ accountUuid: string; paymentId: string }[]>

  /**
   * Creates a row for each day with usage, from `fromDay` on and before `today`, that lies wholly within a paid month.
   * Existing rows stay unchanged.
   */
  makeUsageReports(fromDay: number, today: number, now: Millis): Promise<number>
  /** Unsent reports of days from `fromDay` on, oldest first. */
  usageReportsToSend(fromDay: number, limit: number): Promise<UsageReport[]>
  endUsageReport(accountUuid: string, identifier: string, now: Millis): Promise<void>
  failUsageReport(accountUuid: string, identifier: string): Promise<void>
}
