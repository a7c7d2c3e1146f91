// Calls about customers, products and prices.
import type { Books } from '../books.server.ts'
import {
  balanceTransactionView,
  customerView,
  listView,
  paymentMethodView,
  priceView,
  productView,
} from '../catalogue-views.ts'
import { addToBalance } from '../invoicing.server.ts'
import { allOf, type Customer, findIn, type Price, type Product } from '../ledger.ts'
import { badParameter, invalid, missing } from '../stripe-failure.ts'
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
import { endSubscription } from '../subscribing.server.ts'
import {
  CREATED_TAKES,
  LIST_TAKES,
  pageAnswer,
  requireNamed,
  requireOne,
  type StripeCall,
  type StripeRoute,
} from './stripe-call.server.ts'

const CUSTOMER_TAKES = ['name', 'email', 'description', 'metadata.*', 'invoice_settings.default_payment_method']

export const CATALOGUE_CALLS: readonly StripeRoute[] = [
  { method: 'POST', path: '/v1/customers', takes: CUSTOMER_TAKES, answer: createCustomer },
  {
    method: 'GET',
    path: '/v1/customers',
    takes: [...LIST_TAKES, ...CREATED_TAKES, 'email'],
    answer(call) {
      const email = filledAt(call.form, 'email')
      const all = allOf(call.books.ledger.customers).filter((one) => !one.deleted)
      return pageAnswer(
        call,
        all.filter((one) => email === null || one.email === email),
        customerView,
      )
    },
  },
  { method: 'GET', path: '/v1/customers/search', takes: ['query', 'limit', 'page'], answer: searchCustomers },
  {
    method: 'GET',
    path: '/v1/customers/:id',
    takes: [],
    answer: ({ books, id }) => customerView(requireOne(books.ledger.customers, 'customer', id)),
  },
  { method: 'POST', path: '/v1/customers/:id', takes: CUSTOMER_TAKES, answer: updateCustomer },
  { method: 'DELETE', path: '/v1/customers/:id', takes: [], answer: deleteCustomer },
  {
    method: 'GET',
    path: '/v1/customers/:id/payment_methods',
    takes: [...LIST_TAKES, 'type'],
    answer(call) {
      const customer = liveCustomer(call)
      const mine = allOf(call.books.ledger.paymentMethods).filter((one) => one.customer === customer.id)
      return pageAnswer(call, mine, paymentMethodView)
    },
  },
  {
    method: 'GET',
    path: '/v1/customers/:id/balance_transactions',
    takes: LIST_TAKES,
    answer(call) {
      const customer = liveCustomer(call)
      const mine = call.books.ledger.balanceTransactions.filter((one) => one.customer === customer.id)
      return pageAnswer(call, mine, balanceTransactionView)
    },
  },
  {
    method: 'POST',
    path: '/v1/customers/:id/balance_transactions',
    takes: ['amount', 'currency', 'description', 'metadata.*'],
    answer(call) {
      const { books, form } = call
      requiredAt(form, 'amount')
      const transaction = addToBalance(books, {
        customer: liveCustomer(call).id,
        amount: wholeAt(form, 'amount') ?? 0,
        currency: requiredAt(form, 'currency'),
        description: filledAt(form, 'description'),
        metadata: metadataAt(form),
        type: 'adjustment',
      })
      return balanceTransactionView(transaction)
    },
  },
  {
    method: 'POST',
    path: '/v1/products',
    takes: ['id', 'name', 'description', 'active', 'metadata.*'],
    answer: createProduct,
  },
  {
    method: 'GET',
    path: '/v1/products',
    takes: [...LIST_TAKES, ...CREATED_TAKES, 'active', 'ids[]'],
    answer(call) {
      const { form, books } = call
      const ids = textsAt(form, 'ids')
      const active = flagAt(form, 'active')
      const found = allOf(books.ledger.products).filter(
        (one) => (ids.length === 0 || ids.includes(one.id)) && (active === null || one.active === active),
      )
      return pageAnswer(call, found, productView)
    },
  },
  {
    method: 'GET',
    path: '/v1/products/:id',
    takes: [],
    answer: ({ books, id }) => productView(requireOne(books.ledger.products, 'product', id)),
  },
  {
    method: 'POST',
    path: '/v1/products/:id',
    takes: ['name', 'description', 'active', 'metadata.*'],
    answer({ books, form, id }) {
      const product = requireOne(books.ledger.products, 'product', id)
      product.name = filledAt(form, 'name') ?? product.name
      if (textAt(form, 'description') !== null) product.description = filledAt(form, 'description')
      product.active = flagAt(form, 'active') ?? product.active
      product.metadata = metadataAt(form, product.metadata)
      product.updated = books.now()
      books.emit('product.updated', productView(product))
      return productView(product)
    },
  },
  {
    method: 'POST',
    path: '/v1/prices',
    takes: [
      'product',
      'currency',
      'unit_amount',
      'unit_amount_decimal',
      'active',
      'nickname',
      'lookup_key',
      'transfer_lookup_key',
      'tax_behavior',
      'billing_scheme',
      'tiers_mode',
      'tiers[].up_to',
      'tiers[].unit_amount',
      'tiers[].unit_amount_decimal',
      'tiers[].flat_amount',
      'tiers[].flat_amount_decimal',
      'recurring.interval',
      'recurring.interval_count',
      'recurring.usage_type',
      'recurring.meter',
      'metadata.*',
    ],
    answer: createPrice,
  },
  {
    method: 'GET',
    path: '/v1/prices',
    takes: [...LIST_TAKES, ...CREATED_TAKES, 'active', 'product', 'currency', 'type', 'lookup_keys[]'],
    answer(call) {
      const { form, books } = call
      const keys = textsAt(form, 'lookup_keys')
      const active = flagAt(form, 'active')
      const product = filledAt(form, 'product')
      const currency = filledAt(form, 'currency')
      const type = wordAt(form, 'type', ['recurring', 'one_time'])
      const found = allOf(books.ledger.prices).filter(
        (one) =>
          (keys.length === 0 || (one.lookupKey !== null && keys.includes(one.lookupKey))) &&
          (active === null || one.active === active) &&
          (product === null || one.product === product) &&
          (currency === null || one.currency === currency) &&
          (type === null || (one.recurring !== null) === (type === 'recurring')),
      )
      return pageAnswer(call, found, priceView)
    },
  },
  {
    method: 'GET',
    path: '/v1/prices/:id',
    takes: [],
    answer: ({ books, id }) => priceView(requireOne(books.ledger.prices, 'price', id)),
  },
  {
    method: 'POST',
    path: '/v1/prices/:id',
    takes: ['active', 'nickname', 'lookup_key', 'transfer_lookup_key', 'metadata.*'],
    answer({ books, form, id }) {
      const price = requireOne(books.ledger.prices, 'price', id)
      const key = textAt(form, 'lookup_key')
      if (key !== null) price.lookupKey = key === '' ? null : claimLookupKey(books, form, key, price.id)
      price.active = flagAt(form, 'active') ?? price.active
      price.nickname = textAt(form, 'nickname') ?? price.nickname
      price.metadata = metadataAt(form, price.metadata)
      books.emit('price.updated', priceView(price))
      return priceView(price)
    },
  },
]

