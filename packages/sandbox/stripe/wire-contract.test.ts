// Long: one call after the other, every one that the product or its operator can make.
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { days, hours } from '#app/lib/duration.ts'
import { createJudge, readWireJson } from '#tests/support/stripe-judge.server.ts'
import { STRIPE_CALLS } from './stripe-wire.server.ts'
import { openStripe, type TestStripe } from './testing.server.ts'

const judge = createJudge()
let stage: TestStripe

beforeAll(async () => {
  stage = await openStripe()
  await everyCall(stage)
  // Reading the description takes seconds: before the tests, so that none of them is slow.
  for (const call of stage.recorded) judge.problemsOf(call)
})
afterAll(() => stage.stop())

/** Makes every call the product can make, and those an operator makes beside it, in an order that works. */
async function everyCall({ stripe, confirm, pass, origin, ...rest }: TestStripe): Promise<void> {
  const { customer, monthly, overage } = await rest.furnish()
  const refused = async (call: () => Promise<unknown>) => {
    await call().then(
      () => {
        throw new Error('it was not refused')
      },
      (error: unknown) => {
        if (!(error instanceof Stripe.errors.StripeError)) throw error
      },
    )
  }

  // Catalogue
  const product = await stripe.products.create({ id: 'addon_extra', name: 'Extra' }, { idempotencyKey: 'seed:1' })
  await stripe.products.create({ id: 'addon_extra', name: 'Extra' }, { idempotencyKey: 'seed:1' })
  await stripe.products.retrieve(product.id)
  await stripe.products.update(product.id, { description: 'More' })
  await stripe.products.list({ active: true })
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'gbp',
    unit_amount: 600,
    tax_behavior: 'inclusive',
    recurring: { interval: 'month', usage_type: 'licensed' },
    lookup_key: 'extra_monthly',
  })
  await refused(() =>
    stripe.prices.create({ product: product.id, currency: 'gbp', unit_amount: 700, lookup_key: 'extra_monthly' }),
  )
  await stripe.prices.create({
    product: product.id,
    currency: 'gbp',
    unit_amount: 700,
    recurring: { interval: 'month' },
    lookup_key: 'extra_monthly',
    transfer_lookup_key: true,
  })
  await stripe.prices.retrieve(price.id)
  await stripe.prices.update(price.id, { nickname: 'Old', active: false })
  await stripe.prices.list({ lookup_keys: ['extra_monthly'], active: true, limit: 1, expand: ['data.product'] })
  await stripe.prices.retrieve(overage, { expand: ['tiers'] })
  const meter = await stripe.billing.meters.create({
    display_name: 'Extra',
    event_name: 'extra_operations',
    default_aggregation: { formula: 'sum' },
    customer_mapping: { type: 'by_id', event_payload_key: 'stripe_customer_id' },
    value_settings: { event_payload_key: 'value' },
  })
  await stripe.billing.meters.retrieve(meter.id)
  const { data: meters } = await stripe.billing.meters.list({ status: 'active' })
  await stripe.prices.create({
    product: product.id,
    currency: 'gbp',
    tax_behavior: 'inclusive',
    recurring: { interval: 'month', usage_type: 'metered', meter: meter.id },
    billing_scheme: 'tiered',
    tiers_mode: 'graduated',
    tiers: [
      { up_to: 1000, unit_amount: 0 },
      { up_to: 'inf', unit_amount_decimal: Stripe.Decimal.from('0.0005') },
    ],
    expand: ['tiers'],
  })

  // Customer
  await stripe.customers.update(customer, { email: 'mia@thames.example', name: 'Thames' })
  await stripe.customers.retrieve(customer, { expand: ['subscriptions'] })
  await stripe.customers.list({ email: 'mia@thames.example' })
  await stripe.customers.search({ query: "metadata['accountUUID']:'b0000000-0000-4000-8000-000000000001'" })
  await stripe.customers.createBalanceTransaction(customer, { amount: -10, currency: 'gbp' })
  await stripe.customers.listBalanceTransactions(customer)

  // First payment: declined, authenticated, paid
  const abandoned = await stripe.subscriptions.create({
    customer,
    items: [{ price: monthly }],
    payment_behavior: 'default_incomplete',
    expand: ['latest_invoice.confirmation_secret'],
  })
  await stripe.subscriptions.cancel(abandoned.id, { invoice_now: false, prorate: false })
  const sub = await stripe.subscriptions.create(
    {
      customer,
      items: [{ price: monthly, quantity: 1 }, { price: overage }],
      collection_method: 'charge_automatically',
      payment_behavior: 'default_incomplete',
      payment_settings: { payment_method_types: ['card'], save_default_payment_method: 'on_subscription' },
      add_invoice_items: [
        { quantity: 1, price_data: { currency: 'gbp', product: 'addon_premium', unit_amount: -233 } },
      ],
      metadata: { accountUUID: 'a', offer: 'credit' },
      expand: ['latest_invoice.confirmation_secret', 'latest_invoice.payments', 'customer'],
    },
    { idempotencyKey: 'first-payment:a:1' },
  )
  const invoice = sub.latest_invoice as Stripe.Invoice
  const secret = invoice.confirmation_secret?.client_secret ?? ''
  const paymentId = secret.split('_secret_')[0] ?? ''
  await confirm(secret, '4000000000000002')
  await stripe.paymentIntents.retrieve(paymentId, { expand: ['latest_charge'] })
  await confirm(secret, '4000002760003184')
  await stripe.paymentIntents.retrieve(paymentId)
  await confirm(secret, '4242424242424242')
  await stripe.paymentIntents.retrieve(paymentId, { expand: ['payment_method', 'customer'] })
  await stripe.subscriptions.retrieve(sub.id, {
    expand: ['latest_invoice.confirmation_secret', 'default_payment_method'],
  })
  await stripe.subscriptions.list({
    customer,
    status: 'all',
    limit: 10,
    expand: ['data.latest_invoice.confirmation_secret'],
  })
  await stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: paymentId },
    limit: 1,
    expand: ['data.invoice'],
  })
  await stripe.invoices.retrieve(invoice.id ?? '', { expand: ['payments.data.payment.payment_intent'] })
  await stripe.invoices.listLineItems(invoice.id ?? '')
  await stripe.invoices.list({ subscription: sub.id, status: 'open', expand: ['data.confirmation_secret'] })
  const { data: cards } = await stripe.customers.listPaymentMethods(customer, { type: 'card' })
  const card = cards[0]?.id ?? ''
  await stripe.paymentMethods.retrieve(card)
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } })

  // Usage
  await stripe.billing.meterEvents.create({
    event_name: 'addon_operations',
    identifier: 'a:2026-01-05T09',
    timestamp: Math.floor(rest.clock.now() / 1000),
    payload: { stripe_customer_id: customer, value: '1500' },
  })
  await refused(() =>
    stripe.billing.meterEvents.create({
      event_name: 'addon_operations',
      identifier: 'a:2026-01-05T09',
      payload: { stripe_customer_id: customer, value: '1500' },
    }),
  )
  const minute = Math.floor(rest.clock.now() / 60_000) * 60
  await stripe.billing.meters.listEventSummaries(meters[1]?.id ?? meter.id, {
    customer,
    start_time: minute - 3600,
    end_time: minute + 3600,
  })
  await stripe.billing.meterEvents.create({
    event_name: 'addon_operations',
    identifier: 'wrong',
    payload: { stripe_customer_id: customer, value: '7' },
  })
  await stripe.billing.meterEventAdjustments.create({
    event_name: 'addon_operations',
    type: 'cancel',
    cancel: { identifier: 'wrong' },
  })

  // Early renewal
  await pass(days(10))
  const date = Math.floor(rest.clock.now() / 1000)
  const details = {
    billing_cycle_anchor: { type: 'now' as const },
    proration_behavior: 'always_invoice' as const,
    proration_date: date,
  }
  const preview = await stripe.invoices.createPreview({ customer, subscription: sub.id, subscription_details: details })
  await stripe.invoices.createPreview({ subscription: sub.id })
  const renewal = await stripe.paymentIntents.create(
    {
      amount: preview.amount_due,
      currency: 'gbp',
      customer,
      allowed_payment_method_types: ['card'],
      setup_future_usage: 'off_session',
      metadata: { kind: 'early_renewal' },
    },
    { idempotencyKey: 'early-renewal:1' },
  )
  await confirm(renewal.client_secret ?? '', '4242424242424242')
  const renewed = await stripe.subscriptions.update(
    sub.id,
    {
      ...details,
      payment_behavior: 'default_incomplete',
      metadata: { renewedBy: renewal.id },
      expand: ['latest_invoice'],
    },
    { idempotencyKey: 'apply-update:1' },
  )
  await stripe.invoices.attachPayment((renewed.latest_invoice as Stripe.Invoice).id ?? '', {
    payment_intent: renewal.id,
  })
  const used = await stripe.paymentIntents.retrieve(renewal.id)
  await stripe.subscriptions.update(sub.id, { default_payment_method: String(used.payment_method) })
  const other = await stripe.paymentIntents.create({ amount: 500, currency: 'gbp', customer })
  await stripe.paymentIntents.update(other.id, { description: 'Not needed' })
  await stripe.paymentIntents.cancel(other.id, { cancellation_reason: 'abandoned' })
  await stripe.paymentIntents.list({ customer })
  await stripe.paymentIntents.create({
    amount: 400,
    currency: 'gbp',
    customer,
    payment_method: String(used.payment_method),
    confirm: true,
    off_session: true,
  })
  await refused(() => stripe.paymentIntents.create({ amount: 29, currency: 'gbp' }))
  await refused(() => stripe.paymentIntents.retrieve('pi_nobody'))
  await refused(() => stripe.paymentIntents.confirm(renewal.id))
  await stripe.refunds.create({ payment_intent: renewal.id, amount: 100, reason: 'requested_by_customer' })
  const refund = await stripe.refunds.create({ payment_intent: renewal.id })
  await refused(() => stripe.refunds.create({ payment_intent: renewal.id }))
  await stripe.refunds.retrieve(refund.id)
  await stripe.refunds.list({ payment_intent: renewal.id, limit: 1 })
  await stripe.charges.list({ payment_intent: renewal.id, expand: ['data.refunds'] })
  await stripe.charges.retrieve(String(used.latest_charge))

  // Renewal by itself, declined, paid by hand
  const [latest] = rest.payments.customers('b0000000-0000-4000-8000-000000000001')
  rest.payments.declineNextRenewal(latest?.id ?? '', true)
  await pass(days(31) + hours(2))
  const { data: open } = await stripe.invoices.list({ subscription: sub.id, status: 'open' })
  rest.payments.declineNextRenewal(latest?.id ?? '', true)
  await refused(() => stripe.invoices.pay(open[0]?.id ?? ''))
  await stripe.invoices.pay(open[0]?.id ?? '', { off_session: true })
  await stripe.invoicePayments.list({ invoice: open[0]?.id ?? '' })

  // Portal, end, pause
  const portal = await stripe.billingPortal.configurations.create({
    features: {
      payment_method_update: { enabled: true },
      invoice_history: { enabled: true },
      subscription_cancel: { enabled: true, mode: 'at_period_end' },
      customer_update: { enabled: true, allowed_updates: ['email'] },
    },
  })
  await stripe.billingPortal.configurations.list({ active: true, limit: 100 })
  await stripe.billingPortal.configurations.retrieve(portal.id)
  await stripe.billingPortal.configurations.update(portal.id, { business_profile: { headline: 'Hello' } })
  await refused(() => stripe.billingPortal.sessions.create({ customer }))
  await stripe.billingPortal.sessions.create({
    customer,
    configuration: portal.id,
    return_url: `${origin}/subscription`,
    flow_data: { type: 'payment_method_update' },
  })
  await stripe.subscriptions.pause(sub.id, { type: 'subscription' })
  await stripe.subscriptions.resume(sub.id, { billing_cycle_anchor: { type: 'now' } })
  await stripe.subscriptions.update(sub.id, { cancel_at_period_end: true })
  await stripe.subscriptions.update(sub.id, { cancel_at_period_end: false })
  await stripe.subscriptions.update(sub.id, { cancel_at: Math.floor(rest.clock.now() / 1000) + 86_400 })
  await stripe.subscriptions.update(sub.id, { cancel_at: '' })
  await stripe.subscriptions.cancel(sub.id, { invoice_now: false, prorate: false })
  await refused(() => stripe.subscriptions.resume(sub.id))
  await stripe.paymentMethods.detach(card)
  await stripe.paymentMethods.attach(card, { customer })

  // Events and endpoints
  const endpoint = await stripe.webhookEndpoints.create({
    url: `${origin}/elsewhere`,
    api_version: '2026-10-28.endive',
    enabled_events: ['invoice.paid'],
  })
  await stripe.webhookEndpoints.list()
  await stripe.webhookEndpoints.retrieve(endpoint.id)
  await stripe.webhookEndpoints.del(endpoint.id)
  const { data: told } = await stripe.events.list({ delivery_success: false, types: ['invoice.paid'], limit: 100 })
  const { data: all } = await stripe.events.list({ limit: 100 })
  await stripe.events.retrieve((told[0] ?? all[0])?.id ?? '')
  await stripe.customers.del(customer)
  await refused(() => stripe.customers.update(customer, { name: 'Gone' }))
}

