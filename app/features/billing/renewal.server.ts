// Applies a paid early renewal to the subscription once, or refunds it. Call it in the account's turn.
import type { SinglePayment } from '#app/adapters/payments.ts'
import type { Plan } from '#app/domain/plan.ts'
import type { PayingApp } from './billing-app.server.ts'
import { paymentErrorOf } from './payment-failure.server.ts'

/**
 * Returns true when the payment was for an early renewal of this account, which is settled now. Rejects when the
 * provider cannot be reached: the payment stays marked as paid, and the hourly job continues.
 */
async function settleRenewal(app: PayingApp, plan: Plan, payment: SinglePayment): Promise<boolean> {
  const { store, clock, log, payments } = app
  const { accountUuid } = plan
  const { renewal } = payment
  if (!renewal || payment.status !== 'paid' || payment.customerId !== plan.customerId) return false
  const known = await store.billing.noteRenewalPaid(
    accountUuid,
    { paymentId: payment.id, amount: payment.amount },
    clock.now(),
  )
  if (known !== 'paid') return true
  try {
    await payments.applyRenewal({ ...payment, renewal })
    await store.billing.endRenewal(accountUuid, payment.id, 'applied', clock.now())
    log.info({ accountUuid, payment: payment.id }, 'renewal.applied')
  } catch (error) {
    const failure = paymentErrorOf(error)
    if (failure?.code !== 'refused' && failure?.code !== 'missing') throw error
    log.warn({ accountUuid, payment: payment.id, reason: failure.message }, 'renewal.cannot_be_applied')
    await payments.refund(payment.id)
    await store.billing.endRenewal(accountUuid, payment.id, 'refunded', clock.now())
  }
  return true
}

/** Handles a payment of any kind. */
export async function renewalIfPaid(app: PayingApp, accountUuid: string, payment: SinglePayment): Promise<void> {
  if (payment.renewal === null || payment.status !== 'paid') return
  const plan = await app.store.billing.findPlan(accountUuid)
  if (plan) await settleRenewal(app, plan, payment)
}

/** Checks the offered renewal: settles it when paid, forgets it when it cannot be paid any more. */
export async function followOpenRenewal(app: PayingApp, plan: Plan): Promise<void> {
  const { openRenewalId } = plan
  if (openRenewalId === null) return
  const payment = await app.payments.findPayment(openRenewalId)
  if (payment?.status === 'paid') await settleRenewal(app, plan, payment)
  else if (payment === null || payment.status === 'canceled') {
    // Neither applied nor ever paid: just remove it from the plan.
    await app.store.billing.savePlan(plan.accountUuid, plan.updatedAt, { openRenewalId: null }, app.clock.now())
  }
}
