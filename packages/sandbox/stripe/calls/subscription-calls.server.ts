// Calls about subscriptions.
import { priceOf } from '../billing-months.ts'
import { subscriptionView } from '../billing-views.ts'
import type { Books } from '../books.server.ts'
import { changeSubscription } from '../invoicing.server.ts'
import { allOf, findIn, type Price, type Subscription, type SubscriptionItem } from '../ledger.ts'
import { badParameter, invalid } from '../stripe-failure.ts'
import {
  decimalAt,
  type FormTree,
  filledAt,
  flagAt,
  metadataAt,
  nodeAt,
  requiredAt,
  textAt,
  textsAt,
  treesAt,
  wholeAt,
  wordAt,
} from '../stripe-form.ts'
import {
  beginSubscription,
  type ExtraLine,
  endSubscription,
  invoiceFailure,
  type PaymentBehavior,
  restartPeriod,
} from '../subscribing.server.ts'
import { firstPeriodEnd } from '../subscription-lines.ts'
import { currencyAt, namedCustomer } from './catalogue-calls.server.ts'
import { PREVIEW_CALL, restartAt } from './preview-call.server.ts'
import {
  CREATED_TAKES,
  LIST_TAKES,
  pageAnswer,
  requireNamed,
  requireOne,
  type StripeCall,
  type StripeRoute,
} from './stripe-call.server.ts'

const EXTRA_TAKES = [
  'add_invoice_items[].price',
  'add_invoice_items[].quantity',
  'add_invoice_items[].metadata.*',
  'add_invoice_items[].price_data.currency',
  'add_invoice_items[].price_data.product',
  'add_invoice_items[].price_data.unit_amount',
  'add_invoice_items[].price_data.unit_amount_decimal',
  'add_invoice_items[].price_data.tax_behavior',
]
const BOTH_TAKE = [
  ...EXTRA_TAKES,
  'automatic_tax.enabled',
  'cancel_at',
  'cancel_at_period_end',
  'collection_method',
  'default_payment_method',
  'description',
  'metadata.*',
  'off_session',
  'payment_behavior',
  'payment_settings.payment_method_types[]',
  'payment_settings.save_default_payment_method',
  'proration_behavior',
]
export const SUBSCRIPTION_CALLS: readonly StripeRoute[] = [
  {
    method: 'POST',
    path: '/v1/subscriptions',
    takes: [
      ...BOTH_TAKE,
      'billing_mode.type',
      'currency',
      'customer',
      'items[].price',
      'items[].quantity',
      'items[].metadata.*',
    ],
    answer: createSubscription,
  },
  {
    method: 'GET',
    path: '/v1/subscriptions',
    takes: [...LIST_TAKES, ...CREATED_TAKES, 'customer', 'price', 'status', 'collection_method'],
    answer: listSubscriptions,
  },
  {
    method: 'GET',
    path: '/v1/subscriptions/:id',
    takes: [],
    answer: ({ books, id }) =>
      subscriptionView(books.ledger, requireOne(books.ledger.subscriptions, 'subscription', id)),
  },
  {
    method: 'POST',
    path: '/v1/subscriptions/:id',
    takes: [
      ...BOTH_TAKE,
      'billing_cycle_anchor.type',
      'proration_date',
      'cancellation_details.comment',
      'cancellation_details.feedback',
    ],
    answer: updateSubscription,
  },
  {
    method: 'DELETE',
    path: '/v1/subscriptions/:id',
    takes: ['invoice_now', 'prorate', 'cancellation_details.comment', 'cancellation_details.feedback'],
    answer({ books, form, id }) {
      if (flagAt(form, 'prorate') || flagAt(form, 'invoice_now')) {
        throw invalid('The sandbox ends a subscription without another invoice: leave out invoice_now and prorate.')
      }
      const sub = liveSubscription(books, id)
      endSubscription(books, sub, 'cancellation_requested')
      return subscriptionView(books.ledger, sub)
    },
  },
  { method: 'POST', path: '/v1/subscriptions/:id/pause', takes: ['type'], answer: pauseSubscription },
  {
    method: 'POST',
    path: '/v1/subscriptions/:id/resume',
    takes: ['billing_cycle_anchor.type', 'payment_behavior', 'proration_behavior', 'proration_date'],
    answer: resumeSubscription,
  },
  PREVIEW_CALL,
]

