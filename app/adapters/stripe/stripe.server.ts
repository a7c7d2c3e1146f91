// Card payments through Stripe, or a compatible server at `apiBase`. Stripe's types do not leave this folder.
import Stripe from 'stripe'
import type { Clock } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import type { Log } from '#app/lib/log.ts'
import { type MonthlyPrice, PaymentError, type PaymentInvoice, type Payments, type RenewalTerms } from '../payments.ts'
import { METER_EVENT, MONTHLY_LOOKUP_KEY, PAYMENT_EVENT_TYPES, PORTAL_FEATURES } from './stripe-catalogue.ts'
import { asked, askedUnless, createStripeClient } from './stripe-client.server.ts'
import { idOf, metadataOf, toInvoice, toPayment, toPaymentEvent, toSubscription } from './stripe-objects.ts'

export interface StripeOptions {
  secretKey: string
  /** Two during a rotation: a signature by any of them is valid. */
  webhookSecrets: readonly string[]
  /** Null = found by its lookup key. */
  monthlyPriceId: string | null
  /** The metered price; null = usage over the included amount is free. */
  overagePriceId: string | null
  /** Null = Stripe itself. May include a path. */
  apiBase: string | null
  clock: Clock
  log: Log
}

/** A price never changes its amount, but a lookup key can move to another price. */
const PRICE_KEPT = minutes(10)
const MOST = 100
const LATEST_INVOICE = 'latest_invoice.confirmation_secret'

export function createStripePayments(options: StripeOptions): Payments {
  const { clock, log, overagePriceId } = options
  const stripe = createStripeClient(options)
  const monthly = monthlyPriceOf(stripe, options)

  return {
    chargesOverage: overagePriceId !== null,
    ...renewalCalls(stripe, log),
    ...eventCalls(stripe, { secrets: options.webhookSecrets, clock }),
    ...portalCalls(stripe),

    monthlyPrice: () => asked(async () => (await monthly()).price),

    createCustomer: ({ accountUuid, name, email, key }) =>
      asked(async () => {
        const metadata = { accountUUID: accountUuid }
        const { id } = await stripe.customers.create({ metadata }, { idempotencyKey: key })
        // A second call: a key allows no other body, and an address that Stripe refuses must not prevent a payment.
        const details = { name, ...(email && { email }) }
        await stripe.customers.update(id, details).catch((error) => log.warn({ error }, 'payments.no_customer_details'))
        return id
      }),

    async findCustomer(customerId) {
      const customer = await askedUnless(['missing'], () => stripe.customers.retrieve(customerId))
      return customer && !customer.deleted ? { accountUuid: customer.metadata.accountUUID ?? null } : null
    },

    async findCustomerOf(accountUuid) {
      const query = `metadata['accountUUID']:'${accountUuid}'`
      // Refused where Stripe offers no search.
      return (await askedUnless(['refused'], () => stripe.customers.search({ query, limit: 1 })))?.data[0]?.id ?? null
    },

    listSubscriptions: (customerId) =>
      asked(async () => {
        const list = await stripe.subscriptions.list({
          customer: customerId,
          status: 'all',
          limit: MOST,
          expand: [`data.${LATEST_INVOICE}`],
        })
        return list.data.map(toSubscription)
      }),

    createSubscription: ({ customerId, accountUuid, offer, creditPence, key }) =>
      asked(async () => {
        const { price, productId } = await monthly()
        const subscription = await stripe.subscriptions.create(
          {
            customer: customerId,
            // A metered price has no quantity.
            items: [{ price: price.id, quantity: 1 }, ...(overagePriceId ? [{ price: overagePriceId }] : [])],
            collection_method: 'charge_automatically',
            payment_behavior: 'default_incomplete',
            // Without the second setting, the card pays once and the next month has no card.
            payment_settings: { payment_method_types: ['card'], save_default_payment_method: 'on_subscription' },
            ...(creditPence > 0 && {
              add_invoice_items: [
                {
                  quantity: 1,
                  price_data: { currency: price.currency, product: productId, unit_amount: -creditPence },
                },
              ],
            }),
            metadata: { accountUUID: accountUuid, offer },
            expand: [LATEST_INVOICE],
          },
          { idempotencyKey: key },
        )
        return toSubscription(subscription)
      }),

    async endSubscription(subscriptionId) {
      await askedUnless(['missing'], () =>
        stripe.subscriptions.cancel(subscriptionId, { invoice_now: false, prorate: false }),
      )
    },

    setEndsWithPeriod: (subscriptionId, ends) =>
      asked(async () => {
        const current = ends ? null : await stripe.subscriptions.retrieve(subscriptionId)
        // The portal may have set a day instead of the flag; each is reset by its own name.
        const byDay = current !== null && !current.cancel_at_period_end && current.cancel_at !== null
        await stripe.subscriptions.update(subscriptionId, byDay ? { cancel_at: '' } : { cancel_at_period_end: ends })
      }),

    openInvoices: (subscriptionId) => invoicesOf(stripe, subscriptionId, 'open'),
    paidInvoices: (subscriptionId) => invoicesOf(stripe, subscriptionId, 'paid'),

    async voidInvoice(invoiceId) {
      await asked(() => stripe.invoices.voidInvoice(invoiceId))
    },

    async findPayment(paymentId) {
      const how = { expand: ['latest_charge'] }
      const payment = await askedUnless(['missing'], () => stripe.paymentIntents.retrieve(paymentId, how))
      return payment && toPayment(payment)
    },

    async cancelPayment(paymentId) {
      await asked(() => stripe.paymentIntents.cancel(paymentId))
    },

    async refund(paymentId) {
      try {
        await asked(() =>
          stripe.refunds.create({ payment_intent: paymentId }, { idempotencyKey: `refund:${paymentId}` }),
        )
      } catch (error) {
        if (!(error instanceof PaymentError) || error.code !== 'refused') throw error
        // It may have been refunded before, by hand or by a call whose answer was lost.
        const given = await asked(() => stripe.refunds.list({ payment_intent: paymentId, limit: 1 }))
        if (given.data.length === 0) throw error
      }
    },

    async reportUse({ identifier, customerId, count, at }) {
      await asked(() =>
        stripe.billing.meterEvents.create({
          event_name: METER_EVENT,
          identifier,
          timestamp: Math.floor(at / 1000),
          payload: { stripe_customer_id: customerId, value: String(count) },
        }),
      )
    },
  }
}

