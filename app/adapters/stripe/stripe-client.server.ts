// Our way to the Stripe SDK: which version of the API, how long and how often, where, and what its errors mean to us.
import Stripe from 'stripe'
import { seconds } from '#app/lib/duration.ts'
import { PaymentError, type PaymentErrorCode } from '../payments.ts'

/** The shape of everything that is sent and received, events included. The SDK's types are of this version. */
export const STRIPE_VERSION = '2026-10-28.endive'

/** @param apiBase another address than Stripe's own, perhaps with a path: a stand-in */
export function createStripeClient({ secretKey, apiBase }: { secretKey: string; apiBase: string | null }): Stripe {
  const base = apiBase === null ? null : new URL(apiBase)
  return new Stripe(secretKey, {
    apiVersion: STRIPE_VERSION,
    maxNetworkRetries: 2,
    timeout: seconds(20),
    telemetry: false,
    ...(base && {
      host: base.hostname,
      port: base.port || (base.protocol === 'https:' ? '443' : '80'),
      protocol: base.protocol === 'https:' ? ('https' as const) : ('http' as const),
      httpClient: belowPath(Stripe.createNodeHttpClient(), base.pathname.replace(/\/+$/, '')),
    }),
  })
}

type HttpClient = NonNullable<NonNullable<ConstructorParameters<typeof Stripe>[1]>['httpClient']>

/** The SDK knows hosts and ports but no paths: the stand-in within our own server has one. */
function belowPath(client: HttpClient, path: string): HttpClient {
  return {
    getClientName: () => client.getClientName(),
    makeRequest: (host, port, target, ...rest) => client.makeRequest(host, port, `${path}${target}`, ...rest),
  }
}

/** Runs a call of the SDK; its errors become ours. */
export async function asked<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw error instanceof Stripe.errors.StripeError ? paymentError(error) : error
  }
}

/** The same where it does not matter that the thing is gone, or is as it should be. */
export async function askedUnless<T>(codes: readonly PaymentErrorCode[], call: () => Promise<T>): Promise<T | null> {
  try {
    return await asked(call)
  } catch (error) {
    if (error instanceof PaymentError && codes.includes(error.code)) return null
    throw error
  }
}

function paymentError(error: InstanceType<typeof Stripe.errors.StripeError>): PaymentError {
  return new PaymentError(codeOf(error), error.message, error.requestId ?? null)
}

function codeOf(error: InstanceType<typeof Stripe.errors.StripeError>): PaymentErrorCode {
  switch (error.type) {
    case 'StripeCardError':
      return 'card'
    case 'StripeAuthenticationError':
    case 'StripePermissionError':
      return 'denied'
    case 'StripeInvalidRequestError':
    case 'StripeIdempotencyError':
      if (error.code === 'resource_missing') return 'missing'
      // A twin of the same call is under way: its answer will be there in a moment.
      return error.statusCode === 409 ? 'unavailable' : 'refused'
    default:
      return 'unavailable'
  }
}
