// What the page and the call share: nobody goes on paying for an account that is gone.
import type { App } from '#app/app-context.ts'
import { type Erasing, eraseAccount } from '#app/features/accounts/erase-account.server.ts'
import { isNameTyped } from '#app/features/accounts/erasure.ts'
import { setCancellation } from '#app/features/billing/manage-billing.server.ts'

/** `still_paying` = the subscription could not be ended just now, and nothing was done. */
export async function eraseWithSubscription(
  app: App,
  accountUuid: string,
  typed: string,
): Promise<Erasing | { outcome: 'still_paying' }> {
  const account = await app.store.findAccount(accountUuid)
  if (account && !isNameTyped(typed, account)) return { outcome: 'wrong_name' }
  const plan = app.payments === null ? null : await app.store.findPlan(accountUuid)
  if (plan?.subscriptionId) {
    const ended = await setCancellation(app, accountUuid, true)
    // 409 = there is nothing to end.
    if (ended.outcome === 'refused' && ended.status !== 409) return { outcome: 'still_paying' }
  }
  return eraseAccount(app, accountUuid, typed)
}
