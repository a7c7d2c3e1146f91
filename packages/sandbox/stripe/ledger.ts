// Long: one type for each kind of stored object. The stored state of the pretend payment provider. Money is in pence,
// times in whole seconds since the epoch, as on its wire.
import type { Millis } from '#app/lib/clock.ts'

export type Seconds = number
export type Metadata = Record<string, string>
/** An object in the wire's format. */
export type Wire = Record<string, unknown>

export interface Customer {
  id: string
  created: Seconds
  name: string | null
  email: string | null
  description: string | null
  metadata: Metadata
  /** Negative: credit that the next invoice uses. */
  balance: number
  currency: string | null
  defaultPaymentMethod: string | null
  invoicePrefix: string
  nextInvoiceNumber: number
  deleted: boolean
  /** The next off-session charge is declined. A switch of the console. */
  declineNext: boolean
}

export interface BalanceTransaction {
  id: string
  created: Seconds
  customer: string
  amount: number
  endingBalance: number
  currency: string
  description: string | null
  invoice: string | null
  type: 'adjustment' | 'applied_to_invoice' | 'invoice_too_small' | 'unapplied_from_invoice'
  metadata: Metadata
}

export interface Product {
  id: string
  created: Seconds
  updated: Seconds
  name: string
  description: string | null
  active: boolean
  metadata: Metadata
}

export interface Tier {
  /** Null when unlimited. */
  upTo: number | null
  /** Pence per unit, up to twelve decimals. */
  unitAmount: string
  flatAmount: string | null
}

export interface Price {
  id: string
  created: Seconds
  product: string
  currency: string
  /** Pence per unit as text; null for tiers. */
  unitAmount: string | null
  lookupKey: string | null
  nickname: string | null
  active: boolean
  taxBehavior: 'inclusive' | 'exclusive' | 'unspecified'
  metadata: Metadata
  recurring: {
    interval: Interval
    intervalCount: number
    usageType: 'licensed' | 'metered'
    meter: string | null
  } | null
  tiers: Tier[] | null
  tiersMode: 'graduated' | 'volume' | null
}

export type Interval = 'day' | 'week' | 'month' | 'year'

export type SubscriptionStatus =
  | 'incomplete'
  | 'incomplete_expired'
  | 'active'
  | 'past_due'
  | 'paused'
  | 'canceled'
  | 'unpaid'

export interface SubscriptionItem {
  id: string
  created: Seconds
  price: string
  /** Null for a metered price. */
  quantity: number | null
  metadata: Metadata
}

export interface Subscription {
  id: string
  created: Seconds
  customer: string
  status: SubscriptionStatus
  currency: string
  items: SubscriptionItem[]
  periodStart: Seconds
  periodEnd: Seconds
  anchor: Seconds
  billingMode: 'classic' | 'flexible'
  cancelAtPeriodEnd: boolean
  cancelAt: Seconds | null
  canceledAt: Seconds | null
  endedAt: Seconds | null
  cancellationReason: 'cancellation_requested' | 'payment_failed' | null
  defaultPaymentMethod: string | null
  saveDefaultPaymentMethod: 'on_subscription' | 'off' | null
  paymentMethodTypes: string[] | null
  latestInvoice: string | null
  description: string | null
  metadata: Metadata
  pausedAt: Seconds | null
}

export interface InvoiceLine {
  id: string
  amount: number
  description: string
  periodStart: Seconds
  periodEnd: Seconds
  quantity: number
  price: string | null
  product: string | null
  unitAmount: string | null
  proration: boolean
  /** Item of a subscription, or '' for a separate line. */
  subscriptionItem: string
  invoiceItem: string
  metadata: Metadata
}

export type BillingReason = 'subscription_create' | 'subscription_cycle' | 'subscription_update' | 'upcoming'
export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'void' | 'uncollectible'

export interface Invoice {
  id: string
  created: Seconds
  customer: string
  subscription: string
  billingReason: BillingReason
  status: InvoiceStatus
  currency: string
  lines: InvoiceLine[]
  periodStart: Seconds
  periodEnd: Seconds
  startingBalance: number
  endingBalance: number | null
  amountDue: number
  amountPaid: number
  amountOverpaid: number
  attemptCount: number
  autoAdvance: boolean
  automaticallyFinalizesAt: Seconds | null
  nextPaymentAttempt: Seconds | null
  number: string | null
  finalizedAt: Seconds | null
  paidAt: Seconds | null
  voidedAt: Seconds | null
  /** The payment created with the invoice; '' when nothing was due. */
  intent: string
  metadata: Metadata
}

/** How a payment pays an invoice. */
export interface InvoicePayment {
  id: string
  created: Seconds
  invoice: string
  intent: string
  amountRequested: number
  amountPaid: number | null
  isDefault: boolean
  status: 'open' | 'paid' | 'canceled'
  paidAt: Seconds | null
  canceledAt: Seconds | null
}

type IntentStatus = 'requires_payment_method' | 'requires_confirmation' | 'requires_action' | 'succeeded' | 'canceled'

export interface PaymentError {
  type: 'card_error' | 'invalid_request_error'
  code: string
  declineCode: string | null
  message: string
  charge: string | null
  paymentMethod: string | null
}

export interface Intent {
  id: string
  created: Seconds
  amount: number
  amountReceived: number
  currency: string
  customer: string | null
  description: string | null
  clientSecret: string
  status: IntentStatus
  paymentMethod: string | null
  /** A valid card that waits for its owner's authentication. */
  awaiting: { paymentMethod: string; returnUrl: string } | null
  lastError: PaymentError | null
  latestCharge: string | null
  setupFutureUsage: 'off_session' | 'on_session' | null
  allowedTypes: string[] | null
  metadata: Metadata
  canceledAt: Seconds | null
  cancellationReason: string | null
}

