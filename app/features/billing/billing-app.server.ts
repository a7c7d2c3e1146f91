import type { Payments } from '#app/adapters/payments.ts'
import type { App } from '#app/context/app-context.ts'

/** The dependencies of billing. A plan change may hold or release waiting work, so the engines are included. */
export type BillingApp = Pick<App, 'store' | 'clock' | 'log' | 'settings' | 'payments' | 'wakeDeliveries' | 'wakeRuns'>

/** The same when card payments are configured. */
export type PayingApp = BillingApp & { payments: Payments }

export function takesPayments(app: BillingApp): app is PayingApp {
  return app.payments !== null
}
