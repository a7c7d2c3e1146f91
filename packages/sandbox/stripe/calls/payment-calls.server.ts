// Calls about payments, cards, charges and refunds. Two of them are open to the paying person's browser.
import type { Books } from '../books.server.ts'
import { paymentMethodView } from '../catalogue-views.ts'
import { confirmIntent } from '../collecting.server.ts'
import {
  attachMethod,
  cancelIntent,
  createIntent,
  createMethod,
  requireOpenIntent,
  SMALLEST_CHARGE,
} from '../intents.server.ts'
import { invoicePaymentOf } from '../invoicing.server.ts'
import { allOf, findIn, type Intent, type PaymentMethod, type Wire } from '../ledger.ts'
import { badParameter, invalid, missing, StripeFailure } from '../stripe-failure.ts'
import {
  type FormTree,
  filledAt,
  flagAt,
  metadataAt,
  nodeAt,
  requiredAt,
  textAt,
  textsAt,
  wholeAt,
  wordAt,
} from '../stripe-form.ts'
import { findCard } from '../test-cards.ts'
import { chargeWire, intentWire } from '../wire-objects.server.ts'
import { currencyAt, namedCustomer } from './catalogue-calls.server.ts'
import {
  CREATED_TAKES,
  LIST_TAKES,
  pageAnswer,
  requireNamed,
  requireOne,
  type StripeCall,
  type StripeRoute,
} from './stripe-call.server.ts'

const CARD_TAKES = [
  'payment_method_data.type',
  'payment_method_data.card.number',
  'payment_method_data.card.exp_month',
  'payment_method_data.card.exp_year',
  'payment_method_data.card.cvc',
  'payment_method_data.billing_details.address.postal_code',
]

export const PAYMENT_CALLS: readonly StripeRoute[] = [
  {
    method: 'POST',
    path: '/v1/payment_intents',
    takes: [
      'amount',
      'currency',
      'customer',
      'description',
      'allowed_payment_method_types[]',
      'setup_future_usage',
      'payment_method',
      'confirm',
      'off_session',
      'return_url',
      'metadata.*',
    ],
    answer: createPayment,
  },
  {
    method: 'GET',
    path: '/v1/payment_intents',
    takes: [...LIST_TAKES, ...CREATED_TAKES, 'customer'],
    answer(call) {
      const customer = filledAt(call.form, 'customer')
      const all = allOf(call.books.ledger.intents)
      const found = all.filter((one) => customer === null || one.customer === customer)
      return pageAnswer(call, found, (one) => intentWire(call.books, one))
    },
  },
  {
    method: 'GET',
    path: '/v1/payment_intents/:id',
    takes: ['client_secret'],
    open: true,
    answer: (call) => shown(call),
  },
  {
    method: 'POST',
    path: '/v1/payment_intents/:id',
    takes: ['description', 'metadata.*', 'setup_future_usage'],
    answer(call) {
      const intent = requireOne(call.books.ledger.intents, 'payment_intent', call.id)
      if (textAt(call.form, 'description') !== null) intent.description = filledAt(call.form, 'description')
      intent.metadata = metadataAt(call.form, intent.metadata)
      const usage = wordAt(call.form, 'setup_future_usage', ['off_session', 'on_session'])
      if (usage !== null) intent.setupFutureUsage = usage
      return shown(call)
    },
  },
  {
    method: 'POST',
    path: '/v1/payment_intents/:id/confirm',
    takes: [...CARD_TAKES, 'client_secret', 'payment_method', 'return_url', 'off_session', 'setup_future_usage'],
    open: true,
    answer: confirmPayment,
  },
  {
    method: 'POST',
    path: '/v1/payment_intents/:id/cancel',
    takes: ['cancellation_reason'],
    answer(call) {
      const { books, form, id } = call
      const intent = requireOne(books.ledger.intents, 'payment_intent', id)
      const reasons = ['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'] as const
      const reason = wordAt(form, 'cancellation_reason', reasons)
      tellingHowItStands(call, intent, () => {
        requireOpenIntent(intent, 'cancel')
        if (invoicePaymentOf(books, intent.id)) {
          throw invalid(
            'You cannot cancel this PaymentIntent because it was created by an Invoice.',
            'payment_intent_unexpected_state',
          )
        }
        cancelIntent(books, intent, reason)
      })
      return shown(call)
    },
  },
  {
    method: 'GET',
    path: '/v1/payment_methods/:id',
    takes: [],
    answer: ({ books, id }) => paymentMethodView(requireOne(books.ledger.paymentMethods, 'PaymentMethod', id)),
  },
  {
    method: 'POST',
    path: '/v1/payment_methods/:id/attach',
    takes: ['customer'],
    answer({ books, form, id }) {
      const method = requireOne(books.ledger.paymentMethods, 'PaymentMethod', id)
      attachMethod(books, method, namedCustomer(books, requiredAt(form, 'customer')).id)
      return paymentMethodView(method)
    },
  },
  {
    method: 'POST',
    path: '/v1/payment_methods/:id/detach',
    takes: [],
    answer({ books, id }) {
      const method = requireOne(books.ledger.paymentMethods, 'PaymentMethod', id)
      forgetMethod(books, method)
      return paymentMethodView(method)
    },
  },
  {
    method: 'GET',
    path: '/v1/charges',
    takes: [...LIST_TAKES, ...CREATED_TAKES, 'customer', 'payment_intent'],
    answer(call) {
      const customer = filledAt(call.form, 'customer')
      const intent = filledAt(call.form, 'payment_intent')
      const found = allOf(call.books.ledger.charges).filter(
        (one) => (customer === null || one.customer === customer) && (intent === null || one.intent === intent),
      )
      return pageAnswer(call, found, (one) => chargeWire(call.books, one))
    },
  },
  {
    method: 'GET',
    path: '/v1/charges/:id',
    takes: [],
    answer: ({ books, id }) => chargeWire(books, requireOne(books.ledger.charges, 'charge', id)),
  },
]

