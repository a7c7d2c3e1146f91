// The phase of an account's subscription, as the page shows it.
import { inTrial, type PaymentMode, type Plan } from '#app/domain/plan.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'

export type PlanPhase = 'trial' | 'trial_ended' | 'active' | 'ending' | 'past_due' | 'unpaid' | 'canceled' | 'other'

export interface PlanSetting {
  mode: PaymentMode
  now: Millis
  /** The account's IANA zone. */
  zone: string
  /** Whether use above the included operations is really invoiced. */
  overageCharged: boolean
  retentionDays?: number | undefined
}

/** "Trial" while it lasts, whatever the provider's status (spec, section 4). */
export function phaseOf(plan: Pick<Plan, 'status' | 'trialEndsAt' | 'cancelAtPeriodEnd'>, now: Millis): PlanPhase {
  if (inTrial(plan, now)) return 'trial'
  switch (plan.status) {
    case 'trial':
      return 'trial_ended'
    case 'active':
      return plan.cancelAtPeriodEnd ? 'ending' : 'active'
    case 'past_due':
    case 'unpaid':
    case 'canceled':
      return plan.status
    default:
      return 'other'
  }
}

/** Whole days since then, at most `most`. */
export function elapsedDays(since: Millis, now: Millis, most: number): number {
  return Math.min(most, Math.max(0, Math.floor((now - since) / days(1))))
}
