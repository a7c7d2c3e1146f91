// The only place that writes a plan: with the resulting hold, waking the engines when the hold changes.
import { runReason } from '#app/domain/automations/run-reasons.ts'
import { type Plan, TRIAL } from '#app/domain/plan.ts'
import type { PlanChange } from '#db/store/billing.ts'
import type { BillingApp } from './billing-app.server.ts'
import { holdChange, RELEASED_UNTIL } from './hold.ts'

type WritingApp = Pick<BillingApp, 'store' | 'clock' | 'log' | 'settings' | 'wakeDeliveries' | 'wakeRuns'>

/** Saves if the plan has not changed since it was read. Null when it has. */
export async function trySave(app: WritingApp, plan: Plan, change: PlanChange): Promise<Plan | null> {
  const { store, clock, settings } = app
  const now = clock.now()
  const hold = holdChange({ ...plan, ...change }, settings.payments.mode, now)
  // At the latest when the hold ends. Before, so that what nobody pays for does not pile up.
  const tooOld = plan.heldSince === null ? null : { runsDueBefore: now - RELEASED_UNTIL, reason: runReason('too_old') }
  const saved = await store.billing.savePlan(plan.accountUuid, plan.updatedAt, { ...change, ...hold }, now, tooOld)
  if (saved && hold) await wakeEngines(app, saved)
  return saved
}

/** More rounds than real concurrent writers can cause for one account. */
const MOST_ROUNDS = 20

/** Recomputes the change from the latest state until saving succeeds. */
export async function changePlan(
  app: WritingApp,
  accountUuid: string,
  work: (plan: Plan) => Promise<PlanChange> | PlanChange,
): Promise<Plan> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const plan = await app.store.billing.ensurePlan(accountUuid, TRIAL, app.clock.now())
    const saved = await trySave(app, plan, await work(plan))
    if (saved) return saved
  }
  throw new Error(`the plan of account ${accountUuid} changed faster than it could be saved`)
}

/** Wakes the engines: waiting work is on hold from now on, or released. */
async function wakeEngines(app: WritingApp, { accountUuid, holdReason }: Plan): Promise<void> {
  app.log.info({ accountUuid, reason: holdReason }, holdReason === null ? 'plan.released' : 'plan.held')
  for (const endpointId of await app.store.billing.endpointsOfAccount(accountUuid)) app.wakeDeliveries(endpointId)
  app.wakeRuns()
}