function invoicesOf(stripe: Stripe, subscription: string, status: 'open' | 'paid'): Promise<PaymentInvoice[]> {
  return asked(async () => {
    const expand = ['data.confirmation_secret']
    const list = await stripe.invoices.list({ subscription, status, limit: MOST, expand })
    return list.data.map(toInvoice).sort((a, b) => a.createdAt - b.createdAt)
  })
}

interface FoundPrice {
  price: MonthlyPrice
  productId: string
}

function monthlyPriceOf(stripe: Stripe, { monthlyPriceId, clock }: StripeOptions): () => Promise<FoundPrice> {
  let kept: { found: FoundPrice; until: number } | null = null
  async function find(): Promise<Stripe.Price> {
    if (monthlyPriceId !== null) return stripe.prices.retrieve(monthlyPriceId)
    const { data } = await stripe.prices.list({ lookup_keys: [MONTHLY_LOOKUP_KEY], active: true, limit: 1 })
    if (!data[0]) throw new PaymentError('denied', `there is no price ${MONTHLY_LOOKUP_KEY}: run npm run stripe:setup`)
    return data[0]
  }
  return async () => {
    if (kept && clock.now() < kept.until) return kept.found
    const { id, unit_amount: amount, currency, product } = await find()
    const found = { price: { id, amount: amount ?? 0, currency }, productId: idOf(product) ?? '' }
    kept = { found, until: clock.now() + PRICE_KEPT }
    return found
  }
}