export interface PaymentMethod {
  id: string
  created: Seconds
  customer: string | null
  /** A number from the list of test cards: no other number is ever stored. */
  number: string
  expMonth: number
  expYear: number
  postcode: string | null
  metadata: Metadata
  /** Its owner has authenticated once. */
  authenticated: boolean
}

export interface Charge {
  id: string
  created: Seconds
  amount: number
  amountRefunded: number
  currency: string
  customer: string | null
  description: string | null
  intent: string
  paymentMethod: string
  status: 'succeeded' | 'failed'
  failureCode: string | null
  declineCode: string | null
  failureMessage: string | null
  metadata: Metadata
}

export interface Refund {
  id: string
  created: Seconds
  amount: number
  currency: string
  charge: string
  intent: string
  reason: string | null
  metadata: Metadata
}

export interface Meter {
  id: string
  created: Seconds
  updated: Seconds
  displayName: string
  eventName: string
  formula: 'sum' | 'count' | 'last'
  customerKey: string
  valueKey: string
  status: 'active' | 'inactive'
  deactivatedAt: Seconds | null
}

export interface MeterEvent {
  identifier: string
  created: Seconds
  timestamp: Seconds
  eventName: string
  payload: Record<string, string>
  canceled: boolean
}

export interface PortalConfiguration {
  id: string
  created: Seconds
  updated: Seconds
  defaultReturnUrl: string | null
  headline: string | null
  invoiceHistory: boolean
  paymentMethodUpdate: boolean
  emailUpdate?: boolean
  cancel: boolean
  cancelMode: 'at_period_end' | 'immediately'
  metadata: Metadata
}

export interface PortalSession {
  id: string
  created: Seconds
  configuration: string
  customer: string
  returnUrl: string | null
  flow: 'payment_method_update' | 'subscription_cancel' | null
}

export interface WebhookEndpoint {
  id: string
  created: Seconds
  url: string
  secret: string
  enabledEvents: string[]
  apiVersion: string | null
  description: string | null
  metadata: Metadata
}

export interface StripeEvent {
  id: string
  created: Seconds
  type: string
  object: Wire
  previous: Wire | null
  /** Ids of the call that caused the event; null when no call did. */
  request: { id: string; idempotencyKey: string | null } | null
}

interface PostAttempt {
  at: Millis
  /** Null when no answer came. */
  status: number | null
  error: string
}

/** One event's delivery to one endpoint. */
export interface EventPost {
  id: number
  event: string
  endpoint: string
  state: 'held' | 'waiting' | 'delivered' | 'given_up'
  createdAt: Millis
  nextAt: Millis | null
  attempts: PostAttempt[]
}

export interface KeptAnswer {
  key: string
  /** Method, path and body of the first call with the key. */
  call: string
  status: number
  body: string
  at: Seconds
}

/** How events are delivered. Switches of the console, for every account. */
export interface PaymentSwitches {
  /** Each event is sent twice. */
  duplicateEvents: boolean
  /** Events that are due together are sent one by one in an order that has nothing to do with theirs. */
  shuffleEvents: boolean
  /** Events wait until someone releases them. */
  holdEvents: boolean
  /** The subscription's state after every retry has failed. */
  afterRetries: 'cancel' | 'unpaid'
}

export interface Ledger {
  customers: Record<string, Customer>
  balanceTransactions: BalanceTransaction[]
  products: Record<string, Product>
  prices: Record<string, Price>
  subscriptions: Record<string, Subscription>
  invoices: Record<string, Invoice>
  invoicePayments: Record<string, InvoicePayment>
  intents: Record<string, Intent>
  paymentMethods: Record<string, PaymentMethod>
  charges: Record<string, Charge>
  refunds: Record<string, Refund>
  meters: Record<string, Meter>
  meterEvents: MeterEvent[]
  portalConfigurations: Record<string, PortalConfiguration>
  portalSessions: Record<string, PortalSession>
  endpoints: Record<string, WebhookEndpoint>
  events: StripeEvent[]
  posts: EventPost[]
  answers: KeptAnswer[]
  switches: PaymentSwitches
}

export function emptyLedger(): Ledger {
  return {
    customers: {},
    balanceTransactions: [],
    products: {},
    prices: {},
    subscriptions: {},
    invoices: {},
    invoicePayments: {},
    intents: {},
    paymentMethods: {},
    charges: {},
    refunds: {},
    meters: {},
    meterEvents: [],
    portalConfigurations: {},
    portalSessions: {},
    endpoints: {},
    events: [],
    posts: [],
    answers: [],
    switches: { duplicateEvents: false, shuffleEvents: false, holdEvents: false, afterRetries: 'cancel' },
  }
}

/** An entry of a table, or null; never an inherited property of the object. */
export function findIn<T>(table: Readonly<Record<string, T>>, id: string | null): T | null {
  return id !== null && Object.hasOwn(table, id) ? (table[id] ?? null) : null
}

/** An entry of a table that must exist. */
export function getIn<T>(table: Readonly<Record<string, T>>, id: string): T {
  const found = findIn(table, id)
  if (found === null) throw new Error(`the pretend provider has lost ${id}`)
  return found
}

/** Oldest first, in order of creation. */
export function allOf<T>(table: Readonly<Record<string, T>>): T[] {
  return Object.values(table)
}
