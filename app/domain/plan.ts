// An account's plan: its trial, its paid month, and what happens when both are over.
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'
import { dayOf } from './time/local-time.ts'

/** An account's subscription to us. `status` is the payment provider's, or `trial` before the first paid month. */
export interface Plan {
  accountUuid: string
  status: string
  trialStartedAt: Millis
  trialEndsAt: Millis
  currentPeriodStart: Millis | null
  currentPeriodEnd: Millis | null
  cancelAtPeriodEnd: boolean
  pastDueSince: Millis | null
  customerId: string | null
  subscriptionId: string | null
  priceId: string | null
  /** A subscription whose first payment is still open, and the offer quoted for it. */
  openSubscriptionId: string | null
  openOffer: 'full' | 'credit' | null
  /** A pending payment for an early renewal, neither paid nor abandoned. */
  openRenewalId: string | null
  paymentAttempt: number
  /** Since when and why sending is on hold; incoming events are still stored. */
  heldSince: Millis | null
  /** A `PlanHold`, or text from before there were codes. */
  holdReason: string | null
  lastSyncedAt: Millis | null
  /** Increases with every save: a writer passes the value it read. */
  updatedAt: Millis
}

/** Operations of a billing period. `total` is their sum. */
export interface PlanUsage {
  apiCalls: number
  webhooksReceived: number
  webhooksForwarded: number
  total: number
}

/** Operations of one UTC day; `day` = days since 1970. */
export interface DayOperations {
  day: number
  count: number
}

export type PaymentMode = 'stripe' | 'sandbox' | 'off'

/** The facts of a subscription that pages and API calls show. */
export interface SubscriptionFacts {
  plan: Plan
  usage: PlanUsage
  /** Days with operations, in order. */
  byDay: DayOperations[]
  billingPeriod: { start: Millis; end: Millis }
  /** The UTC days of it that count, from `fromDay` up to, not including, `beforeDay`. */
  counted: { fromDay: number; beforeDay: number }
}

/** Pence per month. Must match the price configured at the provider. */
export const MONTHLY_PENCE = 500
export const CURRENCY = 'gbp'
export const TRIAL = days(14)
/** Operations included per month: the page compares the total with it. */
export const INCLUDED_OPERATIONS = 1000

/** Is the trial still running? The page then says "Trial", whatever the status. */
export function inTrial(plan: Pick<Plan, 'trialEndsAt'>, now: Millis): boolean {
  return now < plan.trialEndsAt
}

const CHARGED: ReadonlySet<string> = new Set(['active', 'past_due', 'unpaid'])

/** The provider would charge on: an erased account must not. It collects a late month also of what ends with it. */
export function isCharged(plan: Plan | null): plan is Plan & { subscriptionId: string } {
  if (plan === null || plan.subscriptionId === null) return false
  return CHARGED.has(plan.status) && !(plan.status === 'active' && plan.cancelAtPeriodEnd)
}

/** The period usage is counted for: the paid month or the trial. The end is exclusive. */
export function billingPeriodOf(
  plan: Pick<Plan, 'trialStartedAt' | 'trialEndsAt' | 'currentPeriodStart' | 'currentPeriodEnd'>,
): SubscriptionFacts['billingPeriod'] {
  const { currentPeriodStart, currentPeriodEnd } = plan
  if (currentPeriodStart !== null && currentPeriodEnd !== null) {
    return { start: currentPeriodStart, end: currentPeriodEnd }
  }
  return { start: plan.trialStartedAt, end: plan.trialEndsAt }
}

/** A paid month counts its whole days, as the meter does: the others would count in two months. */
export function countedDaysOf(plan: Parameters<typeof billingPeriodOf>[0]): SubscriptionFacts['counted'] {
  const { start, end } = billingPeriodOf(plan)
  if (start === plan.currentPeriodStart) return { fromDay: dayOf(start - 1) + 1, beforeDay: dayOf(end) }
  return { fromDay: dayOf(start), beforeDay: dayOf(Math.max(start, end - 1)) + 1 }
}
