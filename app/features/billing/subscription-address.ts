// URLs of the subscription page, built in one place so that all links agree.
import { type AccountLink, linkTo } from '#app/domain/account-address.ts'

/** Links to this page load the whole document: only its own response's policy allows the payment provider's script. */
export function subscriptionAddress(account: AccountLink): string {
  return linkTo('/subscription', account)
}

/** The webhook manager, the target of "Back to Dashboard". */
export function dashboardAddress(account: AccountLink): string {
  return linkTo('/', account)
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
