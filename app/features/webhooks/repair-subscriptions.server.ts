// Compares our subscriptions with the platform's own list and puts right what differs: after each change, soon after a
// start, and daily. What cannot be put right is explained on the webhook's card.
import { assertNever } from '#app/lib/assert-never.ts'
import { hashToken } from '#app/lib/token.server.ts'
import type { SubscriptionRow } from '#db/store/webhooks.ts'
import { oneAtATime } from './one-at-a-time.server.ts'
import { type ListedSubscription, planRepairs, type Repair } from './subscription-plan.ts'
import { ensureSubscription, REPLACED_VALID, type SubscriptionApp, tokenOfAddress } from './subscriptions.server.ts'
import { type FieldNeed, parseFields } from './webhook.ts'

export interface RepairReport {
  accounts: number
  /** Accounts whose list could not be read. */
  unreadable: number
  /** Subscribed again. */
  repaired: number
  /** Could not be: the card says why. */
  failed: number
}

/**
 * Every account in turn. Never throws for one account's trouble: the others are still looked at.
 * Run it within 30 seconds of a start, and daily.
 */
export async function repairSubscriptions(app: SubscriptionApp): Promise<RepairReport> {
  const report: RepairReport = { accounts: 0, unreadable: 0, repaired: 0, failed: 0 }
  for (const accountUuid of await app.store.accountsToReconcile()) {
    report.accounts += 1
    try {
      const one = await oneAtATime(app.store, accountUuid, () => reconcile(app, accountUuid, { subscribe: true }))
      if (one === null) report.unreadable += 1
      report.repaired += one?.repaired ?? 0
      report.failed += one?.failed ?? 0
    } catch (error) {
      report.failed += 1
      app.log.error({ account: accountUuid, err: error }, 'subscriptions.repair_failed')
    }
  }
  app.log.info({ ...report }, 'subscriptions.reconciled')
  return report
}

/**
 * After a change of ours: learns the platform's uuid of the new subscription and removes there what it replaced.
 * Best effort, and never throws: what fails now is done by the next repair. Call it through `oneAtATime`.
 */
export async function settleSubscriptions(app: SubscriptionApp, accountUuid: string): Promise<void> {
  try {
    await reconcile(app, accountUuid, { subscribe: false })
  } catch (error) {
    app.log.error({ account: accountUuid, err: error }, 'subscriptions.settle_failed')
  }
}

/** Null = the platform's list could not be read. */
async function reconcile(
  app: SubscriptionApp,
  accountUuid: string,
  options: { subscribe: boolean },
): Promise<{ repaired: number; failed: number } | null> {
  const needs = await neededObjects(app, accountUuid)
  const counts = { repaired: 0, failed: 0 }
  // A second look follows a new subscription: its uuid is learned, and what it replaced is removed.
  for (const round of [1, 2]) {
    const list = await app.callAsAccount(accountUuid, (api, token) => api.listSubscriptions(token))
    if (list.outcome !== 'ok') {
      app.log.warn({ account: accountUuid, reason: list.outcome }, 'subscriptions.list_unreadable')
      return round === 1 ? null : counts
    }
    // Ours are read after the platform's, so that nothing it lists can be missing here.
    const own = await app.store.listSubscriptions(accountUuid)
    const byToken = new Map(own.map((row) => [row.tokenHash, row]))
    const listed: ListedSubscription[] = list.value.flatMap((entry) => {
      const token = tokenOfAddress(app.settings.origin, entry.callbackUrl)
      return token === null ? [] : [{ ...entry, ownId: byToken.get(hashToken(token))?.id ?? null }]
    })
    const plan = planRepairs({ own, listed, needed: [...needs.keys()], now: app.clock.now() })
    for (const repair of plan) {
      if (repair.act !== 'subscribe') await carryOut(app, accountUuid, repair)
    }
    const missing = plan.filter((repair) => repair.act === 'subscribe')
    if (!options.subscribe || missing.length === 0) break
    const before = counts.repaired
    for (const { object, reason } of missing) {
      const worked = await subscribeAgain(app, accountUuid, { object, reason, needs: needs.get(object) ?? [], own })
      if (worked) counts.repaired += 1
      else if (round === 1) counts.failed += 1
    }
    if (counts.repaired === before) break
  }
  return counts
}

/** Everything that wants events, by object. Webhooks now; forwarding rules and automations join here. */
export async function neededObjects(
  app: Pick<SubscriptionApp, 'store'>,
  accountUuid: string,
): Promise<Map<string, FieldNeed[]>> {
  const needs = new Map<string, FieldNeed[]>()
  for (const { webhook } of await app.store.listWebhooks(accountUuid)) {
    const one = { fields: parseFields(webhook.fields) }
    needs.set(webhook.objectType, [...(needs.get(webhook.objectType) ?? []), one])
  }
  return needs
}

async function subscribeAgain(
  app: SubscriptionApp,
  accountUuid: string,
  input: { object: string; reason: string | null; needs: FieldNeed[]; own: SubscriptionRow[] },
): Promise<boolean> {
  const result = await ensureSubscription(app, accountUuid, input.object, input.needs)
  if (result.outcome === 'subscribed') return true
  const active = input.own.find((row) => row.state === 'active' && row.object === input.object)
  if (active) {
    const why = input.reason ? `ServiceM8 switched it off: ${sentence(input.reason)}` : 'ServiceM8 no longer lists it.'
    const stateReason = `${why} Subscribing again did not work: ${sentence(result.message)}`
    await app.store.updateSubscription(accountUuid, active.id, { stateReason, at: app.clock.now() })
  }
  return false
}

function sentence(text: string): string {
  const trimmed = text.trim()
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`
}

async function carryOut(
  app: SubscriptionApp,
  accountUuid: string,
  repair: Exclude<Repair, { act: 'subscribe' }>,
): Promise<void> {
  const at = app.clock.now()
  switch (repair.act) {
    case 'note':
      return app.store.updateSubscription(accountUuid, repair.id, {
        platformUuid: repair.platformUuid,
        stateReason: null,
        at,
      })
    case 'adopt':
      await app.store.switchSubscription(accountUuid, {
        id: repair.id,
        fields: [...repair.fields].sort().join(','),
        replacedUntil: at + REPLACED_VALID,
        at,
      })
      app.log.info({ account: accountUuid, object: repair.object, subscription: repair.id }, 'subscription.adopted')
      return app.store.updateSubscription(accountUuid, repair.id, { platformUuid: repair.platformUuid, at })
    case 'end':
      return app.store.updateSubscription(accountUuid, repair.id, {
        state: 'deleted',
        stateReason: 'nobody needs it; the platform has not been told yet',
        at,
      })
    case 'drop':
      return app.store.dropPendingSubscription(accountUuid, repair.id)
    case 'settle':
      return app.store.updateSubscription(accountUuid, repair.id, { state: repair.state, stateReason: null, at })
    case 'remove':
      return remove(app, accountUuid, repair)
    default:
      return assertNever(repair)
  }
}

async function remove(
  app: SubscriptionApp,
  accountUuid: string,
  { platformUuid, id }: { platformUuid: string; id: number | null },
): Promise<void> {
  const answer = await app.callAsAccount(accountUuid, (api, token) => api.deleteSubscription(token, platformUuid))
  // 404 = it is gone already, which is what was wanted.
  const gone = answer.outcome === 'ok' || (answer.outcome === 'refused' && answer.status === 404)
  app.log.info({ account: accountUuid, subscription: id, gone }, 'subscription.removed')
  if (gone && id !== null) {
    await app.store.updateSubscription(accountUuid, id, { stateReason: null, at: app.clock.now() })
  }
}
