// The first payment, and every payment of an owed amount. The server decides customer, price and amount; the browser
// gets a secret that pays exactly that, once.
import type { PaidSubscription } from '#app/adapters/payments.ts'
import { CURRENCY, inTrial, MONTHLY_PENCE, type Plan, TRIAL } from '#app/domain/plan.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { BillingApp, PayingApp } from './billing-app.server.ts'
import { changePlan } from './change-plan.server.ts'
import { chooseFirstPayment, isAsAgreed } from './first-payment-choice.ts'
import { firstPaymentText, OLD_HAS_ENDED, owedText, trialCredit } from './offers.ts'
import {
  ALREADY_ACTIVE,
  INVALID_AMOUNT,
  KEEP_FIRST,
  NOTHING_OWED,
  OUR_FAULT,
  type PaymentRefusal,
  type PaymentStart,
  refused,
} from './payment.ts'
import { attempt } from './payment-failure.server.ts'
import { giveUp, syncInTurn } from './sync.server.ts'

/**
 * "Subscribe Now", and "Pay now" for an owed amount. `amount` in pence only confirms that the page and the server
 * agree: it is checked, never used. A repeated request before paying returns the same payment.
 */
export async function startFirstPayment(
  app: BillingApp,
  accountUuid: string,
  wanted: { amount: number },
): Promise<PaymentStart> {
  return attempt(app, accountUuid, async (paying) => {
    if (wanted.amount !== MONTHLY_PENCE) return refused(400, INVALID_AMOUNT)
    return beginPayment(paying, accountUuid, 'full')
  })
}

interface Quote {
  offer: 'full' | 'credit'
  priceId: string
  creditPence: number
}

/** Runs in the account's turn. `credit` = deduct the unused part of the trial, if there is one. */
export async function beginPayment(
  app: PayingApp,
  accountUuid: string,
  wanted: 'full' | 'credit',
): Promise<PaymentStart> {
  const { clock, log, payments } = app
  const price = await payments.monthlyPrice()
  if (price.amount !== MONTHLY_PENCE || price.currency !== CURRENCY) {
    log.error({ price: price.id, amount: price.amount, currency: price.currency }, 'payments.price_differs')
    return refused(500, OUR_FAULT)
  }
  await ensureCustomer(app, accountUuid)
  // This also finds the leftovers of an earlier try that broke off.
  const { plan, subscriptions } = await syncInTurn(app, accountUuid)
  const credited = wanted === 'credit' && plan.subscriptionId === null && inTrial(plan, clock.now())
  const creditPence = credited ? trialCredit(plan, clock.now()) : 0
  const quote: Quote = { offer: creditPence > 0 ? 'credit' : 'full', priceId: price.id, creditPence }
  const choice = chooseFirstPayment(plan, subscriptions, { ...quote, total: MONTHLY_PENCE - creditPence })
  switch (choice.kind) {
    case 'active':
      return refused(409, ALREADY_ACTIVE)
    case 'owed':
      return payWhatIsOwed(app, plan, choice.subscription, quote)
    case 'reuse':
      return handOut(app, plan, choice.subscription, quote)
    case 'create':
      for (const open of choice.abandon) await giveUp(app, accountUuid, open)
      return createAndHandOut(app, plan, subscriptions, quote)
    default:
      return assertNever(choice)
  }
}

/** Ensures the account's customer at the provider: created once and saved before anything is created for it. */
async function ensureCustomer(app: PayingApp, accountUuid: string): Promise<void> {
  const { store, clock, payments } = app
  const { customerId, paymentAttempt } = await store.billing.ensurePlan(accountUuid, TRIAL, clock.now())
  if (customerId !== null) return
  // The number keeps the key new: for a day the provider repeats a key's answer, even a failure or a deleted customer.
  const key = `customer:${accountUuid}:${paymentAttempt}`
  const name = (await store.accounts.findAccount(accountUuid))?.name ?? ''
  const email = await store.notices.findAccountEmail(accountUuid)
  const create = () => payments.createCustomer({ accountUuid, name, email, key })
  // After a restore it can be there, with what it paid. The search lags behind: it can name one deleted a moment ago.
  const known = await payments.findCustomerOf(accountUuid)
  const id = known !== null && (await payments.findCustomer(known)) ? known : await counted(app, accountUuid, create)
  await changePlan(app, accountUuid, (plan) => (plan.customerId === null ? { customerId: id } : {}))
}

