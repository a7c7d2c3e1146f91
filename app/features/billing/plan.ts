// What an account has: its trial, its paid month, and what happens when neither is left.
import type { Millis } from '#app/lib/clock.ts'

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
  holdReason: string | null
  lastSyncedAt: Millis | null
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
