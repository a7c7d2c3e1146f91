// Payment: a person confirms a payment with a card, or an invoice is charged off-session.
import { amountRemaining, invoiceView } from './billing-views.ts'
import type { Books } from './books.server.ts'
import {
  attachMethod,
  charge,
  createIntent,
  requireOpenIntent,
  standingMethod,
  wantAnotherCard,
} from './intents.server.ts'
import { addInvoicePayment, changeSubscription, creditInvoice, invoicePaymentOf } from './invoicing.server.ts'
import { findIn, getIn, type Intent, type Invoice, type PaymentMethod, type Subscription } from './ledger.ts'
import { invalid, StripeFailure } from './stripe-failure.ts'
import {
  AUTHENTICATION_FAILED,
  AUTHENTICATION_REQUIRED,
  type CardRefusal,
  GENERIC_DECLINE,
  getCard,
  refusalUnattended,
} from './test-cards.ts'
import { intentWire } from './wire-objects.server.ts'

/**
 * A person pays with a card, on-session. Afterwards the payment has succeeded, waits for authentication, or needs
 * another card; the last case throws the 402 answer.
 */
export function confirmIntent(books: Books, intent: Intent, method: PaymentMethod, returnUrl: string): void {
  requireOpenIntent(intent, 'confirm')
  const card = getCard(method.number)
  const asks = card.authentication === 'always' || (card.authentication === 'once' && !method.authenticated)
  if (!card.refuses && asks) {
    intent.status = 'requires_action'
    intent.awaiting = { paymentMethod: method.id, returnUrl }
    intent.lastError = null
    books.emit('payment_intent.requires_action', intentWire(books, intent))
    const invoice = invoiceOf(books, intent)
    if (invoice) books.emit('invoice.payment_action_required', invoiceView(books.ledger, invoice))
    return
  }
  pay(books, intent, method, card.refuses)
  if (intent.lastError) throw cardFailure(books, intent)
}

/** The card's owner passed authentication. */
export function completeAuthentication(books: Books, intent: Intent): void {
  const method = findIn(books.ledger.paymentMethods, intent.awaiting?.paymentMethod ?? null)
  if (!method) return
  method.authenticated = true
  pay(books, intent, method, null)
}

/** The card's owner failed or cancelled authentication. */
export function failAuthentication(books: Books, intent: Intent): void {
  const paymentMethod = intent.awaiting?.paymentMethod ?? null
  if (paymentMethod === null) return
  wantAnotherCard(intent, { ...AUTHENTICATION_FAILED, charge: null, paymentMethod })
  books.emit('payment_intent.payment_failed', intentWire(books, intent))
  tellInvoiceFailed(books, intent)
}

function pay(books: Books, intent: Intent, method: PaymentMethod, refusal: CardRefusal | null): void {
  charge(books, intent, method, refusal)
  if (refusal) {
    tellInvoiceFailed(books, intent)
    return
  }
  const payment = invoicePaymentOf(books, intent.id)
  if (payment) creditInvoice(books, getIn(books.ledger.invoices, payment.invoice), payment, intent.amount)
}

function tellInvoiceFailed(books: Books, intent: Intent): void {
  const invoice = invoiceOf(books, intent)
  if (!invoice) return
  if (invoice.attemptCount === 0) invoice.attemptCount = 1
  books.emit('invoice.payment_failed', invoiceView(books.ledger, invoice))
  if (intent.lastError?.code === AUTHENTICATION_REQUIRED.code) {
    books.emit('invoice.payment_action_required', invoiceView(books.ledger, invoice))
  }
}

function invoiceOf(books: Books, intent: Intent): Invoice | null {
  const payment = invoicePaymentOf(books, intent.id)
  return payment && findIn(books.ledger.invoices, payment.invoice)
}

export function cardFailure(books: Books, intent: Intent): StripeFailure {
  const view = intentWire(books, intent)
  const error = intent.lastError
  const shown = view.last_payment_error as { type: string; message: string; code: string }
  return new StripeFailure(error?.type === 'card_error' ? 402 : 400, { ...shown, payment_intent: view })
}

