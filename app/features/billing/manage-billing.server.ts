// The provider's own page, and ending what is paid for.
import type { PaidSubscription } from '#app/adapters/payments.ts'
import { TRIAL } from '#app/domain/plan.ts'
import type { BillingApp, PayingApp } from './billing-app.server.ts'
import {
  type CancellationOutcome,
  NOTHING_TO_CANCEL,
  NOTHING_TO_MANAGE,
  type PortalOpening,
  refused,
} from './payment.ts'
import { attempt } from './payment-failure.server.ts'
import { giveUp, syncInTurn } from './sync.server.ts'
import { stopOrSettle } from './upgrade.server.ts'

/** An address for cards, invoices and cancelling, made for this click: it is good for a few minutes. */
export async function openPortal(app: BillingApp, accountUuid: string): Promise<PortalOpening> {
  return attempt(app, accountUuid, async ({ store, clock, settings, payments }) => {
    const { customerId } = await store.billing.ensurePlan(accountUuid, TRIAL, clock.now())
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

/**
 * For an account that is going: no further month is charged. One that is paid runs out; what is late, unpaid or only begun ends at
 * once, and a card form that is still open somewhere pays nothing.
 */
export async function endCharges(app: BillingApp, accountUuid: string): Promise<CancellationOutcome> {
  return attempt(app, accountUuid, async (paying) => {
    const known = await paying.store.billing.findPlan(accountUuid)
    if (known === null || known.customerId === null) return { outcome: 'saved' as const }
    const { plan } = await syncInTurn(paying, accountUuid)
    if (plan.openRenewalId !== null) await stopOrSettle(paying, plan, plan.openRenewalId)
    const { subscriptions } = await syncInTurn(paying, accountUuid)
    for (const one of subscriptions) await endCharging(paying, accountUuid, one)
    await syncInTurn(paying, accountUuid)
    return { outcome: 'saved' as const }
  })
}

async function endCharging(app: PayingApp, accountUuid: string, subscription: PaidSubscription): Promise<void> {
  const { payments } = app
  const { id, status, endsWithPeriod } = subscription
  switch (status) {
    case 'canceled':
    case 'incomplete_expired':
      return
    case 'active':
    case 'trialing':
      if (!endsWithPeriod) await payments.setEndsWithPeriod(id, true)
      return
    case 'incomplete':
      return giveUp(app, accountUuid, subscription)
    default:
      // Late, unpaid or paused: the provider would go on trying the card.
      return payments.endSubscription(id)
  }
}
