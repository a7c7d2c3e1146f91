// Long: one function for each kind of object, field by field. Customers, products, prices, cards, charges and related
// objects in the wire's format.
import type {
  BalanceTransaction,
  Charge,
  Customer,
  Meter,
  MeterEvent,
  PaymentMethod,
  PortalConfiguration,
  PortalSession,
  Price,
  Product,
  Refund,
  Tier,
  WebhookEndpoint,
  Wire,
} from './ledger.ts'
import { getCard } from './test-cards.ts'

const NO_ADDRESS = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null }

export function listView(url: string, data: unknown[], hasMore = false): Wire {
  return { object: 'list', data, has_more: hasMore, url }
}

export function customerView(customer: Customer): Wire {
  if (customer.deleted) return { id: customer.id, object: 'customer', deleted: true }
  return {
    id: customer.id,
    object: 'customer',
    address: null,
    balance: customer.balance,
    created: customer.created,
    currency: customer.currency,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: customer.description,
    discount: null,
    email: customer.email,
    invoice_prefix: customer.invoicePrefix,
    invoice_settings: {
      custom_fields: null,
      default_payment_method: customer.defaultPaymentMethod,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: customer.metadata,
    name: customer.name,
    next_invoice_sequence: customer.nextInvoiceNumber,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  }
}

export function balanceTransactionView(one: BalanceTransaction): Wire {
  return {
    id: one.id,
    object: 'customer_balance_transaction',
    amount: one.amount,
    checkout_session: null,
    created: one.created,
    credit_note: null,
    currency: one.currency,
    customer: one.customer,
    customer_account: null,
    description: one.description,
    ending_balance: one.endingBalance,
    invoice: one.invoice,
    livemode: false,
    metadata: one.metadata,
    type: one.type,
  }
}

export function productView(product: Product): Wire {
  return {
    id: product.id,
    object: 'product',
    active: product.active,
    created: product.created,
    default_price: null,
    description: product.description,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: product.metadata,
    name: product.name,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: 'service',
    unit_label: null,
    updated: product.updated,
    url: null,
  }
}

export function priceView(price: Price): Wire {
  return {
    id: price.id,
    object: 'price',
    active: price.active,
    billing_scheme: price.tiers ? 'tiered' : 'per_unit',
    created: price.created,
    currency: price.currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: price.lookupKey,
    metadata: price.metadata,
    nickname: price.nickname,
    product: price.product,
    recurring: price.recurring && {
      interval: price.recurring.interval,
      interval_count: price.recurring.intervalCount,
      meter: price.recurring.meter,
      trial_period_days: null,
      usage_type: price.recurring.usageType,
    },
    tax_behavior: price.taxBehavior,
    tiers_mode: price.tiersMode,
    transform_quantity: null,
    type: price.recurring ? 'recurring' : 'one_time',
    unit_amount: wholeOf(price.unitAmount),
    unit_amount_decimal: price.unitAmount,
  }
}

/** Only sent when requested with `expand`. */
export function tierView(tier: Tier): Wire {
  return {
    flat_amount: wholeOf(tier.flatAmount),
    flat_amount_decimal: tier.flatAmount,
    unit_amount: wholeOf(tier.unitAmount),
    unit_amount_decimal: tier.unitAmount,
    up_to: tier.upTo,
  }
}

/** The old name of a recurring price, still part of every subscription item. */
export function planView(price: Price): Wire {
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: wholeOf(price.unitAmount),
    amount_decimal: price.unitAmount,
    billing_scheme: price.tiers ? 'tiered' : 'per_unit',
    created: price.created,
    currency: price.currency,
    interval: price.recurring?.interval ?? 'month',
    interval_count: price.recurring?.intervalCount ?? 1,
    livemode: false,
    metadata: price.metadata,
    meter: price.recurring?.meter ?? null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: price.tiersMode,
    transform_usage: null,
    trial_period_days: null,
    usage_type: price.recurring?.usageType ?? 'licensed',
  }
}

function wholeOf(decimal: string | null): number | null {
  return decimal !== null && /^-?\d+$/.test(decimal) ? Number(decimal) : null
}

function billingDetails(postcode: string | null): Wire {
  return { address: { ...NO_ADDRESS, postal_code: postcode }, email: null, name: null, phone: null, tax_id: null }
}

function checksOf(postcode: string | null, cvc: 'pass' | 'fail'): Wire {
  return {
    address_line1_check: null,
    address_postal_code_check: postcode === null ? null : 'pass',
    cvc_check: cvc,
  }
}

/** Detects that two cards are the same; derived from the number so that it is always the same. */
function fingerprintOf(number: string): string {
  return `sandbox${number.slice(-6)}`
}

