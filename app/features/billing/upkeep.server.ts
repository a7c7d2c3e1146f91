// What has to be done about money although nobody asks: holds that begin and end with time, what events were lost, a daily look.

import { PAYMENT_EVENTS_KEPT } from '#app/domain/kept-until.ts'
import { TRIAL } from '#app/domain/plan.ts'
import { hours } from '#app/lib/duration.ts'
import { type BillingApp, takesPayments } from './billing-app.server.ts'
import { changePlan } from './change-plan.server.ts'
import { holdChange } from './hold.ts'
import { takeIn } from './payment-events.server.ts'
import { inAccountTurn, refusalOf } from './payment-failure.server.ts'
import { renewalIfPaid } from './renewal.server.ts'
import { FRESH_FOR, syncPlan } from './sync.server.ts'

/** Plans looked at before others get their turn. */
const STRETCH = 200

/** Each minute: accounts whose trial or grace is over are held, and those that need not be any more are released. */
export async function judgeHolds(app: BillingApp, signal: AbortSignal): Promise<void> {
  const { store, clock, settings } = app
  const { mode } = settings.payments
  if (mode !== 'off') await store.billing.beginMissingTrials(TRIAL, clock.now())
  let after = ''
  while (!signal.aborted) {
    const plans = await store.billing.plansAfter(after, STRETCH)
    for (const plan of plans) {
      // The hold itself is worked out again with what is saved.
      if (holdChange(plan, mode, clock.now())) await changePlan(app, plan.accountUuid, () => ({}))
    }
    const last = plans.at(-1)
    if (!last || plans.length < STRETCH) return
    after = last.accountUuid
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** A little less than a day: the daily job must not find that it is not quite time. */
const DUE_AFTER = FRESH_FOR - hours(4)
const AT_ONCE = 50

/** Daily: every plan with a customer is compared with the provider, and events of long ago are forgotten. */
export async function reconcilePlans(app: BillingApp, signal: AbortSignal): Promise<void> {
  const { store, clock, log } = app
  await store.billing.forgetPaymentEvents(clock.now() - PAYMENT_EVENTS_KEPT)
  if (!takesPayments(app)) return
  const startedAt = clock.now()
  const tried = new Set<string>()
  let done = 0
  for (;;) {
    // What could not be read stays in front: the window grows past it.
    const due = (await store.billing.accountsToSync(startedAt - DUE_AFTER, AT_ONCE + tried.size)).filter(
      (one) => !tried.has(one),
    )
    if (due.length === 0) break
    for (const accountUuid of due) {
      if (signal.aborted) return
      tried.add(accountUuid)
      if (await handled(app, accountUuid, () => syncPlan(app, accountUuid))) done++
    }
  }
  log.info({ accounts: done, failed: tried.size - done }, 'plans.reconciled')
}

/** Hourly: renewals that were paid and not applied, and events the provider could not hand over. */
export async function catchUpPayments(app: BillingApp, signal: AbortSignal): Promise<void> {
  if (!takesPayments(app)) return
  const { store, payments } = app
  for (const { accountUuid, paymentId } of await store.billing.renewalsToApply(AT_ONCE)) {
    if (signal.aborted) return
    await handled(app, accountUuid, () =>
      inAccountTurn(app, accountUuid, async () => {
        const payment = await payments.findPayment(paymentId)
        if (payment) await renewalIfPaid(app, accountUuid, payment)
      }),
    )
  }
  await handled(app, '', async () => {
    for (const event of await payments.undeliveredEvents()) {
      if (signal.aborted) return
      await takeIn(app, event)
    }
  })
}

/** One account's trouble is logged and leaves the others. */
async function handled(app: BillingApp, accountUuid: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    refusalOf(app, accountUuid, error)
    return false
  }
}
