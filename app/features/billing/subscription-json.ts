// A subscription as the documented call answers it, and beside that what the page says in words.

import type { SubscriptionFacts } from '#app/domain/plan.ts'
import { planHoldText } from '#app/domain/plan-hold.ts'
import { isoOrNull } from '#app/lib/clock.ts'
import type { PaymentStart } from './payment.ts'

/** Dates are ISO 8601 UTC. */
export function subscriptionJson({ plan, usage, billingPeriod }: SubscriptionFacts) {
  const { status, trialEndsAt, currentPeriodStart, currentPeriodEnd, cancelAtPeriodEnd, heldSince, holdReason } = plan
  return {
    subscription: {
      status,
      trialEndsAt: isoOrNull(trialEndsAt),
      currentPeriodStart: isoOrNull(currentPeriodStart),
      currentPeriodEnd: isoOrNull(currentPeriodEnd),
      cancelAtPeriodEnd,
      held: heldSince === null ? null : { since: isoOrNull(heldSince), reason: holdReason && planHoldText(holdReason) },
    },
    usage,
    billingPeriod: { start: isoOrNull(billingPeriod.start), end: isoOrNull(billingPeriod.end) },
  }
}

/** What a payment form needs, and what it will take: the form of the provider does not show the amount. */
export function paymentJson({
  clientSecret,
  amount,
  currency,
  description,
}: Extract<PaymentStart, { outcome: 'pay' }>) {
  return { clientSecret, amount, currency, description }
}
