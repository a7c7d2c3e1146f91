// Computes everything the subscription page shows. No component makes decisions about money.

import { eventsKept } from '#app/domain/kept-until.ts'
import {
  INCLUDED_OPERATIONS,
  MONTHLY_PENCE,
  type Plan,
  type PlanUsage,
  type SubscriptionFacts,
  TRIAL,
} from '#app/domain/plan.ts'
import { dayOf, wallOfDay } from '#app/domain/time/local-time.ts'
import { dayText, grouped, momentText, plural, spanText } from '#app/domain/time/moments.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'
import { holdAhead, LATE_GRACE, TRIAL_GRACE } from './hold.ts'
import { daysLeft, MONTH_DAYS, pounds, STAYS_DUE, SUBSCRIBE_FROM_DAYS } from './offers.ts'
import { type OfferView, offersOf } from './plan-offers.ts'
import { elapsedDays, type PlanPhase, type PlanSetting, phaseOf } from './plan-phase.ts'

export interface PlanView {
  phase: PlanPhase
  /** The status in a word or two. */
  word: string
  /** The payment provider's exact status, when our word differs. */
  providerWord: string | null
  tone: 'working' | 'attention' | 'failing' | 'held' | 'accent'
  /** Describes the account's plan in one sentence. */
  sentence: string
  /** What happens next, and when. */
  next: string[]
  progress: { label: string; done: number; of: number; words: string } | null
  usage: UsageView
  /** The first one is recommended. */
  offers: OfferView[]
  /** Why card payments are unavailable, otherwise null. */
  paymentsOff: string | null
  /** Ending the subscription, or undoing that; null when there is nothing to end. */
  cancellation: { kind: 'cancel' | 'keep'; sentence: string } | null
  /** The provider has a customer for the account, who can manage card and invoices there. */
  portal: boolean
}

export interface UsageView extends PlanUsage {
  included: number
  /** Use and included operations: `250 of 1,000`. */
  words: string
  /** The period of the counters. */
  period: string
  /** Set above the included operations: the note, and its cost. */
  over: { note: string; meaning: string } | null
  /** Null = nothing was used. */
  curve: UsageCurve | null
}

const TRIAL_DAYS = TRIAL / days(1)
/** £0.005 per 1,000: half a penny. */
const OVERAGE_PENCE_PER_1000 = 0.5

const PRICE = pounds(MONTHLY_PENCE)

function waitsUntilYou(act: 'subscribe' | 'pay', setting: PlanSetting): string {
  return `deliveries and automation runs wait until you ${act}. ${keptText(setting)}`
}

const keptText = ({ retentionDays }: PlanSetting) =>
  `Events are still received, and kept for ${spanText(eventsKept(retentionDays))}.`

const AFTER_PAYING = 'When you pay, events of the last 72 hours go out. Resend older ones from the webhook.'

export const PLAN_TEXTS = {
  paymentsOff: 'Card payments are not configured.',
  nothingLimited: 'Nothing is limited: every webhook and automation keeps working.',
  overLimit: "You've exceeded the base plan limit. Overage charges may apply.",
  errorTitle: 'Subscription Error',
  errorText: 'Unable to load subscription data',
  noAccount: 'No account UUID provided',
} as const

export function planView(facts: SubscriptionFacts, setting: PlanSetting): PlanView {
  const { plan } = facts
  const phase = phaseOf(plan, setting.now)
  return {
    phase,
    ...statusText(plan, phase),
    ...story(plan, phase, setting),
    progress: progressOf(plan, phase, setting.now),
    usage: usageView(facts, phase, setting),
    offers: offersOf(plan, phase, setting),
    paymentsOff: setting.mode === 'off' ? PLAN_TEXTS.paymentsOff : null,
    cancellation: setting.mode === 'off' ? null : cancellationOf(plan, phase, setting.zone),
    portal: setting.mode !== 'off' && plan.customerId !== null && phase !== 'trial' && phase !== 'trial_ended',
  }
}

function statusText(plan: Plan, phase: PlanPhase): Pick<PlanView, 'word' | 'providerWord'> {
  const word = phase === 'other' ? plan.status : PHASE_TEXTS[phase]
  return { word, providerWord: phase === 'past_due' ? plan.status : null }
}

export const PHASE_TEXTS: Record<Exclude<PlanPhase, 'other'>, string> = {
  trial: 'Trial',
  trial_ended: 'Trial ended',
  active: 'Active',
  ending: 'Active',
  past_due: 'Past due',
  unpaid: 'Unpaid',
  canceled: 'Canceled',
}

