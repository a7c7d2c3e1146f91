import type Stripe from 'stripe'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { days, hours, seconds } from '#app/lib/duration.ts'
import { openStripe, START, type TestStripe } from './testing.server.ts'

const GOOD = '4242424242424242'
let stage: TestStripe
let monthly: string
let overage: string
let customer: string
beforeEach(async () => {
  stage = await openStripe()
  ;({ monthly, overage, customer } = await stage.furnish())
})
afterEach(() => stage.stop())

async function begin(more: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const sub = await stage.stripe.subscriptions.create({
    customer,
    items: [{ price: monthly, quantity: 1 }, { price: overage }],
    payment_behavior: 'default_incomplete',
    payment_settings: { payment_method_types: ['card'], save_default_payment_method: 'on_subscription' },
    expand: ['latest_invoice.confirmation_secret'],
    ...more,
  })
  const invoice = sub.latest_invoice as Stripe.Invoice
  return { id: sub.id, invoice, secret: invoice.confirmation_secret?.client_secret ?? '' }
}

async function subscribed(card = GOOD): Promise<string> {
  const { id, secret } = await begin()
  await stage.confirm(secret, card)
  await stage.payments.settled()
  stage.events.length = 0
  return id
}

const look = (id: string) => stage.stripe.subscriptions.retrieve(id, { expand: ['latest_invoice.confirmation_secret'] })
const invoiceOf = (sub: Stripe.Subscription) => sub.latest_invoice as Stripe.Invoice
const now = () => Math.floor(stage.clock.now() / 1000)

test.each([
  ['4000000000000002', 'card_declined', 'generic_decline', 'Your card was declined.'],
  ['4000000000009995', 'card_declined', 'insufficient_funds', 'Your card has insufficient funds.'],
  ['4000000000000069', 'expired_card', 'expired_card', 'Your card has expired.'],
  ['4000000000000127', 'incorrect_cvc', 'incorrect_cvc', "Your card's security code is incorrect."],
])('card %s is declined, and another pays on the same secret', async (card, code, declineCode, message) => {
  const { id, secret } = await begin()
  const declined = await stage.confirm(secret, card)
  expect(declined).toMatchObject({
    status: 402,
    body: {
      error: {
        type: 'card_error',
        code,
        decline_code: declineCode,
        message,
        payment_intent: { status: 'requires_payment_method' },
      },
    },
  })
  await stage.payments.settled()
  expect(stage.types()).toEqual(expect.arrayContaining(['payment_intent.payment_failed', 'invoice.payment_failed']))
  expect((await look(id)).status).toBe('incomplete')
  expect((await stage.confirm(secret, GOOD)).body.status).toBe('succeeded')
  expect((await look(id)).status).toBe('active')
  expect(await stage.confirm(secret, GOOD)).toMatchObject({
    status: 400,
    body: { error: { code: 'payment_intent_unexpected_state', payment_intent: { status: 'succeeded' } } },
  })
})

test('a number that is not on the list is refused and kept nowhere', async () => {
  const { secret } = await begin()
  const real = '5555555555554444'
  expect(await stage.confirm(secret, real)).toMatchObject({
    status: 402,
    body: { error: { type: 'card_error', code: 'incorrect_number' } },
  })
  expect(JSON.stringify(stage.payments.ledger())).not.toContain(real)
  expect(await stage.confirm(secret, GOOD, { 'payment_method_data[card][exp_year]': '25' })).toMatchObject({
    status: 402,
    body: { error: { code: 'invalid_expiry_year' } },
  })
  expect(await stage.confirm(secret, GOOD, { 'payment_method_data[card][cvc]': '1' })).toMatchObject({
    status: 402,
    body: { error: { code: 'invalid_cvc' } },
  })
})

test('a browser needs the secret of the payment', async () => {
  const { secret } = await begin()
  const [id = ''] = secret.split('_secret_')
  expect((await stage.confirm(`${id}_secret_guess`, GOOD)).status).toBe(404)
  expect((await stage.confirm(secret, GOOD)).status).toBe(200)
})

test('two pages that pay at once charge once', async () => {
  const { id, secret } = await begin()
  const both = await Promise.all([stage.confirm(secret, GOOD), stage.confirm(secret, GOOD)])
  expect(both.map((one) => one.status).sort()).toEqual([200, 400])
  expect((await look(id)).status).toBe('active')
  expect((await stage.stripe.charges.list({ customer })).data).toHaveLength(1)
})

