// Use over what is included goes to the provider's meter, a whole day at a time, and only where a price for it is configured.
import { days, seconds } from '#app/lib/duration.ts'
import { type BillingApp, takesPayments } from './billing-app.server.ts'
import { refusalOf } from './payment-failure.server.ts'

/** The provider takes use of the past 35 days. */
const SENDABLE_DAYS = 34
/** Days without a report are made up for so far back: after an outage, and not for the time before a price was configured. */
const MADE_UP_DAYS = 7
const AT_ONCE = 200

/**
 * Hourly. A day is reported when it is over (UTC), all of it after the trial and within the paid month; a row holds what is sent, so
 * that a crash sends the same again and not something else.
 */
export async function reportUsage(app: BillingApp, signal: AbortSignal): Promise<void> {
  if (!takesPayments(app) || !app.payments.chargesOverage) return
  const { store, clock, payments, log } = app
  const today = Math.floor(clock.now() / days(1))
  await store.billing.makeUsageReports(today - MADE_UP_DAYS, today, clock.now())
  let sent = 0
  for (const report of await store.billing.usageReportsToSend(today - SENDABLE_DAYS, AT_ONCE)) {
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
