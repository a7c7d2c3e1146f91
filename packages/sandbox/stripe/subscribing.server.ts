// Changes to a subscription by request: start, change, end.
import { subscriptionView } from './billing-views.ts'
import type { Books } from './books.server.ts'
import { cardFailure, collectInvoice, markPastDue, methodFor, refusalOf } from './collecting.server.ts'
import {
  applyBalance,
  blankInvoice,
  changeSubscription,
  draftInvoice,
  finalizeInvoice,
  stopCollecting,
  voidInvoice,
} from './invoicing.server.ts'
import { allOf, findIn, getIn, type Invoice, type InvoiceLine, type Seconds, type Subscription } from './ledger.ts'
import { invalid, StripeFailure } from './stripe-failure.ts'
import { creditLines, firstPeriodEnd, linesAhead, linesBehind } from './subscription-lines.ts'

export type PaymentBehavior = 'default_incomplete' | 'allow_incomplete' | 'error_if_incomplete'
export type ProrationBehavior = 'none' | 'create_prorations' | 'always_invoice'

/** A line that a caller adds to the next invoice. */
export type ExtraLine = Pick<
  InvoiceLine,
  'amount' | 'description' | 'quantity' | 'price' | 'product' | 'unitAmount' | 'metadata'
>

/** Stores a new subscription, creates its first invoice and pays it as far as the behaviour says. */
export function beginSubscription(
  books: Books,
  sub: Subscription,
  extras: readonly ExtraLine[],
  behavior: PaymentBehavior,
): void {
  const { ledger } = books
  const lines = numbered(books, linesAhead(ledger, sub, sub.periodStart, sub.periodEnd))
  const input = {
    reason: 'subscription_create' as const,
    lines: [...lines, ...extraLines(books, extras)],
    periodStart: sub.periodStart,
    periodEnd: sub.periodStart,
  }
  if (behavior === 'error_if_incomplete') requirePayable(books, sub, blankInvoice(books, sub, input))
  ledger.subscriptions[sub.id] = sub
  const invoice = draftInvoice(books, sub, input)
  books.emit('customer.subscription.created', subscriptionView(ledger, sub))
  finalizeInvoice(books, invoice)
  if (invoice.status === 'open' && behavior !== 'default_incomplete') {
    collectInvoice(books, invoice, methodFor(books, sub))
  }
}

function requirePayable(books: Books, sub: Subscription, invoice: Invoice): void {
  applyBalance(books, invoice)
  if (invoice.amountDue === 0) return
  const method = methodFor(books, sub)
  if (!method) {
    throw invalid(
      'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
      'resource_missing',
    )
  }
  const refusal = refusalOf(books, sub, method)
  if (!refusal) return
  const { type, code, declineCode, message } = refusal
  throw new StripeFailure(402, { type, code, message, ...(declineCode ? { decline_code: declineCode } : {}) })
}

export interface RestartInput {
  proration: ProrationBehavior
  /** Start of the part of the running period that is refunded. */
  prorationDate: Seconds
  extras: readonly ExtraLine[]
}

/** The invoice of a month that starts now, as a preview; nothing is stored. */
export function restartInvoice(books: Books, sub: Subscription, input: RestartInput): Invoice {
  const { ledger } = books
  const now = books.now()
  if (input.prorationDate < sub.periodStart || input.prorationDate > sub.periodEnd) {
    throw invalid('The proration_date must be within the current period of the subscription.', '', 'proration_date')
  }
  const end = firstPeriodEnd(ledger, sub.items, now)
  const lines = [
    ...(input.proration === 'none' ? [] : creditLines(ledger, sub, input.prorationDate)),
    ...linesBehind(ledger, sub, sub.periodStart, now),
    ...linesAhead(ledger, sub, now, end),
  ]
  const invoice = blankInvoice(books, sub, {
    reason: 'subscription_update',
    lines: [...numbered(books, lines), ...extraLines(books, input.extras)],
    periodStart: sub.periodStart,
    periodEnd: now,
  })
  applyBalance(books, invoice)
  return invoice
}

/** Starts a new month now and invoices it at once. */
export function restartPeriod(
  books: Books,
  sub: Subscription,
  input: RestartInput,
  behavior: PaymentBehavior,
  alsoChange: () => void,
): void {
  const preview = restartInvoice(books, sub, input)
  if (behavior === 'error_if_incomplete') requirePayable(books, sub, preview)
  const now = books.now()
  const { billingReason: reason, lines, periodStart, periodEnd } = preview
  let invoice = preview
  changeSubscription(books, sub, () => {
    alsoChange()
    sub.periodStart = now
    sub.periodEnd = firstPeriodEnd(books.ledger, sub.items, now)
    sub.anchor = now
    invoice = draftInvoice(books, sub, { reason, lines, periodStart, periodEnd })
    finalizeInvoice(books, invoice)
    // The subscription is past due until the invoice is paid.
    if (invoice.status === 'open' && behavior === 'default_incomplete' && sub.status === 'active') {
      sub.status = 'past_due'
    }
  })
  if (invoice.status !== 'open' || behavior === 'default_incomplete') return
  if (!collectInvoice(books, invoice, methodFor(books, sub))) markPastDue(books, sub, invoice)
}

/** Ends the subscription at once and for good. A first invoice that was never paid is voided with it. */
export function endSubscription(books: Books, sub: Subscription, reason: Subscription['cancellationReason']): void {
  const { ledger } = books
  const first = sub.status === 'incomplete'
  sub.status = 'canceled'
  sub.canceledAt ??= books.now()
  sub.endedAt = books.now()
  sub.cancellationReason = reason
  for (const invoice of allOf(ledger.invoices)) {
    if (invoice.subscription !== sub.id) continue
    if (first && invoice.status === 'open') voidInvoice(books, invoice)
    else if (invoice.status === 'draft' || invoice.status === 'open') stopCollecting(invoice)
  }
  books.emit('customer.subscription.deleted', subscriptionView(ledger, sub))
}

/** Expires a subscription whose first invoice was not paid within 23 hours. */
export function expireSubscription(books: Books, sub: Subscription): void {
  changeSubscription(books, sub, () => {
    sub.status = 'incomplete_expired'
    sub.endedAt = books.now()
  })
  const invoice = findIn(books.ledger.invoices, sub.latestInvoice)
  if (invoice?.status === 'open') voidInvoice(books, invoice)
}

export function numbered(
  books: Books,
  lines: readonly Omit<InvoiceLine, 'id' | 'metadata' | 'invoiceItem'>[],
): InvoiceLine[] {
  return lines.map((line) => ({
    ...line,
    id: books.newId('il'),
    metadata: {},
    invoiceItem: line.proration ? books.newId('ii') : '',
  }))
}

function extraLines(books: Books, extras: readonly ExtraLine[]): InvoiceLine[] {
  const now = books.now()
  return extras.map((line) => ({
    ...line,
    id: books.newId('il'),
    periodStart: now,
    periodEnd: now,
    proration: false,
    subscriptionItem: '',
    invoiceItem: books.newId('ii'),
  }))
}

/** The failure of an invoice's own payment, as an answer. */
export function invoiceFailure(books: Books, invoice: Invoice): StripeFailure {
  return cardFailure(books, getIn(books.ledger.intents, invoice.intent))
}
