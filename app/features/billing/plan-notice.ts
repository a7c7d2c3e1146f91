// The line about the subscription that every page shows when something is, or soon will be, in the way.
import { dayText } from '#app/domain/moments.ts'
import { inTrial, type PaymentMode, type Plan } from '#app/domain/plan.ts'
import type { PlanHold } from '#app/domain/plan-hold.ts'
import { QUARANTINED } from '#app/domain/quarantine.ts'
import type { Millis } from '../../lib/clock.ts'
import { holdAhead, holdReasonOf } from './hold.ts'
import { daysLeft } from './offers.ts'

/** The action leads to the subscription page. Null = what is said is not for the reader to mend. */
export interface PlanNotice {
  tone: 'attention' | 'failing' | 'held'
  sentence: string
  action: { label: string } | null
}

/** Above everything else: whatever the subscription, nothing is sent. */
export const COPY_HELD: PlanNotice = { tone: 'held', sentence: QUARANTINED, action: null }

const NOTHING_IS_LOST = 'Events are kept, and nothing is forwarded and no automation runs until then.'

/** Null = there is nothing to say. `timezone` = IANA zone of the account, for days. */
export function planNotice(plan: Plan, mode: PaymentMode, now: Millis, timezone: string): PlanNotice | null {
  if (mode === 'off') return null
  const held = holdReasonOf(plan, mode, now)
  if (held !== null) return heldNotice(held)
  const day = (at: Millis) => dayText(at, timezone)
  const ahead = holdAhead(plan)
  const until = ahead ? ` Forwarding and automations go on until ${day(ahead.from)}.` : ''
  if (plan.status === 'past_due') {
    return { tone: 'failing', sentence: `Your last payment failed.${until}`, action: { label: 'Pay now' } }
  }
  if (plan.status === 'trial') {
    const ends = inTrial(plan, now) ? trialEnds(daysLeft(plan.trialEndsAt, now)) : `Your trial has ended.${until}`
    return ends === null ? null : { tone: 'attention', sentence: ends, action: { label: 'Subscribe' } }
  }
  if (plan.cancelAtPeriodEnd && plan.currentPeriodEnd !== null) {
    const sentence = `Your subscription ends on ${day(plan.currentPeriodEnd)}. Forwarding and automations stop then.`
    return { tone: 'attention', sentence, action: { label: 'Keep it' } }
  }
  return null
}

/** Null = not soon. */
function trialEnds(left: number): string | null {
  if (left > 3) return null
  return `Your trial ends ${left === 1 ? 'within a day' : `in ${left} days`}.`
}

function heldNotice(reason: PlanHold): PlanNotice {
  if (reason === 'payment_failed') {
    const sentence = `Payment failed: pay to go on. ${NOTHING_IS_LOST}`
    return { tone: 'held', sentence, action: { label: 'Pay now' } }
  }
  const what = reason === 'trial_ended' ? 'Your trial has ended' : 'Your subscription has ended'
  return { tone: 'held', sentence: `${what}: subscribe to go on. ${NOTHING_IS_LOST}`, action: { label: 'Subscribe' } }
}