/** Why charging this subscription off-session would fail, or null. */
export function refusalOf(books: Books, sub: Subscription, method: PaymentMethod): CardRefusal | null {
  const customer = getIn(books.ledger.customers, sub.customer)
  return (
    refusalUnattended(getCard(method.number), method.authenticated) ?? (customer.declineNext ? GENERIC_DECLINE : null)
  )
}

/** The card for charging an invoice off-session. */
export function methodFor(books: Books, sub: Subscription): PaymentMethod | null {
  const customer = getIn(books.ledger.customers, sub.customer)
  return standingMethod(books, [sub.defaultPaymentMethod, customer.defaultPaymentMethod])
}

/**
 * Charges an open invoice off-session. Returns whether it is paid; a refusal is in its payment's last error.
 * @param method null when there is no card, which fails as well
 */
export function collectInvoice(books: Books, invoice: Invoice, method: PaymentMethod | null): boolean {
  const { ledger } = books
  const sub = getIn(ledger.subscriptions, invoice.subscription)
  const customer = getIn(ledger.customers, invoice.customer)
  const intent = intentFor(books, invoice)
  if (!method) {
    intent.lastError = {
      type: 'invalid_request_error',
      code: 'missing',
      declineCode: null,
      message:
        'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
      charge: null,
      paymentMethod: null,
    }
    tellInvoiceFailed(books, intent)
    return false
  }
  const refusal = refusalOf(books, sub, method)
  if (refusal && customer.declineNext) customer.declineNext = false
  pay(books, intent, method, refusal)
  return refusal === null
}

/** The payment created with the invoice; a new one for the remainder when that is already paid or no longer fits. */
function intentFor(books: Books, invoice: Invoice): Intent {
  const own = findIn(books.ledger.intents, invoice.intent)
  if (own && own.status !== 'succeeded' && own.status !== 'canceled' && own.amount === amountRemaining(invoice)) {
    return own
  }
  const intent = createIntent(books, {
    amount: amountRemaining(invoice),
    currency: invoice.currency,
    customer: invoice.customer,
    description: 'Subscription update',
    setupFutureUsage: null,
    allowedTypes: null,
    metadata: {},
  })
  invoice.intent = intent.id
  addInvoicePayment(books, invoice, intent, true)
  return intent
}

/** Pays an invoice with an existing payment; a payment that is still open counts once it succeeds. */
export function attachPayment(books: Books, invoice: Invoice, intent: Intent): void {
  if (invoice.status !== 'open') {
    throw invalid(`You can only attach payments to open invoices; this one is ${invoice.status}.`)
  }
  if (intent.customer !== invoice.customer || intent.currency !== invoice.currency) {
    throw invalid('The payment belongs to another customer or has another currency than the invoice.')
  }
  if (invoicePaymentOf(books, intent.id)) {
    throw invalid('The PaymentIntent is already attached to an invoice.', 'payment_intent_unexpected_state')
  }
  if (intent.status === 'canceled') throw invalid('The PaymentIntent is canceled.', 'payment_intent_unexpected_state')
  const payment = addInvoicePayment(books, invoice, intent, false)
  if (intent.status === 'succeeded') creditInvoice(books, invoice, payment, intent.amountReceived)
}

/** `invoices.pay`: charges immediately, with a card of the customer. Throws the 402 when the card is refused. */
export function payInvoice(books: Books, invoice: Invoice, method: PaymentMethod | null): void {
  if (invoice.status === 'paid') throw invalid('Invoice is already paid', 'invoice_already_paid')
  if (invoice.status !== 'open') throw invalid(`You cannot pay an invoice that is ${invoice.status}.`)
  const sub = getIn(books.ledger.subscriptions, invoice.subscription)
  const chosen = method ?? methodFor(books, sub)
  if (chosen) attachMethod(books, chosen, invoice.customer)
  if (collectInvoice(books, invoice, chosen)) return
  markPastDue(books, sub, invoice)
  throw cardFailure(books, getIn(books.ledger.intents, invoice.intent))
}

export function markPastDue(books: Books, sub: Subscription, invoice: Invoice): void {
  changeSubscription(books, sub, () => {
    if (sub.status === 'active' && sub.latestInvoice === invoice.id) sub.status = 'past_due'
  })
}
