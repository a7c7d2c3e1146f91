// When nothing is sent for an account because it is not paid for. What arrives is stored all the same.
import type { PaymentMode, Plan } from '#app/domain/plan.ts'
import type { PlanHold } from '../../domain/plan-hold.ts'
import type { Millis } from '../../lib/clock.ts'
import { days, hours } from '../../lib/duration.ts'

/** After the end of the trial everything goes on for so long. */
export const TRIAL_GRACE = days(3)
/** After a payment that failed. */
export const LATE_GRACE = days(7)

/** What has waited longer is not sent by itself any more: deliveries have expired by then, runs are left to a person. */
export const RELEASED_UNTIL = hours(72)

type HoldFacts = Pick<Plan, 'status' | 'trialEndsAt' | 'pastDueSince' | 'currentPeriodStart'>

/** From when on an account is held if nothing changes, and why; null = nothing is in sight. */
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
      // A word of the provider that is newer than this: nobody is cut off for it.
      return null
  }
}

/** Why nothing is sent for the account at present; null = everything is. */
export function holdReasonOf(plan: HoldFacts, mode: PaymentMode, now: Millis): PlanHold | null {
  if (mode === 'off') return null
  const ahead = holdAhead(plan)
  return ahead !== null && ahead.from <= now ? ahead.reason : null
}

/** What has to be saved about the hold; null = it is as it should be. A hold keeps its beginning when its reason changes. */
export function holdChange(
  plan: HoldFacts & Pick<Plan, 'heldSince' | 'holdReason'>,
  mode: PaymentMode,
  now: Millis,
): Pick<Plan, 'heldSince' | 'holdReason'> | null {
  const holdReason = holdReasonOf(plan, mode, now)
  if (holdReason === plan.holdReason && (holdReason === null) === (plan.heldSince === null)) return null
  return { holdReason, heldSince: holdReason === null ? null : (plan.heldSince ?? now) }
}
