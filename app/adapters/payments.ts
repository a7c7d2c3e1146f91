// The payment provider as the product sees it: customers, the subscription they pay for, and single payments. The Stripe adapter
// implements it, against Stripe or the sandbox; the product does not know which. Money is in pence, moments are epoch ms.
import type { Millis } from '../lib/clock.ts'

/**
 * card: the bank said no, `message` is for the person who pays · missing: there is no such thing there (any more) · refused: asked
 * for what cannot be, our fault · unavailable: try again later · denied: the key is wrong or may not, an operator's work.
 */
export type PaymentErrorCode = 'card' | 'missing' | 'refused' | 'unavailable' | 'denied'

/** Every call of `Payments` ends with an answer or with this. */
export class PaymentError extends Error {
  override name = 'PaymentError'
  readonly code: PaymentErrorCode
  /** The provider's number of the request, for its support. */
  readonly requestId: string | null
  constructor(code: PaymentErrorCode, message: string, requestId: string | null = null) {
    super(message)
    this.code = code
    this.requestId = requestId
  }
}

/** What a month costs, as the provider has it. */
export interface MonthlyPrice {
  id: string
  amount: number
  currency: string
}

export interface PaymentInvoice {
  id: string
  status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible'
  /** Everything on it, before a balance of the customer is used. */
  total: number
  /** What is left to pay. */
  remaining: number
  currency: string
  /** What the browser confirms its payment with; null = it needs none. */
  clientSecret: string | null
  /** The single payment that secret belongs to. */
  paymentId: string | null
  createdAt: Millis
}

/** What a subscription was offered as: the whole price, or less what is unused of the trial. */
type SubscriptionOffer = 'full' | 'credit'

export interface PaidSubscription {
  id: string
  customerId: string
  /** Whose it is, as we noted when it was made. */
  accountUuid: string | null
  /** incomplete (first payment open) | incomplete_expired | trialing | active | past_due | unpaid | canceled | paused, or a newer word */
  status: string
  priceId: string | null
  offer: SubscriptionOffer | null
  createdAt: Millis
  trialEndsAt: Millis | null
  periodStart: Millis | null
  periodEnd: Millis | null
  /** It ends with the month that is paid, or on another day that is set. */
  endsWithPeriod: boolean
  latestInvoice: PaymentInvoice | null
  /** The payment of the latest early renewal that was applied to it. */
  renewedBy: string | null
}

/** What was agreed for an early renewal: kept with its payment. */
export interface RenewalTerms {
  accountUuid: string
  subscriptionId: string
  prorated: boolean
  /** The moment the quote was reckoned for. */
  quotedAt: Millis
}

export interface SinglePayment {
  id: string
  /** open = not paid yet, or declined: it can be tried again. */
  status: 'open' | 'needs_action' | 'processing' | 'paid' | 'canceled'
  amount: number
  currency: string
  customerId: string | null
  clientSecret: string | null
  /** What the bank said to the latest try, for the person who pays; null = nothing. */
  failure: string | null
  /** Null = it is not for an early renewal. */
  renewal: RenewalTerms | null
  createdAt: Millis
}

/** Says that something happened, and to whom; what is so now has to be asked. */
export interface PaymentEvent {
  id: string
  type: string
  createdAt: Millis
  customerId: string | null
  /** As noted with the object the event is about; proves nothing. */
  accountUuid: string | null
  /** The single payment it is about, if it is about one. */
  paymentId: string | null
}

type PaymentEventRead = { outcome: 'event'; event: PaymentEvent } | { outcome: 'bad_signature' }

/**
 * `key` makes a call safe to repeat: the same key and the same wish have one effect, at least for a day. Every method rejects
 * with a PaymentError.
 */
export interface Payments {
  /** Is use over what is included charged for? */
  readonly chargesOverage: boolean

  monthlyPrice(): Promise<MonthlyPrice>

  createCustomer(input: { accountUuid: string; key: string }): Promise<string>
  /** False = it is deleted there, or was never. */
  hasCustomer(customerId: string): Promise<boolean>

  /** All that the customer has or had, newest first, with their latest invoices. */
  listSubscriptions(customerId: string): Promise<PaidSubscription[]>
  /** One whose first invoice is open until somebody pays it. `creditPence` is taken off that invoice. */
  createSubscription(input: {
    customerId: string
    accountUuid: string
    offer: SubscriptionOffer
    creditPence: number
    key: string
  }): Promise<PaidSubscription>
  /** Ends it at once, without money back. Of one that has ended: nothing. */
  endSubscription(subscriptionId: string): Promise<void>
  setEndsWithPeriod(subscriptionId: string, ends: boolean): Promise<void>
  /** What is left to pay of it, oldest first. */
  openInvoices(subscriptionId: string): Promise<PaymentInvoice[]>

  /** What a new month from `at` on would cost today. */
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
   * Begins the new month that was paid for and settles its invoice with the payment. Goes on where an earlier call broke off.
   * `refused` or `missing` = the subscription cannot be renewed.
   */
  applyRenewal(payment: SinglePayment & { renewal: RenewalTerms }): Promise<void>
  /** Null = there is no such payment. */
  findPayment(paymentId: string): Promise<SinglePayment | null>
  /** `refused` = it is paid, or cannot be stopped any more. */
  cancelPayment(paymentId: string): Promise<void>
  /** Gives all of it back. Of one that was given back: nothing. */
  refund(paymentId: string): Promise<void>

  /** The provider's own page for cards, invoices and ending it all. Good for a few minutes. */
  openPortal(input: { customerId: string; returnUrl: string }): Promise<string>

  /** Checks the signature over the exact bytes, and their age. Never rejects. */
  readEvent(input: { body: string; signature: string }): PaymentEventRead
  /** Events of the past days that the provider could not hand over. */
  undeliveredEvents(): Promise<PaymentEvent[]>

  /** Counts use of a customer; the same identifier counts once. */
  reportUse(input: { identifier: string; customerId: string; count: number; at: Millis }): Promise<void>
}