function createCustomer({ books, form }: StripeCall) {
  const customer: Customer = {
    id: books.newId('cus'),
    created: books.now(),
    name: filledAt(form, 'name'),
    email: filledAt(form, 'email'),
    description: filledAt(form, 'description'),
    metadata: metadataAt(form),
    balance: 0,
    currency: null,
    defaultPaymentMethod: null,
    invoicePrefix: books.newId('x').slice(2, 10).toUpperCase(),
    nextInvoiceNumber: 1,
    deleted: false,
    declineNext: false,
  }
  const method = filledAt(form, 'invoice_settings.default_payment_method')
  if (method !== null) throw missing('PaymentMethod', method, 'invoice_settings[default_payment_method]', 400)
  books.ledger.customers[customer.id] = customer
  books.emit('customer.created', customerView(customer))
  return customerView(customer)
}

function updateCustomer(call: StripeCall) {
  const { books, form } = call
  const customer = liveCustomer(call)
  if (textAt(form, 'name') !== null) customer.name = filledAt(form, 'name')
  if (textAt(form, 'email') !== null) customer.email = filledAt(form, 'email')
  if (textAt(form, 'description') !== null) customer.description = filledAt(form, 'description')
  customer.metadata = metadataAt(form, customer.metadata)
  const param = 'invoice_settings.default_payment_method'
  const method = filledAt(form, param)
  if (method !== null) {
    const found = requireNamed(books.ledger.paymentMethods, 'PaymentMethod', method, param)
    if (found.customer !== customer.id) throw invalid('The payment method is not attached to this customer.', '', param)
    customer.defaultPaymentMethod = found.id
  } else if (textAt(form, param) === '') customer.defaultPaymentMethod = null
  books.emit('customer.updated', customerView(customer))
  return customerView(customer)
}

