// The variables for card payments.
import { list, readBase } from './env-values.server.ts'

/** All variables or none. */
export interface StripeEnv {
  secretKey: string
  publishableKey: string
  /** One, or two during a rotation. */
  webhookSecrets: string[]
  /** Null = found by its lookup key. */
  monthlyPriceId: string | null
  /** Null = usage over the included amount is free. */
  overagePriceId: string | null
  /** Null = Stripe itself. */
  apiBase: string | null
}

/** None of these counts without STRIPE_SECRET_KEY. */
export const WITH_THE_KEY = [
  'STRIPE_PUBLISHABLE_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_PRICE_MONTHLY',
  'STRIPE_PRICE_OVERAGE',
  'STRIPE_API_BASE',
] as const
type StripeVariable = 'STRIPE_SECRET_KEY' | (typeof WITH_THE_KEY)[number]

/** Null = card payments are not configured. */
export function readStripe(
  given: Partial<Record<StripeVariable, string | undefined>>,
  problems: string[],
): StripeEnv | null {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_PUBLISHABLE_KEY: publishableKey = '' } = given
  if (!secretKey) {
    for (const name of WITH_THE_KEY) {
      if (given[name]) problems.push(`${name} is set but STRIPE_SECRET_KEY is not: set both, or neither.`)
    }
    return null
  }
  checkKeys(secretKey, publishableKey, problems)
  const webhookSecrets = list(given.STRIPE_WEBHOOK_SECRET)
  if (webhookSecrets.length === 0) {
    problems.push('STRIPE_WEBHOOK_SECRET is missing: it belongs to the webhook to $APP_ORIGIN/hooks/stripe.')
  } else if (webhookSecrets.some((secret) => !/^whsec_\S+$/.test(secret))) {
    problems.push('STRIPE_WEBHOOK_SECRET must be one or two secrets that begin with whsec_, separated by commas.')
  }
  for (const name of ['STRIPE_PRICE_MONTHLY', 'STRIPE_PRICE_OVERAGE'] as const) {
    if (given[name] && !/^price_\w+$/.test(given[name])) {
      problems.push(`${name} must be the id of a price, such as price_1Abc.`)
    }
  }
  const apiBase = given.STRIPE_API_BASE ? readApiBase(given.STRIPE_API_BASE, secretKey, problems) : null
  return {
    secretKey,
    publishableKey,
    webhookSecrets,
    monthlyPriceId: given.STRIPE_PRICE_MONTHLY ?? null,
    overagePriceId: given.STRIPE_PRICE_OVERAGE ?? null,
    apiBase,
  }
}

const isLive = (key: string) => /^(sk|rk|pk)_live_/.test(key)

function checkKeys(secretKey: string, publishableKey: string, problems: string[]): void {
  if (!/^(sk|rk)_\w+$/.test(secretKey)) {
    problems.push('STRIPE_SECRET_KEY must begin with sk_ or rk_: it is the secret key from the Stripe dashboard.')
  }
  if (publishableKey === '') {
    problems.push('STRIPE_PUBLISHABLE_KEY is missing: the card form needs it beside STRIPE_SECRET_KEY.')
  } else if (!/^pk_\w+$/.test(publishableKey)) {
    problems.push('STRIPE_PUBLISHABLE_KEY must begin with pk_: it is the key that browsers may see.')
  } else if (isLive(publishableKey) !== isLive(secretKey)) {
    problems.push('STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY must both be live keys or both be test keys.')
  }
}

function readApiBase(given: string, secretKey: string, problems: string[]): string {
  const apiBase = readBase('STRIPE_API_BASE', given, problems)
  if (apiBase && new URL(apiBase).pathname !== '/') {
    problems.push(`STRIPE_API_BASE must be an origin without a path.`)
  }
  if (isLive(secretKey)) {
    problems.push('STRIPE_API_BASE cannot be set with a live key: real cards are for Stripe itself only.')
  }
  return apiBase
}
