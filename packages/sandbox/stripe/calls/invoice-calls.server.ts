// Calls about invoices and how they are paid.
import { invoicePaymentView, invoiceView, lineView } from '../billing-views.ts'
import { listView } from '../catalogue-views.ts'
import { attachPayment, payInvoice } from '../collecting.server.ts'
import { finalizeInvoice, markPaid, voidInvoice } from '../invoicing.server.ts'
import { allOf } from '../ledger.ts'
import { invalid } from '../stripe-failure.ts'
import { filledAt, flagAt, requiredAt, wordAt } from '../stripe-form.ts'
import {
  CREATED_TAKES,
  LIST_TAKES,
  pageAnswer,
  requireNamed,
  requireOne,
  type StripeCall,
  type StripeRoute,
} from './stripe-call.server.ts'

export const INVOICE_CALLS: readonly StripeRoute[] = [
  {
    method: 'GET',
    path: '/v1/invoices',
    takes: [...LIST_TAKES, ...CREATED_TAKES, 'customer', 'subscription', 'status', 'collection_method'],
    answer(call) {
      const { books, form } = call
      const customer = filledAt(form, 'customer')
      const subscription = filledAt(form, 'subscription')
      const status = wordAt(form, 'status', ['draft', 'open', 'paid', 'uncollectible', 'void'])
      const found = allOf(books.ledger.invoices).filter(
        (one) =>
          (customer === null || one.customer === customer) &&
          (subscription === null || one.subscription === subscription) &&
          (status === null || one.status === status),
      )
      return pageAnswer(call, found, (one) => invoiceView(books.ledger, one))
    },
  },
  { method: 'GET', path: '/v1/invoices/:id', takes: [], answer: (call) => shown(call) },
  {
    method: 'GET',
    path: '/v1/invoices/:id/lines',
    takes: LIST_TAKES,
    answer({ books, id, path }) {
      const invoice = requireOne(books.ledger.invoices, 'invoice', id)
      return listView(
        path,
        invoice.lines.map((line) => lineView(invoice, line)),
      )
    },
  },
  {
    method: 'POST',
    path: '/v1/invoices/:id/finalize',
    takes: ['auto_advance'],
    answer(call) {
      const invoice = requireOne(call.books.ledger.invoices, 'invoice', call.id)
      if (invoice.status !== 'draft') {
        throw invalid('This invoice is already finalized.', 'invoice_not_editable')
      }
      finalizeInvoice(call.books, invoice)
      return shown(call)
    },
  },
  {
    method: 'POST',
    path: '/v1/invoices/:id/pay',
    takes: ['payment_method', 'off_session', 'paid_out_of_band'],
    answer(call) {
      const { books, form, id } = call
      const invoice = requireOne(books.ledger.invoices, 'invoice', id)
      const methodId = filledAt(form, 'payment_method')
      const method =
        methodId === null
          ? null
          : requireNamed(books.ledger.paymentMethods, 'PaymentMethod', methodId, 'payment_method')
      if (flagAt(form, 'paid_out_of_band') && invoice.status === 'open') markPaid(books, invoice)
      else payInvoice(books, invoice, method)
      return shown(call)
    },
  },
  {
    method: 'POST',
    path: '/v1/invoices/:id/void',
    takes: [],
    answer(call) {
      const invoice = requireOne(call.books.ledger.invoices, 'invoice', call.id)
      if (invoice.status !== 'open') throw invalid(`You can only void open invoices; this one is ${invoice.status}.`)
      voidInvoice(call.books, invoice)
      return shown(call)
    },
  },
  {
    method: 'POST',
    path: '/v1/invoices/:id/attach_payment',
    takes: ['payment_intent'],
    answer(call) {
      const { books, form, id } = call
      const invoice = requireOne(books.ledger.invoices, 'invoice', id)
      const intent = requiredAt(form, 'payment_intent')
      attachPayment(books, invoice, requireNamed(books.ledger.intents, 'payment_intent', intent, 'payment_intent'))
      return shown(call)
    },
  },
  {
    method: 'GET',
    path: '/v1/invoice_payments',
    takes: [...LIST_TAKES, ...CREATED_TAKES, 'invoice', 'status', 'payment.type', 'payment.payment_intent'],
    answer(call) {
      const { books, form } = call
      const invoice = filledAt(form, 'invoice')
      const status = wordAt(form, 'status', ['open', 'paid', 'canceled'])
      const intent = filledAt(form, 'payment.payment_intent')
      const found = allOf(books.ledger.invoicePayments).filter(
        (one) =>
          (invoice === null || one.invoice === invoice) &&
          (status === null || one.status === status) &&
          (intent === null || one.intent === intent),
      )
      return pageAnswer(call, found, (one) => invoicePaymentView(books.ledger, one))
    },
  },
  {
    method: 'GET',
    path: '/v1/invoice_payments/:id',
    takes: [],
    answer: ({ books, id }) =>
      invoicePaymentView(books.ledger, requireOne(books.ledger.invoicePayments, 'invoice_payment', id)),
  },
]

function shown({ books, id }: StripeCall) {
  return invoiceView(books.ledger, requireOne(books.ledger.invoices, 'invoice', id))
}