function deleteCustomer(call: StripeCall) {
  const { books } = call
  const customer = liveCustomer(call)
  for (const sub of allOf(books.ledger.subscriptions)) {
    if (sub.customer === customer.id && sub.endedAt === null) endSubscription(books, sub, 'cancellation_requested')
  }
  const last = customerView(customer)
  customer.deleted = true
  books.emit('customer.deleted', last)
  return customerView(customer)
}

/** The customer named in the path; a deleted one counts as missing. */
export function liveCustomer({ books, id }: Pick<StripeCall, 'books' | 'id'>): Customer {
  const customer = requireOne(books.ledger.customers, 'customer', id)
  if (customer.deleted) throw missing('customer', id)
  return customer
}

export function namedCustomer(books: Books, id: string): Customer {
  const customer = requireNamed(books.ledger.customers, 'customer', id, 'customer')
  if (customer.deleted) throw missing('customer', id, 'customer', 400)
  return customer
}

/** `email:'a@b.example'`, `metadata['account']:'1'`, joined with AND. */
function searchCustomers({ books, form, path }: StripeCall) {
  const query = requiredAt(form, 'query')
  const clauses = query.split(/\s+AND\s+/i).map((clause) => {
    const match = /^(?:metadata\[['"]([^'"]+)['"]\]|(\w+)):\s*['"]([^'"]*)['"]$/.exec(clause.trim())
    if (!match) throw badParameter(`We were unable to parse your search query: ${query}`, 'parameter_invalid', 'query')
    return { metadata: match[1], field: match[2], value: match[3] ?? '' }
  })
  const found = allOf(books.ledger.customers).filter(
    (one) =>
      !one.deleted &&
      clauses.every(({ metadata, field, value }) => {
        if (metadata !== undefined) return one.metadata[metadata] === value
        return field === 'email' ? one.email === value : field === 'name' && one.name === value
      }),
  )
  const limit = wholeAt(form, 'limit') ?? 10
  const page = listView(path, found.slice(0, limit).map(customerView), found.length > limit)
  return { ...page, object: 'search_result', next_page: null }
}

function createProduct({ books, form }: StripeCall) {
  const id = filledAt(form, 'id') ?? books.newId('prod')
  if (findIn(books.ledger.products, id)) throw invalid('Product already exists.', 'resource_already_exists', 'id')
  const product: Product = {
    id,
    created: books.now(),
    updated: books.now(),
    name: requiredAt(form, 'name'),
    description: filledAt(form, 'description'),
    active: flagAt(form, 'active') ?? true,
    metadata: metadataAt(form),
  }
  books.ledger.products[id] = product
  books.emit('product.created', productView(product))
  return productView(product)
}

