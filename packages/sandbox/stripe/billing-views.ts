// Subscriptions, invoices and payments in the wire's format.
import { listView, planView, priceView } from './catalogue-views.ts'
import {
  findIn,
  getIn,
  type Intent,
  type Invoice,
  type InvoiceLine,
  type InvoicePayment,
  type Ledger,
  type PaymentError,
  type StripeEvent,
  type Subscription,
  type SubscriptionItem,
  type Wire,
} from './ledger.ts'
import { SANDBOX_STRIPE_VERSION } from './stripe-options.ts'

export function subscriptionView(ledger: Ledger, sub: Subscription): Wire {
  return {
    id: sub.id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: sub.anchor,
    billing_cycle_anchor_config: null,
    billing_mode:
      sub.billingMode === 'flexible'
        ? { flexible: { proration_discounts: 'included' }, type: 'flexible', updated_at: sub.created }
        : { flexible: null, type: 'classic' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: sub.cancelAt ?? (sub.cancelAtPeriodEnd ? sub.periodEnd : null),
    cancel_at_period_end: sub.cancelAtPeriodEnd,
    canceled_at: sub.canceledAt,
    cancellation_details: {
      comment: null,
      feedback: null,
      feedback_option: null,
      reason: sub.cancellationReason,
    },
    collection_method: 'charge_automatically',
    created: sub.created,
    currency: sub.currency,
    customer: sub.customer,
    customer_account: null,
    days_until_due: null,
    default_payment_method: sub.defaultPaymentMethod,
    default_source: null,
    default_tax_rates: [],
    description: sub.description,
    discounts: [],
    ended_at: sub.endedAt,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: listView(
      `/v1/subscription_items?subscription=${sub.id}`,
      sub.items.map((item) => itemView(ledger, sub, item)),
    ),
    latest_invoice: sub.latestInvoice,
    livemode: false,
    managed_payments: null,
    metadata: sub.metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: sub.paymentMethodTypes,
      save_default_payment_method: sub.saveDefaultPaymentMethod,
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: sub.created,
    status: sub.status,
    ...(sub.pausedAt === null
      ? {}
      : {
          status_details: {
            paused: { subscription: { type: 'pause_requested' }, transitioned_at: sub.pausedAt, type: 'subscription' },
          },
        }),
    test_clock: null,
    transfer_data: null,
    trial_end: null,
    trial_settings: { end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' } },
    trial_start: null,
  }
}

function itemView(ledger: Ledger, sub: Subscription, item: SubscriptionItem): Wire {
  const price = getIn(ledger.prices, item.price)
  return {
    id: item.id,
    object: 'subscription_item',
    billing_thresholds: null,
    created: item.created,
    current_period_end: sub.periodEnd,
    current_period_start: sub.periodStart,
    current_trial: null,
    discounts: [],
    metadata: item.metadata,
    plan: planView(price),
    price: priceView(price),
    ...(item.quantity === null ? {} : { quantity: item.quantity }),
    subscription: sub.id,
    tax_rates: [],
  }
}

export function invoiceTotal(invoice: Pick<Invoice, 'lines'>): number {
  return invoice.lines.reduce((sum, line) => sum + line.amount, 0)
}

export function amountRemaining(invoice: Pick<Invoice, 'amountDue' | 'amountPaid'>): number {
  return Math.max(0, invoice.amountDue - invoice.amountPaid)
}

export function invoiceView(ledger: Ledger, invoice: Invoice): Wire {
  const customer = findIn(ledger.customers, invoice.customer)
  const sub = findIn(ledger.subscriptions, invoice.subscription)
  const total = invoiceTotal(invoice)
  return {
    id: invoice.id,
    object: 'invoice',
    account_country: 'GB',
    account_name: 'Fieldhook sandbox',
    account_tax_ids: null,
    amount_due: invoice.amountDue,
    amount_overpaid: invoice.amountOverpaid,
    amount_paid: invoice.amountPaid,
    amount_remaining: amountRemaining(invoice),
    amount_shipping: 0,
    application: null,
    attempt_count: invoice.attemptCount,
    attempted: invoice.attemptCount > 0,
    auto_advance: invoice.autoAdvance,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: invoice.automaticallyFinalizesAt,
    billing_reason: invoice.billingReason,
    collection_method: 'charge_automatically',
    created: invoice.created,
    currency: invoice.currency,
    custom_fields: null,
    customer: invoice.customer,
    customer_account: null,
    customer_address: null,
    customer_email: customer?.email ?? null,
    customer_name: customer?.name ?? null,
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    due_date: null,
    effective_at: invoice.finalizedAt,
    ending_balance: invoice.endingBalance,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: listView(
      `/v1/invoices/${invoice.id}/lines`,
      invoice.lines.map((line) => lineView(invoice, line)),
    ),
    livemode: false,
    metadata: invoice.metadata,
    next_payment_attempt: invoice.nextPaymentAttempt,
    number: invoice.number,
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: sub?.metadata ?? {}, subscription: invoice.subscription },
      type: 'subscription_details',
    },
    payment_settings: {
      default_mandate: null,
      payment_method_options: null,
      payment_method_types: sub?.paymentMethodTypes ?? null,
    },
    period_end: invoice.periodEnd,
    period_start: invoice.periodStart,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: invoice.startingBalance,
    statement_descriptor: null,
    status: invoice.status,
    status_transitions: {
      finalized_at: invoice.finalizedAt,
      marked_uncollectible_at: null,
      paid_at: invoice.paidAt,
      voided_at: invoice.voidedAt,
    },
    subtotal: total,
    subtotal_excluding_tax: total,
    test_clock: null,
    total,
    total_discount_amounts: [],
    total_excluding_tax: total,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: invoice.finalizedAt,
  }
}