function createSubscription({ books, form }: StripeCall) {
  const { ledger } = books
  const customer = namedCustomer(books, requiredAt(form, 'customer'))
  const trees = treesAt(form, 'items')
  if (trees.length === 0) throw badParameter('Missing required param: items.', 'parameter_missing', 'items')
  const prices = trees.map((tree, index) => priceAt(books, tree, `items[${index}][price]`))
  const recurring = prices[0]?.recurring
  for (const price of prices) {
    const same = price.recurring?.interval === recurring?.interval && price.currency === prices[0]?.currency
    if (!price.recurring || !same) {
      throw invalid('All prices of a subscription must be recurring, with one interval and one currency.', '', 'items')
    }
  }
  const items = trees.map((tree, index) => itemOf(books, tree, prices[index] as Price, index))
  const now = books.now()
  const sub: Subscription = {
    id: books.newId('sub'),
    created: now,
    customer: customer.id,
    status: 'incomplete',
    currency: prices[0]?.currency ?? 'gbp',
    items,
    periodStart: now,
    periodEnd: firstPeriodEnd(ledger, items, now),
    anchor: now,
    billingMode: wordAt(form, 'billing_mode.type', ['classic', 'flexible']) ?? 'flexible',
    cancelAtPeriodEnd: false,
    cancelAt: null,
    canceledAt: null,
    endedAt: null,
    cancellationReason: null,
    defaultPaymentMethod: null,
    saveDefaultPaymentMethod: 'off',
    paymentMethodTypes: null,
    latestInvoice: null,
    description: null,
    metadata: {},
    pausedAt: null,
  }
  applyCommon(books, form, sub)
  beginSubscription(books, sub, extrasAt(books, form, sub.currency), behaviorAt(form))
  return subscriptionView(ledger, sub)
}

function itemOf(books: Books, tree: FormTree, price: Price, index: number): SubscriptionItem {
  const quantity = wholeAt(tree, 'quantity')
  const metered = price.recurring?.usageType === 'metered'
  if (metered && quantity !== null) {
    throw invalid('You cannot set the quantity for metered plans.', '', `items[${index}][quantity]`)
  }
  return {
    id: books.newId('si'),
    created: books.now(),
    price: price.id,
    quantity: metered ? null : (quantity ?? 1),
    metadata: metadataAt(tree),
  }
}

function priceAt(books: Books, tree: FormTree, param: string): Price {
  const id = filledAt(tree, 'price')
  if (id === null) throw badParameter(`Missing required param: ${param}.`, 'parameter_missing', param)
  const price = requireNamed(books.ledger.prices, 'price', id, param)
  if (!price.active) throw invalid('The price specified is inactive.', '', param)
  return price
}

