// What an account has: its trial, its paid month, and what happens when neither is left.
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'

/** One account's subscription to us. `status` is the payment provider's word, or `trial` before the first paid month. */
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
  /** A subscription whose first payment is still open, and what it was quoted as. */
  openSubscriptionId: string | null
  openOffer: 'full' | 'credit' | null
  /** A payment for an early renewal that is neither made nor given up. */
  openRenewalId: string | null
  paymentAttempt: number
  /** Since when and why nothing is sent; what arrives is stored. */
  heldSince: Millis | null
  /** A `PlanHold`, or a text from before there were codes. */
  holdReason: string | null
  lastSyncedAt: Millis | null
  /** Grows with every change: who saves says which one was read. */
  updatedAt: Millis
}

/** Operations of a billing period. `total` is their sum. */
export interface PlanUsage {
  apiCalls: number
  webhooksReceived: number
  webhooksForwarded: number
  total: number
}

export type PaymentMode = 'stripe' | 'sandbox' | 'off'

/** What a page or a call shows of a subscription. */
export interface SubscriptionFacts {
  plan: Plan
  usage: PlanUsage
  billingPeriod: { start: Millis; end: Millis }
}

/** Pence a month. The price configured at the provider has to agree. */
export const MONTHLY_PENCE = 500
export const CURRENCY = 'gbp'
export const TRIAL = days(14)
/** Operations included in a month: the page compares the total with it. */
export const INCLUDED_OPERATIONS = 1000

/** Is the trial still running? The page says "Trial" then, whatever the status. */
export function inTrial(plan: Pick<Plan, 'trialEndsAt'>, now: Millis): boolean {
  return now < plan.trialEndsAt
}

/** What use is counted for: the paid month, or the trial. Both ends are moments; the end belongs to what follows. */
export function billingPeriodOf(
  plan: Pick<Plan, 'trialStartedAt' | 'trialEndsAt' | 'currentPeriodStart' | 'currentPeriodEnd'>,
): SubscriptionFacts['billingPeriod'] {
  const { currentPeriodStart, currentPeriodEnd } = plan
  if (currentPeriodStart !== null && currentPeriodEnd !== null) {
    return { start: currentPeriodStart, end: currentPeriodEnd }
  }
  return { start: plan.trialStartedAt, end: plan.trialEndsAt }
}
