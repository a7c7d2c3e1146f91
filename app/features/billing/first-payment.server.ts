// The first payment, and every payment of what is owed. The server decides on customer, price and amount; what the browser gets
// can pay exactly that, once.
import type { PaidSubscription } from '#app/adapters/payments.ts'
import { CURRENCY, inTrial, MONTHLY_PENCE, type Plan, TRIAL } from '#app/domain/plan.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { BillingApp, PayingApp } from './billing-app.server.ts'
import { changePlan } from './change-plan.server.ts'
import { chooseFirstPayment, isAsAgreed } from './first-payment-choice.ts'
import { firstPaymentText, owedText, trialCredit } from './offers.ts'
import {
  ALREADY_ACTIVE,
  INVALID_AMOUNT,
  NOTHING_OWED,
  OUR_FAULT,
  type PaymentRefusal,
  type PaymentStart,
  refused,
} from './payment.ts'
import { attempt } from './payment-failure.server.ts'
import { giveUp, syncInTurn } from './sync.server.ts'

/**
 * "Subscribe Now", and "Pay now" for what is owed. `amount` in pence only shows that the page and we mean the same: it is checked,
 * never used. Asked again before it is paid, it answers with the same payment.
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

/** In the account's turn. `credit` = less what is unused of the trial, when there is one. */
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
  // Also what a broken-off earlier try has left there is found by this.
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

/** The account's customer at the provider, made once and saved before anything is made for it. */
async function ensureCustomer(app: PayingApp, accountUuid: string): Promise<void> {
  const { store, clock, payments } = app
  const { customerId, paymentAttempt } = await store.billing.ensurePlan(accountUuid, TRIAL, clock.now())
  if (customerId !== null) return
  // With the number, because a key would bring back a customer who was deleted there, or the provider's own failure, for a day.
  const key = `customer:${accountUuid}:${paymentAttempt}`
  const made = await counted(app, accountUuid, () => payments.createCustomer({ accountUuid, key }))
  await changePlan(app, accountUuid, (plan) => (plan.customerId === null ? { customerId: made } : {}))
}

/**
 * A failure is kept under its key as well: the next try gets another one. Should it have been made all the same, it is found by
 * listing and used, or ended.
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
  const oldest = invoices.find(({ clientSecret, remaining }) => clientSecret !== null && remaining > 0)
  if (oldest?.clientSecret) {
    const { clientSecret, remaining } = oldest
    return { outcome: 'pay', clientSecret, amount: remaining, currency: CURRENCY, description: owedText(remaining) }
  }
  if (subscription.status !== 'unpaid') return refused(409, NOTHING_OWED)
  // Given up by the provider with nothing left that could be paid: begin anew.
  await app.payments.endSubscription(subscription.id)
  return createAndHandOut(app, plan, [subscription], quote)
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
    // A new number for each subscription that was made: the provider answers a repeated key with the old one for a day.
    const key = `first-payment:${accountUuid}:${current.paymentAttempt}:${creditPence}`
    return counted(app, accountUuid, () =>
      app.payments.createSubscription({ customerId, accountUuid, offer, creditPence, key }),
    )
  }
  let made = await create()
  if (known.some(({ id }) => id === made.id)) {
    // Broke off before the number could be saved, and what was made then has ended since.
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

/** Only what was agreed on leaves the house: the secret of a wrong amount is worse than none. */
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
