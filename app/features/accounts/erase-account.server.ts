// Erases an account in two phases: one transaction stops everything that acts for it; the data goes a little later in
// steps, when nothing is under way any more. A crash in between delays the erasure and loses nothing.
import type { App } from '#app/context/app-context.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hours } from '#app/lib/duration.ts'
import { hashToken } from '#app/lib/token.server.ts'
import { pause } from '#app/lib/turns.server.ts'
import { ERASED, isNameTyped, LAST_EFFECTS_END } from './erasure.ts'

type ErasureApp = Pick<
  App,
  'store' | 'clock' | 'log' | 'settings' | 'callAsAccount' | 'wakeDeliveries' | 'wakeRuns' | 'rulesChanged'
>

export type Erasing = { outcome: 'begun' } | { outcome: 'wrong_name' } | { outcome: 'under_way' }

/** `typed` = the account's name as the user typed it. */
export async function eraseAccount(app: ErasureApp, accountUuid: string, typed: string): Promise<Erasing> {
  const account = await app.store.accounts.findAccount(accountUuid)
  if (!account) return { outcome: 'under_way' }
  if (!isNameTyped(typed, account)) return { outcome: 'wrong_name' }
  const at = app.clock.now()
  const begun = await app.store.accounts.beginErasure(accountUuid, {
    code: 'account_erased',
    reason: ERASED,
    at,
    removeAt: at + LAST_EFFECTS_END,
  })
  if (begun === null) return { outcome: 'under_way' }
  app.log.warn({ account: accountUuid, addresses: begun.endpointIds.length }, 'account.erasure_begun')
  for (const endpointId of begun.endpointIds) app.wakeDeliveries(endpointId)
  app.rulesChanged()
  app.wakeRuns()
  await endPlatformSubscriptions(app, accountUuid)
  return { outcome: 'begun' }
}

const ROWS_PER_STEP = 200
const PAUSE_MS = 20
/** Litestream, for one, never stops reading: without an end, the firm could not come back. */
const LOG_TRIED_FOR = hours(1)

/** What of an account is gone, while the file's log may still hold it. A new process removes it again. */
type Removed = { at: Millis; platformNotified: boolean }
const removedOf = new WeakMap<App['store'], Map<string, Removed>>()

/** False = the payment provider could not end the account's charges just now. */
export type EndCharges = (accountUuid: string) => Promise<boolean>

/** Removes accounts whose last effects are over. Run every minute. `signal` ends it early; the next run continues. */
export async function finishErasures(app: ErasureApp, endCharges: EndCharges, signal?: AbortSignal): Promise<void> {
  const known = removedOf.get(app.store) ?? new Map<string, Removed>()
  removedOf.set(app.store, known)
  for (const { accountUuid, removeAt } of await app.store.accounts.erasuresUnderWay()) {
    if (signal?.aborted) return
    if (app.clock.now() < removeAt) continue
    // The same account may have been erased before.
    const key = `${accountUuid} ${removeAt}`
    try {
      const removed = known.get(key) ?? (await remove(app, accountUuid, endCharges, signal))
      if (removed === null) continue
      known.set(key, removed)
      if (await close(app, accountUuid, removed)) known.delete(key)
    } catch (error) {
      app.log.error({ account: accountUuid, error }, 'account.erasure_failed')
    }
  }
}

/** Null = not all of it yet. */
async function remove(app: ErasureApp, accountUuid: string, endCharges: EndCharges, signal?: AbortSignal) {
  // An erasure by the operator's command comes here with its subscription.
  if (!(await endCharges(accountUuid))) {
    app.log.warn({ account: accountUuid }, 'account.still_paying')
    return null
  }
  const platformNotified = await endPlatformSubscriptions(app, accountUuid)
  while (await app.store.accounts.eraseHistoryStep(accountUuid, ROWS_PER_STEP)) {
    if (signal?.aborted) return null
    await pause(app.clock, PAUSE_MS)
  }
  await app.store.accounts.endErasure(accountUuid, { answerGone: !platformNotified })
  // The key goes last: nothing encrypted for the account can be read in this file any more. The erasure note goes after
  // it, so that no crash forgets a key.
  await app.store.accounts.forgetAccountKey(accountUuid)
  return { at: app.clock.now(), platformNotified }
}

async function close(app: ErasureApp, accountUuid: string, { at, platformNotified }: Removed): Promise<boolean> {
  // While somebody reads, the file's log keeps the key: the next minute tries again.
  if (!(await app.store.ops.emptyLog(0))) {
    if (app.clock.now() < at + LOG_TRIED_FOR) return false
    app.log.warn({ account: accountUuid }, 'account.log_not_emptied')
  }
  await app.store.accounts.closeErasure(accountUuid)
  app.log.warn({ account: accountUuid, platformNotified }, 'account.erased')
  return true
}

/**
 * Best effort, never throws: an address the platform still calls answers 410, which also ends the subscription. Returns
 * true when the platform holds none of our subscriptions any more.
 */
async function endPlatformSubscriptions(app: ErasureApp, accountUuid: string): Promise<boolean> {
  try {
    const own = await app.store.endpoints.listSubscriptions(accountUuid)
    if (own.length === 0) return true
    const listed = await app.callAsAccount(accountUuid, (api, token) => api.listSubscriptions(token))
    if (listed.outcome !== 'ok') {
      app.log.warn({ account: accountUuid, reason: listed.outcome }, 'account.subscriptions_left')
      return false
    }
    const hashes = new Set(own.map(({ tokenHash }) => tokenHash))
    const start = `${app.settings.origin}/hooks/platform/`
    const ours = listed.value.filter(
      ({ callbackUrl }) => callbackUrl.startsWith(start) && hashes.has(hashToken(callbackUrl.slice(start.length))),
    )
    let all = true
    for (const { uuid } of ours) {
      const gone = await app.callAsAccount(accountUuid, (api, token) => api.deleteSubscription(token, uuid))
      all &&= gone.outcome === 'ok' || (gone.outcome === 'refused' && gone.status === 404)
    }
    return all
  } catch (error) {
    app.log.error({ account: accountUuid, error }, 'account.subscriptions_left')
    return false
  }
}
