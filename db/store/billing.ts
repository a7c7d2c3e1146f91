/** What accounts pay: their plans, the payment provider's events, early renewals, and use that is charged for. */
import type { Plan, PlanUsage } from '#app/domain/plan.ts'
import type { Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'

/** What can change about a plan. When its trial began never does. */
export type PlanChange = Partial<Omit<Plan, 'accountUuid' | 'trialStartedAt' | 'updatedAt'>>

/** paid: not yet applied to the subscription · applied · refunded: it could not be. */
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
  /** The account's plan; made with a trial of `trialMs` from now on when it never had one. */
  ensurePlan(accountUuid: string, trialMs: number, now: Millis): Promise<Plan>
  findPlan(accountUuid: string): Promise<Plan | null>
  /** The same with the IANA zone of the account, for days. */
  findPlanInZone(accountUuid: string): Promise<{ plan: Plan; timezone: string } | null>
  findPlanOfCustomer(customerId: string): Promise<Plan | null>
  /**
   * Saves all of the change if the plan is still the one that was read. Null = it is not: read it again. `release` = the change ends
   * a hold: runs that have been due since before then are left to a person, in the same transaction.
   */
  savePlan(
    accountUuid: string,
    seenUpdatedAt: Millis,
    change: PlanChange,
    now: Millis,
    release?: { runsDueBefore: Millis; reason: Reason } | null,
  ): Promise<Plan | null>
  /** Gives every account that has no plan its trial, from now on. */
  beginMissingTrials(trialMs: number, now: Millis): Promise<number>
  /** Plans in the order of their accounts, after this one. */
  plansAfter(accountUuid: string, limit: number): Promise<Plan[]>
  /** Accounts with a customer whose projection was not read since then, the oldest first. */
  accountsToSync(readBefore: Millis, limit: number): Promise<string[]>
  /** Addresses of the account, for the delivery engine to look at again. */
  endpointsOfAccount(accountUuid: string): Promise<number[]>

  /** Operations of whole UTC days: from this one, before that one (days since 1970). */
  usageOfDays(accountUuid: string, fromDay: number, beforeDay: number): Promise<PlanUsage>

  /** Notes an event on its arrival. True = its work is to be done; false = it was done before. */
  beginPaymentEvent(event: { id: string; type: string; createdAt: Millis }, now: Millis): Promise<boolean>
  /** Its work is committed. */
  endPaymentEvent(id: string, now: Millis): Promise<void>
  failPaymentEvent(id: string, error: string): Promise<void>
  /** Processed ones received before then. */
  forgetPaymentEvents(receivedBefore: Millis): Promise<number>

  /** Notes that an early renewal was paid, once; answers what has become of it. */
  noteRenewalPaid(
    accountUuid: string,
    payment: { paymentId: string; amount: number },
    now: Millis,
  ): Promise<RenewalState>
  /** Applied or given back. The plan forgets the open payment in the same transaction. */
  endRenewal(accountUuid: string, paymentId: string, state: Exclude<RenewalState, 'paid'>, now: Millis): Promise<void>
  /** Paid, and neither applied nor given back. */
  renewalsToApply(limit: number): Promise<{ accountUuid: string; paymentId: string }[]>

  /**
   * A row for each day, from `fromDay` on and before `today`, that lies wholly within a paid month and has use. A day that has a
   * row keeps it.
   */
  makeUsageReports(fromDay: number, today: number, now: Millis): Promise<number>
  /** What was not sent yet, of days from `fromDay` on, the oldest first. */
  usageReportsToSend(fromDay: number, limit: number): Promise<UsageReport[]>
  endUsageReport(accountUuid: string, identifier: string, now: Millis): Promise<void>
  failUsageReport(accountUuid: string, identifier: string): Promise<void>
}