function story(plan: Plan, phase: PlanPhase, setting: PlanSetting): Pick<PlanView, 'tone' | 'sentence' | 'next'> {
  const { zone, now } = setting
  const off = setting.mode === 'off'
  switch (phase) {
    case 'trial': {
      const left = daysLeft(plan.trialEndsAt, now)
      return {
        tone: left <= SUBSCRIBE_FROM_DAYS && !off ? 'attention' : 'accent',
        sentence: `Your free trial has ${plural(left, 'day')} left.`,
        next: [
          `It ends on ${momentText(plan.trialEndsAt, zone)}.`,
          off
            ? PLAN_TEXTS.nothingLimited
            : `Everything keeps working for ${plural(TRIAL_GRACE / days(1), 'more day')} after that. Then ${waitsUntilYou('subscribe', setting)}`,
        ],
      }
    }
    case 'trial_ended':
      return holdStory(plan, plan.trialEndsAt + TRIAL_GRACE, setting, {
        before: `Your free trial ended on ${dayText(plan.trialEndsAt, zone)}.`,
        tone: 'attention',
        act: 'subscribe',
        after: 'Trial ended: subscribe to resume.',
      })
    case 'active':
      return { tone: 'working', sentence: 'Your subscription is active.', next: [renewalSentence(plan, setting)] }
    case 'ending':
      return {
        tone: off ? 'accent' : 'attention',
        sentence: `Ends on ${endDay(plan, zone)}.`,
        next: off
          ? [PLAN_TEXTS.nothingLimited]
          : [
              'Everything works until then, and no further month is charged.',
              `After that ${waitsUntilYou('subscribe', setting)}`,
            ],
      }
    case 'past_due':
      return holdStory(plan, holdAhead(plan)?.from ?? now + LATE_GRACE, setting, {
        before: 'Your last payment did not go through.',
        tone: 'failing',
        act: 'pay',
        after: 'Your last payment did not go through: pay now to resume.',
      })
    case 'unpaid':
      return holdStory(plan, now, setting, {
        off: 'Your subscription is not paid.',
        after: 'Your subscription is not paid: pay now to resume.',
      })
    case 'canceled':
      return holdStory(plan, now, setting, {
        off: 'Your subscription has ended.',
        after: 'Your subscription has ended: subscribe to resume.',
      })
    case 'other':
      return {
        tone: 'attention',
        sentence: `The payment provider calls your subscription “${plan.status}”.`,
        next: [off ? PLAN_TEXTS.nothingLimited : 'Manage billing shows what it waits for.'],
      }
    default:
      return assertNever(phase)
  }
}

interface HoldText {
  /** The sentence during the grace period; missing when there is none. */
  before?: string
  tone?: PlanView['tone']
  /** The action that resumes everything. */
  act?: 'subscribe' | 'pay'
  /** The sentence when payments are off; missing = same as `before`. */
  off?: string
  /** The sentence once the account is on hold. */
  after: string
}

function holdStory(
  plan: Plan,
  holds: Millis,
  setting: PlanSetting,
  { before, tone = 'attention', act = 'pay', off = before, after }: HoldText,
): Pick<PlanView, 'tone' | 'sentence' | 'next'> {
  const { now, zone, mode } = setting
  if (mode === 'off') return { tone: 'accent', sentence: off ?? after, next: [PLAN_TEXTS.nothingLimited] }
  const ends = plan.cancelAtPeriodEnd ? [`It is canceled: it ends on ${endDay(plan, zone)}. ${STAYS_DUE}`] : []
  if (now < holds && before !== undefined) {
    const until = `Everything keeps working until ${momentText(holds, zone)}.`
    return { tone, sentence: before, next: [until, `Then ${waitsUntilYou(act, setting)}`, ...ends] }
  }
  // Later than the plan implies when payments were switched on after that.
  const since = momentText(plan.heldSince ?? Math.min(holds, now), zone)
  return {
    tone: 'held',
    sentence: after,
    next: [`Since ${since} deliveries and automation runs wait. ${keptText(setting)}`, AFTER_PAYING, ...ends],
  }
}

function renewalSentence(plan: Plan, { now, zone }: PlanSetting): string {
  const end = plan.currentPeriodEnd
  if (end === null) return `${PRICE} is charged every month.`
  if (end <= now) return `The month ended on ${dayText(end, zone)}. The next ${PRICE} is being charged.`
  // Not "the next": for an hour, that of the present month is still being charged.
  return `${PRICE} for the next month is charged on ${dayText(end, zone)}.`
}

function progressOf(plan: Plan, phase: PlanPhase, now: Millis): PlanView['progress'] {
  if (phase === 'trial') {
    const done = elapsedDays(plan.trialStartedAt, now, TRIAL_DAYS)
    return { label: 'Trial progress', done, of: TRIAL_DAYS, words: `${done} of ${TRIAL_DAYS} days` }
  }
  if ((phase !== 'active' && phase !== 'ending') || plan.currentPeriodStart === null) return null
  const done = elapsedDays(plan.currentPeriodStart, now, MONTH_DAYS)
  return { label: 'Billing period', done, of: MONTH_DAYS, words: `${done} of ${MONTH_DAYS} days` }
}