test('nothing due makes it active at once, and a sum too small to charge is carried on', async () => {
  const line = (amount: number) => ({
    add_invoice_items: [{ price_data: { currency: 'gbp', product: 'addon_premium', unit_amount: -amount } }],
  })
  const free = await begin(line(500))
  expect(free.secret).toBe('')
  expect(await look(free.id)).toMatchObject({ status: 'active', latest_invoice: { status: 'paid', amount_due: 0 } })
  const small = await begin(line(471))
  expect(await look(small.id)).toMatchObject({ status: 'active', latest_invoice: { amount_due: 0, total: 29 } })
  expect(await stage.stripe.customers.retrieve(customer)).toMatchObject({ balance: 29 })
  const credited = await begin(line(233))
  expect(credited.invoice).toMatchObject({ total: 267, starting_balance: 29, amount_due: 296 })
})

test('a period ends with a draft, which is charged an hour later', async () => {
  const id = await subscribed()
  const before = await look(id)
  await stage.pass(days(31))
  const sub = await look(id)
  expect(sub.status).toBe('active')
  expect(sub.items.data[0]?.current_period_start).toBe(before.items.data[0]?.current_period_end)
  expect(invoiceOf(sub)).toMatchObject({ status: 'draft', billing_reason: 'subscription_cycle', amount_due: 500 })
  expect(stage.types()).toEqual(['customer.subscription.updated'])
  await stage.pass(hours(1))
  expect(invoiceOf(await look(id))).toMatchObject({ status: 'paid', amount_paid: 500 })
  expect(stage.types()).toEqual(expect.arrayContaining(['invoice.paid', 'payment_intent.succeeded']))
})

test('a clock that jumps passes every renewal at its own moment', async () => {
  const id = await subscribed()
  await stage.pass(days(31 + 28 + 31) + hours(2))
  const { data } = await stage.stripe.invoices.list({ subscription: id })
  expect(
    data.map((one) => [one.billing_reason, one.status, new Date(one.created * 1000).toISOString().slice(0, 10)]),
  ).toEqual([
    ['subscription_cycle', 'paid', '2026-04-05'],
    ['subscription_cycle', 'paid', '2026-03-05'],
    ['subscription_cycle', 'paid', '2026-02-05'],
    ['subscription_create', 'paid', '2026-01-05'],
  ])
})

test('what was used is on the next invoice, above the free thousand, and only within the period', async () => {
  const report = (identifier: string, value: number, timestamp: number) =>
    stage.stripe.billing.meterEvents.create({
      event_name: 'addon_operations',
      identifier,
      timestamp,
      payload: { stripe_customer_id: customer, value: String(value) },
    })
  await report('trial', 50_000, now() - 3600)
  const id = await subscribed()
  await report('first', 40_000, now() + 60)
  await report('second', 61_000, now() + 120)
  await expect(report('second', 61_000, now() + 120)).rejects.toThrow('already exists')
  await expect(report('late', 1, now() + 301)).rejects.toThrow('timestamp')
  await stage.pass(days(31) + hours(2))
  const invoice = invoiceOf(await look(id))
  expect(invoice).toMatchObject({ amount_paid: 550, status: 'paid' })
  expect(invoice.lines.data.map((line) => [line.amount, line.quantity])).toEqual([
    [50, 101_000],
    [500, 1],
  ])
})

test('a declined renewal is tried again after 3, 5 and 7 days, then the subscription is over', async () => {
  const id = await subscribed('4000000000000341')
  await stage.pass(days(31) + hours(1))
  const failed = await look(id)
  expect(failed.status).toBe('past_due')
  const dueAt = now()
  expect(invoiceOf(failed)).toMatchObject({
    status: 'open',
    attempt_count: 1,
    next_payment_attempt: dueAt + 3 * 86_400,
  })
  expect(invoiceOf(failed).confirmation_secret?.client_secret).toMatch(/^pi_/)
  expect(stage.types()).toEqual(expect.arrayContaining(['invoice.payment_failed', 'customer.subscription.updated']))
  await stage.pass(days(3))
  expect(invoiceOf(await look(id))).toMatchObject({ attempt_count: 2, next_payment_attempt: dueAt + 8 * 86_400 })
  await stage.pass(days(5))
  expect(invoiceOf(await look(id))).toMatchObject({ attempt_count: 3, next_payment_attempt: dueAt + 15 * 86_400 })
  stage.events.length = 0
  await stage.pass(days(7))
  expect(await look(id)).toMatchObject({
    status: 'canceled',
    cancellation_details: { reason: 'payment_failed' },
    latest_invoice: { status: 'open', attempt_count: 4, next_payment_attempt: null },
  })
  expect(stage.types()).toEqual(expect.arrayContaining(['invoice.payment_failed', 'customer.subscription.deleted']))
  await stage.pass(days(60))
  expect((await stage.stripe.invoices.list({ subscription: id })).data).toHaveLength(2)
})

