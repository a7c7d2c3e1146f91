// "Upgrade": in the trial it is a first payment; in a paid month it is an early renewal, which is quoted, paid and only
// then applied, so that leaving the form changes nothing.
import type { SinglePayment } from '#app/adapters/payments.ts'
import { CURRENCY, MONTHLY_PENCE, type Plan } from '#app/domain/plan.ts'
import { minutes } from '#app/lib/duration.ts'
import type { BillingApp, PayingApp } from './billing-app.server.ts'
import { changePlan } from './change-plan.server.ts'
import { beginPayment } from './first-payment.server.ts'
import { isSameRenewal } from './first-payment-choice.ts'
import { LEAST_PAYMENT_PENCE, NOTHING_TO_PAY_YET, renewalText } from './offers.ts'
import { ALREADY_RENEWED, BEING_PROCESSED, ENDS_ANYWAY, OUR_FAULT, type PaymentStart, refused } from './payment.ts'
import { attempt } from './payment-failure.server.ts'
import { stopOrSettle } from './renewal.server.ts'
import { syncInTurn } from './sync.server.ts'

/** How long a quote is reused: a penny of a month lasts an hour and a half. */
const QUOTE_GOOD_FOR = minutes(60)

/** `prorated`: minus the unused part of the trial or the paid month; otherwise the full price. */
export async function startUpgrade(
  app: BillingApp,
  accountUuid: string,
  wanted: { prorated: boolean },
): Promise<PaymentStart> {
  return attempt(app, accountUuid, async (paying) => {
    const { plan: before } = await syncInTurn(paying, accountUuid)
    if (before.status !== 'active') return beginPayment(paying, accountUuid, wanted.prorated ? 'credit' : 'full')
    // A new month would end with the subscription, too.
    return before.cancelAtPeriodEnd ? refused(409, ENDS_ANYWAY) : beginRenewal(paying, before, wanted.prorated)
  })
}

async function beginRenewal(app: PayingApp, plan: Plan, prorated: boolean): Promise<PaymentStart> {
  const { clock, log, payments } = app
  const { accountUuid, customerId, subscriptionId, currentPeriodStart, openRenewalId } = plan
  if (customerId === null || subscriptionId === null) {
    throw new Error(`account ${accountUuid} is active without a subscription`)
  }
  const now = clock.now()
  const open = openRenewalId === null ? null : await payments.findPayment(openRenewalId)
  if (open?.status === 'processing') return refused(409, BEING_PROCESSED)
  if (open && open.status !== 'canceled') {
    const wanted = { subscriptionId, prorated, periodStart: currentPeriodStart, now, goodForMs: QUOTE_GOOD_FOR }
    if (isSameRenewal(open, wanted)) return handOut(app, plan, open, prorated)
    if (await stopOrSettle(app, plan, open.id)) {
      await syncInTurn(app, accountUuid)
      return refused(409, ALREADY_RENEWED)
    }
  }
  // Whole seconds, like the provider: the quote and the renewal use the same moment.
  const quotedAt = Math.floor(now / 1000) * 1000
  const quote = await payments.quoteRenewal({ customerId, subscriptionId, prorated, at: quotedAt })
  if (quote.currency !== CURRENCY || !isHonest(quote.amount, prorated, payments.chargesOverage)) {
    log.error({ accountUuid, amount: quote.amount, currency: quote.currency, prorated }, 'payments.quote_differs')
    return refused(500, OUR_FAULT)
  }
  if (quote.amount < LEAST_PAYMENT_PENCE) return refused(409, NOTHING_TO_PAY_YET)
  // Count before use: after a crash in between, nobody has the secret of that payment.
  const { paymentAttempt } = await changePlan(app, accountUuid, (latest) => ({
    paymentAttempt: latest.paymentAttempt + 1,
    openRenewalId: null,
  }))
  const made = await payments.createRenewalPayment({
    customerId,
    amount: quote.amount,
    terms: { accountUuid, subscriptionId, prorated, quotedAt },
    key: `early-renewal:${subscriptionId}:${paymentAttempt}`,
  })
  const saved = await changePlan(app, accountUuid, () => ({ openRenewalId: made.id }))
  return handOut(app, saved, made, prorated)
}

/** The full price must be exact; prorated is at most that. Only charged usage may be added. */
function isHonest(amount: number, prorated: boolean, chargesOverage: boolean): boolean {
  if (amount > MONTHLY_PENCE) return chargesOverage
  return prorated ? amount >= 0 : amount === MONTHLY_PENCE
}

function handOut(app: PayingApp, plan: Plan, payment: SinglePayment, prorated: boolean): PaymentStart {
  const { id, clientSecret, amount, currency } = payment
  if (clientSecret === null || currency !== CURRENCY) {
    app.log.error({ accountUuid: plan.accountUuid, payment: id, amount, currency }, 'payments.amount_differs')
    return refused(500, OUR_FAULT)
  }
  const description = renewalText({ amount, prorated })
  return { outcome: 'pay', clientSecret, amount, currency: CURRENCY, description }
}
