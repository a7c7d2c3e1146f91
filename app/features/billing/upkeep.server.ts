// Scheduled billing work: holds that begin and end with time, lost events, and a daily comparison.
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

/** Plans to check before yielding. */
const STRETCH = 200

/** The provider accepts use of the past 35 days. */
const SENDABLE_DAYS = 34
/** How far back missing reports are sent: covers an outage, not the time before a price was configured. */
const MADE_UP_DAYS = 7
const REPORTS_AT_ONCE = 200

/** How often the runs of an account on hold are gone through. */
const RUNS_JUDGED_EVERY = days(1)

/**
 * Each minute: puts accounts on hold when their trial or grace is over, and releases those that need no hold. What has
 * waited too long on hold is left to a person.
 */
export async function judgeHolds(app: BillingApp, signal: AbortSignal): Promise<void> {
  const { store, clock, settings } = app
  const { mode } = settings.payments
  if (mode !== 'off') await store.billing.beginMissingTrials(TRIAL, clock.now())
  let after = ''
  while (!signal.aborted) {
    const plans = await store.billing.plansAfter(after, STRETCH)
    for (const plan of plans) {
      const now = clock.now()
      const isJudged = plan.heldSince === null || now - plan.updatedAt < RUNS_JUDGED_EVERY
      // Saving works out the hold again, and leaves old runs to a person.
      if (holdChange(plan, mode, now) || !isJudged) await changePlan(app, plan.accountUuid, () => ({}))
    }
    const last = plans.at(-1)
    if (!last || plans.length < STRETCH) return
    after = last.accountUuid
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** A little less than a day, so that the daily job does not find a plan not quite due. */
const DUE_AFTER = FRESH_FOR - hours(4)
const AT_ONCE = 50

/** Daily: compares every plan with a customer with the provider, and deletes old events. */
export async function reconcilePlans(app: BillingApp, signal: AbortSignal): Promise<void> {
  const { store, clock, log } = app
  await store.billing.forgetPaymentEvents(clock.now() - PAYMENT_EVENTS_KEPT)
  if (!takesPayments(app)) return
  const startedAt = clock.now()
  const tried = new Set<string>()
  let done = 0
  for (;;) {
    // Plans that could not be read stay first in the list, so the window grows past them.
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

/** Hourly: applies paid renewals that were not applied, and fetches events the provider could not deliver. */
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

/** Logs an error of one account and continues with the others. */
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
 * Hourly: reports use above the included operations to the provider's meter, if it has a price. A day is reported once
 * over (UTC), if entirely after the trial and within the paid month. A row stores it, so a crash repeats the same
 * report.
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
      // The last second of the day, so that it is within the month it is charged to.
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
