// Applies a paid early renewal to the subscription once, or refunds it. Call it in the account's turn.
import type { SinglePayment } from '#app/adapters/payments.ts'
import type { Plan } from '#app/domain/plan.ts'
import type { RenewalState } from '#db/store/billing.ts'
import type { PayingApp } from './billing-app.server.ts'
import { changePlan } from './change-plan.server.ts'
import { paymentErrorOf, refundOrTell } from './payment-failure.server.ts'

/**
 * Returns what became of an early renewal of this account; null = the payment is for something else. `paid` = neither
 * applied nor refunded; rejects when the provider cannot be reached. In both cases the hourly job continues.
 */
async function settleRenewal(app: PayingApp, plan: Plan, payment: SinglePayment): Promise<RenewalState | null> {
  const { store, clock, log, payments } = app
  const { accountUuid } = plan
  const { renewal } = payment
  if (!renewal || payment.status !== 'paid' || payment.customerId !== plan.customerId) return null
  const known = await store.billing.noteRenewalPaid(
    accountUuid,
    { paymentId: payment.id, amount: payment.amount },
    clock.now(),
  )
  if (known !== 'paid') return known
  try {
    await payments.applyRenewal({ ...payment, renewal })
    await store.billing.endRenewal(accountUuid, payment.id, 'applied', clock.now())
    log.info({ accountUuid, payment: payment.id }, 'renewal.applied')
    return 'applied'
  } catch (error) {
    const failure = paymentErrorOf(error)
    if (failure?.code !== 'refused' && failure?.code !== 'missing') throw error
    log.warn({ accountUuid, payment: payment.id, reason: failure.message }, 'renewal.cannot_be_applied')
    if (!(await refundOrTell(app, accountUuid, payment.id))) {
      // The offer is over all the same: another one can be made.
      await changePlan(app, accountUuid, (now) => (now.openRenewalId === payment.id ? { openRenewalId: null } : {}))
      return 'paid'
    }
    await store.billing.endRenewal(accountUuid, payment.id, 'refunded', clock.now())
    return 'refunded'
  }
}

/** Handles a payment of any kind. Returns what became of an early renewal; null = it is none, or not paid. */
export async function renewalIfPaid(
  app: PayingApp,
  accountUuid: string,
  payment: SinglePayment,
): Promise<RenewalState | null> {
  if (payment.renewal === null || payment.status !== 'paid') return null
  const plan = await app.store.billing.findPlan(accountUuid)
  return plan && settleRenewal(app, plan, payment)
}

/**
 * Checks the offered renewal: settles it when paid, forgets it when it cannot be paid any more. Returns it while it can
 * still be paid.
 */
export async function followOpenRenewal(app: PayingApp, plan: Plan): Promise<SinglePayment | null> {
  const { openRenewalId } = plan
  if (openRenewalId === null) return null
  const payment = await app.payments.findPayment(openRenewalId)
  if (payment?.status === 'open' || payment?.status === 'needs_action') return payment
  if (payment?.status === 'paid') await settleRenewal(app, plan, payment)
  else if (payment === null || payment.status === 'canceled') {
    // Neither applied nor ever paid: just remove it from the plan.
    await app.store.billing.savePlan(plan.accountUuid, plan.updatedAt, { openRenewalId: null }, app.clock.now())
  }
  return null
}

/** Whether paying it still starts the month it was quoted for. A form left open is not read again before it is paid. */
export function isOffered({ renewal }: SinglePayment, plan: Plan): boolean {
  const { status, cancelAtPeriodEnd, currentPeriodStart } = plan
  return status === 'active' && !cancelAtPeriodEnd && (renewal?.quotedAt ?? 0) >= (currentPeriodStart ?? 0)
}

/** Stops the open renewal. Returns true when it was already paid and could not be stopped: it is settled. */
export async function stopOrSettle(app: PayingApp, plan: Plan, paymentId: string): Promise<boolean> {
  let paid = false
  try {
    await app.payments.cancelPayment(paymentId)
  } catch (error) {
    paid = paymentErrorOf(error)?.code === 'refused'
    if (!paid) throw error
  }
  await followOpenRenewal(app, plan)
  return paid
}
