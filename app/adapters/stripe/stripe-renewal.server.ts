// The early renewal in Stripe's terms: a preview, a single payment, and then a new billing cycle whose invoice that payment settles.
import type Stripe from 'stripe'
import type { Log } from '#app/lib/log.ts'
import { PaymentError, type Payments, type RenewalTerms } from '../payments.ts'
import { asked } from './stripe-client.server.ts'
import { idOf, metadataOf, toPayment } from './stripe-objects.ts'

type RenewalCalls = Pick<Payments, 'quoteRenewal' | 'createRenewalPayment' | 'applyRenewal'>

/** A subscription in one of these has no next month. */
const ENDED: ReadonlySet<string> = new Set(['canceled', 'incomplete', 'incomplete_expired', 'paused'])

/** The same for the quote and for what is applied. */
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
    // Noted with the change itself: idempotency keys are forgotten after a day, and the month must not begin twice.
    if (current.metadata.renewedBy === paymentId) return current
    return stripe.subscriptions.update(
      id,
      {
        ...newCycle(terms),
        // The saved card must not be charged as well.
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
    // More than was quoted, because use arrived in between: the rest is taken from the card, or asked for like any late payment.
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
        // The card that was just used is the one for the months to come.
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
