// The account's plan as pages and calls ask for it.
import { dayOf } from '#app/domain/local-time.ts'
import { billingPeriodOf, type Plan, type SubscriptionFacts, TRIAL } from '#app/domain/plan.ts'
import { type BillingApp, takesPayments } from './billing-app.server.ts'
import { refusalOf } from './payment-failure.server.ts'
import { COPY_HELD, type PlanNotice, planNotice } from './plan-notice.ts'
import { FRESH_FOR, syncPlan } from './sync.server.ts'

/** The trial is made once for each account; calling again changes nothing. */
export async function ensurePlan(app: Pick<BillingApp, 'store' | 'clock'>, accountUuid: string): Promise<Plan> {
  return app.store.billing.ensurePlan(accountUuid, TRIAL, app.clock.now())
}

/**
 * When somebody signs in. Where nobody can pay yet no trial runs out unseen: it begins with the first look at the subscription.
 */
export async function beginTrial(
  app: Pick<BillingApp, 'store' | 'clock' | 'payments'>,
  accountUuid: string,
): Promise<void> {
  if (app.payments) await ensurePlan(app, accountUuid)
}

/**
 * Everything the page and the call show. Reads the provider first when a payment may be under way or the plan is a day old;
 * when it cannot be reached, what we know is shown.
 */
export async function loadSubscription(app: BillingApp, accountUuid: string): Promise<SubscriptionFacts> {
  const plan = await freshPlan(app, await ensurePlan(app, accountUuid))
  const billingPeriod = billingPeriodOf(plan)
  const { start, end } = billingPeriod
  const usage = await app.store.billing.usageOfDays(accountUuid, dayOf(start), dayOf(Math.max(start, end - 1)) + 1)
  return { plan, usage, billingPeriod }
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

/** A line for every page; null = nothing to say. One read of the database. */
export async function findPlanNotice(
  app: Pick<BillingApp, 'store' | 'clock' | 'settings'>,
  accountUuid: string,
): Promise<PlanNotice | null> {
  const { mode } = app.settings.payments
  if (app.settings.held) return COPY_HELD
  if (mode === 'off') return null
  const found = await app.store.billing.findPlanInZone(accountUuid)
  return found && planNotice(found.plan, mode, app.clock.now(), found.timezone)
}
