// Any object of the ledger in the wire's format, by its id, with the parts a call wants expanded.
import {
  eventView,
  intentView,
  invoicePaymentView,
  invoiceView,
  paymentErrorView,
  subscriptionView,
} from './billing-views.ts'
import { authenticationUrl, type Books, portalUrl } from './books.server.ts'
import {
  chargeView,
  customerView,
  listView,
  meterView,
  paymentMethodView,
  portalConfigurationView,
  portalSessionView,
  priceView,
  productView,
  refundView,
  tierView,
} from './catalogue-views.ts'
import {
  allOf,
  type Charge,
  findIn,
  getIn,
  type Intent,
  type PaymentMethod,
  type StripeEvent,
  type Wire,
} from './ledger.ts'
import { badParameter } from './stripe-failure.ts'

export function intentWire(books: Books, intent: Intent): Wire {
  const method = findIn(books.ledger.paymentMethods, intent.lastError?.paymentMethod ?? null)
  const error = intent.lastError && paymentErrorView(intent.lastError, method && paymentMethodView(method))
  return intentView(intent, error, authenticationUrl(books, intent.id, intent.clientSecret))
}

export function chargeWire(books: Books, charge: Charge): Wire {
  const method: PaymentMethod = getIn(books.ledger.paymentMethods, charge.paymentMethod)
  return chargeView(charge, method)
}

export function eventWire(books: Books, event: StripeEvent): Wire {
  const open = books.ledger.posts.filter((one) => one.event === event.id && one.state !== 'delivered')
  return eventView(event, new Set(open.map((one) => one.endpoint)).size)
}

/** Null for an unknown id. */
function wireOf(books: Books, id: string): Wire | null {
  const { ledger } = books
  const view = <T>(table: Record<string, T>, draw: (one: T) => Wire): Wire | null => {
    const found = findIn(table, id)
    return found && draw(found)
  }
  switch (id.split('_')[0]) {
    case 'cus':
      return view(ledger.customers, customerView)
    case 'price':
      return view(ledger.prices, priceView)
    case 'sub':
      return view(ledger.subscriptions, (one) => subscriptionView(ledger, one))
    case 'in':
      return view(ledger.invoices, (one) => invoiceView(ledger, one))
    case 'inpay':
      return view(ledger.invoicePayments, (one) => invoicePaymentView(ledger, one))
    case 'pi':
      return view(ledger.intents, (one) => intentWire(books, one))
    case 'pm':
      return view(ledger.paymentMethods, paymentMethodView)
    case 'ch':
      return view(ledger.charges, (one) => chargeWire(books, one))
    case 're':
      return view(ledger.refunds, refundView)
    case 'mtr':
      return view(ledger.meters, meterView)
    case 'bpc':
      return view(ledger.portalConfigurations, portalConfigurationView)
    case 'bps':
      return view(ledger.portalSessions, (one) => portalSessionView(one, portalUrl(books, one.id)))
    default:
      // The creator of a product chooses its id.
      return view(ledger.products, productView)
  }
}

const DEEPEST = 4

/** Expands the named parts in place. @param paths `latest_invoice.confirmation_secret`, `data.invoice` */
export function expand(books: Books, object: Wire, paths: readonly string[]): Wire {
  for (const path of paths) {
    const parts = path.split('.')
    if (parts.length > DEEPEST + (parts[0] === 'data' ? 1 : 0)) {
      throw badParameter('You cannot expand more than 4 levels of a property.', 'parameter_invalid', 'expand')
    }
    expandPart(books, object, parts, path)
  }
  return object
}

function expandPart(books: Books, object: Wire, parts: readonly string[], path: string): void {
  const [name = '', ...rest] = parts
  const before = Object.hasOwn(object, name) ? object[name] : includable(books, object, name)
  if (before === undefined) {
    throw badParameter(`This property cannot be expanded (${path}).`, 'parameter_invalid', 'expand')
  }
  const after = typeof before === 'string' ? wireOf(books, before) : before
  if (after === null) {
    if (before !== null)
      throw badParameter(`This property cannot be expanded (${path}).`, 'parameter_invalid', 'expand')
    return
  }
  object[name] = after
  if (rest.length === 0) return
  for (const one of Array.isArray(after) ? after : [after]) {
    if (isWire(one)) expandPart(books, one, rest, path)
  }
}

/** Parts that are omitted from an object unless requested. Undefined when the object has no such part. */
function includable(books: Books, object: Wire, name: string): unknown {
  const { ledger } = books
  const id = String(object.id)
  switch (`${object.object}.${name}`) {
    case 'invoice.confirmation_secret': {
      const invoice = findIn(ledger.invoices, id)
      const intent = findIn(ledger.intents, invoice?.intent ?? null)
      return intent ? { client_secret: intent.clientSecret, type: 'payment_intent' } : null
    }
    case 'invoice.payments': {
      const mine = allOf(ledger.invoicePayments).filter((one) => one.invoice === id)
      return listView(
        '/v1/invoice_payments',
        mine.map((one) => invoicePaymentView(ledger, one)),
      )
    }
    case 'price.tiers':
      return (findIn(ledger.prices, id)?.tiers ?? []).map(tierView)
    case 'charge.refunds': {
      const mine = allOf(ledger.refunds).filter((one) => one.charge === id)
      return listView(`/v1/charges/${id}/refunds`, mine.map(refundView))
    }
    case 'customer.subscriptions': {
      const mine = allOf(ledger.subscriptions).filter((one) => one.customer === id && one.endedAt === null)
      return listView(
        `/v1/customers/${id}/subscriptions`,
        mine.map((one) => subscriptionView(ledger, one)),
      )
    }
    default:
      return undefined
  }
}

function isWire(value: unknown): value is Wire {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
