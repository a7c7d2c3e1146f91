// Compares our subscriptions with the platform's own list and repairs differences: after each change, soon after a
// start, daily, and on request. The webhook's card explains what was repaired and what cannot be.
import { type FieldNeed, parseFields } from '#app/domain/endpoints/watched-fields.ts'
import { isPolled } from '#app/domain/object-catalog.ts'
import { momentOf } from '#app/domain/time/local-time.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { hashToken } from '#app/lib/token.server.ts'
import type { SubscriptionRow } from '#db/store/endpoints.ts'
import { oneAtATime } from './one-at-a-time.server.ts'
import { planRepairs, type Repair } from './subscription-plan.ts'
import { ensureSubscription, REPLACED_VALID, type SubscriptionApp, tokenOfAddress } from './subscriptions.server.ts'
import { type ComparedObject, type Comparison, sentence, upstreamNote } from './upstream-text.ts'

/**
 * Repairs every account in turn. Never throws because of one account: the others still run. Run it within 30 seconds of
 * a start, and daily; for an account that has just signed in (`only`), too. Once aborted, it begins no further account.
 */
export async function repairSubscriptions(
  app: SubscriptionApp,
  { only, signal }: { only?: string; signal?: AbortSignal } = {},
) {
  // Accounts, those whose list could not be read, and subscriptions made again, or not: then the card says why.
  const report = { accounts: 0, unreadable: 0, repaired: 0, failed: 0 }
  for (const accountUuid of await app.store.endpoints.accountsToReconcile(only)) {
    if (signal?.aborted) break
    report.accounts += 1
    try {
      const one = await oneAtATime(app.store, accountUuid, () => reconcile(app, accountUuid, { subscribe: true }))
      if (one.outcome === 'unreadable') {
        report.unreadable += 1
        continue
      }
      report.repaired += one.objects.filter(({ outcome }) => outcome === 'repaired').length
      report.failed += one.objects.filter(({ outcome }) => outcome === 'failed').length
      await explain(app, accountUuid, one.objects, { fineToo: false })
    } catch (error) {
      report.failed += 1
      app.log.error({ account: accountUuid, err: error }, 'subscriptions.repair_failed')
    }
  }
  app.log.info({ ...report }, 'subscriptions.reconciled')
  return report
}

/** Compares one account immediately, on request; afterwards every card shows the result. */
export async function compareSubscriptions(app: SubscriptionApp, accountUuid: string): Promise<Comparison> {
  const comparison = await oneAtATime(app.store, accountUuid, () => reconcile(app, accountUuid, { subscribe: true }))
  app.log.info({ account: accountUuid, outcome: comparison.outcome }, 'subscriptions.compared')
  if (comparison.outcome === 'compared') await explain(app, accountUuid, comparison.objects, { fineToo: true })
  return comparison
}

/** Stores why and since when a subscription was repaired, for its card. The card's status already shows failures. */
async function explain(
  app: SubscriptionApp,
  accountUuid: string,
  objects: readonly ComparedObject[],
  { fineToo }: { fineToo: boolean },
): Promise<void> {
  const timezone = (await app.store.accounts.findAccount(accountUuid))?.timezone ?? 'UTC'
  for (const found of objects) {
    if (found.outcome === 'fine' && !fineToo) continue
    const note = found.outcome === 'failed' ? null : upstreamNote(found, app.clock.now(), timezone)
    await app.store.notices.noteUpstream(accountUuid, found.object, note)
  }
}

/**
 * After our own change: stores the platform's uuid of the new subscription and removes the replaced one there. Best
 * effort, never throws: the next repair does what fails now. Call it through `oneAtATime`.
 */
export async function settleSubscriptions(app: SubscriptionApp, accountUuid: string): Promise<void> {
  try {
    await reconcile(app, accountUuid, { subscribe: false })
  } catch (error) {
    app.log.error({ account: accountUuid, err: error }, 'subscriptions.settle_failed')
  }
}

async function reconcile(
  app: SubscriptionApp,
  accountUuid: string,
  options: { subscribe: boolean },
): Promise<Comparison> {
  const needs = await neededObjects(app, accountUuid)
  const found = new Map<string, ComparedObject>()
  // A new subscription needs a second round, which stores its uuid and removes the replaced one.
  for (const round of [1, 2]) {
    const compared = await compareLists(app, accountUuid, [...needs.keys()])
    if (compared.outcome === 'unreadable' && round === 1) return compared
    if (compared.outcome === 'unreadable' || !options.subscribe) break
    const again = await subscribeMissing(app, accountUuid, needs, compared)
    for (const one of again) {
      // The first round knows why it had ended.
      const { reason, since } = found.get(one.object) ?? one
      found.set(one.object, { ...one, reason, since })
    }
    if (!again.some(({ outcome }) => outcome === 'repaired')) break
  }
  // ServiceM8 lists nothing of polled objects.
  const listed = [...needs.keys()].filter((object) => !isPolled(object))
  const objects = listed.map((object) => found.get(object) ?? { object, ...FINE })
  return { outcome: 'compared', objects }
}

/** The objects without a working subscription, and the two lists that were compared. */
interface ComparedLists {
  outcome: 'compared'
  missing: { object: string; reason: string | null }[]
  own: SubscriptionRow[]
  listed: { ownId: number | null; lastFailureAt: string | null }[]
}

