// Creates what the product needs at Stripe: product, prices, the customer portal's settings, the webhook. Leaves
// existing objects alone, so it can run again at any time. Run by `npm run stripe:setup`.
import Stripe from 'stripe'
import {
  METER_EVENT,
  MONTHLY_LOOKUP_KEY,
  OVERAGE_LOOKUP_KEY,
  PAYMENT_EVENT_TYPES,
  PORTAL_FEATURES,
} from './stripe-catalogue.ts'
import { createStripeClient, STRIPE_VERSION } from './stripe-client.server.ts'
import { idOf } from './stripe-objects.ts'

interface StripeSetup {
  secretKey: string
  apiBase: string | null
  /** Public address without a trailing slash. */
  origin: string
  /** Also create a meter and a price for usage over the included amount. */
  overage: boolean
  say(line: string): void
}

const PRODUCT = 'addon_premium'
const MONTHLY_PENCE = 500
const INCLUDED = 1000
/** £0.005 for 1,000 operations. */
const PENCE_PER_OPERATION = '0.0005'

/** @returns lines for .env. Includes the webhook's secret only when the webhook is new: Stripe shows it once. */
export async function setUpStripe({ secretKey, apiBase, origin, overage, say }: StripeSetup): Promise<string[]> {
  const stripe = createStripeClient({ secretKey, apiBase })
  await ensureProduct(stripe, say)
  const monthly = await ensureMonthlyPrice(stripe, say)
  const extra = overage ? await ensureOveragePrice(stripe, say) : null
  await ensurePortal(stripe, say)
  const secret = await ensureWebhook(stripe, `${origin}/hooks/stripe`, say)
  return [
    `STRIPE_PRICE_MONTHLY=${monthly}`,
    ...(extra === null ? [] : [`STRIPE_PRICE_OVERAGE=${extra}`]),
    ...(secret === null ? [] : [`STRIPE_WEBHOOK_SECRET=${secret}`]),
  ]
}

async function ensureProduct(stripe: Stripe, say: StripeSetup['say']): Promise<void> {
  try {
    await stripe.products.retrieve(PRODUCT)
    say('The product is there.')
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError) || error.code !== 'resource_missing') throw error
    await stripe.products.create({ id: PRODUCT, name: 'Premium' })
    say('Made the product.')
  }
}

async function priceOf(stripe: Stripe, lookupKey: string): Promise<Stripe.Price | null> {
  const { data } = await stripe.prices.list({ lookup_keys: [lookupKey], active: true, limit: 1 })
  return data[0] ?? null
}

async function ensureMonthlyPrice(stripe: Stripe, say: StripeSetup['say']): Promise<string> {
  const known = await priceOf(stripe, MONTHLY_LOOKUP_KEY)
  if (known?.unit_amount === MONTHLY_PENCE && known.currency === 'gbp' && known.recurring?.interval === 'month') {
    say('The monthly price is there.')
    return known.id
  }
  // A price never changes: a new amount needs a new price, which takes over the lookup key.
  const made = await stripe.prices.create({
    product: PRODUCT,
    currency: 'gbp',
    unit_amount: MONTHLY_PENCE,
    tax_behavior: 'inclusive',
    recurring: { interval: 'month', usage_type: 'licensed' },
    lookup_key: MONTHLY_LOOKUP_KEY,
    transfer_lookup_key: true,
  })
  say(known ? 'Made a new monthly price: the old one had another amount.' : 'Made the monthly price.')
  return made.id
}

async function ensureOveragePrice(stripe: Stripe, say: StripeSetup['say']): Promise<string> {
  const meters = await stripe.billing.meters.list({ status: 'active', limit: 100 })
  let meter = meters.data.find((one) => one.event_name === METER_EVENT)
  if (!meter) {
    meter = await stripe.billing.meters.create({
      display_name: 'Operations',
      event_name: METER_EVENT,
      default_aggregation: { formula: 'sum' },
      customer_mapping: { type: 'by_id', event_payload_key: 'stripe_customer_id' },
      value_settings: { event_payload_key: 'value' },
    })
    say('Made the meter.')
  }
  const known = await priceOf(stripe, OVERAGE_LOOKUP_KEY)
  if (known && idOf(known.recurring?.meter) === meter.id) {
    say('The price for use over what is included is there.')
    return known.id
  }
  const made = await stripe.prices.create({
    product: PRODUCT,
    currency: 'gbp',
    tax_behavior: 'inclusive',
    recurring: { interval: 'month', usage_type: 'metered', meter: meter.id },
    billing_scheme: 'tiered',
    tiers_mode: 'graduated',
    tiers: [
      { up_to: INCLUDED, unit_amount: 0 },
      { up_to: 'inf', unit_amount_decimal: Stripe.Decimal.from(PENCE_PER_OPERATION) },
    ],
    lookup_key: OVERAGE_LOOKUP_KEY,
    transfer_lookup_key: true,
  })
  say('Made the price for use over what is included.')
  return made.id
}

async function ensurePortal(stripe: Stripe, say: StripeSetup['say']): Promise<void> {
  const { data } = await stripe.billingPortal.configurations.list({ active: true, limit: 1 })
  if (data.length > 0) return say('The customer portal is set up.')
  await stripe.billingPortal.configurations.create({ features: PORTAL_FEATURES })
  say('Set up the customer portal.')
}

async function ensureWebhook(stripe: Stripe, url: string, say: StripeSetup['say']): Promise<string | null> {
  const { data } = await stripe.webhookEndpoints.list({ limit: 100 })
  const known = data.find((one) => one.url === url && one.status === 'enabled')
  if (!known) {
    const made = await stripe.webhookEndpoints.create({
      url,
      api_version: STRIPE_VERSION,
      enabled_events: [...PAYMENT_EVENT_TYPES],
    })
    say(`Made the webhook to ${url}.`)
    return made.secret ?? null
  }
  if (known.api_version !== STRIPE_VERSION) {
    say(`The webhook to ${url} speaks ${known.api_version ?? 'another version'}: delete it and run this again.`)
    return null
  }
  const missing = PAYMENT_EVENT_TYPES.filter((type) => !hears(known.enabled_events, type))
  if (missing.length > 0) {
    await stripe.webhookEndpoints.update(known.id, { enabled_events: [...PAYMENT_EVENT_TYPES] })
    say(`The webhook to ${url} now hears ${missing.join(', ')} too.`)
  } else {
    say(`The webhook to ${url} is there. Its secret is in the dashboard.`)
  }
  return null
}

function hears(enabled: readonly string[], type: string): boolean {
  return enabled.some((one) => one === '*' || one === type || (one.endsWith('.*') && type.startsWith(one.slice(0, -1))))
}
