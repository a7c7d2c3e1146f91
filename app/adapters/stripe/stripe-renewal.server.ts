// The early renewal at Stripe: a preview, a single payment, then a new billing cycle whose invoice it settles.
import type Stripe from 'stripe'
import type { Log } from '#app/lib/log.ts'
import { PaymentError, type Payments, type RenewalTerms } from '../payments.ts'
import { asked } from './stripe-client.server.ts'
import { idOf, metadataOf, toPayment } from './stripe-objects.ts'

type RenewalCalls = Pick<Payments, 'quoteRenewal' | 'createRenewalPayment' | 'applyRenewal'>

/** A subscription in one of these states has no next month. */
const ENDED: ReadonlySet<string> = new Set(['canceled', 'incomplete', 'incomplete_expired', 'paused'])

/** The same for the quote and for the renewal. */
function newCycle({ prorated, quotedAt }: Pick<RenewalTerms, 'prorated' | 'quotedAt'>) {
  const anchor = { billing_cycle_anchor: { type: 'now' as const } }
  if (!prorated) return { ...anchor, proration_behavior: 'none' as const }
  return { ...anchor, proration_behavior: 'always_invoice' as const, proration_date: quotedAt / 1000 }
}

export function renewalCalls(stripe: Stripe, log: Log): RenewalCalls {
  async function renewedSubscription(paymentId: string, terms: RenewalTerms): Promise<Stripe.Subscription> {
    const id = terms.subscriptionId
    const current = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
    if (ENDED.has(current.status)) throw new PaymentError('refused', `subscription ${id} is ${current.status}`)
    // Stored with the change itself: idempotency keys expire after a day, and the month must not start twice.
    if (current.metadata.renewedBy === paymentId) return current
    return stripe.subscriptions.update(
      id,
      {
        ...newCycle(terms),
        // Prevents a charge to the saved card as well.
        payment_behavior: 'default_incomplete',
        metadata: { renewedBy: paymentId },
        expand: ['latest_invoice'],
      },
      { idempotencyKey: `apply-update:${paymentId}` },
    )
  }

  async function settleInvoice(invoice: Stripe.Invoice, paymentId: string): Promise<void> {
    const { id } = invoice
    if (!id || invoice.status !== 'open') return
    const settled = await stripe.invoices.attachPayment(
      id,
      { payment_intent: paymentId },
      { idempotencyKey: `apply-attach:${paymentId}` },
    )
    if (settled.status !== 'open' || settled.amount_remaining === 0) return
    // More than quoted, because usage arrived in between: charge the rest to the card, or collect it as a late payment.
    try {
      await stripe.invoices.pay(id, { off_session: true }, { idempotencyKey: `apply-rest:${paymentId}` })
    } catch (error) {
      log.warn({ error, invoice: id, remaining: settled.amount_remaining }, 'renewal.rest_not_paid')
    }
  }

  return {
    quoteRenewal: ({ customerId, subscriptionId, prorated, at }) =>
      asked(async () => {
        const preview = await stripe.invoices.createPreview({
          customer: customerId,
          subscription: subscriptionId,
          subscription_details: newCycle({ prorated, quotedAt: at }),
        })
        return { amount: preview.amount_due, currency: preview.currency }
      }),

    createRenewalPayment: ({ customerId, amount, terms, key }) =>
      asked(async () => {
        const payment = await stripe.paymentIntents.create(
          {
            amount,
            currency: 'gbp',
            customer: customerId,
            allowed_payment_method_types: ['card'],
            setup_future_usage: 'off_session',
            metadata: metadataOf(terms),
          },
          { idempotencyKey: key },
        )
        return toPayment(payment)
      }),

    applyRenewal: ({ id, renewal }) =>
      asked(async () => {
        const subscription = await renewedSubscription(id, renewal)
        const invoice = subscription.latest_invoice
        if (invoice !== null && typeof invoice === 'object') await settleInvoice(invoice, id)
        // Saves the card just used for the following months.
        const card = idOf((await stripe.paymentIntents.retrieve(id)).payment_method)
        if (card === null) return
        await stripe.subscriptions.update(
          renewal.subscriptionId,
          { default_payment_method: card },
          { idempotencyKey: `apply-card:${id}` },
        )
      }),
  }
}
