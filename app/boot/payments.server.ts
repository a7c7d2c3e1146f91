// Who takes card payments: Stripe when a key is set, the sandbox's own when it plays the platform, else nobody.
import type { StripeOptions } from '#app/adapters/stripe/stripe.server.ts'
import type { App, Settings } from '#app/context/app-context.ts'
import type { Env } from './env.server.ts'

type Paying = Pick<App, 'payments'> & Settings['payments']

export async function connectPayments(
  env: Pick<Env, 'stripe' | 'platform' | 'origin'>,
  parts: Pick<StripeOptions, 'clock' | 'log'>,
): Promise<Paying> {
  if (!env.stripe && env.platform !== 'sandbox') return { mode: 'off', publishableKey: null, payments: null }
  // Stripe's own code is large: it is loaded only where somebody can pay.
  const { createStripePayments } = await import('#app/adapters/stripe/stripe.server.ts')
  if (env.stripe) {
    const { publishableKey, ...options } = env.stripe
    return { mode: 'stripe', publishableKey, payments: createStripePayments({ ...options, ...parts }) }
  }
  const { SANDBOX_STRIPE } = await import('#sandbox/stripe/stripe-options.ts')
  const payments = createStripePayments({
    secretKey: SANDBOX_STRIPE.secretKey,
    webhookSecrets: [SANDBOX_STRIPE.webhookSecret],
    monthlyPriceId: null,
    overagePriceId: null,
    apiBase: `${env.origin}${SANDBOX_STRIPE.basePath}`,
    ...parts,
  })
  return { mode: 'sandbox', publishableKey: SANDBOX_STRIPE.publishableKey, payments }
}
