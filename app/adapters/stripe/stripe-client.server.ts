// Creates the Stripe client: API version, timeouts and retries, address, and the meaning of its errors.
import Stripe from 'stripe'
import { seconds } from '#app/lib/duration.ts'
import { PaymentError, type PaymentErrorCode } from '../payments.ts'

/** The format of all requests, answers and events. The SDK's types match this version. */
export const STRIPE_VERSION = '2026-10-28.endive'

/** @param apiBase an address other than Stripe's own, perhaps with a path: a stand-in */
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

/** The SDK supports hosts and ports but no paths: the stand-in in our own server has one. */
function belowPath(client: HttpClient, path: string): HttpClient {
  return {
    getClientName: () => client.getClientName(),
    makeRequest: (host, port, target, ...rest) => client.makeRequest(host, port, `${path}${target}`, ...rest),
  }
}

/** Runs an SDK call and converts its errors to ours. */
export async function asked<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw error instanceof Stripe.errors.StripeError ? paymentError(error) : error
  }
}

/** The same when it does not matter that the object is gone, or is already as it should be. */
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
      // The same call is already in progress: its answer will be available shortly.
      return error.statusCode === 409 ? 'unavailable' : 'refused'
    default:
      return 'unavailable'
  }
}