test('every call and every answer is what the provider describes', () => {
  const problems = stage.recorded.flatMap((call) => judge.problemsOf(call))
  expect(problems).toEqual([])
  expect(stage.recorded.length).toBeGreaterThan(80)
})

test('the judge finds what is wrong', () => {
  const call = stage.recorded.find((one) => one.path === '/v1/subscriptions' && one.method === 'POST')
  if (!call) throw new Error('no subscription was created')
  expect(judge.problemsOf({ ...call, requestBody: `${call.requestBody}&colour=red` })).toEqual([
    expect.stringContaining('colour'),
  ])
  expect(judge.problemsOf({ ...call, answer: { ...call.answer, status: 7 } })).toEqual([
    expect.stringContaining('/status'),
  ])
  const { current_trial: _gone, ...less } = (call.answer.items as { data: Record<string, unknown>[] }).data[0] ?? {}
  expect(judge.problemsOfObject('subscription_item', less)).toEqual([expect.stringContaining('current_trial')])
  expect(judge.problemsOf({ ...call, path: '/v1/dragons' })).toEqual(['POST /v1/dragons is not in the description'])
})

test('the calls above are most of what the sandbox answers', () => {
  const made = new Set(stage.recorded.map((call) => `${call.method} ${judge.templateOf(call.method, call.path)}`))
  const never = STRIPE_CALLS.map((route) => `${route.method} ${route.path.replace(':id', '{id}')}`).filter(
    (one) => !made.has(one),
  )
  // The browser's own script confirms; the rest is for an operator's hand.
  expect(never.filter((one) => one !== 'POST /v1/payment_intents/{id}/confirm').sort()).toEqual([
    'GET /v1/invoice_payments/{id}',
    'POST /v1/invoices/{id}/finalize',
    'POST /v1/invoices/{id}/void',
  ])
})

