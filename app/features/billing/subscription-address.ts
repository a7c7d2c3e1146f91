// URLs of the subscription page, built in one place so that all links agree.

const SUBSCRIPTION_PATH = '/subscription'

/** The account, as the platform named it, and the role a page is requested in: part of every link. */
export interface SubscriptionAccount {
  accountUUID: string
  admin: boolean
}

/** Links to this page load the whole document: only its own response's policy allows the payment provider's script. */
export function subscriptionAddress({ accountUUID, admin }: SubscriptionAccount): string {
  return `${SUBSCRIPTION_PATH}?${new URLSearchParams(admin ? { accountUUID, admin: 'yes' } : { accountUUID })}`
}

/** The webhook manager, the target of "Back to Dashboard". */
export function dashboardAddress({ accountUUID, admin }: SubscriptionAccount): string {
  return `/?${new URLSearchParams(admin ? { accountUUID, admin: 'yes' } : { accountUUID })}`
}

/** The parameters the provider adds to the return URL. */
const RETURN_PARAMETERS = ['payment_intent', 'payment_intent_client_secret', 'redirect_status'] as const

/** The payment id in the return URL, or null. It is a claim that must be looked up. */
export function returnedPayment(query: URLSearchParams): string | null {
  return readPaymentId(query.get('payment_intent'))
}

/** Parses a payment id in the provider's format; null for anything else. */
export function readPaymentId(text: string | null): string | null {
  return text !== null && /^pi_\w{1,250}$/.test(text) ? text : null
}

/** Whether the URL has any return parameters. They are removed, whether trusted or not. */
export function isReturn(query: URLSearchParams): boolean {
  return RETURN_PARAMETERS.some((name) => query.has(name))
}
