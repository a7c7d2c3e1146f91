import type { Payments } from '#app/adapters/payments.ts'
import type { App } from '#app/context/app-context.ts'

/** What everything about money needs. A plan that changes may hold or release what waits: hence the engines. */
export type BillingApp = Pick<App, 'store' | 'clock' | 'log' | 'settings' | 'payments' | 'wakeDeliveries' | 'wakeRuns'>

/** The same where card payments are configured. */
export type PayingApp = BillingApp & { payments: Payments }

export function takesPayments(app: BillingApp): app is PayingApp {
  return app.payments !== null
}