test('after the last attempt it can be left unpaid instead, and paying brings it back', async () => {
  stage.payments.setSwitches({ afterRetries: 'unpaid' })
  const id = await subscribed('4000000000000341')
  await stage.pass(days(31 + 15) + hours(1))
  const sub = await look(id)
  expect(sub.status).toBe('unpaid')
  await stage.confirm(invoiceOf(sub).confirmation_secret?.client_secret ?? '', GOOD)
  expect(await look(id)).toMatchObject({ status: 'active' })
})

test('paying the open invoice of a failed renewal brings it back, with the new card for the next', async () => {
  const id = await subscribed()
  stage.payments.declineNextRenewal(customer, true)
  await stage.pass(days(31) + hours(1))
  const failed = await look(id)
  expect(failed.status).toBe('past_due')
  stage.events.length = 0
  await stage.confirm(invoiceOf(failed).confirmation_secret?.client_secret ?? '', '4000002500003155')
  const asking = await stage.stripe.paymentIntents.list({ customer, limit: 1 })
  expect(asking.data[0]?.status).toBe('requires_action')
  await stage.confirm(invoiceOf(failed).confirmation_secret?.client_secret ?? '', GOOD)
  expect(await look(id)).toMatchObject({
    status: 'active',
    latest_invoice: { status: 'paid', next_payment_attempt: null },
  })
  await stage.payments.settled()
  expect(stage.types()).toEqual(expect.arrayContaining(['invoice.paid', 'customer.subscription.updated']))
  await stage.pass(days(31))
  expect(await look(id)).toMatchObject({ status: 'active', latest_invoice: { status: 'paid' } })
})

test('a retry by itself succeeds once the reason is gone', async () => {
  const id = await subscribed()
  stage.payments.declineNextRenewal(customer, true)
  await stage.pass(days(31) + hours(1))
  expect((await look(id)).status).toBe('past_due')
  await stage.pass(days(3))
  expect(await look(id)).toMatchObject({ status: 'active', latest_invoice: { status: 'paid', attempt_count: 2 } })
})

test('an ended subscription ends with its period, unless somebody changes their mind', async () => {
  const id = await subscribed()
  await stage.stripe.subscriptions.update(id, { cancel_at_period_end: true })
  const ending = await look(id)
  expect(ending).toMatchObject({ status: 'active', cancel_at_period_end: true })
  expect(ending.cancel_at).toBe(ending.items.data[0]?.current_period_end)
  await stage.stripe.subscriptions.update(id, { cancel_at_period_end: false })
  expect(await look(id)).toMatchObject({ cancel_at_period_end: false, cancel_at: null, canceled_at: null })
  await stage.stripe.subscriptions.update(id, { cancel_at_period_end: true })
  await stage.pass(days(31) - seconds(1))
  expect((await look(id)).status).toBe('active')
  stage.events.length = 0
  await stage.pass(seconds(1))
  expect((await look(id)).status).toBe('canceled')
  expect(stage.types()).toEqual(['customer.subscription.deleted'])
  await expect(stage.stripe.subscriptions.update(id, { cancel_at_period_end: false })).rejects.toThrow('canceled')
})

test('an unfinished subscription that is cancelled takes its secret with it', async () => {
  const { id, secret, invoice } = await begin()
  await stage.stripe.subscriptions.cancel(id, { invoice_now: false, prorate: false })
  expect((await look(id)).status).toBe('canceled')
  expect((await stage.stripe.invoices.retrieve(invoice.id ?? '')).status).toBe('void')
  expect((await stage.confirm(secret, GOOD)).status).toBe(400)
})