/**
 * The provider also remembers a failure under its key, so the next try gets another key. If the object was created
 * anyway, listing finds it, and it is used or ended.
 */
async function counted<Made>(app: PayingApp, accountUuid: string, make: () => Promise<Made>): Promise<Made> {
  try {
    return await make()
  } catch (error) {
    await changePlan(app, accountUuid, (latest) => ({ paymentAttempt: latest.paymentAttempt + 1 }))
    throw error
  }
}

async function payWhatIsOwed(
  app: PayingApp,
  plan: Plan,
  subscription: PaidSubscription,
  quote: Quote,
): Promise<PaymentStart> {
  const invoices = await app.payments.openInvoices(subscription.id)
  const owed = invoices.filter(({ clientSecret, remaining }) => clientSecret !== null && remaining > 0)
  // The next month of an unpaid one stays a draft that nobody can pay: what is open would bring nothing back.
  const isStuck = subscription.status === 'unpaid' && subscription.latestInvoice?.status === 'draft'
  if (owed[0]?.clientSecret && !isStuck) {
    const { clientSecret, remaining: amount } = owed[0]
    const description = owedText(amount, owed.length, plan.heldSince !== null)
    return { outcome: 'pay', clientSecret, amount, currency: CURRENCY, description }
  }
  if (subscription.status !== 'unpaid') return refused(409, NOTHING_OWED)
  // The new one would renew.
  if (subscription.endsWithPeriod) return refused(409, KEEP_FIRST)
  // The provider has given up, and nothing payable helps: start again.
  for (const invoice of invoices) await app.payments.voidInvoice(invoice.id)
  await app.payments.endSubscription(subscription.id)
  const start = await createAndHandOut(app, plan, [subscription], quote)
  return start.outcome === 'pay' ? { ...start, description: `${start.description} ${OLD_HAS_ENDED}` } : start
}

async function createAndHandOut(
  app: PayingApp,
  plan: Plan,
  known: readonly PaidSubscription[],
  quote: Quote,
): Promise<PaymentStart> {
  const { accountUuid, customerId } = plan
  if (customerId === null) throw new Error(`account ${accountUuid} has no customer to make a subscription for`)
  const { offer, creditPence } = quote
  let current = plan
  const create = () => {
    // A new number for each created subscription: the provider answers a repeated key with the old one for a day.
    const key = `first-payment:${accountUuid}:${current.paymentAttempt}:${creditPence}`
    return counted(app, accountUuid, () =>
      app.payments.createSubscription({ customerId, accountUuid, offer, creditPence, key }),
    )
  }
  let made = await create()
  if (known.some(({ id }) => id === made.id)) {
    // An earlier try broke off before saving the number, and its subscription has ended since.
    current = await changePlan(app, accountUuid, (latest) => ({ paymentAttempt: latest.paymentAttempt + 1 }))
    made = await create()
  }
  const usedAttempt = current.paymentAttempt
  const saved = await changePlan(app, accountUuid, (latest) => ({
    paymentAttempt: Math.max(latest.paymentAttempt, usedAttempt + 1),
    openSubscriptionId: made.id,
    openOffer: offer,
  }))
  return handOut(app, saved, made, quote)
}

/** Returns only the agreed payment: the secret of a wrong amount is worse than none. */
async function handOut(
  app: PayingApp,
  plan: Plan,
  subscription: PaidSubscription,
  { creditPence }: Quote,
): Promise<PaymentStart | PaymentRefusal> {
  const { accountUuid } = plan
  const invoice = subscription.latestInvoice
  if (subscription.status === 'active') {
    // Nothing was due, for example because of a balance.
    await syncInTurn(app, accountUuid)
    return refused(409, ALREADY_ACTIVE)
  }
  const agreed = { total: MONTHLY_PENCE - creditPence, currency: CURRENCY }
  if (!invoice?.clientSecret || !isAsAgreed(invoice, agreed)) {
    const { total, remaining, currency } = invoice ?? {}
    app.log.error({ accountUuid, subscription: subscription.id, total, remaining, currency }, 'payments.amount_differs')
    await app.payments.endSubscription(subscription.id)
    await syncInTurn(app, accountUuid)
    return refused(500, OUR_FAULT)
  }
  return {
    outcome: 'pay',
    clientSecret: invoice.clientSecret,
    amount: invoice.remaining,
    currency: CURRENCY,
    description: firstPaymentText({ plan, amount: invoice.remaining, creditPence, now: app.clock.now() }),
  }
}
