// The offers for an account in its state, their price today, and the sentence that states it.
import { inTrial, MONTHLY_PENCE, type Plan } from '#app/domain/plan.ts'
import type { Millis } from '../../lib/clock.ts'
import { days } from '../../lib/duration.ts'

/** The subscribe button appears when the trial has this many days left, or fewer. */
export const SUBSCRIBE_FROM_DAYS = 3
/** The length of a month for display and calculation. */
export const MONTH_DAYS = 30
/** The provider accepts no payment in pounds below this. */
export const LEAST_PAYMENT_PENCE = 30

export type Offer =
  /** A first payment through `create-payment-intent`. */
  | 'subscribe'
  /** Upgrade from a trial with many days left, through `upgrade`. */
  | 'upgrade'
  | 'early_prorated'
  | 'early_full'
  /** Pay the owed amount. */
  | 'pay_now'

export const OFFER_LABELS: Record<Offer, string> = {
  subscribe: 'Subscribe Now - £5/month',
  upgrade: 'Upgrade Now - £5/month',
  early_prorated: 'Upgrade Early (Prorated)',
  early_full: 'Upgrade Early (Full Price)',
  pay_now: 'Pay now',
}

/** The page's buttons, in order. A running trial comes first: the page then says "Trial", whatever the status. */
export function offersFor(plan: Pick<Plan, 'status' | 'trialEndsAt'>, now: Millis): Offer[] {
  if (plan.status === 'past_due' || plan.status === 'unpaid') return ['pay_now']
  if (inTrial(plan, now)) return daysLeft(plan.trialEndsAt, now) <= SUBSCRIBE_FROM_DAYS ? ['subscribe'] : ['upgrade']
  if (plan.status === 'active') return ['early_prorated', 'early_full']
  return ['subscribe']
}

/** Counts started days: 13 days and an hour are 14. */
export function daysLeft(until: Millis, now: Millis): number {
  return Math.max(0, Math.ceil((until - now) / days(1)))
}

/** Credit in pence for the unused part of a trial, by the second, rounded down. */
export function trialCredit(plan: Pick<Plan, 'trialEndsAt'>, now: Millis): number {
  const unusedSeconds = Math.max(0, Math.floor((plan.trialEndsAt - now) / 1000))
  return Math.min(MONTHLY_PENCE, Math.floor((MONTHLY_PENCE * unusedSeconds) / (MONTH_DAYS * 86_400)))
}

export function pounds(pence: number): string {
  return `£${(pence / 100).toFixed(2)}`
}

/** Describes a first payment. `amount` = due today. */
export function firstPaymentText(input: {
  plan: Pick<Plan, 'status' | 'trialEndsAt'>
  amount: number
  creditPence: number
  now: Millis
}): string {
  const { plan, amount, creditPence, now } = input
  if (!inTrial(plan, now)) return `${pounds(amount)} today. Your paid month starts now.`
  const n = daysLeft(plan.trialEndsAt, now)
  const trialDays = n === 1 ? 'trial day' : 'trial days'
  if (creditPence > 0) {
    return `${pounds(amount)} today: ${pounds(amount + creditPence)} less ${pounds(creditPence)} for ${n} unused ${trialDays}. Your paid month starts now.`
  }
  return `${pounds(amount)} today. Your paid month starts now and your remaining ${n} ${trialDays} ${n === 1 ? 'ends' : 'end'}.`
}

/** Describes an early renewal. */
export function renewalText({ amount, prorated }: { amount: number; prorated: boolean }): string {
  if (prorated) {
    return `${pounds(amount)} today: ${pounds(MONTHLY_PENCE)} less the unused part of this month. A new month starts now.`
  }
  return `${pounds(amount)} today. A new month starts now. The rest of this month is not refunded.`
}

/** Describes the amount owed for an unpaid month, the oldest of `months`. What is on hold resumes with the last of them. */
export function owedText(amount: number, months: number, isHeld: boolean): string {
  if (months > 1) return `${pounds(amount)} today for the oldest of ${months} unpaid months.`
  return `${pounds(amount)} today for the month that was not paid. ${isHeld ? 'Everything resumes at once.' : 'Nothing stops.'}`
}

export const NOTHING_TO_PAY_YET = 'Nothing to pay yet: the rest of this month covers it.'
/** Of a late subscription that is cancelled. */
export const STAYS_DUE = 'What is open now stays due.'
/** Of one that was given up: the press for a new month ends it. */
export const OLD_HAS_ENDED = 'The unpaid subscription has ended: nothing of it is due.'