export function lineView(invoice: Invoice, line: InvoiceLine): Wire {
  const onItem = line.subscriptionItem !== ''
  return {
    id: line.id,
    object: 'line_item',
    amount: line.amount,
    currency: invoice.currency,
    description: line.description,
    discount_amounts: [],
    discountable: line.amount >= 0,
    discounts: [],
    invoice: invoice.id,
    livemode: false,
    metadata: line.metadata,
    parent: onItem
      ? {
          invoice_item_details: null,
          subscription_item_details: {
            invoice_item: line.invoiceItem === '' ? null : line.invoiceItem,
            proration: line.proration,
            proration_details: { credited_items: null },
            subscription: invoice.subscription,
            subscription_item: line.subscriptionItem,
          },
          type: 'subscription_item_details',
        }
      : {
          invoice_item_details: {
            invoice_item: line.invoiceItem,
            proration: line.proration,
            proration_details: { credited_items: null },
            subscription: invoice.subscription,
          },
          subscription_item_details: null,
          type: 'invoice_item_details',
        },
    period: { end: line.periodEnd, start: line.periodStart },
    pretax_credit_amounts: [],
    pricing:
      line.price === null || line.product === null
        ? null
        : {
            price_details: { price: line.price, product: line.product },
            type: 'price_details',
            unit_amount_decimal: line.unitAmount,
          },
    quantity: line.quantity,
    quantity_decimal: String(line.quantity),
    subscription: invoice.subscription,
    subtotal: line.amount,
    taxes: [],
  }
}

export function invoicePaymentView(ledger: Ledger, one: InvoicePayment): Wire {
  return {
    id: one.id,
    object: 'invoice_payment',
    amount_paid: one.amountPaid,
    amount_requested: one.amountRequested,
    created: one.created,
    currency: getIn(ledger.invoices, one.invoice).currency,
    invoice: one.invoice,
    is_default: one.isDefault,
    livemode: false,
    payment: { payment_intent: one.intent, type: 'payment_intent' },
    status: one.status,
    status_transitions: { canceled_at: one.canceledAt, paid_at: one.paidAt },
  }
}

/** @param errorView the last error with its card in full, or null */
export function intentView(intent: Intent, errorView: Wire | null, actionUrl: string): Wire {
  return {
    id: intent.id,
    object: 'payment_intent',
    allowed_payment_method_types: intent.allowedTypes,
    amount: intent.amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: intent.amountReceived,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: intent.canceledAt,
    cancellation_reason: intent.cancellationReason,
    capture_method: 'automatic',
    client_secret: intent.clientSecret,
    confirmation_method: 'automatic',
    created: intent.created,
    currency: intent.currency,
    customer: intent.customer,
    customer_account: null,
    description: intent.description,
    excluded_payment_method_types: null,
    last_payment_error: errorView,
    latest_charge: intent.latestCharge,
    livemode: false,
    managed_payments: null,
    metadata: intent.metadata,
    next_action: intent.awaiting && {
      redirect_to_url: { return_url: intent.awaiting.returnUrl, url: actionUrl },
      type: 'redirect_to_url',
    },
    on_behalf_of: null,
    payment_method: intent.awaiting?.paymentMethod ?? intent.paymentMethod,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: intent.setupFutureUsage,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: intent.status,
    transfer_data: null,
    transfer_group: null,
  }
}

/** @param method the attempt's card in the wire's format */
export function paymentErrorView(error: PaymentError, method: Wire | null): Wire {
  return {
    ...(error.charge === null ? {} : { charge: error.charge }),
    code: error.code,
    ...(error.declineCode === null ? {} : { decline_code: error.declineCode }),
    message: error.message,
    ...(method === null ? {} : { payment_method: method }),
    type: error.type,
  }
}

/** @param pending endpoints that have not yet answered successfully */
export function eventView(event: StripeEvent, pending: number): Wire {
  return {
    id: event.id,
    object: 'event',
    api_version: SANDBOX_STRIPE_VERSION,
    created: event.created,
    data: { object: event.object, ...(event.previous ? { previous_attributes: event.previous } : {}) },
    livemode: false,
    pending_webhooks: pending,
    request: {
      id: event.request?.id ?? null,
      idempotency_key: event.request?.idempotencyKey ?? null,
    },
    type: event.type,
  }
}
