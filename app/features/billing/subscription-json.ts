// A subscription as the documented call answers it, and beside that what the page says in words.

import type { SubscriptionFacts } from '#app/domain/plan.ts'
import type { Millis } from '../../lib/clock.ts'
import type { PaymentStart } from './payment.ts'

/** Dates are ISO 8601 UTC. */
export function subscriptionJson({ plan, usage, billingPeriod }: SubscriptionFacts) {
  const { status, trialEndsAt, currentPeriodStart, currentPeriodEnd, cancelAtPeriodEnd, heldSince, holdReason } = plan
  return {
    subscription: {
      status,
      trialEndsAt: iso(trialEndsAt),
      currentPeriodStart: iso(currentPeriodStart),
      currentPeriodEnd: iso(currentPeriodEnd),
      cancelAtPeriodEnd,
      held: heldSince === null ? null : { since: iso(heldSince), reason: holdReason },
    },
    usage,
    billingPeriod: { start: iso(billingPeriod.start), end: iso(billingPeriod.end) },
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

function iso(at: Millis | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
