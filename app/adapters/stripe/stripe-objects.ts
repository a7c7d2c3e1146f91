// Maps Stripe's objects to our types.
import type Stripe from 'stripe'
import type { PaidSubscription, PaymentEvent, PaymentInvoice, RenewalTerms, SinglePayment } from '../payments.ts'

const millis = (unixSeconds: number): number => unixSeconds * 1000
const millisOrNull = (unixSeconds: number | null) => (unixSeconds === null ? null : millis(unixSeconds))

export function idOf(reference: string | { id: string } | null | undefined): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null)
}

const INVOICE_STATUSES = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const

export function toInvoice(invoice: Stripe.Invoice): PaymentInvoice {
  const clientSecret = invoice.confirmation_secret?.client_secret ?? null
  return {
    id: invoice.id ?? '',
    status: INVOICE_STATUSES.find((known) => known === invoice.status) ?? 'draft',
    total: invoice.total,
    remaining: invoice.amount_remaining,
    currency: invoice.currency,
    clientSecret,
    // The secret begins with the id of its payment.
    paymentId: clientSecret?.split('_secret_')[0] ?? null,
    createdAt: millis(invoice.created),
    paidAt: millisOrNull(invoice.status_transitions.paid_at),
  }
}

/** The item with the monthly price: a metered item beside it has no quantity and its own periods. */
function monthlyItem(subscription: Stripe.Subscription): Stripe.SubscriptionItem | null {
  const { data } = subscription.items
  return data.find((item) => item.price.recurring?.usage_type === 'licensed') ?? data[0] ?? null
}

export function toSubscription(subscription: Stripe.Subscription): PaidSubscription {
  const item = monthlyItem(subscription)
  const { metadata, trial_end: trialEnd, ended_at: endedAt, cancel_at: endsAt } = subscription
  const invoice = typeof subscription.latest_invoice === 'object' ? subscription.latest_invoice : null
  return {
    id: subscription.id,
    customerId: idOf(subscription.customer) ?? '',
    accountUuid: metadata.accountUUID ?? null,
    status: subscription.status,
    priceId: item?.price.id ?? null,
    offer: metadata.offer === 'credit' ? 'credit' : metadata.offer === 'full' ? 'full' : null,
    createdAt: millis(subscription.created),
    trialEndsAt: millisOrNull(trialEnd),
    periodStart: item ? millis(item.current_period_start) : null,
    periodEnd: item ? millis(item.current_period_end) : null,
    // Up to a later day, further months are charged.
    endsWithPeriod:
      subscription.cancel_at_period_end || (endsAt !== null && item !== null && endsAt <= item.current_period_end),
    latestInvoice: invoice && toInvoice(invoice),
    endedAt: millisOrNull(endedAt),
    renewedBy: metadata.renewedBy ?? null,
  }
}

const PAYMENT_STATUS: Record<Stripe.PaymentIntent.Status, SinglePayment['status']> = {
  requires_payment_method: 'open',
  requires_confirmation: 'open',
  requires_action: 'needs_action',
  requires_capture: 'processing',
  processing: 'processing',
  succeeded: 'paid',
  canceled: 'canceled',
}

const EARLY_RENEWAL = 'early_renewal'

/** After a return from the bank there is only the API's error, a text for developers. This is for the payer. */
const NOT_AUTHENTICATED =
  'We are unable to authenticate your payment method. Please choose a different payment method and try again.'

/** The bank's message, for the payer. Errors from elsewhere are not for them. */
function failureOf({ last_payment_error: failure }: Stripe.PaymentIntent): string | null {
  if (failure?.code === 'payment_intent_authentication_failure') return NOT_AUTHENTICATED
  return failure?.type === 'card_error' ? (failure.message ?? null) : null
}

export function toPayment(payment: Stripe.PaymentIntent): SinglePayment {
  return {
    id: payment.id,
    status: PAYMENT_STATUS[payment.status] ?? 'open',
    amount: payment.amount,
    currency: payment.currency,
    customerId: idOf(payment.customer),
    clientSecret: payment.client_secret,
    failure: failureOf(payment),
    renewal: termsOf(payment.metadata),
    refunded: typeof payment.latest_charge === 'object' && payment.latest_charge?.refunded === true,
    createdAt: millis(payment.created),
  }
}

export function metadataOf(terms: RenewalTerms): Record<string, string> {
  return {
    kind: EARLY_RENEWAL,
    accountUUID: terms.accountUuid,
    subscription: terms.subscriptionId,
    prorated: String(terms.prorated),
    proration_date: String(terms.quotedAt / 1000),
  }
}

function termsOf(metadata: Stripe.Metadata): RenewalTerms | null {
  const { kind, accountUUID, subscription, prorated, proration_date: quotedAt } = metadata
  if (kind !== EARLY_RENEWAL || !accountUUID || !subscription || !/^\d{1,12}$/.test(quotedAt ?? '')) return null
  return {
    accountUuid: accountUUID,
    subscriptionId: subscription,
    prorated: prorated === 'true',
    quotedAt: millis(Number(quotedAt)),
  }
}

/** The parts of an event's object that identify its owner. Nothing else is read. */
interface EventObject {
  id?: string
  object?: string
  customer?: string | { id: string } | null
  payment_intent?: string | { id: string } | null
  metadata?: Stripe.Metadata | null
  parent?: { subscription_details?: { metadata?: Stripe.Metadata | null } | null } | null
}

export function toPaymentEvent(event: Stripe.Event): PaymentEvent {
  const about = event.data.object as EventObject
  return {
    id: event.id,
    type: event.type,
    createdAt: millis(event.created),
    customerId: about.object === 'customer' ? (about.id ?? null) : idOf(about.customer),
    accountUuid: about.metadata?.accountUUID ?? about.parent?.subscription_details?.metadata?.accountUUID ?? null,
    paymentId: about.object === 'payment_intent' ? (about.id ?? null) : idOf(about.payment_intent),
  }
}
