// Long: one provider. A payment provider in memory: stores what it receives, advances when a test says that time passed or somebody paid,
// and records its events. It uses the port's terms; the real provider's wire is in the sandbox.
import {
  type PaidSubscription,
  PaymentError,
  type PaymentEvent,
  type PaymentInvoice,
  type Payments,
  type RenewalTerms,
  type SinglePayment,
} from '#app/adapters/payments.ts'
import type { Clock } from '#app/lib/clock.ts'

const MONTH = 30 * 86_400_000
const PRICE = 500

interface KnownSubscription extends PaidSubscription {
  invoices: PaymentInvoice[]
}

export interface MemoryPayments extends Payments {
  /** Its events, oldest first. */
  told: PaymentEvent[]
  /** Names of the calls made, with their main argument. */
  calls: string[]
  /** The next calls of this name (or of any) fail with this code, this many times. */
  failNext(code: PaymentError['code'], times?: number, call?: keyof Payments): void
  /** Runs before the call: simulates another person or another process. */
  meanwhile(call: keyof Payments, act: () => void | Promise<void>): void
  /** The browser confirms a payment with a good card. */
  pay(clientSecret: string): void
  decline(clientSecret: string, message?: string): void
  /** Ends the month: the renewal is paid or fails. */
  renew(subscriptionId: string, how: 'paid' | 'failed'): void
  /** Cancels: retries used up, the portal, or the end of the last month. */
  cancel(subscriptionId: string): void
  /** Bills use above the included one, also of what has ended; returns the secret. */
  billUse(subscriptionId: string): string
  giveUp(subscriptionId: string): void
  /** The operator voids the open invoices. */
  voidInvoices(subscriptionId: string): void
  /** A day passes without a payment. */
  expire(subscriptionId: string): void
  deleteCustomer(customerId: string): void
  subscription(id: string): PaidSubscription
  payment(id: string): SinglePayment
  /** Pence received and not refunded. */
  taken(): number
  refunds: string[]
  reported: { identifier: string; count: number; at: number }[]
  overage: boolean
  price: { id: string; amount: number; currency: string }
  /** The first invoice of a new subscription is wrong by this amount. */
  wrongBy: number
  undelivered: PaymentEvent[]
}

