// Decides when deliveries and runs are on hold because the account is unpaid. Received events are stored anyway.
import type { PaymentMode, Plan } from '#app/domain/plan.ts'
import type { PlanHold } from '../../domain/plan-hold.ts'
import type { Millis } from '../../lib/clock.ts'
import { days, hours } from '../../lib/duration.ts'

/** How long everything continues after the end of the trial. */
export const TRIAL_GRACE = days(3)
/** How long everything continues after a failed payment. */
export const LATE_GRACE = days(7)

/** Older waiting work is not sent automatically: deliveries have expired by then, runs are left to a person. */
export const RELEASED_UNTIL = hours(72)

type HoldFacts = Pick<Plan, 'status' | 'trialEndsAt' | 'pastDueSince' | 'currentPeriodStart'>

/** Returns when and why the account goes on hold if nothing changes; null when no hold is in sight. */
export function holdAhead(plan: HoldFacts): { from: Millis; reason: PlanHold } | null {
  switch (plan.status) {
    case 'active':
      return null
    case 'trial':
      return { from: plan.trialEndsAt + TRIAL_GRACE, reason: 'trial_ended' }
    case 'past_due':
      return {
        from: (plan.pastDueSince ?? plan.currentPeriodStart ?? plan.trialEndsAt) + LATE_GRACE,
        reason: 'payment_failed',
      }
    case 'unpaid':
      return { from: 0, reason: 'payment_failed' }
    case 'canceled':
    case 'paused':
      return { from: 0, reason: 'subscription_ended' }
    default:
      // A provider status unknown to this code: do not hold anyone for it.
      return null
  }
}

/** Returns why the account is on hold now; null when it is not. */
export function holdReasonOf(plan: HoldFacts, mode: PaymentMode, now: Millis): PlanHold | null {
  if (mode === 'off') return null
  const ahead = holdAhead(plan)
  return ahead !== null && ahead.from <= now ? ahead.reason : null
}

/** Returns the hold fields to save; null when they are correct. A hold keeps its start when its reason changes. */
export function holdChange(
  plan: HoldFacts & Pick<Plan, 'heldSince' | 'holdReason'>,
  mode: PaymentMode,
  now: Millis,
): Pick<Plan, 'heldSince' | 'holdReason'> | null {
  const holdReason = holdReasonOf(plan, mode, now)
  if (holdReason === plan.holdReason && (holdReason === null) === (plan.heldSince === null)) return null
  return { holdReason, heldSince: holdReason === null ? null : (plan.heldSince ?? now) }
}
