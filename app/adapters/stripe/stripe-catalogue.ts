// The names of the objects required at Stripe.

export const MONTHLY_LOOKUP_KEY = 'premium_monthly_gbp'
export const OVERAGE_LOOKUP_KEY = 'premium_overage_gbp'
/** The meter's event that counts usage. */
export const METER_EVENT = 'addon_operations'

/** What a customer may do on Stripe's own page. */
export const PORTAL_FEATURES = {
  payment_method_update: { enabled: true },
  invoice_history: { enabled: true },
  subscription_cancel: { enabled: true, mode: 'at_period_end' as const },
  customer_update: { enabled: true, allowed_updates: ['email' as const] },
}

/** The events we subscribe to. Not `invoice.created`: a failure to answer it delays the invoice. */
export const PAYMENT_EVENT_TYPES = [
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
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
] as const