export function memoryPayments(clock: Clock): MemoryPayments {
  const customers = new Map<string, { accountUuid: string; deleted: boolean }>()
  const subscriptions = new Map<string, KnownSubscription>()
  const payments = new Map<string, SinglePayment & { invoiceId: string | null }>()
  const answers = new Map<string, { request: string; value: unknown }>()
  const failures: { code: PaymentError['code']; call: keyof Payments | null }[] = []
  const befores: { call: keyof Payments; act: () => void | Promise<void> }[] = []
  let made = 0
  const nextId = (prefix: string) => `${prefix}_${++made}`

  function tell(type: string, about: { customerId?: string | null; accountUuid?: string | null; paymentId?: string }) {
    const { customerId = null, accountUuid = null, paymentId = null } = about
    memory.told.push({ id: nextId('evt'), type, createdAt: clock.now(), customerId, accountUuid, paymentId })
  }
  function get<T>(map: Map<string, T>, id: string): T {
    const found = map.get(id)
    if (!found) throw new PaymentError('missing', `no such thing: ${id}`)
    return found
  }
  /** The same key with a different request is refused, as the provider does. */
  function once<T>(key: string, request: unknown, work: () => T): T {
    const known = answers.get(key)
    const text = JSON.stringify(request)
    if (known) {
      if (known.request !== text) throw new PaymentError('refused', `the key ${key} was used for something else`)
      return structuredClone(known.value) as T
    }
    const value = work()
    answers.set(key, { request: text, value: structuredClone(value) })
    return value
  }
  function invoiceOf(subscription: KnownSubscription, total: number): PaymentInvoice {
    const paymentId = nextId('pi')
    const invoice: PaymentInvoice = {
      id: nextId('in'),
      status: 'open',
      total,
      remaining: total,
      currency: 'gbp',
      clientSecret: `${paymentId}_secret_x`,
      paymentId,
      createdAt: clock.now(),
      paidAt: null,
    }
    payments.set(paymentId, {
      id: paymentId,
      status: 'open',
      amount: total,
      currency: 'gbp',
      customerId: subscription.customerId,
      clientSecret: invoice.clientSecret,
      failure: null,
      renewal: null,
      refunded: false,
      createdAt: clock.now(),
      invoiceId: invoice.id,
    })
    subscription.invoices.push(invoice)
    subscription.latestInvoice = invoice
    return invoice
  }
  const shown = ({ invoices: _, ...subscription }: KnownSubscription): PaidSubscription => structuredClone(subscription)
  function settled(subscription: KnownSubscription, invoice: PaymentInvoice): void {
    invoice.status = 'paid'
    invoice.remaining = 0
    const { customerId } = subscription
    tell('invoice.paid', { customerId })
    const { endedAt } = subscription
    invoice.paidAt = endedAt === null ? clock.now() : Math.max(clock.now(), endedAt + 1)
    const isLatest = subscription.latestInvoice?.id === invoice.id
    // What has ended does not begin again.
    if (['canceled', 'incomplete_expired'].includes(subscription.status)) return
    if (subscription.status === 'incomplete' || isLatest) {
      subscription.status = 'active'
      tell('customer.subscription.updated', { customerId })
    }
  }
  function voided(invoice: PaymentInvoice): void {
    invoice.status = 'void'
    const payment = payments.get(invoice.paymentId ?? '')
    if (payment && payment.status !== 'paid') payment.status = 'canceled'
  }
  /** Only a first invoice goes with its subscription: that of a later month stays payable. */
  function end(subscription: KnownSubscription, status: string): void {
    const open = subscription.invoices.filter((one) => one.status === 'open')
    if (subscription.status === 'incomplete') open.forEach(voided)
    subscription.status = status
    // After what was billed before, also within one moment.
    if (status === 'canceled') subscription.endedAt = clock.now() + 1
    tell(status === 'canceled' ? 'customer.subscription.deleted' : 'customer.subscription.updated', {
      customerId: subscription.customerId,
    })
  }
  function paymentOfSecret(clientSecret: string) {
    const payment = [...payments.values()].find((one) => one.clientSecret === clientSecret)
    if (!payment || payment.status === 'canceled') throw new Error(`this secret pays nothing: ${clientSecret}`)
    return payment
  }
  const dueFor = (subscription: KnownSubscription, prorated: boolean, at: number) => {
    if (!prorated) return PRICE
    const { periodStart, periodEnd } = subscription
    const left = ((periodEnd ?? at) - at) / ((periodEnd ?? at) - (periodStart ?? 0))
    return PRICE - Math.round(PRICE * left)
  }

  const memory: MemoryPayments = {
    told: [],
    calls: [],
    refunds: [],
    reported: [],
    overage: false,
    price: { id: 'price_monthly', amount: PRICE, currency: 'gbp' },
    wrongBy: 0,
    undelivered: [],
    get chargesOverage() {
      return memory.overage
    },
    failNext(code, times = 1, call) {
      for (let n = 0; n < times; n++) failures.push({ code, call: call ?? null })
    },
    meanwhile(call, act) {
      befores.push({ call, act })
    },
    pay(clientSecret) {
      const payment = paymentOfSecret(clientSecret)
      if (payment.status === 'paid') throw new Error('paid twice')
      payment.status = 'paid'
      payment.failure = null
      const { customerId, id } = payment
      tell('payment_intent.succeeded', { customerId, paymentId: id })
      for (const subscription of subscriptions.values()) {
        const invoice = subscription.invoices.find((one) => one.id === payment.invoiceId)
        if (invoice) settled(subscription, invoice)
      }
    },
    decline(clientSecret, message = 'Your card was declined.') {
      const payment = paymentOfSecret(clientSecret)
      payment.failure = message
      tell('payment_intent.payment_failed', { customerId: payment.customerId, paymentId: payment.id })
    },
    renew(id, how) {
      const subscription = get(subscriptions, id)
      subscription.periodStart = subscription.periodEnd
      subscription.periodEnd = (subscription.periodEnd ?? 0) + MONTH
      const { customerId } = subscription
      const invoice = invoiceOf(subscription, PRICE)
      tell('customer.subscription.updated', { customerId })
      // No further attempt: the month is never made final.
      if (subscription.status === 'unpaid') invoice.status = 'draft'
      else if (how === 'paid') memory.pay(invoice.clientSecret ?? '')
      else {
        subscription.status = 'past_due'
        tell('invoice.payment_failed', { customerId })
        tell('customer.subscription.updated', { customerId })
      }
    },
    cancel: (id) => end(get(subscriptions, id), 'canceled'),
    billUse: (id) => invoiceOf(get(subscriptions, id), 120).clientSecret ?? '',
    giveUp(id) {
      get(subscriptions, id).status = 'unpaid'
      tell('customer.subscription.updated', { customerId: get(subscriptions, id).customerId })
    },
    voidInvoices(id) {
      for (const invoice of get(subscriptions, id).invoices) if (invoice.status === 'open') invoice.status = 'void'
    },
    expire: (id) => end(get(subscriptions, id), 'incomplete_expired'),
    deleteCustomer(id) {
      get(customers, id).deleted = true
      for (const one of subscriptions.values()) if (one.customerId === id) one.status = 'canceled'
      tell('customer.deleted', { customerId: id })
    },
    subscription: (id) => shown(get(subscriptions, id)),
    payment: (id) => structuredClone(get(payments, id)),
    taken: () =>
      [...payments.values()]
        .filter(({ id, status }) => status === 'paid' && !memory.refunds.includes(id))
        .reduce((sum, { amount }) => sum + amount, 0),

    async monthlyPrice() {
      return memory.price
    },
    async createCustomer({ accountUuid, key }) {
      return once(key, accountUuid, () => {
        const id = nextId('cus')
        customers.set(id, { accountUuid, deleted: false })
        return id
      })
    },
    async findCustomer(id) {
      const customer = customers.get(id)
      return customer && !customer.deleted ? { accountUuid: customer.accountUuid } : null
    },
    async findCustomerOf(accountUuid) {
      const mine = [...customers].filter(([, one]) => one.accountUuid === accountUuid && !one.deleted)
      return mine.at(-1)?.[0] ?? null
    },
    async listSubscriptions(customerId) {
      get(customers, customerId)
      return [...subscriptions.values()]
        .filter((one) => one.customerId === customerId)
        .map(shown)
        .reverse()
    },
    async createSubscription({ customerId, accountUuid, offer, creditPence, key }) {
      if (customers.get(customerId)?.deleted !== false) throw new PaymentError('missing', `no customer ${customerId}`)
      return once(key, { customerId, accountUuid, offer, creditPence }, () => {
        const subscription: KnownSubscription = {
          id: nextId('sub'),
          customerId,
          accountUuid,
          status: 'incomplete',
          priceId: memory.price.id,
          offer,
          createdAt: clock.now(),
          trialEndsAt: null,
          periodStart: clock.now(),
          periodEnd: clock.now() + MONTH,
          endsWithPeriod: false,
          latestInvoice: null,
          endedAt: null,
          renewedBy: null,
          invoices: [],
        }
        subscriptions.set(subscription.id, subscription)
        invoiceOf(subscription, PRICE - creditPence + memory.wrongBy)
        tell('customer.subscription.created', { customerId, accountUuid })
        return shown(subscription)
      })
    },
    async endSubscription(id) {
      const subscription = subscriptions.get(id)
      if (subscription && !['canceled', 'incomplete_expired'].includes(subscription.status)) {
        end(subscription, 'canceled')
      }
    },
    async setEndsWithPeriod(id, ends) {
      const subscription = get(subscriptions, id)
      subscription.endsWithPeriod = ends
      tell('customer.subscription.updated', { customerId: subscription.customerId })
    },
    async openInvoices(id) {
      return structuredClone(get(subscriptions, id).invoices.filter(({ status }) => status === 'open'))
    },
    async paidInvoices(id) {
      return structuredClone(get(subscriptions, id).invoices.filter(({ status }) => status === 'paid'))
    },
    async voidInvoice(id) {
      const invoice = [...subscriptions.values()].flatMap(({ invoices }) => invoices).find((one) => one.id === id)
      if (invoice?.status !== 'open') throw new PaymentError('refused', `the invoice ${id} is not open`)
      voided(invoice)
    },
    async quoteRenewal({ subscriptionId, prorated, at }) {
      return { amount: dueFor(get(subscriptions, subscriptionId), prorated, at), currency: 'gbp' }
    },
    async createRenewalPayment({ customerId, amount, terms, key }) {
      return once(key, { customerId, amount, terms }, () => {
        const id = nextId('pi')
        const payment = {
          id,
          status: 'open' as const,
          amount,
          currency: 'gbp',
          customerId,
          clientSecret: `${id}_secret_x`,
          failure: null,
          renewal: terms,
          refunded: false,
          createdAt: clock.now(),
        }
        payments.set(id, { ...payment, invoiceId: null })
        return payment
      })
    },
    async applyRenewal({ id, renewal }: SinglePayment & { renewal: RenewalTerms }) {
      const subscription = get(subscriptions, renewal.subscriptionId)
      if (!['active', 'past_due'].includes(subscription.status)) throw new PaymentError('refused', 'it has ended')
      if (subscription.renewedBy === id) return
      subscription.renewedBy = id
      subscription.periodStart = clock.now()
      subscription.periodEnd = clock.now() + MONTH
      tell('customer.subscription.updated', { customerId: subscription.customerId })
    },
    async findPayment(id) {
      const payment = payments.get(id)
      return payment ? { ...structuredClone(payment), refunded: memory.refunds.includes(id) } : null
    },
    async cancelPayment(id) {
      const payment = get(payments, id)
      if (payment.status === 'paid') throw new PaymentError('refused', 'it is paid')
      payment.status = 'canceled'
    },
    async refund(id) {
      if (!memory.refunds.includes(id)) memory.refunds.push(id)
    },
    async openPortal({ customerId, returnUrl }) {
      get(customers, customerId)
      return `https://portal.example.com/${customerId}?return=${encodeURIComponent(returnUrl)}`
    },
    readEvent({ body, signature }) {
      if (signature !== 'good') return { outcome: 'bad_signature' }
      return { outcome: 'event', event: JSON.parse(body) as PaymentEvent }
    },
    async undeliveredEvents() {
      return memory.undelivered
    },
    async reportUse({ identifier, count, at }) {
      if (!memory.reported.some((one) => one.identifier === identifier)) memory.reported.push({ identifier, count, at })
    },
  }
  return watched(memory, failures, befores)
}

