// Somebody comes back from paying. What the address says proves nothing: the provider is asked.
import type { SinglePayment } from '#app/adapters/payments.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { type BillingApp, takesPayments } from './billing-app.server.ts'
import { NOT_CONFIRMED, PAYMENT_EXPIRED, type ReturnOutcome } from './payment.ts'
import { inAccountTurn, refusalOf } from './payment-failure.server.ts'
import { renewalIfPaid } from './renewal.server.ts'
import { syncInTurn } from './sync.server.ts'

/**
 * What became of a payment of this account, after the plan was brought up to date. `processing` also when the provider cannot be
 * asked at the moment: its event will tell.
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
      await renewalIfPaid(app, accountUuid, payment)
      await syncInTurn(app, accountUuid)
      return outcomeOf(payment)
    })
  } catch (error) {
    refusalOf(app, accountUuid, error)
    return { outcome: 'processing' }
  }
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
