/**
 * What the product and the sandbox's Stripe agree on when no real Stripe key is configured. None of these values opens
 * anything outside this machine. The publishable key does not start with pk_test on purpose: that prefix makes the
 * official loader warn about versions.
 */
export const SANDBOX_STRIPE = {
  secretKey: 'sk_sandbox_fieldhook',
  publishableKey: 'pk_sandbox_local',
  webhookSecret: 'whsec_sandbox_fieldhook_local_only',
  basePath: '/sandbox/stripe',
  monthlyLookupKey: 'premium_monthly_gbp',
} as const

/** The one version of the wire that the sandbox speaks. */
export const SANDBOX_STRIPE_VERSION = '2026-10-28.endive'

/** Rules of the stage's list of faults that begin with this spoil calls to the payment provider: `/stripe/v1/refunds`. */
export const FAULT_PREFIX = '/stripe'
