// The payment provider as the product sees it: customers, their subscriptions, and single payments. The Stripe adapter
// implements it, against Stripe or the sandbox; the product does not know which. Money is in pence, times are epoch ms.
import type { Millis } from '../lib/clock.ts'

/**
 * card: the bank declined, `message` is for the payer · missing: does not exist (any more) · refused: invalid request,
 * our fault · unavailable: try again later · denied: wrong key or no permission, for the operator to fix.
 */
export type PaymentErrorCode = 'card' | 'missing' | 'refused' | 'unavailable' | 'denied'

/** Every `Payments` call returns an answer or rejects with this. */
export class PaymentError extends Error {
  override name = 'PaymentError'
  readonly code: PaymentErrorCode
  /** The provider's request id, for its support. */
  readonly requestId: string | null
  constructor(code: PaymentErrorCode, message: string, requestId: string | null = null) {
    super(message)
    this.code = code
    this.requestId = requestId
  }
}

/** The monthly price as the provider stores it. */
export interface MonthlyPrice {
  id: string
  amount: number
  currency: string
}

export interface PaymentInvoice {
  id: string
  status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible'
  /** Full amount, before the customer's balance is applied. */
  total: number
  /** Amount left to pay. */
  remaining: number
  currency: string
  /** The browser confirms the payment with it; null = no confirmation needed. */
  clientSecret: string | null
  /** The single payment that the secret belongs to. */
  paymentId: string | null
  createdAt: Millis
  paidAt: Millis | null
}

/** The offer: the full price, or minus a credit for the unused trial. */
type SubscriptionOffer = 'full' | 'credit'

export interface PaidSubscription {
  id: string
  customerId: string
  /** The account we noted at creation. */
  accountUuid: string | null
  /** incomplete (first payment open) | incomplete_expired | trialing | active | past_due | unpaid | canceled | paused, or a newer word */
  status: string
  priceId: string | null
  offer: SubscriptionOffer | null
  createdAt: Millis
  trialEndsAt: Millis | null
  periodStart: Millis | null
  periodEnd: Millis | null
  /** It ends with the paid month, or on an earlier day. */
  endsWithPeriod: boolean
  latestInvoice: PaymentInvoice | null
  /** Null = it goes on. Use above the included one is still billed when it has ended. */
  endedAt: Millis | null
  /** The payment of the latest early renewal applied to it. */
  renewedBy: string | null
}

/** The terms of an early renewal: stored with its payment. */
export interface RenewalTerms {
  accountUuid: string
  subscriptionId: string
  prorated: boolean
  /** The time that the quote is calculated for. */
  quotedAt: Millis
}

export interface SinglePayment {
  id: string
  /** open = not paid yet, or declined: can be tried again. */
  status: 'open' | 'needs_action' | 'processing' | 'paid' | 'canceled'
  amount: number
  currency: string
  customerId: string | null
  clientSecret: string | null
  /** The bank's message on the latest attempt, for the payer; null = none. */
  failure: string | null
  /** Null = not an early renewal. */
  renewal: RenewalTerms | null
  /** All of it went back. */
  refunded: boolean
  createdAt: Millis
}

/** Says what happened and to which account; ask the provider for the current state. */
export interface PaymentEvent {
  id: string
  type: string
  createdAt: Millis
  customerId: string | null
  /** Noted on the event's object; proves nothing. */
  accountUuid: string | null
  /** The single payment the event is about, if any. */
  paymentId: string | null
}

type PaymentEventRead = { outcome: 'event'; event: PaymentEvent } | { outcome: 'bad_signature' }

/**
 * `key` makes a call idempotent: the same key and request take effect once, for at least a day. Every method rejects
 * with a PaymentError.
 */
export interface Payments {
  /** Whether usage over the included amount is charged. */
  readonly chargesOverage: boolean

  monthlyPrice(): Promise<MonthlyPrice>

  /** With the address that receipts and warnings about a card go to. */
  createCustomer(input: { accountUuid: string; name: string; email: string | null; key: string }): Promise<string>
  /** With the account noted on it. Null = deleted at the provider, or never existed. */
  findCustomer(customerId: string): Promise<{ accountUuid: string | null } | null>
  /** The newest customer made for the account. */
  findCustomerOf(accountUuid: string): Promise<string | null>

  /** All current and past subscriptions, newest first, with their latest invoices. */
  listSubscriptions(customerId: string): Promise<PaidSubscription[]>
  /** Creates one whose first invoice stays open until it is paid. `creditPence` is taken off that invoice. */
  createSubscription(input: {
    customerId: string
    accountUuid: string
    offer: SubscriptionOffer
    creditPence: number
    key: string
  }): Promise<PaidSubscription>
  /** Ends it immediately, without a refund. Does nothing when it has already ended. */
  endSubscription(subscriptionId: string): Promise<void>
  setEndsWithPeriod(subscriptionId: string, ends: boolean): Promise<void>
  /** Its unpaid invoices, oldest first. */
  openInvoices(subscriptionId: string): Promise<PaymentInvoice[]>
  paidInvoices(subscriptionId: string): Promise<PaymentInvoice[]>
  /** Nobody can pay it any more. `refused` = it is not open: paid meanwhile, perhaps. */
  voidInvoice(invoiceId: string): Promise<void>

  /** What a new month starting at `at` would cost today. */
  quoteRenewal(input: {
    customerId: string
    subscriptionId: string
    prorated: boolean
    at: Millis
  }): Promise<{ amount: number; currency: string }>
  createRenewalPayment(input: {
    customerId: string
    amount: number
    terms: RenewalTerms
    key: string
  }): Promise<SinglePayment>
  /**
   * Starts the new month that was paid for and settles its invoice with the payment. Resumes an interrupted call.
   * `refused` or `missing` = the subscription cannot be renewed.
   */
  applyRenewal(payment: SinglePayment & { renewal: RenewalTerms }): Promise<void>
  /** Null = no such payment. */
  findPayment(paymentId: string): Promise<SinglePayment | null>
  /** `refused` = already paid, or too late to cancel. */
  cancelPayment(paymentId: string): Promise<void>
  /** Refunds the full amount. Does nothing when already refunded. */
  refund(paymentId: string): Promise<void>

  /** The provider's page for cards, invoices and cancellation. Valid for a few minutes. */
  openPortal(input: { customerId: string; returnUrl: string }): Promise<string>

  /** Checks the signature over the exact bytes and their age. Never rejects. */
  readEvent(input: { body: string; signature: string }): PaymentEventRead
  /** Events of the past days that the provider could not deliver. */
  undeliveredEvents(): Promise<PaymentEvent[]>

  /** Reports a customer's usage; the same identifier counts once. */
  reportUse(input: { identifier: string; customerId: string; count: number; at: Millis }): Promise<void>
}
