// Selects the payment provider: Stripe when a key is set, the sandbox's own when it plays the platform, else none.
import type { StripeOptions } from '#app/adapters/stripe/stripe.server.ts'
import type { App, Settings } from '#app/context/app-context.ts'
import type { Sandbox } from '#sandbox/sandbox.server.ts'
import type { Env } from './env.server.ts'

type Paying = Pick<App, 'payments'> & Settings['payments']

export async function connectPayments(
  env: Pick<Env, 'stripe'>,
  sandbox: Pick<Sandbox, 'stripe'> | null,
  parts: Pick<StripeOptions, 'clock' | 'log'>,
): Promise<Paying> {
  const keys = env.stripe ?? sandbox?.stripe
  if (!keys) return { mode: 'off', publishableKey: null, payments: null }
  // Stripe's code is large: load it only where payments are possible.
  const { createStripePayments } = await import('#app/adapters/stripe/stripe.server.ts')
  const { publishableKey, ...options } = keys
  return {
    mode: env.stripe ? 'stripe' : 'sandbox',
    publishableKey,
    payments: createStripePayments({ ...options, ...parts }),
  }
}
