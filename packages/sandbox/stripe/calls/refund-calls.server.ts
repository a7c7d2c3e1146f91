// Calls about refunds.
import { refundView } from '../catalogue-views.ts'
import { allOf, type Wire } from '../ledger.ts'
import { invalid } from '../stripe-failure.ts'
import { filledAt, metadataAt, wholeAt, wordAt } from '../stripe-form.ts'
import { chargeWire } from '../wire-objects.server.ts'
import {
  CREATED_TAKES,
  LIST_TAKES,
  pageAnswer,
  requireNamed,
  requireOne,
  type StripeCall,
  type StripeRoute,
} from './stripe-call.server.ts'

export const REFUND_CALLS: readonly StripeRoute[] = [
  {
    method: 'POST',
    path: '/v1/refunds',
    takes: ['payment_intent', 'charge', 'amount', 'reason', 'metadata.*'],
    answer: createRefund,
  },
  {
    method: 'GET',
    path: '/v1/refunds',
    takes: [...LIST_TAKES, ...CREATED_TAKES, 'payment_intent', 'charge'],
    answer(call) {
      const intent = filledAt(call.form, 'payment_intent')
      const chargeId = filledAt(call.form, 'charge')
      const found = allOf(call.books.ledger.refunds).filter(
        (one) => (intent === null || one.intent === intent) && (chargeId === null || one.charge === chargeId),
      )
      return pageAnswer(call, found, refundView)
    },
  },
  {
    method: 'GET',
    path: '/v1/refunds/:id',
    takes: [],
    answer: ({ books, id }) => refundView(requireOne(books.ledger.refunds, 'refund', id)),
  },
]

function createRefund({ books, form }: StripeCall): Wire {
  const { ledger } = books
  const intentId = filledAt(form, 'payment_intent')
  const chargeId =
    filledAt(form, 'charge') ??
    (intentId === null ? null : requireNamed(ledger.intents, 'payment_intent', intentId, 'payment_intent').latestCharge)
  if (chargeId === null) {
    const why =
      intentId === null
        ? 'Name a charge or a payment_intent.'
        : 'This PaymentIntent has no successful charge to refund.'
    throw invalid(why, intentId === null ? 'parameter_missing' : '', 'payment_intent')
  }
  const charge = requireNamed(ledger.charges, 'charge', chargeId, 'charge')
  if (charge.status !== 'succeeded') throw invalid('This charge has not succeeded: there is nothing to refund.')
  const left = charge.amount - charge.amountRefunded
  if (left === 0) throw invalid(`Charge ${charge.id} has already been refunded.`, 'charge_already_refunded')
  const amount = wholeAt(form, 'amount') ?? left
  if (amount < 1 || amount > left) {
    throw invalid(`Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`, '', 'amount')
  }
  charge.amountRefunded += amount
  const refund = {
    id: books.newId('re'),
    created: books.now(),
    amount,
    currency: charge.currency,
    charge: charge.id,
    intent: charge.intent,
    reason: wordAt(form, 'reason', ['duplicate', 'fraudulent', 'requested_by_customer']),
    metadata: metadataAt(form),
  }
  ledger.refunds[refund.id] = refund
  books.emit('refund.created', refundView(refund))
  books.emit('charge.refunded', chargeWire(books, charge))
  return refundView(refund)
}
