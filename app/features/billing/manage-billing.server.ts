// The provider's own page, and ending the subscription with the month that is paid.
import type { BillingApp } from './billing-app.server.ts'
import {
  type CancellationOutcome,
  NOTHING_TO_CANCEL,
  NOTHING_TO_MANAGE,
  type PortalOpening,
  refused,
} from './payment.ts'
import { attempt } from './payment-failure.server.ts'
import { TRIAL } from './plan.ts'
import { syncInTurn } from './sync.server.ts'

/** An address for cards, invoices and cancelling, made for this click: it is good for a few minutes. */
export async function openPortal(app: BillingApp, accountUuid: string): Promise<PortalOpening> {
  return attempt(app, accountUuid, async ({ store, clock, settings, payments }) => {
    const { customerId } = await store.ensurePlan(accountUuid, TRIAL, clock.now())
    if (customerId === null) return refused(409, NOTHING_TO_MANAGE)
    const returnUrl = `${settings.origin}/subscription?accountUUID=${encodeURIComponent(accountUuid)}`
    return { outcome: 'open' as const, url: await payments.openPortal({ customerId, returnUrl }) }
  })
}

/** `cancel`: it ends with the month that is paid; else it goes on. */
export async function setCancellation(
  app: BillingApp,
  accountUuid: string,
  cancel: boolean,
): Promise<CancellationOutcome> {
  return attempt(app, accountUuid, async (paying) => {
    const { plan } = await syncInTurn(paying, accountUuid)
    const stands = plan.status === 'active' || plan.status === 'past_due' || plan.status === 'unpaid'
    if (plan.subscriptionId === null || !stands) return refused(409, NOTHING_TO_CANCEL)
    await paying.payments.setEndsWithPeriod(plan.subscriptionId, cancel)
    await syncInTurn(paying, accountUuid)
    return { outcome: 'saved' as const }
  })
}
