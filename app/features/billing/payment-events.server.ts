// Handles the provider's events. An event only triggers a look at the current state: each one once, in any order.
import type { PaymentEvent } from '#app/adapters/payments.ts'
import type { Plan } from '#app/domain/plan.ts'
import { type BillingApp, type PayingApp, takesPayments } from './billing-app.server.ts'
import { changePlan } from './change-plan.server.ts'
import { inAccountTurn } from './payment-failure.server.ts'
import { withoutCustomer } from './projection.ts'
import { renewalIfPaid } from './renewal.server.ts'
import { syncInTurn } from './sync.server.ts'

type EventReceipt =
  /** Processed, now or earlier, or not relevant for us. */
  | { outcome: 'received' }
  | { outcome: 'bad_signature' }
  | { outcome: 'off' }
  /** The provider has to send it again. */
  | { outcome: 'failed' }

/** @param input the exact bytes as text, and the header that signs them */
export async function receivePaymentEvent(
  app: BillingApp,
  input: { body: string; signature: string },
): Promise<EventReceipt> {
  if (!takesPayments(app)) return { outcome: 'off' }
  const read = app.payments.readEvent(input)
  if (read.outcome === 'bad_signature') return read
  return takeIn(app, read.event)
}

/** Processes an event that is known to come from the provider. */
export async function takeIn(app: PayingApp, event: PaymentEvent): Promise<EventReceipt> {
  const { store, clock, log } = app
  const { id, type } = event
  if (!(await store.billing.beginPaymentEvent(event, clock.now()))) return { outcome: 'received' }
  try {
    await actOn(app, event)
    await store.billing.endPaymentEvent(id, clock.now())
    return { outcome: 'received' }
  } catch (error) {
    log.error({ event: id, type, error }, 'payment_event.failed')
    await store.billing.failPaymentEvent(id, error instanceof Error ? error.message.slice(0, 500) : 'unknown')
    return { outcome: 'failed' }
  }
}

async function actOn(app: PayingApp, event: PaymentEvent): Promise<void> {
  const { log, payments } = app
  const { id, type, customerId, paymentId } = event
  const plan = await planOf(app, event)
  if (!plan) {
    log.info({ event: id, type }, 'payment_event.of_nobody')
    return
  }
  const { accountUuid } = plan
  log.info({ event: id, type, accountUuid }, 'payment_event.received')
  await inAccountTurn(app, accountUuid, async () => {
    if (plan.customerId === null && customerId !== null) await adoptCustomer(app, accountUuid, customerId)
    if (type === 'customer.deleted') await forgetDeletedCustomer(app, accountUuid)
    const payment = paymentId === null ? null : await payments.findPayment(paymentId)
    if (payment) await renewalIfPaid(app, accountUuid, payment)
    await syncInTurn(app, accountUuid)
  })
  if (type.startsWith('charge.dispute.')) log.warn({ event: id, accountUuid }, 'payment.disputed')
}

/** Finds the plan by customer, or by the account noted on the object. Both only say whose state to read. */
async function planOf({ store, payments }: PayingApp, event: PaymentEvent): Promise<Plan | null> {
  const { accountUuid, paymentId } = event
  // A dispute names neither of them, only its payment.
  const ofPayment = event.customerId === null && accountUuid === null && paymentId !== null
  const customerId = ofPayment ? ((await payments.findPayment(paymentId))?.customerId ?? null) : event.customerId
  const byCustomer = customerId === null ? null : await store.billing.findPlanOfCustomer(customerId)
  if (byCustomer || accountUuid === null) return byCustomer
  return store.billing.findPlan(accountUuid)
}

/** A restored plan can be from before its first payment. The customer itself says whose it is. */
async function adoptCustomer(app: PayingApp, accountUuid: string, customerId: string): Promise<void> {
  if ((await app.payments.findCustomer(customerId))?.accountUuid !== accountUuid) return
  await changePlan(app, accountUuid, (plan) => (plan.customerId === null ? { customerId } : {}))
}

async function forgetDeletedCustomer(app: PayingApp, accountUuid: string): Promise<void> {
  const plan = await app.store.billing.findPlan(accountUuid)
  if (!plan || plan.customerId === null || (await app.payments.findCustomer(plan.customerId))) return
  const gone = plan.customerId
  await changePlan(app, accountUuid, (latest) => (latest.customerId === gone ? withoutCustomer(latest) : {}))
}
