// When nothing is sent for an account because it is not paid for. What arrives is stored all the same.

import type { PaymentMode, Plan } from '#app/domain/plan.ts'
import type { Millis } from '../../lib/clock.ts'
import { days, hours } from '../../lib/duration.ts'

/** After the end of the trial everything goes on for so long. */
export const TRIAL_GRACE = days(3)
/** After a payment that failed. */
export const LATE_GRACE = days(7)

export const HELD_TRIAL_ENDED = 'Trial ended: subscribe to resume'
export const HELD_PAYMENT_FAILED = 'Payment failed: pay to resume'
export const HELD_SUBSCRIPTION_ENDED = 'Subscription ended: subscribe to resume'

/** What has waited longer is not sent by itself any more: deliveries have expired by then, runs are left to a person. */
export const RELEASED_UNTIL = hours(72)
export const RUN_TOO_OLD =
  'It waited more than 72 hours because nothing was sent for the account. Look whether it still makes sense, then let it go on.'

type HoldFacts = Pick<Plan, 'status' | 'trialEndsAt' | 'pastDueSince' | 'currentPeriodStart'>

/** From when on an account is held if nothing changes, and why; null = nothing is in sight. */
export function holdAhead(plan: HoldFacts): { from: Millis; reason: string } | null {
  switch (plan.status) {
    case 'active':
      return null
    case 'trial':
      return { from: plan.trialEndsAt + TRIAL_GRACE, reason: HELD_TRIAL_ENDED }
    case 'past_due':
      return {
        from: (plan.pastDueSince ?? plan.currentPeriodStart ?? plan.trialEndsAt) + LATE_GRACE,
        reason: HELD_PAYMENT_FAILED,
      }
    case 'unpaid':
      return { from: 0, reason: HELD_PAYMENT_FAILED }
    case 'canceled':
    case 'paused':
      return { from: 0, reason: HELD_SUBSCRIPTION_ENDED }
    default:
      // A word of the provider that is newer than this: nobody is cut off for it.
      return null
  }
}

/** Why nothing is sent for the account at present; null = everything is. */
export function holdReasonOf(plan: HoldFacts, mode: PaymentMode, now: Millis): string | null {
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
