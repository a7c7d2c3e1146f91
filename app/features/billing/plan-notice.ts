// The line on every page when the subscription blocks sending, or soon will.

import { inTrial, type PaymentMode, type Plan } from '#app/domain/plan.ts'
import type { PlanHold } from '#app/domain/plan-hold.ts'
import { QUARANTINED } from '#app/domain/quarantine.ts'
import { dayText } from '#app/domain/time/moments.ts'
import type { Millis } from '../../lib/clock.ts'
import { holdAhead, holdReasonOf } from './hold.ts'
import { daysLeft } from './offers.ts'

/** The action links to the subscription page. Null when the reader cannot fix the problem. */
export interface PlanNotice {
  tone: 'attention' | 'failing' | 'held'
  sentence: string
  action: { label: string } | null
}

/** Takes precedence over everything else: nothing is sent, whatever the subscription. */
export const COPY_HELD: PlanNotice = { tone: 'held', sentence: QUARANTINED, action: null }

const NOTHING_IS_LOST = 'Events of the last 72 hours go out then.'

/** Returns null when there is nothing to show. `timezone` = the account's IANA zone, for days. */
export function planNotice(plan: Plan, mode: PaymentMode, now: Millis, timezone: string): PlanNotice | null {
  if (mode === 'off') return null
  const held = holdReasonOf(plan, mode, now)
  if (held !== null) return heldNotice(held)
  const day = (at: Millis) => dayText(at, timezone)
  const ahead = holdAhead(plan)
  const until = ahead ? ` Forwarding and automations continue until ${day(ahead.from)}.` : ''
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

/** Returns null when the trial does not end soon. */
function trialEnds(left: number): string | null {
  if (left > 3) return null
  return `Your trial ends ${left === 1 ? 'within a day' : `in ${left} days`}.`
}

function heldNotice(reason: PlanHold): PlanNotice {
  if (reason === 'payment_failed') {
    const sentence = `Payment failed: pay to resume. ${NOTHING_IS_LOST}`
    return { tone: 'held', sentence, action: { label: 'Pay now' } }
  }
  const what = reason === 'trial_ended' ? 'Your trial has ended' : 'Your subscription has ended'
  return { tone: 'held', sentence: `${what}: subscribe to resume. ${NOTHING_IS_LOST}`, action: { label: 'Subscribe' } }
}
