// Loads the account's plan for pages and calls.

import { type Asking, ownerActRefusal } from '#app/domain/people.ts'
import { billingPeriodOf, countedDaysOf, type Plan, type SubscriptionFacts, TRIAL } from '#app/domain/plan.ts'
import { type BillingApp, takesPayments } from './billing-app.server.ts'
import { refusalOf } from './payment-failure.server.ts'
import { COPY_HELD, type PlanNotice, planNotice } from './plan-notice.ts'
import { FRESH_FOR, syncPlan } from './sync.server.ts'

/** Creates the trial once per account; further calls change nothing. */
export async function ensurePlan(app: Pick<BillingApp, 'store' | 'clock'>, accountUuid: string): Promise<Plan> {
  return app.store.billing.ensurePlan(accountUuid, TRIAL, app.clock.now())
}

/**
 * At sign-in. Where payments are off, the trial begins with the first view of the subscription, so none ends unseen.
 */
export async function beginTrial(
  app: Pick<BillingApp, 'store' | 'clock' | 'payments'>,
  accountUuid: string,
): Promise<void> {
  if (app.payments) await ensurePlan(app, accountUuid)
}

/**
 * Loads the data of the page and the call. Reads the provider first when a payment may be under way or the plan is a
 * day old; shows the stored plan when the provider cannot be reached.
 */
export async function loadSubscription(app: BillingApp, accountUuid: string): Promise<SubscriptionFacts> {
  const plan = await freshPlan(app, await ensurePlan(app, accountUuid))
  const counted = countedDaysOf(plan)
  const { byDay, ...usage } = await app.store.billing.usageOfDays(accountUuid, counted.fromDay, counted.beforeDay)
  return { plan, usage, byDay, billingPeriod: billingPeriodOf(plan), counted }
}

async function freshPlan(app: BillingApp, plan: Plan): Promise<Plan> {
  const { accountUuid, customerId, openSubscriptionId, openRenewalId, lastSyncedAt } = plan
  if (!takesPayments(app) || customerId === null) return plan
  const pending = openSubscriptionId !== null || openRenewalId !== null
  if (!pending && lastSyncedAt !== null && app.clock.now() - lastSyncedAt < FRESH_FOR) return plan
  try {
    return await syncPlan(app, accountUuid)
  } catch (error) {
    refusalOf(app, accountUuid, error)
    return plan
  }
}

/** Returns the line for every page; null when there is nothing to show. One read of the database. */
export async function findPlanNotice(
  app: Pick<BillingApp, 'store' | 'clock' | 'settings'>,
  accountUuid: string,
  asking: Asking,
): Promise<PlanNotice | null> {
  const { mode } = app.settings.payments
  if (app.settings.held) return COPY_HELD
  if (mode === 'off') return null
  const found = await app.store.billing.findPlanInZone(accountUuid)
  const notice = found && planNotice(found.plan, mode, app.clock.now(), found.timezone)
  const mayPay = ownerActRefusal('pay', asking, app.clock.now()) === null
  return notice && !mayPay ? { ...notice, action: { label: 'See subscription' } } : notice
}
