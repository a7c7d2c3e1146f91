import type Stripe from 'stripe'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hours } from '#app/lib/duration.ts'
import { openStripe, type TestStripe } from './testing.server.ts'

let stage: TestStripe
let monthly: string
let overage: string
let customer: string
beforeEach(async () => {
  stage = await openStripe()
  ;({ monthly, overage, customer } = await stage.furnish())
  await stage.payments.settled()
})
afterEach(() => stage.stop())

async function begin(key?: string): Promise<{ id: string; secret: string; invoice: Stripe.Invoice }> {
  const sub = await stage.stripe.subscriptions.create(
    {
      customer,
      items: [{ price: monthly, quantity: 1 }, { price: overage }],
      collection_method: 'charge_automatically',
      payment_behavior: 'default_incomplete',
      payment_settings: { payment_method_types: ['card'], save_default_payment_method: 'on_subscription' },
      metadata: { accountUUID: 'a' },
      expand: ['latest_invoice.confirmation_secret'],
    },
    key === undefined ? {} : { idempotencyKey: key },
  )
  const invoice = sub.latest_invoice as Stripe.Invoice
  return { id: sub.id, secret: invoice.confirmation_secret?.client_secret ?? '', invoice }
}

test('a subscription begins incomplete with an open invoice of five pounds', async () => {
  const { id, secret, invoice } = await begin()
  expect(secret).toMatch(/^pi_\w+_secret_\w+$/)
  expect(invoice).toMatchObject({
    status: 'open',
    billing_reason: 'subscription_create',
    amount_due: 500,
    amount_remaining: 500,
    currency: 'gbp',
    parent: { subscription_details: { subscription: id } },
  })
  expect(await stage.stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'incomplete' })
  await stage.payments.settled()
  expect(stage.types()).toEqual(['customer.subscription.created'])
  expect(stage.payments.ledger().events.map((one) => one.type)).toEqual(
    expect.arrayContaining(['invoice.created', 'invoice.finalized', 'payment_intent.created']),
  )
})

test('a good card makes it active and is kept for the next time', async () => {
  const { id, secret } = await begin()
  const { body } = await stage.confirm(secret, '4242424242424242')
  expect(body).toMatchObject({ object: 'payment_intent', status: 'succeeded', amount: 500 })
  expect(body).not.toHaveProperty('customer')
  const sub = await stage.stripe.subscriptions.retrieve(id, { expand: ['latest_invoice', 'default_payment_method'] })
  expect(sub).toMatchObject({
    status: 'active',
    default_payment_method: { card: { last4: '4242' }, customer },
    latest_invoice: { status: 'paid', amount_paid: 500, amount_remaining: 0 },
  })
  const [item] = sub.items.data
  expect((item?.current_period_end ?? 0) - (item?.current_period_start ?? 0)).toBe(31 * 86_400)
  await stage.payments.settled()
  expect(stage.types()).toEqual(
    expect.arrayContaining(['payment_intent.succeeded', 'invoice.paid', 'customer.subscription.updated']),
  )
  expect(stage.forged).toEqual([])
  const everything = stage.payments.ledger().events.map((one) => one.type)
  for (const type of [
    'charge.succeeded',
    'payment_method.attached',
    'invoice.payment_succeeded',
    'invoice_payment.paid',
  ]) {
    expect(everything).toContain(type)
  }
})

test('a first invoice that nobody pays expires after 23 hours', async () => {
  const { id, secret, invoice } = await begin()
  await stage.pass(hours(23) - 1000)
  expect((await stage.stripe.subscriptions.retrieve(id)).status).toBe('incomplete')
  await stage.pass(1000)
  expect((await stage.stripe.subscriptions.retrieve(id)).status).toBe('incomplete_expired')
  expect((await stage.stripe.invoices.retrieve(invoice.id ?? '')).status).toBe('void')
  expect(stage.types()).toEqual(expect.arrayContaining(['customer.subscription.updated', 'invoice.voided']))
  const late = await stage.confirm(secret, '4242424242424242')
  expect(late).toMatchObject({ status: 400, body: { error: { code: 'payment_intent_unexpected_state' } } })
})
