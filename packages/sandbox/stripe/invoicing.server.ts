// Subscription invoices: creating, finalizing and crediting payments, and the effect on the subscription.
import { amountRemaining, invoicePaymentView, invoiceTotal, invoiceView, subscriptionView } from './billing-views.ts'
import type { Books } from './books.server.ts'
import { cancelIntent, createIntent, SMALLEST_CHARGE } from './intents.server.ts'
import {
  allOf,
  type BalanceTransaction,
  type BillingReason,
  findIn,
  getIn,
  type Intent,
  type Invoice,
  type InvoiceLine,
  type InvoicePayment,
  type Seconds,
  type Subscription,
  type Wire,
} from './ledger.ts'

interface InvoiceInput {
  reason: BillingReason
  lines: InvoiceLine[]
  periodStart: Seconds
  periodEnd: Seconds
}

/** An invoice that is not stored: a preview, or the start of a real one. */
export function blankInvoice(books: Books, sub: Subscription, input: InvoiceInput): Invoice {
  return {
    id: books.newId('in'),
    created: books.now(),
    customer: sub.customer,
    subscription: sub.id,
    billingReason: input.reason,
    status: 'draft',
    currency: sub.currency,
    lines: input.lines,
    periodStart: input.periodStart,
    periodEnd: input.periodEnd,
    startingBalance: 0,
    endingBalance: null,
    amountDue: 0,
    amountPaid: 0,
    amountOverpaid: 0,
    attemptCount: 0,
    autoAdvance: true,
    automaticallyFinalizesAt: null,
    nextPaymentAttempt: null,
    number: null,
    finalizedAt: null,
    paidAt: null,
    voidedAt: null,
    intent: '',
    metadata: {},
  }
}

export function draftInvoice(books: Books, sub: Subscription, input: InvoiceInput): Invoice {
  const invoice = blankInvoice(books, sub, input)
  applyBalance(books, invoice)
  books.ledger.invoices[invoice.id] = invoice
  sub.latestInvoice = invoice.id
  books.emit('invoice.created', invoiceView(books.ledger, invoice))
  return invoice
}

/**
 * Calculates the amount due after the customer's credit or debt. A negative total, or an amount too small to charge,
 * goes to the customer's balance instead.
 */
export function applyBalance(books: Books, invoice: Invoice): void {
  invoice.startingBalance = getIn(books.ledger.customers, invoice.customer).balance
  const sum = invoiceTotal(invoice) + invoice.startingBalance
  const carried = sum < SMALLEST_CHARGE
  invoice.amountDue = carried ? 0 : sum
  invoice.endingBalance = carried ? sum : 0
}

export function finalizeInvoice(books: Books, invoice: Invoice): void {
  const { ledger } = books
  const customer = getIn(ledger.customers, invoice.customer)
  applyBalance(books, invoice)
  moveBalance(books, invoice, (invoice.endingBalance ?? 0) - invoice.startingBalance, 'applied_to_invoice')
  customer.currency ??= invoice.currency
  invoice.status = 'open'
  invoice.finalizedAt = books.now()
  invoice.automaticallyFinalizesAt = null
  invoice.number = `${customer.invoicePrefix}-${String(customer.nextInvoiceNumber++).padStart(4, '0')}`
  if (invoice.amountDue === 0) {
    books.emit('invoice.finalized', invoiceView(ledger, invoice))
    markPaid(books, invoice)
    return
  }
  const sub = findIn(ledger.subscriptions, invoice.subscription)
  const intent = createIntent(books, {
    amount: invoice.amountDue,
    currency: invoice.currency,
    customer: invoice.customer,
    description: invoice.billingReason === 'subscription_create' ? 'Subscription creation' : 'Subscription update',
    setupFutureUsage: sub?.saveDefaultPaymentMethod === 'on_subscription' ? 'off_session' : null,
    allowedTypes: null,
    metadata: {},
  })
  invoice.intent = intent.id
  addInvoicePayment(books, invoice, intent, true)
  books.emit('invoice.finalized', invoiceView(ledger, invoice))
}

export function addInvoicePayment(books: Books, invoice: Invoice, intent: Intent, isDefault: boolean): InvoicePayment {
  const one: InvoicePayment = {
    id: books.newId('inpay'),
    created: books.now(),
    invoice: invoice.id,
    intent: intent.id,
    amountRequested: intent.amount,
    amountPaid: null,
    isDefault,
    status: 'open',
    paidAt: null,
    canceledAt: null,
  }
  books.ledger.invoicePayments[one.id] = one
  return one
}

/** How a payment pays an invoice, or null when it pays none. */
export function invoicePaymentOf(books: Books, intentId: string): InvoicePayment | null {
  return allOf(books.ledger.invoicePayments).find((one) => one.intent === intentId) ?? null
}

