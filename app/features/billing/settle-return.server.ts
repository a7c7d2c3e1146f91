// The user returns from paying. The URL proves nothing, so ask the provider.
import type { PaidSubscription, SinglePayment } from '#app/adapters/payments.ts'
import type { Plan } from '#app/domain/plan.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { type BillingApp, type PayingApp, takesPayments } from './billing-app.server.ts'
import { NOT_CONFIRMED, NOT_REFUNDED, PAYMENT_EXPIRED, RENEWAL_REFUNDED, type ReturnOutcome } from './payment.ts'
import { inAccountTurn, refusalOf } from './payment-failure.server.ts'
import { renewalIfPaid } from './renewal.server.ts'
import { syncInTurn } from './sync.server.ts'

/**
 * Returns the result of a payment of this account, after updating the plan. `processing` also when the provider cannot
 * be asked now: its event will follow.
 */
export async function settleReturn(
  app: BillingApp,
  accountUuid: string,
  paymentIntentId: string,
): Promise<ReturnOutcome> {
  const plan = await app.store.billing.findPlan(accountUuid)
  if (!takesPayments(app) || !plan || plan.customerId === null || !/^pi_\w{1,250}$/.test(paymentIntentId)) {
    return { outcome: 'unknown' }
  }
  try {
    return await inAccountTurn(app, accountUuid, async () => {
      const payment = await app.payments.findPayment(paymentIntentId)
      if (!payment || payment.customerId !== plan.customerId) return { outcome: 'unknown' }
      const renewal = await renewalIfPaid(app, accountUuid, payment)
      const { plan: synced, subscriptions } = await syncInTurn(app, accountUuid)
      const isBack = payment.status === 'paid' && (await app.payments.findPayment(payment.id))?.refunded
      if (isBack) return { outcome: 'failed', message: RENEWAL_REFUNDED }
      if (renewal === 'paid') return { outcome: 'failed', message: NOT_REFUNDED }
      const paidFor = subscriptions.find((one) => one.latestInvoice?.paymentId === payment.id)
      // Not a new one, which is read as `incomplete` for a moment after its payment.
      const hasEnded = synced.status === 'canceled' && paidFor?.status !== 'incomplete'
      if (payment.status === 'paid' && hasEnded) return { outcome: 'ended' }
      return (await owesMore(app, synced, subscriptions, payment)) ? { outcome: 'still_owed' } : outcomeOf(payment)
    })
  } catch (error) {
    refusalOf(app, accountUuid, error)
    return { outcome: 'processing' }
  }
}

/** Asks for the invoices: the subscription can still be late for a moment after its last one was paid. */
async function owesMore(
  { payments }: PayingApp,
  plan: Plan,
  subscriptions: readonly PaidSubscription[],
  { id, status }: SinglePayment,
): Promise<boolean> {
  const isLate = plan.status === 'past_due' || plan.status === 'unpaid'
  if (status !== 'paid' || !isLate || plan.subscriptionId === null) return false
  // The next month of an unpaid one stays a draft.
  const followed = subscriptions.find((one) => one.id === plan.subscriptionId)
  if (plan.status === 'unpaid' && followed?.latestInvoice?.status === 'draft') return true
  return (await payments.openInvoices(plan.subscriptionId)).some(({ paymentId }) => paymentId !== id)
}

function outcomeOf({ status, failure }: SinglePayment): ReturnOutcome {
  switch (status) {
    case 'paid':
      return { outcome: 'paid' }
    case 'processing':
      return { outcome: 'processing' }
    case 'open':
    case 'needs_action':
      return { outcome: 'failed', message: failure ?? NOT_CONFIRMED }
    case 'canceled':
      return { outcome: 'failed', message: PAYMENT_EXPIRED }
    default:
      return assertNever(status)
  }
}
