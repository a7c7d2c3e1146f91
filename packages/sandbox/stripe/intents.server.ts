// Payments and their charges. The effect of a payment on an invoice is handled elsewhere.
import type { Books } from './books.server.ts'
import { paymentMethodView } from './catalogue-views.ts'
import { type Charge, findIn, type Intent, type PaymentError, type PaymentMethod } from './ledger.ts'
import { invalid } from './stripe-failure.ts'
import type { CardRefusal } from './test-cards.ts'
import { chargeWire, intentWire } from './wire-objects.server.ts'

/** GBP: the minimum charge. */
export const SMALLEST_CHARGE = 30

interface IntentInput {
  amount: number
  currency: string
  customer: string | null
  description: string | null
  setupFutureUsage: Intent['setupFutureUsage']
  allowedTypes: string[] | null
  metadata: Intent['metadata']
}

export function createIntent(books: Books, input: IntentInput): Intent {
  const id = books.newId('pi')
  const intent: Intent = {
    id,
    created: books.now(),
    amountReceived: 0,
    clientSecret: `${id}_${books.newId('secret')}`,
    status: 'requires_payment_method',
    paymentMethod: null,
    awaiting: null,
    lastError: null,
    latestCharge: null,
    canceledAt: null,
    cancellationReason: null,
    ...input,
  }
  books.ledger.intents[id] = intent
  books.emit('payment_intent.created', intentWire(books, intent))
  return intent
}

interface CardInput {
  number: string
  expMonth: number
  expYear: number
  postcode: string | null
}

/** A card that a person typed in. It belongs to no customer until a payment with it succeeds. */
export function createMethod(books: Books, card: CardInput): PaymentMethod {
  const method: PaymentMethod = {
    id: books.newId('pm'),
    created: books.now(),
    customer: null,
    metadata: {},
    authenticated: false,
    ...card,
  }
  books.ledger.paymentMethods[method.id] = method
  return method
}

export function attachMethod(books: Books, method: PaymentMethod, customer: string): void {
  if (method.customer === customer) return
  method.customer = customer
  books.emit('payment_method.attached', paymentMethodView(method))
}

/** Charges the card; `refusal` says why it fails. Afterwards the payment has succeeded or needs another card. */
export function charge(books: Books, intent: Intent, method: PaymentMethod, refusal: CardRefusal | null): Charge {
  const tried: Charge = {
    id: books.newId('ch'),
    created: books.now(),
    amount: intent.amount,
    amountRefunded: 0,
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    intent: intent.id,
    paymentMethod: method.id,
    status: refusal ? 'failed' : 'succeeded',
    failureCode: refusal?.code ?? null,
    declineCode: refusal?.declineCode ?? null,
    failureMessage: refusal?.message ?? null,
    metadata: intent.metadata,
  }
  books.ledger.charges[tried.id] = tried
  intent.latestCharge = tried.id
  intent.awaiting = null
  if (refusal) {
    wantAnotherCard(intent, { ...refusal, charge: tried.id, paymentMethod: method.id })
    books.emit('charge.failed', chargeWire(books, tried))
    books.emit('payment_intent.payment_failed', intentWire(books, intent))
    return tried
  }
  intent.status = 'succeeded'
  intent.amountReceived = intent.amount
  intent.paymentMethod = method.id
  intent.lastError = null
  books.emit('charge.succeeded', chargeWire(books, tried))
  if (intent.customer !== null && intent.setupFutureUsage !== null) attachMethod(books, method, intent.customer)
  books.emit('payment_intent.succeeded', intentWire(books, intent))
  return tried
}

export function wantAnotherCard(intent: Intent, error: PaymentError): void {
  intent.status = 'requires_payment_method'
  intent.paymentMethod = null
  intent.awaiting = null
  intent.lastError = error
}

/** Does nothing when the payment is already finished. */
export function cancelIntent(books: Books, intent: Intent, reason: string | null): void {
  if (intent.status === 'succeeded' || intent.status === 'canceled') return
  intent.status = 'canceled'
  intent.canceledAt = books.now()
  intent.cancellationReason = reason
  intent.awaiting = null
  books.emit('payment_intent.canceled', intentWire(books, intent))
}

/** Refuses a finished payment. @param verb `confirm`, `cancel` */
export function requireOpenIntent(intent: Intent, verb: string): void {
  if (intent.status !== 'succeeded' && intent.status !== 'canceled') return
  const how =
    intent.status === 'succeeded'
      ? 'it has already succeeded after being previously confirmed'
      : 'it has a status of canceled'
  throw invalid(`You cannot ${verb} this PaymentIntent because ${how}.`, 'payment_intent_unexpected_state')
}

/** The card that a subscription or its customer uses off-session. */
export function standingMethod(books: Books, ids: readonly (string | null)[]): PaymentMethod | null {
  const id = ids.find((one) => one !== null) ?? null
  return findIn(books.ledger.paymentMethods, id)
}