/** Reads both lists and carries out every repair except new subscriptions. */
async function compareLists(
  app: SubscriptionApp,
  accountUuid: string,
  needed: readonly string[],
): Promise<ComparedLists | { outcome: 'unreadable'; message: string }> {
  const list = await app.callAsAccount(accountUuid, (api, token) => api.listSubscriptions(token))
  if (list.outcome !== 'ok') {
    app.log.warn({ account: accountUuid, reason: list.outcome }, 'subscriptions.list_unreadable')
    return { outcome: 'unreadable', message: list.message }
  }
  // Read our list after the platform's, so that it contains every subscription the platform lists.
  const own = await app.store.endpoints.listSubscriptions(accountUuid)
  const byToken = new Map(own.map((row) => [row.tokenHash, row]))
  const listed = list.value.flatMap((entry) => {
    const token = tokenOfAddress(app.settings.origin, entry.callbackUrl)
    return token === null ? [] : [{ ...entry, ownId: byToken.get(hashToken(token))?.id ?? null }]
  })
  const plan = planRepairs({ own, listed, needed, now: app.clock.now() })
  for (const repair of plan) {
    if (repair.act !== 'subscribe') await carryOut(app, accountUuid, repair)
  }
  return { outcome: 'compared', missing: plan.filter((repair) => repair.act === 'subscribe'), own, listed }
}

async function subscribeMissing(
  app: SubscriptionApp,
  accountUuid: string,
  needs: ReadonlyMap<string, FieldNeed[]>,
  { missing, own, listed }: ComparedLists,
): Promise<ComparedObject[]> {
  if (missing.length === 0) return []
  const timezone = (await app.store.accounts.findAccount(accountUuid))?.timezone ?? 'UTC'
  const done: ComparedObject[] = []
  for (const { object, reason } of missing) {
    const active = own.find((row) => row.state === 'active' && row.object === object)
    const failedAt = active && listed.find((entry) => entry.ownId === active.id)?.lastFailureAt
    const since = failedAt ? momentOf(failedAt, timezone) : null
    const again = await subscribeAgain(app, accountUuid, { object, reason, needs: needs.get(object) ?? [], active })
    done.push({ object, reason, since, ...again })
  }
  return done
}

const FINE = { outcome: 'fine', reason: null, since: null, message: null } as const

/** Returns all needs for events by object: from webhooks, forwarding rules, and automations that start on events. */
export async function neededObjects(
  app: Pick<SubscriptionApp, 'store' | 'fieldsOfRule'>,
  accountUuid: string,
): Promise<Map<string, FieldNeed[]>> {
  const needs: [object: string, need: FieldNeed][] = []
  for (const { objectType, fields } of await app.store.endpoints.listOutlines(accountUuid))
    needs.push([objectType, { fields: parseFields(fields) }])
  for (const { active, definition } of await app.store.automations.listAutomations(accountUuid)) {
    const { trigger } = definition
    const fields = active ? app.fieldsOfRule(definition) : null
    // The automations themselves poll the objects for which the platform sends no webhooks.
    if (fields === null || trigger.source !== 'webhook' || isPolled(trigger.object)) continue
    // Every rule must learn of a new record when it is created: the first event a rule sees of a record starts nothing.
    needs.push([trigger.object, { fields, created: true }])
  }
  const byObject = Map.groupBy(needs, ([object]) => object)
  return new Map([...byObject].map(([object, all]) => [object, all.map(([, need]) => need)]))
}

async function subscribeAgain(
  app: SubscriptionApp,
  accountUuid: string,
  input: { object: string; reason: string | null; needs: FieldNeed[]; active: SubscriptionRow | undefined },
): Promise<Pick<ComparedObject, 'outcome' | 'message'>> {
  const result = await ensureSubscription(app, accountUuid, input.object, input.needs)
  if (result.outcome === 'subscribed') return { outcome: 'repaired', message: null }
  const { active } = input
  if (active) {
    const why = input.reason ? `ServiceM8 switched it off: ${sentence(input.reason)}` : 'ServiceM8 no longer lists it.'
    const stateReason = `${why} Subscribing again did not work: ${sentence(result.message)}`
    await app.store.endpoints.updateSubscription(accountUuid, active.id, { stateReason, at: app.clock.now() })
  }
  return { outcome: 'failed', message: result.message }
}

async function carryOut(
  app: SubscriptionApp,
  accountUuid: string,
  repair: Exclude<Repair, { act: 'subscribe' }>,
): Promise<void> {
  const at = app.clock.now()
  switch (repair.act) {
    case 'note':
      return app.store.endpoints.updateSubscription(accountUuid, repair.id, {
        platformUuid: repair.platformUuid,
        stateReason: null,
        at,
      })
    case 'adopt':
      await app.store.endpoints.switchSubscription(accountUuid, {
        id: repair.id,
        fields: [...repair.fields].sort().join(','),
        replacedUntil: at + REPLACED_VALID,
        at,
      })
      app.log.info({ account: accountUuid, object: repair.object, subscription: repair.id }, 'subscription.adopted')
      return app.store.endpoints.updateSubscription(accountUuid, repair.id, { platformUuid: repair.platformUuid, at })
    case 'end':
      return app.store.endpoints.updateSubscription(accountUuid, repair.id, {
        state: 'deleted',
        stateReason: 'nobody needs it; the platform has not been told yet',
        at,
      })
    case 'drop':
      return app.store.endpoints.dropPendingSubscription(accountUuid, repair.id)
    case 'settle':
      return app.store.endpoints.updateSubscription(accountUuid, repair.id, {
        state: repair.state,
        stateReason: null,
        at,
      })
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
  // 404 means the subscription is already gone, which is the goal.
  const gone = answer.outcome === 'ok' || (answer.outcome === 'refused' && answer.status === 404)
  app.log.info({ account: accountUuid, subscription: id, gone }, 'subscription.removed')
  if (gone && id !== null) {
    await app.store.endpoints.updateSubscription(accountUuid, id, { stateReason: null, at: app.clock.now() })
  }
}