export function paymentMethodView(method: PaymentMethod): Wire {
  const { brand } = getCard(method.number)
  return {
    id: method.id,
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: billingDetails(method.postcode),
    card: {
      brand,
      checks: checksOf(method.postcode, 'pass'),
      country: 'GB',
      display_brand: brand,
      exp_month: method.expMonth,
      exp_year: method.expYear,
      fingerprint: fingerprintOf(method.number),
      funding: 'credit',
      generated_from: null,
      last4: method.number.slice(-4),
      networks: { available: [brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: method.created,
    customer: method.customer,
    customer_account: null,
    livemode: false,
    metadata: method.metadata,
    type: 'card',
  }
}

export function chargeView(charge: Charge, method: PaymentMethod): Wire {
  const paid = charge.status === 'succeeded'
  return {
    id: charge.id,
    object: 'charge',
    amount: charge.amount,
    amount_captured: paid ? charge.amount : 0,
    amount_refunded: charge.amountRefunded,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: billingDetails(method.postcode),
    calculated_statement_descriptor: 'FIELDHOOK SANDBOX',
    captured: paid,
    created: charge.created,
    currency: charge.currency,
    customer: charge.customer,
    description: charge.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: charge.failureCode,
    failure_message: charge.failureMessage,
    fraud_details: {},
    livemode: false,
    metadata: charge.metadata,
    on_behalf_of: null,
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      network_status: paid ? 'approved_by_network' : 'declined_by_network',
      reason: charge.declineCode,
      risk_level: 'normal',
      seller_message: paid ? 'Payment complete.' : 'The bank did not return any further details with this decline.',
      type: paid ? 'authorized' : 'issuer_declined',
    },
    paid,
    payment_intent: charge.intent,
    payment_method: charge.paymentMethod,
    payment_method_details: { card: chargedCard(charge, method), type: 'card' },
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: paid && charge.amountRefunded === charge.amount,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: charge.status,
    transfer_data: null,
    transfer_group: null,
  }
}

function chargedCard(charge: Charge, method: PaymentMethod): Wire {
  const { brand } = getCard(method.number)
  return {
    amount_authorized: charge.status === 'succeeded' ? charge.amount : null,
    authorization_code: null,
    brand,
    checks: checksOf(method.postcode, charge.failureCode === 'incorrect_cvc' ? 'fail' : 'pass'),
    country: 'GB',
    electronic_commerce_indicator: null,
    exp_month: method.expMonth,
    exp_year: method.expYear,
    fingerprint: fingerprintOf(method.number),
    funding: 'credit',
    installments: null,
    last4: method.number.slice(-4),
    mandate: null,
    network: brand,
    network_transaction_id: null,
    regulated_status: 'unregulated',
    three_d_secure: null,
    transaction_link_id: null,
    wallet: null,
  }
}

export function refundView(refund: Refund): Wire {
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    balance_transaction: null,
    charge: refund.charge,
    created: refund.created,
    currency: refund.currency,
    customer: null,
    customer_account: null,
    destination_details: { card: { type: 'refund', reference_status: 'pending' }, type: 'card' },
    metadata: refund.metadata,
    payment_intent: refund.intent,
    payment_method: null,
    reason: refund.reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  }
}

export function meterView(meter: Meter): Wire {
  return {
    id: meter.id,
    object: 'billing.meter',
    created: meter.created,
    customer_mapping: { event_payload_key: meter.customerKey, type: 'by_id' },
    default_aggregation: { formula: meter.formula },
    display_name: meter.displayName,
    event_name: meter.eventName,
    event_time_window: null,
    livemode: false,
    status: meter.status,
    status_transitions: { deactivated_at: meter.deactivatedAt },
    updated: meter.updated,
    value_settings: { event_payload_key: meter.valueKey },
  }
}

export function meterEventView(event: MeterEvent): Wire {
  return {
    object: 'billing.meter_event',
    created: event.created,
    event_name: event.eventName,
    identifier: event.identifier,
    livemode: false,
    payload: event.payload,
    timestamp: event.timestamp,
  }
}

export function webhookEndpointView(endpoint: WebhookEndpoint, withSecret = false): Wire {
  return {
    id: endpoint.id,
    object: 'webhook_endpoint',
    api_version: endpoint.apiVersion,
    application: null,
    created: endpoint.created,
    description: endpoint.description,
    enabled_events: endpoint.enabledEvents,
    livemode: false,
    metadata: endpoint.metadata,
    ...(withSecret ? { secret: endpoint.secret } : {}),
    status: 'enabled',
    url: endpoint.url,
  }
}

export function portalConfigurationView(one: PortalConfiguration): Wire {
  return {
    id: one.id,
    object: 'billing_portal.configuration',
    active: true,
    application: null,
    business_profile: { headline: one.headline, privacy_policy_url: null, terms_of_service_url: null },
    created: one.created,
    default_return_url: one.defaultReturnUrl,
    features: {
      customer_update: { allowed_updates: one.emailUpdate ? ['email'] : [], enabled: one.emailUpdate === true },
      invoice_history: { enabled: one.invoiceHistory },
      payment_method_update: { enabled: one.paymentMethodUpdate, payment_method_configuration: null },
      subscription_cancel: {
        cancellation_reason: { enabled: false, feedback_options: null, options: ['other'] },
        enabled: one.cancel,
        mode: one.cancelMode,
        proration_behavior: 'none',
      },
      subscription_pause: { duration: { interval_options: [], type: 'indefinite' }, enabled: false },
      subscription_update: {
        billing_cycle_anchor: null,
        default_allowed_updates: [],
        enabled: false,
        proration_behavior: 'none',
        schedule_at_period_end: { conditions: [] },
        trial_update_behavior: 'end_trial',
      },
    },
    is_default: false,
    livemode: false,
    login_page: { enabled: false, url: null },
    metadata: one.metadata,
    name: null,
    updated: one.updated,
  }
}

/** @param url the address of the session's page */
export function portalSessionView(one: PortalSession, url: string): Wire {
  return {
    id: one.id,
    object: 'billing_portal.session',
    configuration: one.configuration,
    created: one.created,
    customer: one.customer,
    customer_account: null,
    flow: one.flow && flowView(one.flow),
    livemode: false,
    locale: null,
    on_behalf_of: null,
    return_url: one.returnUrl,
    url,
  }
}

function flowView(type: NonNullable<PortalSession['flow']>): Wire {
  return {
    after_completion: { hosted_confirmation: null, redirect: null, type: 'portal_homepage' },
    customer_update: null,
    subscription_cancel: null,
    subscription_pause: null,
    subscription_update: null,
    subscription_update_confirm: null,
    type,
  }
}
