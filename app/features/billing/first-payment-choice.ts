// Decides what a payment request means for a customer with these subscriptions.
import { followed, type SeenSubscription } from './projection.ts'

export interface PayableSubscription extends SeenSubscription {
  latestInvoice: {
    id: string
    status: string
    total: number
    remaining: number
    currency: string
    clientSecret: string | null
    paymentId: string | null
    createdAt: number
  } | null
}

interface WantedSubscription {
  priceId: string
  offer: 'full' | 'credit'
  /** Pence of the first invoice. */
  total: number
}

type FirstPaymentChoice<Seen> =
  | { kind: 'active' }
  /** The subscription exists and a month of it is unpaid. */
  | { kind: 'owed'; subscription: Seen }
  /** The same payment is already open. */
  | { kind: 'reuse'; subscription: Seen }
  /** Create a new one, after ending the open ones. */
  | { kind: 'create'; abandon: Seen[] }

/** @param subscriptions everything the customer has or had */
export function chooseFirstPayment<Seen extends PayableSubscription>(
  plan: { subscriptionId: string | null },
  subscriptions: readonly Seen[],
  wanted: WantedSubscription,
): FirstPaymentChoice<Seen> {
  const mine = followed(plan, subscriptions)
  switch (mine?.status) {
    case 'active':
    case 'trialing':
      return { kind: 'active' }
    case 'past_due':
    case 'unpaid':
      return { kind: 'owed', subscription: mine }
  }
  const open = subscriptions.filter(({ status }) => status === 'incomplete' || status === 'paused')
  const fitting = open.find((one) => fits(one, wanted))
  return fitting ? { kind: 'reuse', subscription: fitting } : { kind: 'create', abandon: open }
}

function fits({ status, priceId, offer, latestInvoice }: PayableSubscription, wanted: WantedSubscription): boolean {
  return (
    status === 'incomplete' &&
    priceId === wanted.priceId &&
    (offer ?? 'full') === wanted.offer &&
    latestInvoice?.status === 'open' &&
    latestInvoice.clientSecret !== null &&
    latestInvoice.total === wanted.total
  )
}

/** Whether the invoice matches the agreed amount. A customer's balance may lower what remains, never raise it. */
export function isAsAgreed(
  invoice: PayableSubscription['latestInvoice'],
  agreed: { total: number; currency: string },
): boolean {
  return (
    invoice !== null &&
    invoice.total === agreed.total &&
    invoice.currency === agreed.currency &&
    invoice.remaining > 0 &&
    invoice.remaining <= agreed.total
  )
}

/** Whether an open payment for an early renewal can be reused. A prorated one goes stale, because the month goes on. */
export function isSameRenewal(
  payment: {
    status: 'open' | 'needs_action' | 'processing' | 'paid' | 'canceled'
    renewal: { subscriptionId: string; prorated: boolean; quotedAt: number } | null
  },
  wanted: { subscriptionId: string; prorated: boolean; periodStart: number | null; now: number; goodForMs: number },
): boolean {
  const { renewal, status } = payment
  return (
    (status === 'open' || status === 'needs_action') &&
    renewal !== null &&
    renewal.subscriptionId === wanted.subscriptionId &&
    renewal.prorated === wanted.prorated &&
    renewal.quotedAt >= (wanted.periodStart ?? 0) &&
    wanted.now - renewal.quotedAt <= wanted.goodForMs
  )
}