/** The fields of a payment that the browser may see. */
const SEEN_BY_BROWSER = [
  'id',
  'object',
  'amount',
  'canceled_at',
  'cancellation_reason',
  'capture_method',
  'client_secret',
  'confirmation_method',
  'created',
  'currency',
  'description',
  'last_payment_error',
  'livemode',
  'next_action',
  'payment_method',
  'payment_method_types',
  'processing',
  'receipt_email',
  'setup_future_usage',
  'shipping',
  'status',
] as const

function shown(call: StripeCall): Wire {
  const view = intentWire(call.books, requireIntent(call))
  return call.fromBrowser ? forBrowser(view) : view
}

function forBrowser(intent: Wire): Wire {
  return Object.fromEntries(SEEN_BY_BROWSER.map((name) => [name, intent[name] ?? null]))
}

/** The payment named in the path; a browser must also know its secret. */
function requireIntent({ books, form, id, fromBrowser }: StripeCall): Intent {
  const intent = findIn(books.ledger.intents, id)
  if (fromBrowser && intent?.clientSecret !== textAt(form, 'client_secret'))
    throw missing('payment_intent', id, 'intent')
  if (!intent) throw missing('payment_intent', id, 'intent')
  return intent
}

function createPayment(call: StripeCall): Wire {
  const { books, form } = call
  requiredAt(form, 'amount')
  const amount = wholeAt(form, 'amount') ?? 0
  const currency = currencyAt(form)
  if (amount < SMALLEST_CHARGE) {
    throw invalid('Amount must be at least £0.30 gbp', 'amount_too_small', 'amount')
  }
  if (amount > 99_999_999) throw invalid('Amount must be no more than £999,999.99', 'amount_too_large', 'amount')
  const types = textsAt(form, 'allowed_payment_method_types')
  if (types.some((one) => one !== 'card')) {
    throw invalid('The sandbox takes cards only.', '', 'allowed_payment_method_types')
  }
  const customer = filledAt(form, 'customer')
  const methodId = filledAt(form, 'payment_method')
  const method =
    methodId === null ? null : requireNamed(books.ledger.paymentMethods, 'PaymentMethod', methodId, 'payment_method')
  const confirm = flagAt(form, 'confirm') ?? false
  if (confirm && !method) {
    throw badParameter('You cannot confirm without a payment method.', 'parameter_missing', 'payment_method')
  }
  const intent = createIntent(books, {
    amount,
    currency,
    customer: customer === null ? null : namedCustomer(books, customer).id,
    description: filledAt(form, 'description'),
    setupFutureUsage: wordAt(form, 'setup_future_usage', ['off_session', 'on_session']),
    allowedTypes: types.length === 0 ? null : types,
    metadata: metadataAt(form),
  })
  if (method) {
    intent.paymentMethod = method.id
    intent.status = 'requires_confirmation'
  }
  if (confirm && method) confirmIntent(books, intent, method, filledAt(form, 'return_url') ?? '')
  return intentWire(books, intent)
}

