// What has to be done about money although nobody asks: holds that begin and end with time, what events were lost, a daily look.
import { PAYMENT_EVENTS_KEPT } from '#app/domain/kept-until.ts'
import { TRIAL } from '#app/domain/plan.ts'
import { days, hours, seconds } from '#app/lib/duration.ts'
import { type BillingApp, takesPayments } from './billing-app.server.ts'
import { changePlan } from './change-plan.server.ts'
import { holdChange } from './hold.ts'
import { takeIn } from './payment-events.server.ts'
import { inAccountTurn, refusalOf } from './payment-failure.server.ts'
import { renewalIfPaid } from './renewal.server.ts'
import { FRESH_FOR, syncPlan } from './sync.server.ts'

/** Plans looked at before others get their turn. */
const STRETCH = 200

/** The provider takes use of the past 35 days. */
const SENDABLE_DAYS = 34
/** Days without a report are made up for so far back: after an outage, and not for the time before a price was configured. */
const MADE_UP_DAYS = 7
const REPORTS_AT_ONCE = 200

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

/**
 * Use over what is included goes to the provider's meter, only where a price for it is configured. Hourly. A day is reported when it is over (UTC), all of it after the trial and within the paid month; a row holds what is sent, so
 * that a crash sends the same again and not something else.
 */
export async function reportUsage(app: BillingApp, signal: AbortSignal): Promise<void> {
  if (!takesPayments(app) || !app.payments.chargesOverage) return
  const { store, clock, payments, log } = app
  const today = Math.floor(clock.now() / days(1))
  await store.billing.makeUsageReports(today - MADE_UP_DAYS, today, clock.now())
  let sent = 0
  for (const report of await store.billing.usageReportsToSend(today - SENDABLE_DAYS, REPORTS_AT_ONCE)) {
    if (signal.aborted) return
    const { accountUuid, identifier, customerId, count } = report
    try {
      // The last second of the day: within the month it is charged with.
      await payments.reportUse({ identifier, customerId, count, at: days(report.day + 1) - seconds(1) })
      await store.billing.endUsageReport(accountUuid, identifier, clock.now())
      sent++
    } catch (error) {
      refusalOf(app, accountUuid, error)
      await store.billing.failUsageReport(accountUuid, identifier)
    }
  }
  if (sent > 0) log.info({ reports: sent }, 'usage.reported')
}
