// The pretend provider's initial objects: those that `npm run stripe:setup` creates at the real one, and the product's
// webhook endpoint.
import { findIn, type Ledger, type Price, type Seconds } from './ledger.ts'
import { SANDBOX_STRIPE, SANDBOX_STRIPE_VERSION } from './stripe-options.ts'

const PRODUCT = 'addon_premium'
const METER = 'mtr_sandbox'
const MONTHLY = 'price_sandbox_monthly'
const OVERAGE = 'price_sandbox_overage'
const ENDPOINT = 'we_sandbox'

/** The product's events; the setup for the real provider uses the same list. */
const ENABLED_EVENTS = [
  'customer.subscription.*',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.payment_action_required',
  'invoice.voided',
  'invoice.finalization_failed',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'charge.refunded',
  'charge.dispute.created',
  'customer.deleted',
]

/** Adds missing objects; keeps changes made since. */
export function stockLedger(ledger: Ledger, origin: string, now: Seconds): void {
  if (!findIn(ledger.products, PRODUCT)) {
    ledger.products[PRODUCT] = {
      id: PRODUCT,
      created: now,
      updated: now,
      name: 'Premium',
      description: null,
      active: true,
      metadata: {},
    }
  }
  if (!findIn(ledger.meters, METER)) {
    ledger.meters[METER] = {
      id: METER,
      created: now,
      updated: now,
      displayName: 'Operations',
      eventName: 'addon_operations',
      formula: 'sum',
      customerKey: 'stripe_customer_id',
      valueKey: 'value',
      status: 'active',
      deactivatedAt: null,
    }
  }
  const common = {
    created: now,
    product: PRODUCT,
    currency: 'gbp',
    nickname: null,
    active: true,
    taxBehavior: 'inclusive' as const,
    metadata: {},
  }
  addPrice(ledger, {
    ...common,
    id: MONTHLY,
    unitAmount: '500',
    lookupKey: SANDBOX_STRIPE.monthlyLookupKey,
    recurring: { interval: 'month', intervalCount: 1, usageType: 'licensed', meter: null },
    tiers: null,
    tiersMode: null,
  })
  addPrice(ledger, {
    ...common,
    id: OVERAGE,
    unitAmount: null,
    lookupKey: 'premium_overage_gbp',
    recurring: { interval: 'month', intervalCount: 1, usageType: 'metered', meter: METER },
    tiers: [
      { upTo: 1000, unitAmount: '0', flatAmount: null },
      { upTo: null, unitAmount: '0.0005', flatAmount: null },
    ],
    tiersMode: 'graduated',
  })
  // The endpoint uses the machine's current name in the product's address.
  ledger.endpoints[ENDPOINT] = {
    id: ENDPOINT,
    created: findIn(ledger.endpoints, ENDPOINT)?.created ?? now,
    url: `${origin}/hooks/stripe`,
    secret: SANDBOX_STRIPE.webhookSecret,
    enabledEvents: ENABLED_EVENTS,
    apiVersion: SANDBOX_STRIPE_VERSION,
    description: 'Fieldhook',
    metadata: {},
  }
}

function addPrice(ledger: Ledger, price: Price): void {
  if (!findIn(ledger.prices, price.id)) ledger.prices[price.id] = price
}