test('every event and the object in it are what the provider describes', () => {
  const { events } = stage.payments.ledger()
  expect(events.length).toBeGreaterThan(50)
  const problems = events.flatMap((event) => [
    ...judge.problemsOfObject(String(event.object.object), event.object).map((one) => `${event.type} object ${one}`),
  ])
  expect(problems).toEqual([])
  const types = new Set(stage.events.map((one) => one.type))
  expect([...types].sort()).toEqual([
    'charge.refunded',
    'customer.deleted',
    'customer.subscription.created',
    'customer.subscription.deleted',
    'customer.subscription.paused',
    'customer.subscription.resumed',
    'customer.subscription.updated',
    'invoice.paid',
    'invoice.payment_action_required',
    'invoice.payment_failed',
    'invoice.voided',
    'payment_intent.payment_failed',
    'payment_intent.succeeded',
  ])
  for (const event of stage.events) expect(judge.problemsOfObject('event', event)).toEqual([])
  expect(stage.forged).toEqual([])
})

test('no call takes a parameter that the provider does not know', () => {
  // The browser's own script posts cards in a way that is not part of the public description.
  const ofBrowser = /^(client_secret|payment_method_data\.card\..*)$/
  const unknown = STRIPE_CALLS.flatMap((route) => {
    const template = route.path.replace(':id', '{id}')
    const operation = judge.description.paths[template]?.[route.method.toLowerCase()] as Record<string, unknown>
    const schema = operation?.requestBody
      ? (operation.requestBody as { content: Record<string, { schema: unknown }> }).content[
          'application/x-www-form-urlencoded'
        ]?.schema
      : operation?.['x-query-schema']
    return route.takes
      .filter((name) => !(route.open && ofBrowser.test(name)) && !knows(schema, name.split('.')))
      .map((name) => `${route.method} ${template}: ${name}`)
  })
  expect(unknown).toEqual([])
})

