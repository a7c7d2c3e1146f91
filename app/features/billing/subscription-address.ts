// Addresses of the subscription page. Written here, so that every link says the same.

const SUBSCRIPTION_PATH = '/subscription'

/** Which account, as the platform named it, and in which role a page is asked for: part of every link. */
export interface SubscriptionAccount {
  accountUUID: string
  admin: boolean
}

/** Links to it ask for the whole document: only that answer's policy lets the payment provider's script in. */
export function subscriptionAddress({ accountUUID, admin }: SubscriptionAccount): string {
  return `${SUBSCRIPTION_PATH}?${new URLSearchParams(admin ? { accountUUID, admin: 'yes' } : { accountUUID })}`
}

/** The webhook manager, as "Back to Dashboard" finds it. */
export function dashboardAddress({ accountUUID, admin }: SubscriptionAccount): string {
  return `/?${new URLSearchParams(admin ? { accountUUID, admin: 'yes' } : { accountUUID })}`
}

/** What the provider adds to the address it returns to. */
const RETURN_PARAMETERS = ['payment_intent', 'payment_intent_client_secret', 'redirect_status'] as const

/** The payment somebody returns from, or null; a claim of the address, to be looked up. */
export function returnedPayment(query: URLSearchParams): string | null {
  return readPaymentId(query.get('payment_intent'))
}

/** A payment's id as the provider writes it; null for anything else. */
export function readPaymentId(text: string | null): string | null {
  return text !== null && /^pi_\w{1,250}$/.test(text) ? text : null
}

/** Does the address carry anything of a return? Then it is cleaned, whether it is believed or not. */
export function isReturn(query: URLSearchParams): boolean {
  return RETURN_PARAMETERS.some((name) => query.has(name))
}