/** Parameters allowed both at creation and later. */
function applyCommon(books: Books, form: FormTree, sub: Subscription): void {
  if (wordAt(form, 'collection_method', ['charge_automatically', 'send_invoice']) === 'send_invoice') {
    throw invalid('The sandbox charges automatically and sends no invoices.', '', 'collection_method')
  }
  if (flagAt(form, 'automatic_tax.enabled')) {
    throw invalid('The sandbox works out no tax.', '', 'automatic_tax[enabled]')
  }
  const method = filledAt(form, 'default_payment_method')
  if (method !== null) {
    const found = requireNamed(books.ledger.paymentMethods, 'PaymentMethod', method, 'default_payment_method')
    if (found.customer !== sub.customer) {
      throw invalid(
        'The customer does not have a payment method with that ID. It must be attached to the customer first.',
        'resource_missing',
        'default_payment_method',
      )
    }
    sub.defaultPaymentMethod = found.id
  } else if (textAt(form, 'default_payment_method') === '') sub.defaultPaymentMethod = null
  const types = textsAt(form, 'payment_settings.payment_method_types')
  if (types.some((one) => one !== 'card')) {
    throw invalid('The sandbox takes cards only.', '', 'payment_settings[payment_method_types]')
  }
  if (types.length > 0) sub.paymentMethodTypes = types
  const save = wordAt(form, 'payment_settings.save_default_payment_method', ['on_subscription', 'off'])
  if (save !== null) sub.saveDefaultPaymentMethod = save
  if (textAt(form, 'description') !== null) sub.description = filledAt(form, 'description')
  sub.metadata = metadataAt(form, sub.metadata)
  scheduleEnd(books, form, sub)
}

function scheduleEnd(books: Books, form: FormTree, sub: Subscription): void {
  const atEnd = flagAt(form, 'cancel_at_period_end')
  const at = wholeAt(form, 'cancel_at')
  if (atEnd === null && textAt(form, 'cancel_at') === null) return
  if (atEnd && at !== null) throw invalid('Pass only one of cancel_at and cancel_at_period_end.', '', 'cancel_at')
  if (at !== null && at <= books.now()) throw invalid('cancel_at must be in the future.', '', 'cancel_at')
  sub.cancelAtPeriodEnd = atEnd ?? false
  sub.cancelAt = at
  const ends = sub.cancelAtPeriodEnd || sub.cancelAt !== null
  sub.canceledAt = ends ? books.now() : null
  sub.cancellationReason = ends ? 'cancellation_requested' : null
}

function updateSubscription({ books, form, id }: StripeCall) {
  const sub = liveSubscription(books, id)
  if (filledAt(form, 'billing_cycle_anchor.type') === null) {
    changeSubscription(books, sub, () => applyCommon(books, form, sub))
    return subscriptionView(books.ledger, sub)
  }
  if (wordAt(form, 'billing_cycle_anchor.type', ['now', 'unchanged']) === 'unchanged') {
    changeSubscription(books, sub, () => applyCommon(books, form, sub))
    return subscriptionView(books.ledger, sub)
  }
  if (sub.status === 'incomplete' || sub.status === 'paused') {
    throw invalid(`You cannot reset the billing cycle of a subscription that is ${sub.status}.`)
  }
  const input = { ...restartAt(books, form, ''), extras: extrasAt(books, form, sub.currency) }
  restartPeriod(books, sub, input, behaviorAt(form), () => applyCommon(books, form, sub))
  return subscriptionView(books.ledger, sub)
}

function behaviorAt(form: FormTree): PaymentBehavior {
  const words = ['default_incomplete', 'allow_incomplete', 'error_if_incomplete', 'pending_if_incomplete'] as const
  const behavior = wordAt(form, 'payment_behavior', words) ?? 'allow_incomplete'
  if (behavior === 'pending_if_incomplete') {
    throw invalid('The sandbox keeps no pending updates: use another payment_behavior.', '', 'payment_behavior')
  }
  return behavior
}