type Schema = {
  properties?: Record<string, Schema>
  additionalProperties?: unknown
  anyOf?: Schema[]
  items?: Schema
}

function knows(schema: unknown, path: readonly string[]): boolean {
  if (!schema) return false
  const one = schema as Schema
  if (one.anyOf) return one.anyOf.some((part) => knows(part, path))
  const [first = '', ...rest] = path
  if (first === '') return true
  if (first === '*') return one.additionalProperties !== undefined && one.additionalProperties !== false
  const below = one.properties?.[first.replace('[]', '')]
  if (!below) return false
  if (!first.endsWith('[]')) return rest.length === 0 || knows(below, rest)
  const items = below.anyOf?.find((part) => part.items)?.items ?? below.items
  return items !== undefined && (rest.length === 0 || knows(items, rest))
}

interface Fixtures {
  resources: Record<string, Record<string, unknown>>
  endive_additions: Record<string, Record<string, unknown>>
}

/** Parts of the samples that older accounts have, or that are shown only when asked for. */
const NOT_OURS: Record<string, string[]> = {
  invoice: ['subscription'],
  charge: ['refunds'],
}

test('objects have every part that the official samples have', () => {
  const { resources, endive_additions: additions } = readWireJson<Fixtures>('fixtures.reduced.json')
  const seen = new Map<string, Record<string, unknown>>()
  const look = (value: unknown): void => {
    if (Array.isArray(value)) {
      value.forEach(look)
      return
    }
    if (typeof value !== 'object' || value === null) return
    const object = value as Record<string, unknown>
    if (typeof object.object === 'string' && object.deleted !== true) seen.set(object.object, object)
    Object.values(object).forEach(look)
  }
  for (const call of stage.recorded) if (call.status === 200) look(call.answer)
  const compared = Object.keys(resources).filter((name) => seen.has(name))
  expect(compared.length).toBeGreaterThan(18)
  const lacking = compared.flatMap((name) => {
    const wanted = [
      ...Object.keys(resources[name] ?? {}),
      ...Object.keys(additions[name] ?? {})
        .map((pointer) => pointer.split('/').slice(1))
        .flatMap((parts) => (parts.length === 1 ? parts : [])),
    ]
    return wanted
      .filter((key) => !Object.hasOwn(seen.get(name) ?? {}, key) && !NOT_OURS[name]?.includes(key))
      .map((key) => `${name}.${key}`)
  })
  expect(lacking).toEqual([])
})