function portalCalls(stripe: Stripe): Pick<Payments, 'openPortal'> {
  let configuration: string | null = null
  /** The one saved in the Dashboard or created by the set-up; else creates one. */
  async function configurationId(): Promise<string> {
    const { data } = await stripe.billingPortal.configurations.list({ active: true, limit: MOST })
    const known = data.find(({ is_default: isDefault }) => isDefault) ?? data[0]
    if (known) return known.id
    const made = await stripe.billingPortal.configurations.create(
      { features: PORTAL_FEATURES },
      { idempotencyKey: 'portal-configuration:v2' },
    )
    return made.id
  }
  async function open(customer: string, returnUrl: string): Promise<string> {
    configuration ??= await configurationId()
    const session = await stripe.billingPortal.sessions.create({ customer, configuration, return_url: returnUrl })
    return session.url
  }
  return {
    async openPortal({ customerId, returnUrl }) {
      const url = await askedUnless(['missing'], () => open(customerId, returnUrl))
      if (url !== null) return url
      // The configuration may have been deleted since the lookup. If the customer was, the next call says so.
      configuration = null
      return asked(() => open(customerId, returnUrl))
    },
  }
}

// Events that Stripe sends us, and those that were lost.

/** Stripe's own rule: an older signature is not accepted. */
const TOLERANCE_SECONDS = 300

function eventCalls(
  stripe: Stripe,
  { secrets, clock }: { secrets: readonly string[]; clock: Clock },
): Pick<Payments, 'readEvent' | 'undeliveredEvents'> {
  function verified(body: string, signature: string): Stripe.Event | null {
    for (const secret of secrets) {
      try {
        return stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS, undefined, clock.now())
      } catch (error) {
        if (error instanceof Stripe.errors.StripeSignatureVerificationError) continue
        // Signed, but not an event we subscribe to.
        return null
      }
    }
    return null
  }

  return {
    readEvent({ body, signature }) {
      const event = verified(body, signature)
      return event ? { outcome: 'event', event: toPaymentEvent(event) } : { outcome: 'bad_signature' }
    },
    undeliveredEvents: () =>
      asked(async () => {
        const list = await stripe.events.list({
          delivery_success: false,
          types: [...PAYMENT_EVENT_TYPES],
          limit: 100,
        })
        return list.data.map(toPaymentEvent).reverse()
      }),
  }
}

// The early renewal at Stripe: a preview, a single payment, then a new billing cycle whose invoice it settles.
type RenewalCalls = Pick<Payments, 'quoteRenewal' | 'createRenewalPayment' | 'applyRenewal'>

/** A subscription in one of these states has no next month. */
const ENDED: ReadonlySet<string> = new Set(['canceled', 'incomplete', 'incomplete_expired', 'paused'])

/** The same for the quote and for the renewal. */
function newCycle({ prorated, quotedAt }: Pick<RenewalTerms, 'prorated' | 'quotedAt'>) {
  const anchor = { billing_cycle_anchor: { type: 'now' as const } }
  if (!prorated) return { ...anchor, proration_behavior: 'none' as const }
  return { ...anchor, proration_behavior: 'always_invoice' as const, proration_date: quotedAt / 1000 }
}

function renewalCalls(stripe: Stripe, log: Log): RenewalCalls {
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

    async applyRenewal({ id, renewal }) {
      const payment = await asked(async () => {
        const subscription = await renewedSubscription(id, renewal)
        const invoice = subscription.latest_invoice
        if (invoice !== null && typeof invoice === 'object') await settleInvoice(invoice, id)
        return stripe.paymentIntents.retrieve(id)
      })
      // Saves the card just used for the following months. The month has begun, also when the card is gone meanwhile.
      const card = idOf(payment.payment_method)
      if (card === null) return
      const how = { idempotencyKey: `apply-card:${id}` }
      const save = () => stripe.subscriptions.update(renewal.subscriptionId, { default_payment_method: card }, how)
      if (!(await askedUnless(['refused', 'missing'], save))) log.warn({ payment: id }, 'renewal.card_not_saved')
    },
  }
}
