/**
 * Keys shared by the product and the sandbox's Stripe when no real Stripe key is configured. They only work on this
 * machine. The publishable key deliberately does not start with pk_test: that prefix makes the official loader warn
 * about versions.
 */
export const SANDBOX_STRIPE = {
  secretKey: 'sk_sandbox_fieldhook',
  publishableKey: 'pk_sandbox_local',
  webhookSecret: 'whsec_sandbox_fieldhook_local_only',
  basePath: '/sandbox/stripe',
  monthlyLookupKey: 'premium_monthly_gbp',
} as const

/** The only version of the wire that the sandbox supports. */
export const SANDBOX_STRIPE_VERSION = '2026-10-28.endive'

/** Fault rules of the stage that start with this apply to calls to the payment provider: `/stripe/v1/refunds`. */
export const FAULT_PREFIX = '/stripe'
