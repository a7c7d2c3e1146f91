// Reads the account's subscription from the provider and stores it. Brings the plan up to date whatever happened, in
// whatever order the events arrived.
import type { PaidSubscription, PaymentInvoice } from '#app/adapters/payments.ts'
import { type Plan, TRIAL } from '#app/domain/plan.ts'
import { days } from '#app/lib/duration.ts'
import type { PayingApp } from './billing-app.server.ts'
import { changePlan } from './change-plan.server.ts'
import { inAccountTurn, paymentErrorOf, refundOrTell } from './payment-failure.server.ts'
import { projectPlan, withoutCustomer } from './projection.ts'
import { followOpenRenewal, isOffered, stopOrSettle } from './renewal.server.ts'

/** An older projection is read again before it is shown, and daily by the job. */
export const FRESH_FOR = days(1)

/** How long after a subscription's end we look for what was paid too late. */
const LATE_FOR = days(30)

/** Rejects when the provider cannot be reached. */
export function syncPlan(app: PayingApp, accountUuid: string): Promise<Plan> {
  return inAccountTurn(app, accountUuid, async () => (await syncInTurn(app, accountUuid)).plan)
}

interface Synced {
  plan: Plan
  subscriptions: PaidSubscription[]
}

/** For callers that already have the account's turn; also returns the subscriptions read. */
export async function syncInTurn(app: PayingApp, accountUuid: string): Promise<Synced> {
  const { store, clock } = app
  const open = await followOpenRenewal(app, await store.billing.ensurePlan(accountUuid, TRIAL, clock.now()))
  const synced = await readInTurn(app, accountUuid)
  if (open === null || isOffered(open, synced.plan)) return synced
  await stopOrSettle(app, synced.plan, open.id)
  return readInTurn(app, accountUuid)
}

async function readInTurn(app: PayingApp, accountUuid: string): Promise<Synced> {
  const { clock } = app
  let subscriptions: PaidSubscription[] = []
  let strays: string[] = []
  let doubles: string[] = []
  const plan = await changePlan(app, accountUuid, async (latest) => {
    subscriptions = []
    strays = []
    doubles = []
    if (latest.customerId === null) return {}
    // Read after the plan and saved only over this same state of it: the last writer has the newest read.
    const seen = await readSubscriptions(app, latest.customerId)
    if (seen === null) return { ...withoutCustomer(latest), lastSyncedAt: clock.now() }
    subscriptions = seen
    const projection = projectPlan(latest, seen, clock.now())
    strays = projection.strays
    doubles = projection.doubles
    return { ...projection.change, lastSyncedAt: clock.now() }
  })
  for (const open of subscriptions) if (strays.includes(open.id)) await giveUp(app, accountUuid, open)
  for (const one of subscriptions) if (one.status === 'canceled') await closeEnded(app, accountUuid, one)
  if (doubles.length > 0) app.log.error({ accountUuid, subscriptions: doubles }, 'plan.paid_twice')
  return { plan, subscriptions: subscriptions.filter(({ id }) => !strays.includes(id)) }
}

/**
 * Ends a subscription whose first payment is open. If someone pays it in another tab at this moment, the money is
 * refunded, because it no longer pays for anything.
 */
export async function giveUp(app: PayingApp, accountUuid: string, open: PaidSubscription): Promise<void> {
  await app.payments.endSubscription(open.id)
  await giveBack(app, accountUuid, open, open.latestInvoice)
}

/** One that has ended takes no money: forms left open for late months are closed, and what they paid goes back. */
async function closeEnded(app: PayingApp, accountUuid: string, ended: PaidSubscription): Promise<void> {
  const { payments } = app
  const { id, latestInvoice, endedAt } = ended
  if (endedAt === null) return
  // Later only what is seen to be open: all others are closed by then.
  if (latestInvoice?.status !== 'open' && endedAt < app.clock.now() - LATE_FOR) return
  for (const invoice of await payments.openInvoices(id)) {
    // Made at its end: for use above the included one.
    if (invoice.createdAt >= endedAt) continue
    try {
      await payments.voidInvoice(invoice.id)
    } catch (error) {
      // Paid meanwhile.
      if (paymentErrorOf(error)?.code !== 'refused') throw error
    }
  }
  const isLate = ({ createdAt, paidAt }: PaymentInvoice) => createdAt < endedAt && (paidAt ?? 0) > endedAt
  const late = (await payments.paidInvoices(id)).filter(isLate)
  for (const invoice of late) await giveBack(app, accountUuid, ended, invoice)
}

async function giveBack(app: PayingApp, accountUuid: string, { id }: PaidSubscription, invoice: PaymentInvoice | null) {
  const paymentId = invoice?.paymentId ?? null
  const payment = paymentId === null ? null : await app.payments.findPayment(paymentId)
  if (payment?.status !== 'paid' || payment.refunded) return
  app.log.warn({ accountUuid, subscription: id, payment: payment.id }, 'payments.paid_what_was_given_up')
  await refundOrTell(app, accountUuid, payment.id)
}

async function readSubscriptions({ payments }: PayingApp, customerId: string): Promise<PaidSubscription[] | null> {
  try {
    return await payments.listSubscriptions(customerId)
  } catch (error) {
    if (paymentErrorOf(error)?.code === 'missing') return null
    throw error
  }
}
