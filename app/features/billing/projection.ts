// Derives a plan from what was read at the provider: the state is only copied, never invented. Pure, so the result does
// not depend on which event caused the read, how often, or in which order.
import type { Plan } from '#app/domain/plan.ts'
import type { Millis } from '../../lib/clock.ts'

/** The fields of a provider's subscription that a plan depends on. */
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

/** Paid, or with repeated payment attempts: the customer has the subscription. */
const RUNNING: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due'])
/** Still exists, and a payment can reactivate it. */
const STANDING: ReadonlySet<string> = new Set(['unpaid', 'paused'])
/** Never started. */
const NOT_BEGUN: ReadonlySet<string> = new Set(['incomplete', 'incomplete_expired'])

/** The subscription the plan follows: its own while that stands, else the newest that does. Old ended ones don't. */
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
 * @param subscriptions all subscriptions the customer has or had at the provider
 * @param now used only as the start of a late payment when the provider gives none
 */
export function projectPlan(plan: Plan, subscriptions: readonly SeenSubscription[], now: Millis) {
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
    } satisfies Partial<Plan>,
    /** Open next to a running one. They must be ended, because someone could pay twice. */
    strays: (runs ? open : open.slice(1)).map(({ id }) => id),
    /** Running next to the one the plan follows: a person must check. */
    doubles: subscriptions.filter(({ id, status }) => RUNNING.has(status) && id !== mine?.id).map(({ id }) => id),
  }
}

type State = Pick<Plan, keyof ReturnType<typeof taken>>

function taken(plan: Plan, mine: SeenSubscription, now: Millis) {
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

/** Paying ends the trial: its days end with the first paid one, or the page would still say "Trial". */
function trialEndOf(plan: Plan, mine: SeenSubscription): Millis {
  if (mine.status === 'trialing') return mine.trialEndsAt ?? plan.trialEndsAt
  return Math.min(plan.trialEndsAt, Math.max(mine.createdAt, plan.trialStartedAt))
}

/** Nothing was ever paid, or the provider no longer knows the followed subscription. */
function untouched(plan: Plan): State {
  const { trialEndsAt, currentPeriodStart, currentPeriodEnd } = plan
  return { ...forgotten(plan), trialEndsAt, currentPeriodStart, currentPeriodEnd }
}

/** The provider's customer is gone, and with it every subscription. */
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