test.each([
  [true, 500 - Math.round((500 * (31 - 10)) / 31)],
  [false, 500],
])('an early renewal is quoted, paid and applied (prorated: %s)', async (prorated, due) => {
  const id = await subscribed()
  await stage.pass(days(10))
  const details = {
    billing_cycle_anchor: { type: 'now' as const },
    ...(prorated
      ? { proration_behavior: 'always_invoice' as const, proration_date: now() }
      : { proration_behavior: 'none' as const }),
  }
  const preview = await stage.stripe.invoices.createPreview({
    customer,
    subscription: id,
    subscription_details: details,
  })
  expect(preview.amount_due).toBe(due)
  expect((await stage.stripe.invoices.list({ subscription: id })).data).toHaveLength(1)
  const payment = await stage.stripe.paymentIntents.create({
    amount: preview.amount_due,
    currency: 'gbp',
    customer,
    setup_future_usage: 'off_session',
  })
  await stage.confirm(payment.client_secret ?? '', GOOD)
  // The payment is applied a little later than it was quoted.
  await stage.pass(seconds(90))
  const updated = await stage.stripe.subscriptions.update(id, {
    ...details,
    payment_behavior: 'default_incomplete',
    expand: ['latest_invoice'],
  })
  expect(updated).toMatchObject({
    status: 'past_due',
    latest_invoice: { status: 'open', billing_reason: 'subscription_update', amount_due: due },
  })
  const invoice = await stage.stripe.invoices.attachPayment(invoiceOf(updated).id ?? '', { payment_intent: payment.id })
  expect(invoice).toMatchObject({ status: 'paid', amount_paid: due, amount_overpaid: 0 })
  const after = await look(id)
  expect(after.status).toBe('active')
  expect(after.items.data[0]?.current_period_start).toBe(now())
  const { data } = await stage.stripe.charges.list({ customer })
  expect(data.filter((one) => one.paid).map((one) => one.amount)).toEqual([due, 500])
  await expect(
    stage.stripe.invoices.attachPayment(invoiceOf(updated).id ?? '', { payment_intent: payment.id }),
  ).rejects.toThrow('open invoices')
})

test('use that arrives between quote and renewal is left open, and the card pays the rest', async () => {
  const id = await subscribed()
  await stage.pass(days(10))
  const details = { billing_cycle_anchor: { type: 'now' as const }, proration_behavior: 'none' as const }
  const payment = await stage.stripe.paymentIntents.create({ amount: 500, currency: 'gbp', customer })
  await stage.confirm(payment.client_secret ?? '', GOOD)
  await stage.stripe.billing.meterEvents.create({
    event_name: 'addon_operations',
    timestamp: now() - 60,
    payload: { stripe_customer_id: customer, value: '201000' },
  })
  const updated = await stage.stripe.subscriptions.update(id, {
    ...details,
    payment_behavior: 'default_incomplete',
    expand: ['latest_invoice'],
  })
  const invoiceId = invoiceOf(updated).id ?? ''
  const partly = await stage.stripe.invoices.attachPayment(invoiceId, { payment_intent: payment.id })
  expect(partly).toMatchObject({ status: 'open', amount_paid: 500, amount_remaining: 100 })
  const paid = await stage.stripe.invoices.pay(invoiceId, { off_session: true })
  expect(paid).toMatchObject({ status: 'paid', amount_paid: 600, amount_remaining: 0 })
  expect((await look(id)).status).toBe('active')
})

test('the saved card can pay for a new month at once, and a declined one changes nothing when asked so', async () => {
  const id = await subscribed()
  await stage.pass(days(3))
  stage.payments.declineNextRenewal(customer, true)
  const anchor = { billing_cycle_anchor: { type: 'now' as const }, proration_behavior: 'none' as const }
  await expect(
    stage.stripe.subscriptions.update(id, { ...anchor, payment_behavior: 'error_if_incomplete' }),
  ).rejects.toMatchObject({ type: 'StripeCardError' })
  expect((await look(id)).items.data[0]?.current_period_start).toBe(START / 1000)
  stage.payments.declineNextRenewal(customer, false)
  await stage.stripe.subscriptions.update(id, { ...anchor, payment_behavior: 'error_if_incomplete' })
  expect(await look(id)).toMatchObject({ status: 'active', latest_invoice: { status: 'paid', amount_paid: 500 } })
})

test('a payment is given back once', async () => {
  const payment = await stage.stripe.paymentIntents.create({ amount: 500, currency: 'gbp', customer })
  await expect(stage.stripe.refunds.create({ payment_intent: payment.id })).rejects.toThrow('no successful charge')
  await stage.confirm(payment.client_secret ?? '', GOOD)
  expect(await stage.stripe.refunds.create({ payment_intent: payment.id })).toMatchObject({
    amount: 500,
    status: 'succeeded',
  })
  await expect(stage.stripe.refunds.create({ payment_intent: payment.id })).rejects.toThrow('already been refunded')
  await stage.payments.settled()
  expect(stage.types()).toContain('charge.refunded')
})

test('nothing of a customer that was deleted goes on', async () => {
  const id = await subscribed()
  await stage.stripe.customers.del(customer)
  expect((await look(id)).status).toBe('canceled')
  await expect(begin()).rejects.toThrow('No such customer')
  await stage.pass(days(40))
  expect((await stage.stripe.invoices.list({ subscription: id })).data).toHaveLength(1)
})