const PORT: readonly (keyof Payments)[] = [
  'monthlyPrice',
  'createCustomer',
  'findCustomer',
  'findCustomerOf',
  'listSubscriptions',
  'createSubscription',
  'endSubscription',
  'setEndsWithPeriod',
  'openInvoices',
  'paidInvoices',
  'voidInvoice',
  'quoteRenewal',
  'createRenewalPayment',
  'applyRenewal',
  'findPayment',
  'cancelPayment',
  'refund',
  'openPortal',
  'undeliveredEvents',
  'reportUse',
]

/** Each call first yields, is recorded, and can be made to fail: before it has done anything, or (`lost`) after. */
function watched(
  memory: MemoryPayments,
  failures: { code: PaymentError['code']; call: keyof Payments | null }[],
  befores: { call: keyof Payments; act: () => void | Promise<void> }[],
): MemoryPayments {
  for (const name of PORT) {
    const call = memory[name] as (...values: unknown[]) => Promise<unknown>
    const around = async (...values: unknown[]) => {
      await Promise.resolve()
      memory.calls.push(name)
      const before = befores.findIndex((one) => one.call === name)
      if (before >= 0) await befores.splice(before, 1)[0]?.act()
      const failing = failures.findIndex((one) => one.call === null || one.call === name)
      const failure = failing < 0 ? undefined : failures.splice(failing, 1)[0]
      if (failure) throw new PaymentError(failure.code, `the provider said ${failure.code}`, 'req_1')
      return call(...values)
    }
    Object.assign(memory, { [name]: around })
  }
  return memory
}