function extrasAt(books: Books, form: FormTree, currency: string): ExtraLine[] {
  return treesAt(form, 'add_invoice_items').map((tree, index) => {
    const param = `add_invoice_items[${index}]`
    const quantity = wholeAt(tree, 'quantity') ?? 1
    const metadata = metadataAt(tree)
    if (nodeAt(tree, 'price_data') === undefined) {
      const price = priceAt(books, tree, `${param}[price]`)
      if (price.recurring) throw invalid('The price must be a one-time price.', '', `${param}[price]`)
      const amount = priceOf(price, quantity)
      const { name } = requireNamed(books.ledger.products, 'product', price.product, 'product')
      return {
        amount,
        description: name,
        quantity,
        price: price.id,
        product: price.product,
        unitAmount: price.unitAmount,
        metadata,
      }
    }
    if (currencyAt(tree, 'price_data.currency') !== currency) {
      throw invalid('The currency must be that of the subscription.', '', `${param}[price_data][currency]`)
    }
    const named = `${param}[price_data][product]`
    const product = requireNamed(books.ledger.products, 'product', requiredAt(tree, 'price_data.product'), named)
    const whole = wholeAt(tree, 'price_data.unit_amount')
    const unitAmount = decimalAt(tree, 'price_data.unit_amount_decimal') ?? (whole === null ? null : String(whole))
    if (unitAmount === null) {
      throw badParameter(`Missing required param: ${param}[price_data][unit_amount].`, 'parameter_missing', param)
    }
    const price = onceOnly(books, product.id, currency, unitAmount)
    const amount = priceOf(price, quantity)
    return { amount, description: product.name, quantity, price: price.id, product: product.id, unitAmount, metadata }
  })
}

/** A price for a single purchase: it exists, but nobody can buy it again. */
function onceOnly(books: Books, product: string, currency: string, unitAmount: string): Price {
  const price: Price = {
    id: books.newId('price'),
    created: books.now(),
    product,
    currency,
    unitAmount,
    lookupKey: null,
    nickname: null,
    active: false,
    taxBehavior: 'unspecified',
    metadata: {},
    recurring: null,
    tiers: null,
    tiersMode: null,
  }
  books.ledger.prices[price.id] = price
  return price
}

function listSubscriptions(call: StripeCall) {
  const { books, form } = call
  const customer = filledAt(form, 'customer')
  const price = filledAt(form, 'price')
  const status = filledAt(form, 'status')
  const found = allOf(books.ledger.subscriptions).filter((sub) => {
    if (customer !== null && sub.customer !== customer) return false
    if (price !== null && !sub.items.some((item) => item.price === price)) return false
    if (status === null) return sub.status !== 'canceled'
    if (status === 'ended') return sub.endedAt !== null
    return status === 'all' || sub.status === status
  })
  return pageAnswer(call, found, (sub) => subscriptionView(books.ledger, sub))
}

/** A subscription that can still change; an ended one counts as missing. */
function liveSubscription(books: Books, id: string): Subscription {
  const sub = requireOne(books.ledger.subscriptions, 'subscription', id)
  if (sub.endedAt === null) return sub
  throw invalid(
    `A ${sub.status} subscription can only update its cancellation_details and metadata.`,
    sub.status === 'canceled' ? 'resource_missing' : '',
    'id',
  )
}

function pauseSubscription({ books, id }: StripeCall) {
  const sub = liveSubscription(books, id)
  if (sub.status !== 'active') throw invalid(`You cannot pause a subscription that is ${sub.status}.`)
  sub.status = 'paused'
  sub.pausedAt = books.now()
  books.emit('customer.subscription.paused', subscriptionView(books.ledger, sub))
  return subscriptionView(books.ledger, sub)
}

function resumeSubscription({ books, form, id }: StripeCall) {
  const sub = liveSubscription(books, id)
  if (sub.status !== 'paused') {
    throw invalid(`You can only resume subscriptions that are paused. This one is ${sub.status}.`)
  }
  sub.status = 'active'
  sub.pausedAt = null
  const again = wordAt(form, 'billing_cycle_anchor.type', ['now', 'unchanged']) !== 'unchanged'
  books.emit('customer.subscription.resumed', subscriptionView(books.ledger, sub))
  if (again || sub.periodEnd <= books.now()) {
    const input = { proration: 'none' as const, prorationDate: sub.periodStart, extras: [] }
    restartPeriod(books, sub, input, 'allow_incomplete', () => {})
    const invoice = findIn(books.ledger.invoices, sub.latestInvoice)
    if (invoice?.status === 'open') throw invoiceFailure(books, invoice)
  }
  return subscriptionView(books.ledger, sub)
}
