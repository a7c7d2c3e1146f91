// Opens the provider's own page, and ends subscriptions.
import type { PaidSubscription } from '#app/adapters/payments.ts'
import { TRIAL } from '#app/domain/plan.ts'
import type { Millis } from '#app/lib/clock.ts'
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

/** When an account's charges were ended for its erasure. A new process ends them again. */
const endings = new WeakMap<BillingApp['settings'], Map<string, Millis>>()

/** Also true where nobody can pay. */
export async function chargesEnded(app: BillingApp, accountUuid: string): Promise<boolean> {
  const haveEnded = app.payments === null || (await endCharges(app, accountUuid)).outcome !== 'refused'
  const known = endings.get(app.settings) ?? new Map<string, Millis>()
  if (haveEnded) endings.set(app.settings, known.set(accountUuid, app.clock.now()))
  return haveEnded
}

/** For the job after it: what has just ended does not wait for the provider. */
export async function chargesStillEnded(app: BillingApp, accountUuid: string): Promise<boolean> {
  const endedAt = endings.get(app.settings)?.get(accountUuid) ?? 0
  const haveEnded = endedAt > app.clock.now() - hours(1) || (await chargesEnded(app, accountUuid))
  // Once: the account may come back, and pay anew.
  endings.get(app.settings)?.delete(accountUuid)
  return haveEnded
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
