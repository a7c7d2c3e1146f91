// Previews an invoice: the next one, or that of a month that starts now.
import { invoiceView } from '../billing-views.ts'
import type { Books } from '../books.server.ts'
import { applyBalance, blankInvoice } from '../invoicing.server.ts'
import type { Subscription } from '../ledger.ts'
import { invalid } from '../stripe-failure.ts'
import { type FormTree, filledAt, requiredAt, wholeAt, wordAt } from '../stripe-form.ts'
import { numbered, type ProrationBehavior, type RestartInput, restartInvoice } from '../subscribing.server.ts'
import { linesAhead, linesBehind, nextPeriodEnd } from '../subscription-lines.ts'
import { requireNamed, type StripeCall, type StripeRoute } from './stripe-call.server.ts'

const PREVIEW_TAKES = [
  'customer',
  'subscription',
  'subscription_details.billing_cycle_anchor.type',
  'subscription_details.proration_behavior',
  'subscription_details.proration_date',
]

export const PREVIEW_CALL: StripeRoute = {
  method: 'POST',
  path: '/v1/invoices/create_preview',
  takes: PREVIEW_TAKES,
  answer: previewInvoice,
}

/** @param prefix `subscription_details.` in a preview */
export function restartAt(books: Books, form: FormTree, prefix: string): RestartInput {
  const words: readonly ProrationBehavior[] = ['none', 'create_prorations', 'always_invoice']
  const prorationDate = wholeAt(form, `${prefix}proration_date`) ?? books.now()
  if (prorationDate > books.now()) {
    throw invalid('Cannot specify a proration_date in the future.', '', `${prefix}proration_date`)
  }
  const proration = wordAt(form, `${prefix}proration_behavior`, words) ?? 'create_prorations'
  return { proration, prorationDate, extras: [] }
}

function previewInvoice({ books, form }: StripeCall) {
  const { ledger } = books
  const id = requiredAt(form, 'subscription')
  const sub = requireNamed(ledger.subscriptions, 'subscription', id, 'subscription')
  const customer = filledAt(form, 'customer')
  if (customer !== null && sub.customer !== customer) {
    throw invalid('The subscription belongs to another customer.', '', 'subscription')
  }
  if (sub.endedAt !== null) throw invalid('No upcoming invoices for customer', 'invoice_upcoming_none')
  const prefix = 'subscription_details.'
  const now = wordAt(form, `${prefix}billing_cycle_anchor.type`, ['now', 'unchanged']) === 'now'
  const invoice = now ? restartInvoice(books, sub, restartAt(books, form, prefix)) : upcomingInvoice(books, sub)
  return { ...invoiceView(ledger, invoice), id: `upcoming_${invoice.id}` }
}

function upcomingInvoice(books: Books, sub: Subscription) {
  if (sub.cancelAtPeriodEnd) throw invalid('No upcoming invoices for customer', 'invoice_upcoming_none')
  const { ledger } = books
  const lines = [
    ...linesBehind(ledger, sub, sub.periodStart, sub.periodEnd),
    ...linesAhead(ledger, sub, sub.periodEnd, nextPeriodEnd(ledger, sub)),
  ]
  const invoice = blankInvoice(books, sub, {
    reason: 'upcoming',
    lines: numbered(books, lines),
    periodStart: sub.periodStart,
    periodEnd: sub.periodEnd,
  })
  applyBalance(books, invoice)
  return invoice
}