function cancellationOf(plan: Plan, phase: PlanPhase, zone: string): PlanView['cancellation'] {
  if (phase !== 'active' && phase !== 'ending' && phase !== 'past_due' && phase !== 'unpaid') return null
  const end = endDay(plan, zone)
  if (plan.cancelAtPeriodEnd) {
    // The months of an unpaid one are not charged.
    if (phase === 'unpaid') return { kind: 'keep', sentence: 'Changed your mind? Then keep it, and pay what is open.' }
    const sentence = `Changed your mind? Your subscription continues: ${PRICE} on ${end} and every month.`
    return { kind: 'keep', sentence }
  }
  const until = phase === 'active' ? 'Until then everything works. You can change your mind.' : STAYS_DUE
  return { kind: 'cancel', sentence: `It then ends on ${end}. ${until}` }
}

function endDay(plan: Plan, zone: string): string {
  return plan.currentPeriodEnd === null ? 'the last day of this month' : dayText(plan.currentPeriodEnd, zone)
}

function usageView(facts: SubscriptionFacts, phase: PlanPhase, setting: PlanSetting): UsageView {
  const { usage, billingPeriod } = facts
  const { zone, now } = setting
  const span = `${dayText(billingPeriod.start, zone)} to ${dayText(billingPeriod.end, zone)}`
  const trial = phase === 'trial' || phase === 'trial_ended'
  const month = phase === 'canceled' && billingPeriod.end <= now ? 'Your last billing period' : 'This billing period'
  return {
    ...usage,
    included: INCLUDED_OPERATIONS,
    words: `${grouped(usage.total)} of ${grouped(INCLUDED_OPERATIONS)}`,
    period: trial ? `During your trial, ${span}` : `${month}, ${span}. Whole days (UTC) count`,
    over:
      usage.total > INCLUDED_OPERATIONS
        ? { note: PLAN_TEXTS.overLimit, meaning: overMeaning(usage.total - INCLUDED_OPERATIONS, trial, setting) }
        : null,
    curve: usageCurve(facts, setting),
  }
}

function overMeaning(extra: number, trial: boolean, { overageCharged, mode }: PlanSetting): string {
  const pence = (extra / 1000) * OVERAGE_PENCE_PER_1000
  const price = pence < 1 ? 'less than a penny' : `about ${pounds(Math.round(pence))}`
  const above = `${plural(extra, 'operation').replace(String(extra), grouped(extra))} above the included ones`
  if (mode === 'off' || !overageCharged) return `${above}. They are not charged at present.`
  if (trial) return `${above}. Use during the trial is free.`
  return `${above}: ${price} on the next invoice.`
}

// The operations of a billing period as a line: how many there are, and how many there will be at this pace.
interface UsageCurve {
  /** Operations up to the end of each day, from the first day to the present one. */
  sums: number[]
  /** Days of the whole period. */
  days: number
  /** Expected at the end of the period; null = it is over, or too young to tell. */
  expected: number | null
  sentence: string
}

/** Null = there was no operation, or the first day is not over. Days are UTC, as they are counted. */
export function usageCurve(
  { byDay, usage, billingPeriod: { start, end }, counted }: Omit<SubscriptionFacts, 'plan'>,
  { now, zone }: { now: Millis; zone: string },
): UsageCurve | null {
  if (usage.total === 0) return null
  const { fromDay: first, beforeDay } = counted
  const counts = new Map(byDay.map(({ day, count }) => [day, count]))
  const sums: number[] = []
  for (let day = first; day < Math.min(beforeDay, Math.max(first, dayOf(now)) + 1); day++) {
    sums.push((sums.at(-1) ?? 0) + (counts.get(day) ?? 0))
  }
  if (sums.length < 2) return null
  const span = { start: Math.max(start, wallOfDay(first)), end: Math.min(end, wallOfDay(beforeDay)) }
  const expected = expectedAt(usage.total, { ...span, now })
  const pace = expected === null ? '' : `, about ${grouped(expected)} by ${dayText(end, zone)} at this pace`
  const sentence = `${grouped(usage.total)} of ${grouped(INCLUDED_OPERATIONS)} operations${pace}.`
  return { sums, days: beforeDay - first, expected, sentence }
}

/** The first day says too little. */
function expectedAt(total: number, { start, end, now }: { start: Millis; end: Millis; now: Millis }): number | null {
  if (now >= end || now - start < days(1)) return null
  return Math.max(total, rounded((total * (end - start)) / (now - start)))
}

/** Two digits: a pace is no measurement. */
function rounded(count: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, count))) - 1)
  return Math.round(count / step) * step
}
