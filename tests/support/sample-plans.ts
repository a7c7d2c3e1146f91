// Subscriptions as a page receives them, with overrides for tests.

import type { PaymentMode, Plan, PlanUsage, SubscriptionFacts } from '#app/domain/plan.ts'
import { billingPeriodOf, countedDaysOf } from '#app/domain/plan.ts'
import { type PlanView, planView } from '#app/features/billing/plan-view.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'

/** Sat 21 Nov 2026, 14:03 in London. */
export const TRIAL_BEGAN = Date.UTC(2026, 10, 21, 14, 3)
export const PLAN_ZONE = 'Europe/London'

/** A trial on its first day. */
export function samplePlan(over: Partial<Plan> = {}): Plan {
  return {
    accountUuid: 'account-1',
    status: 'trial',
    trialStartedAt: TRIAL_BEGAN,
    trialEndsAt: TRIAL_BEGAN + days(14),
    currentPeriodStart: null,
    currentPeriodEnd: null,
    cancelAtPeriodEnd: false,
    pastDueSince: null,
    customerId: null,
    subscriptionId: null,
    priceId: null,
    openSubscriptionId: null,
    openOffer: null,
    openRenewalId: null,
    paymentAttempt: 0,
    heldSince: null,
    holdReason: null,
    lastSyncedAt: null,
    updatedAt: TRIAL_BEGAN,
    ...over,
  }
}

/** Paid for a month from 21 November 2026 to 21 December. */
export function samplePaidPlan(over: Partial<Plan> = {}): Plan {
  return samplePlan({
    status: 'active',
    trialEndsAt: TRIAL_BEGAN,
    currentPeriodStart: TRIAL_BEGAN,
    currentPeriodEnd: Date.UTC(2026, 11, 21, 14, 3),
    customerId: 'cus_1',
    subscriptionId: 'sub_1',
    priceId: 'price_1',
    ...over,
  })
}

function sampleFacts(plan: Plan, over: Partial<PlanUsage> = {}): SubscriptionFacts {
  const usage = { apiCalls: 120, webhooksReceived: 100, webhooksForwarded: 92, total: 312, ...over }
  const billingPeriod = billingPeriodOf(plan)
  const counted = countedDaysOf(plan)
  return { plan, usage, byDay: [{ day: counted.fromDay, count: usage.total }], billingPeriod, counted }
}

interface Setting {
  now?: Millis
  mode?: PaymentMode
  usage?: Partial<PlanUsage>
  overageCharged?: boolean
  retentionDays?: number
}

/** The page's view of the plan. */
export function samplePlanView(plan: Plan, setting: Setting = {}): PlanView {
  const { now = TRIAL_BEGAN, mode = 'sandbox', usage = {}, overageCharged = false, retentionDays } = setting
  return planView(sampleFacts(plan, usage), { mode, now, zone: PLAN_ZONE, overageCharged, retentionDays })
}