function createPrice({ books, form }: StripeCall) {
  const product = requireNamed(books.ledger.products, 'product', requiredAt(form, 'product'), 'product')
  const tiers = nodeAt(form, 'tiers') === undefined ? null : tiersOf(form)
  const amount = decimalAt(form, 'unit_amount_decimal') ?? textOf(wholeAt(form, 'unit_amount'))
  if (tiers === null && amount === null) {
    throw badParameter('Missing required param: unit_amount.', 'parameter_missing', 'unit_amount')
  }
  const id = books.newId('price')
  const key = filledAt(form, 'lookup_key')
  const price: Price = {
    id,
    created: books.now(),
    product: product.id,
    currency: currencyAt(form),
    unitAmount: tiers === null ? amount : null,
    lookupKey: key === null ? null : claimLookupKey(books, form, key, id),
    nickname: filledAt(form, 'nickname'),
    active: flagAt(form, 'active') ?? true,
    taxBehavior: wordAt(form, 'tax_behavior', ['inclusive', 'exclusive', 'unspecified']) ?? 'unspecified',
    metadata: metadataAt(form),
    recurring: recurringOf(books, form),
    tiers,
    tiersMode: tiers === null ? null : (wordAt(form, 'tiers_mode', ['graduated', 'volume']) ?? 'graduated'),
  }
  books.ledger.prices[id] = price
  books.emit('price.created', priceView(price))
  return priceView(price)
}

function recurringOf(books: Books, form: FormTree): Price['recurring'] {
  if (nodeAt(form, 'recurring') === undefined) return null
  const usageType = wordAt(form, 'recurring.usage_type', ['licensed', 'metered']) ?? 'licensed'
  const meter = filledAt(form, 'recurring.meter')
  if (meter !== null) requireNamed(books.ledger.meters, 'billing meter', meter, 'recurring[meter]')
  if (usageType === 'metered' && meter === null) {
    throw badParameter('A metered price must be backed by a meter.', 'parameter_missing', 'recurring[meter]')
  }
  const interval = wordAt(form, 'recurring.interval', ['day', 'week', 'month', 'year'])
  if (interval === null) {
    throw badParameter('Missing required param: recurring[interval].', 'parameter_missing', 'recurring[interval]')
  }
  return { interval, intervalCount: wholeAt(form, 'recurring.interval_count') ?? 1, usageType, meter }
}

function tiersOf(form: FormTree): NonNullable<Price['tiers']> {
  const tiers = treesAt(form, 'tiers').map((tier) => {
    const upTo = requiredAt(tier, 'up_to')
    return {
      upTo: upTo === 'inf' ? null : wholeAt(tier, 'up_to'),
      unitAmount: decimalAt(tier, 'unit_amount_decimal') ?? textOf(wholeAt(tier, 'unit_amount')) ?? '0',
      flatAmount: decimalAt(tier, 'flat_amount_decimal') ?? textOf(wholeAt(tier, 'flat_amount')),
    }
  })
  if (tiers.at(-1)?.upTo !== null) {
    throw badParameter('The last tier must have up_to set to inf.', 'parameter_invalid', 'tiers')
  }
  return tiers
}

/** A key names one active price; it only moves on request. */
function claimLookupKey(books: Books, form: FormTree, key: string, forPrice: string): string {
  const holder = allOf(books.ledger.prices).find((one) => one.lookupKey === key && one.id !== forPrice)
  if (holder && flagAt(form, 'transfer_lookup_key') !== true) {
    throw invalid(`A price (\`${holder.id}\`) already uses that lookup key.`, 'resource_already_exists', 'lookup_key')
  }
  if (holder) holder.lookupKey = null
  return key
}

export function currencyAt(form: FormTree, path = 'currency'): string {
  const currency = requiredAt(form, path).toLowerCase()
  if (!/^[a-z]{3}$/.test(currency)) throw badParameter(`Invalid currency: ${currency}`, 'parameter_invalid', path)
  return currency
}

function textOf(value: number | null): string | null {
  return value === null ? null : String(value)
}
