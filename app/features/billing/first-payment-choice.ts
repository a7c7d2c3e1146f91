// What a wish to pay means for a customer with these subscriptions.
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
  /** It exists and a month of it is not paid. */
  | { kind: 'owed'; subscription: Seen }
  /** The very payment that is wanted is open already. */
  | { kind: 'reuse'; subscription: Seen }
  /** A new one; what is open is given up first. */
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

/** Is this the invoice that was agreed on? A balance of the customer may lower what is left to pay, never raise it. */
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

/** Can an open payment for an early renewal be handed out again? A prorated one grows old: the month it counts goes on. */
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
