// What a plan becomes when the provider was read: the state is never invented, only taken over. Pure, so that it does not matter
// which event led to the reading, or how often, or in which order.
import type { Plan } from '#app/domain/plan.ts'
import type { Millis } from '../../lib/clock.ts'

/** A subscription at the provider, as far as a plan depends on it. */
export interface SeenSubscription {
  id: string
  status: string
  priceId: string | null
  offer: 'full' | 'credit' | null
  createdAt: Millis
  trialEndsAt: Millis | null
  periodStart: Millis | null
  periodEnd: Millis | null
  endsWithPeriod: boolean
  latestInvoice: { createdAt: Millis } | null
}

/** Paid, or being paid again and again: the customer has it. */
const RUNNING: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due'])
/** It still exists, and can be brought back by paying. */
const STANDING: ReadonlySet<string> = new Set(['unpaid', 'paused'])
/** Never began. */
const NOT_BEGUN: ReadonlySet<string> = new Set(['incomplete', 'incomplete_expired'])

interface Projection {
  change: Pick<
    Plan,
    | 'status'
    | 'trialEndsAt'
    | 'currentPeriodStart'
    | 'currentPeriodEnd'
    | 'cancelAtPeriodEnd'
    | 'pastDueSince'
    | 'subscriptionId'
    | 'priceId'
    | 'openSubscriptionId'
    | 'openOffer'
  >
  /** Open beside one that runs: somebody could pay twice, so that they have to be ended. */
  strays: string[]
  /** Run beside the one the plan follows: a person has to look. */
  doubles: string[]
}

/** The subscription the plan follows: its own while that stands, else the newest that does. Ended ones of old do not count. */
export function followed<Seen extends SeenSubscription>(
  plan: Pick<Plan, 'subscriptionId'>,
  subscriptions: readonly Seen[],
): Seen | null {
  const newestFirst = [...subscriptions].sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
  const own = newestFirst.find(({ id }) => id === plan.subscriptionId) ?? null
  for (const group of [RUNNING, STANDING]) {
    if (own && group.has(own.status)) return own
    const other = newestFirst.find(({ status }) => group.has(status))
    if (other) return other
  }
  return own
}

/**
 * @param subscriptions everything the customer has or had at the provider
 * @param now only for the moment from which a payment is late, when the provider does not tell
 */
export function projectPlan(plan: Plan, subscriptions: readonly SeenSubscription[], now: Millis): Projection {
  const mine = followed(plan, subscriptions)
  const runs = mine !== null && (RUNNING.has(mine.status) || STANDING.has(mine.status))
  const open = subscriptions
    .filter(({ status }) => status === 'incomplete')
    .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
  const newestOpen = runs ? null : (open[0] ?? null)
  return {
    change: {
      ...(mine && !NOT_BEGUN.has(mine.status) ? taken(plan, mine, now) : untouched(plan)),
      openSubscriptionId: newestOpen?.id ?? null,
      openOffer: newestOpen ? (newestOpen.offer ?? 'full') : null,
    },
    strays: (runs ? open : open.slice(1)).map(({ id }) => id),
    doubles: subscriptions.filter(({ id, status }) => RUNNING.has(status) && id !== mine?.id).map(({ id }) => id),
  }
}

type State = Omit<Projection['change'], 'openSubscriptionId' | 'openOffer'>

function taken(plan: Plan, mine: SeenSubscription, now: Millis): State {
  const lateSince = plan.subscriptionId === mine.id ? plan.pastDueSince : null
  return {
    status: mine.status === 'trialing' ? 'trial' : mine.status,
    subscriptionId: mine.id,
    priceId: mine.priceId,
    trialEndsAt: trialEndOf(plan, mine),
    currentPeriodStart: mine.periodStart,
    currentPeriodEnd: mine.periodEnd,
    cancelAtPeriodEnd: mine.endsWithPeriod && mine.status !== 'canceled',
    pastDueSince: mine.status === 'past_due' ? (lateSince ?? mine.latestInvoice?.createdAt ?? now) : null,
  }
}

/** Who pays has no trial any more: the days that are left end with the first paid one, or the page would still say "Trial". */
function trialEndOf(plan: Plan, mine: SeenSubscription): Millis {
  if (mine.status === 'trialing') return mine.trialEndsAt ?? plan.trialEndsAt
  return Math.min(plan.trialEndsAt, Math.max(mine.createdAt, plan.trialStartedAt))
}

/** Nothing was ever paid, or what was followed is not known to the provider any more. */
function untouched(plan: Plan): State {
  const { status, trialEndsAt, currentPeriodStart, currentPeriodEnd } = plan
  if (plan.subscriptionId === null) {
    return {
      status,
      subscriptionId: null,
      priceId: null,
      trialEndsAt,
      currentPeriodStart,
      currentPeriodEnd,
      cancelAtPeriodEnd: false,
      pastDueSince: null,
    }
  }
  return { ...forgotten(plan), trialEndsAt, currentPeriodStart, currentPeriodEnd }
}

/** The customer is gone at the provider, and every subscription with it. */
export function withoutCustomer(plan: Plan): Partial<Plan> {
  return {
    ...forgotten(plan),
    customerId: null,
    openSubscriptionId: null,
    openOffer: null,
    openRenewalId: null,
    paymentAttempt: plan.paymentAttempt + 1,
  }
}

function forgotten(
  plan: Plan,
): Pick<State, 'status' | 'subscriptionId' | 'priceId' | 'cancelAtPeriodEnd' | 'pastDueSince'> {
  return {
    status: plan.subscriptionId === null ? plan.status : 'canceled',
    subscriptionId: null,
    priceId: null,
    cancelAtPeriodEnd: false,
    pastDueSince: null,
  }
}