function confirmPayment(call: StripeCall): Wire {
  const { books, form } = call
  const intent = requireIntent(call)
  tellingHowItStands(call, intent, () => requireOpenIntent(intent, 'confirm'))
  const usage = wordAt(form, 'setup_future_usage', ['off_session', 'on_session'])
  const method = methodFor(call, intent)
  if (usage !== null) intent.setupFutureUsage = usage
  const returnUrl = filledAt(form, 'return_url') ?? ''
  if (returnUrl !== '' && !/^https?:\/\//i.test(returnUrl)) {
    throw badParameter('The return_url must be an absolute address.', 'url_invalid', 'return_url')
  }
  tellingHowItStands(call, intent, () => confirmIntent(books, intent, method, returnUrl))
  return shown(call)
}

/** A refusal about the payment itself includes the payment's current state, so that the caller need not fetch it. */
function tellingHowItStands(call: StripeCall, intent: Intent, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof StripeFailure)) throw error
    const view = intentWire(call.books, intent)
    throw new StripeFailure(error.status, {
      ...error.body,
      type: String(error.body.type),
      message: error.message,
      payment_intent: call.fromBrowser ? forBrowser(view) : view,
    })
  }
}

function methodFor({ books, form }: StripeCall, intent: Intent): PaymentMethod {
  if (nodeAt(form, 'payment_method_data') !== undefined) return typedCard(books, form)
  const id = filledAt(form, 'payment_method') ?? intent.paymentMethod
  if (id === null) {
    throw invalid(
      "You cannot confirm this PaymentIntent because it's missing a payment method.",
      'payment_intent_unexpected_state',
    )
  }
  const method = requireNamed(books.ledger.paymentMethods, 'PaymentMethod', id, 'payment_method')
  if (method.customer !== null && method.customer !== intent.customer) {
    throw invalid('The payment method belongs to another customer.', '', 'payment_method')
  }
  return method
}

/** A typed card, if it is on the list. The number of any other card is neither stored nor repeated. */
function typedCard(books: Books, form: FormTree): PaymentMethod {
  const card = 'payment_method_data.card'
  if (filledAt(form, 'payment_method_data.type') !== 'card') {
    throw invalid('The sandbox takes cards only.', '', 'payment_method_data[type]')
  }
  const number = (filledAt(form, `${card}.number`) ?? '').replace(/[\s-]/g, '')
  if (!findCard(number)) {
    throw refused(
      'incorrect_number',
      'number',
      'This is a sandbox: it takes only its own test cards, like 4242 4242 4242 4242.',
    )
  }
  const expMonth = wholeAt(form, `${card}.exp_month`) ?? 0
  const year = wholeAt(form, `${card}.exp_year`) ?? 0
  const expYear = year < 100 ? 2000 + year : year
  if (expMonth < 1 || expMonth > 12)
    throw refused('invalid_expiry_month', 'exp_month', "Your card's expiration month is invalid.")
  const now = new Date(books.now() * 1000)
  const gone = expYear * 12 + expMonth < now.getUTCFullYear() * 12 + now.getUTCMonth() + 1
  if (gone || expYear > now.getUTCFullYear() + 50) {
    throw refused('invalid_expiry_year', 'exp_year', "Your card's expiration year is invalid.")
  }
  if (!/^\d{3,4}$/.test(filledAt(form, `${card}.cvc`) ?? '')) {
    throw refused('invalid_cvc', 'cvc', "Your card's security code is invalid.")
  }
  const postcode = filledAt(form, 'payment_method_data.billing_details.address.postal_code')
  return createMethod(books, { number, expMonth, expYear, postcode })
}

function refused(code: string, param: string, message: string): StripeFailure {
  return new StripeFailure(402, { type: 'card_error', code, param, message })
}

/** Removes the card from its customer, and from everything that would have been paid with it. */
function forgetMethod(books: Books, method: PaymentMethod): void {
  if (method.customer === null) throw invalid('The payment method is not attached to a customer.', '', 'payment_method')
  method.customer = null
  for (const customer of allOf(books.ledger.customers)) {
    if (customer.defaultPaymentMethod === method.id) customer.defaultPaymentMethod = null
  }
  for (const sub of allOf(books.ledger.subscriptions)) {
    if (sub.defaultPaymentMethod === method.id) sub.defaultPaymentMethod = null
  }
  books.emit('payment_method.detached', paymentMethodView(method))
}
