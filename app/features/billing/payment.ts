// The results of paying, managing or ending a subscription, and the sentences for refusals.

/** A payment that the browser can confirm, or why there is none. `amount` in pence. */
export type PaymentStart =
  | { outcome: 'pay'; clientSecret: string; amount: number; currency: 'gbp'; description: string }
  | PaymentRefusal

export interface PaymentRefusal {
  outcome: 'refused'
  /** 400: invalid request · 402: bank refused · 409: not in this state · 503: later, or not set up · 500: our fault */
  status: 400 | 402 | 409 | 503 | 500
  message: string
}

/**
 * The result of a payment after returning from it. `unknown` = it does not belong to this account; `still_owed` = it is
 * paid, and another month is not; `ended` = it is paid, and its subscription has ended.
 */
export type ReturnOutcome =
  | { outcome: 'paid' | 'still_owed' | 'ended' }
  | { outcome: 'failed'; message: string }
  | { outcome: 'processing' }
  | { outcome: 'unknown' }

export type PortalOpening = { outcome: 'open'; url: string } | PaymentRefusal

export type CancellationOutcome = { outcome: 'saved' } | PaymentRefusal

export function refused(status: PaymentRefusal['status'], message: string): PaymentRefusal {
  return { outcome: 'refused', status, message }
}

export const PAYMENTS_OFF = 'Card payments are not configured.'
export const INVALID_AMOUNT = 'Invalid amount'
export const ALREADY_ACTIVE = 'Your subscription is already active: nothing is due now.'
export const ALREADY_RENEWED = 'This payment has arrived already: your new month has begun.'
export const ENDS_ANYWAY = 'Your subscription is cancelled. Keep it first, then pay early.'
export const KEEP_FIRST = 'Your subscription is canceled. Press “Keep subscription” first, then pay.'
export const BEING_PROCESSED = 'A payment is being processed. Please wait a moment and reload the page.'
export const NOTHING_OWED = 'Nothing is owed at the moment. Please reload the page.'
export const NOT_REACHED = 'The payment service cannot be reached. Nothing was charged: please try again in a minute.'
export const OUR_FAULT = 'The payment could not be started. Nothing was charged, and we are looking into it.'
export const NOT_OPENED = 'The billing page could not be opened. We are looking into it.'
export const NOT_CHANGED = 'Your subscription could not be changed. We are looking into it.'
export const TOO_OFTEN = 'Too many attempts. Nothing was charged. Wait a minute and try again.'
export const NOTHING_TO_MANAGE = 'There is nothing to manage before the first payment.'
export const NOTHING_TO_CANCEL = 'You have no subscription to change.'

export const NOT_CONFIRMED = 'The payment was not confirmed. Nothing was charged.'
export const RENEWAL_REFUNDED = 'This payment could not start a new month, so we refunded it.'
export const NOT_REFUNDED = 'This payment could not start a new month. We will refund it.'
export const PAYMENT_EXPIRED = 'This payment has expired. Nothing was charged: please start again.'
export const PAYMENT_UNSEEN = 'We check your payment without you. Do not pay again. Sign in again to see its result.'
