// Opens the provider's own page, and ends subscriptions.
import type { PaidSubscription } from '#app/adapters/payments.ts'
import { type Plan, TRIAL } from '#app/domain/plan.ts'
import { hours } from '#app/lib/duration.ts'
import type { BillingApp, PayingApp } from './billing-app.server.ts'
import {
  type CancellationOutcome,
  NOT_CHANGED,
  NOT_OPENED,
  NOTHING_TO_CANCEL,
  NOTHING_TO_MANAGE,
  type PortalOpening,
  refused,
} from './payment.ts'
import { attempt } from './payment-failure.server.ts'
import { stopOrSettle } from './renewal.server.ts'
import { giveUp, syncInTurn } from './sync.server.ts'

/**
 * Returns a URL for cards, invoices and cancelling, created for this click and valid for a few minutes. `back`: the path of
 * the page that its visitor returns to.
 */
export async function openPortal(app: BillingApp, accountUuid: string, back: string): Promise<PortalOpening> {
  const open = async ({ store, clock, settings, payments }: PayingApp) => {
    const { customerId } = await store.billing.ensurePlan(accountUuid, TRIAL, clock.now())
    if (customerId === null) return refused(409, NOTHING_TO_MANAGE)
    const url = await payments.openPortal({ customerId, returnUrl: settings.origin + back })
    return { outcome: 'open' as const, url }
  }
  return attempt(app, accountUuid, open, NOT_OPENED)
}

/** `cancel`: the subscription ends with the paid month; otherwise it continues. */
export async function setCancellation(
  app: BillingApp,
  accountUuid: string,
  cancel: boolean,
): Promise<CancellationOutcome> {
  const change = async (paying: PayingApp) => {
    const { plan } = await syncInTurn(paying, accountUuid)
    const stands = plan.status === 'active' || plan.status === 'past_due' || plan.status === 'unpaid'
    if (plan.subscriptionId === null || !stands) return refused(409, NOTHING_TO_CANCEL)
    await paying.payments.setEndsWithPeriod(plan.subscriptionId, cancel)
    await syncInTurn(paying, accountUuid)
    return { outcome: 'saved' as const }
  }
  return attempt(app, accountUuid, change, NOT_CHANGED)
}

/**
 * For an account being erased: ensures that no further month is charged. A paid subscription runs out; a late, unpaid
 * or incomplete one ends immediately, and a card form still open somewhere cannot pay it.
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

/** Also true where nobody can pay. */
export async function chargesEnded(app: BillingApp, accountUuid: string): Promise<boolean> {
  return app.payments === null || (await endCharges(app, accountUuid)).outcome !== 'refused'
}

/** For the job after it: what has just ended does not wait for the provider. */
export async function chargesStillEnded(app: BillingApp, accountUuid: string): Promise<boolean> {
  const plan = await app.store.billing.findPlan(accountUuid)
  // Read since: a restored plan can be from before somebody paid.
  const isFresh = (plan?.lastSyncedAt ?? 0) > app.clock.now() - hours(1)
  return (isFresh && plan !== null && nothingFollows(plan)) || chargesEnded(app, accountUuid)
}

function nothingFollows(plan: Plan): boolean {
  const { status, subscriptionId, cancelAtPeriodEnd, openRenewalId, openSubscriptionId } = plan
  if (openRenewalId !== null || openSubscriptionId !== null) return false
  return subscriptionId === null || status === 'canceled' || (status === 'active' && cancelAtPeriodEnd)
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
      // Late, unpaid or paused: the provider would keep charging the card, and take what a form left open pays.
      for (const invoice of await payments.openInvoices(id)) await payments.voidInvoice(invoice.id)
      return payments.endSubscription(id)
  }
}
