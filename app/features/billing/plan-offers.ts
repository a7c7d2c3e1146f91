// The text next to each offer before the user presses anything: the amount paid today and the end date.

import { inTrial, MONTHLY_PENCE, type Plan } from '#app/domain/plan.ts'
import { dateOf, dayOf, dayOfDate, wallOfDay } from '#app/domain/time/local-time.ts'
import { dayText, plural } from '#app/domain/time/moments.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'
import { daysLeft, LEAST_PAYMENT_PENCE, OFFER_LABELS, type Offer, offersFor, pounds } from './offers.ts'
import type { PlanPhase, PlanSetting } from './plan-phase.ts'

export interface OfferView {
  offer: Offer
  label: string
  /** One sentence. */
  sentence: string
}

const PRICE = pounds(MONTHLY_PENCE)

/** The first offer is the recommended one. After ending the subscription, the only offer is to keep it. */
export function offersOf(plan: Plan, phase: PlanPhase, setting: PlanSetting): OfferView[] {
  if (phase === 'ending') return []
  return offersFor(plan, setting.now).map((offer) => ({
    offer,
    label: OFFER_LABELS[offer],
    sentence: sentenceOf(offer, plan, setting),
  }))
}

function sentenceOf(offer: Offer, plan: Plan, { now, zone }: PlanSetting): string {
  const until = dayText(monthLater(now), zone)
  switch (offer) {
    case 'subscribe':
    case 'upgrade': {
      const first = `${PRICE} today for a month until ${until}, then ${PRICE} every month. Cancel any time`
      if (!inTrial(plan, now)) return `${first}.`
      const left = daysLeft(plan.trialEndsAt, now)
      return `${first}. Your remaining ${plural(left, 'trial day')} ${left === 1 ? 'ends' : 'end'} today.`
    }
    case 'early_prorated':
      return proratedSentence(monthOf(plan, now), now, zone, until)
    case 'early_full':
      // The status card counts the days; a second count would differ in months of 31 days.
      return `${PRICE} today for a new month until ${until}. The rest of this month is not refunded.`
    case 'pay_now':
      // The open month, or a new one: only the provider can tell.
      return 'You see the amount and its month before you enter a card.'
    default:
      return assertNever(offer)
  }
}

interface Month {
  start: Millis
  end: Millis
}

/** Returns the paid month; it never ends before the present. */
function monthOf(plan: Plan, now: Millis): Month {
  return { start: plan.currentPeriodStart ?? now, end: Math.max(plan.currentPeriodEnd ?? now, now) }
}

/** The provider calculates to the second when the button is pressed, so the amount is "about". */
function proratedSentence({ start, end }: Month, now: Millis, zone: string, until: string): string {
  const unused = end > start ? Math.min(1, (end - now) / (end - start)) : 0
  const credit = Math.round(MONTHLY_PENCE * unused)
  const due = MONTHLY_PENCE - credit
  if (due < LEAST_PAYMENT_PENCE) {
    // The next day, so that it holds for all of the day.
    const enough = days(1) + start + ((end - start) * LEAST_PAYMENT_PENCE) / MONTHLY_PENCE
    return `Nothing to pay yet, because this month has just begun. Available from ${dayText(enough, zone)}.`
  }
  return `About ${pounds(due)} today for a new month until ${until}: ${PRICE} less ${pounds(credit)} for the unused part of this month.`
}

/** The same day of the next month, or its last day if it is shorter; in UTC, like the payment provider. */
export function monthLater(at: Millis): Millis {
  const day = dayOf(at)
  const { year, month, date } = dateOf(day)
  return wallOfDay(dayOfDate(year, month + 1, date)) + (at - wallOfDay(day))
}