/** Credits a successful payment to the invoice. */
export function creditInvoice(books: Books, invoice: Invoice, payment: InvoicePayment, amount: number): void {
  const { ledger } = books
  payment.status = 'paid'
  payment.amountPaid = amount
  payment.paidAt = books.now()
  invoice.amountOverpaid += Math.max(0, amount - amountRemaining(invoice))
  invoice.amountPaid += amount
  if (invoice.attemptCount === 0) invoice.attemptCount = 1
  if (invoice.status === 'open' && amountRemaining(invoice) === 0) markPaid(books, invoice)
  else askForTheRest(books, invoice)
  if (invoice.amountOverpaid > 0) books.emit('invoice.overpaid', invoiceView(ledger, invoice))
  books.emit('invoice_payment.paid', invoicePaymentView(ledger, payment))
}

/** Sets the invoice's own payment to the remaining amount. */
function askForTheRest(books: Books, invoice: Invoice): void {
  const own = findIn(books.ledger.intents, invoice.intent)
  const payment = own && invoicePaymentOf(books, own.id)
  if (!own || !payment || payment.status !== 'open') return
  own.amount = amountRemaining(invoice)
  payment.amountRequested = own.amount
}

export function markPaid(books: Books, invoice: Invoice): void {
  const { ledger } = books
  invoice.status = 'paid'
  invoice.paidAt = books.now()
  invoice.nextPaymentAttempt = null
  invoice.autoAdvance = false
  // An invoice paid another way must not be paid again.
  const own = findIn(ledger.intents, invoice.intent)
  if (own && own.status !== 'succeeded') {
    cancelIntent(books, own, 'void_invoice')
    closePayments(books, invoice)
  }
  const sub = findIn(ledger.subscriptions, invoice.subscription)
  const view = invoiceView(ledger, invoice)
  books.emit('invoice.paid', view)
  books.emit('invoice.payment_succeeded', view)
  if (sub) changeSubscription(books, sub, () => standAfterPayment(books, sub, invoice))
}

function standAfterPayment(books: Books, sub: Subscription, invoice: Invoice): void {
  const intent = findIn(books.ledger.intents, invoice.intent)
  if (sub.saveDefaultPaymentMethod === 'on_subscription' && intent?.paymentMethod) {
    sub.defaultPaymentMethod = intent.paymentMethod
  }
  const owing = sub.status === 'incomplete' || sub.status === 'past_due' || sub.status === 'unpaid'
  if (owing && sub.latestInvoice === invoice.id) sub.status = 'active'
}

export function voidInvoice(books: Books, invoice: Invoice): void {
  const { ledger } = books
  if (invoice.finalizedAt !== null) {
    moveBalance(books, invoice, invoice.startingBalance - (invoice.endingBalance ?? 0), 'unapplied_from_invoice')
  }
  invoice.status = 'void'
  invoice.voidedAt = books.now()
  stopCollecting(invoice)
  const own = findIn(ledger.intents, invoice.intent)
  if (own) cancelIntent(books, own, 'void_invoice')
  closePayments(books, invoice)
  books.emit('invoice.voided', invoiceView(ledger, invoice))
}

export function stopCollecting(invoice: Invoice): void {
  invoice.autoAdvance = false
  invoice.nextPaymentAttempt = null
  invoice.automaticallyFinalizesAt = null
}

function closePayments(books: Books, invoice: Invoice): void {
  for (const one of allOf(books.ledger.invoicePayments)) {
    if (one.invoice !== invoice.id || one.status !== 'open') continue
    one.status = 'canceled'
    one.canceledAt = books.now()
  }
}

function moveBalance(books: Books, invoice: Invoice, amount: number, type: BalanceTransaction['type']): void {
  if (amount === 0) return
  addToBalance(books, { customer: invoice.customer, amount, currency: invoice.currency, invoice: invoice.id, type })
}

/** @param input.amount negative for credit */
export function addToBalance(
  books: Books,
  input: Pick<BalanceTransaction, 'customer' | 'amount' | 'currency' | 'type'> & Partial<BalanceTransaction>,
): BalanceTransaction {
  const customer = getIn(books.ledger.customers, input.customer)
  customer.balance += input.amount
  const transaction: BalanceTransaction = {
    id: books.newId('cbtxn'),
    created: books.now(),
    endingBalance: customer.balance,
    description: null,
    invoice: null,
    metadata: {},
    ...input,
  }
  books.ledger.balanceTransactions.push(transaction)
  return transaction
}

/** Makes a change and emits an event when something is different afterwards. */
export function changeSubscription(books: Books, sub: Subscription, change: () => void): void {
  const before = subscriptionView(books.ledger, sub)
  change()
  const after = subscriptionView(books.ledger, sub)
  const previous = differences(before, after)
  if (previous) books.emit('customer.subscription.updated', after, previous)
}

function differences(before: Wire, after: Wire): Wire | null {
  const changed = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return changed.length === 0 ? null : Object.fromEntries(changed.map((name) => [name, before[name] ?? null]))
}
