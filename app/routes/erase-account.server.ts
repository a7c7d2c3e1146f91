// Shared by the page and the call: an erased account must not keep paying.
import type { App } from '#app/context/app-context.ts'
import { type Erasing, eraseAccount } from '#app/features/accounts/erase-account.server.ts'
import { isNameTyped } from '#app/features/accounts/erasure.ts'
import { endCharges } from '#app/features/billing/manage-billing.server.ts'

/** `still_paying` = the subscription could not be ended just now, and nothing was erased. */
export async function eraseWithSubscription(
  app: App,
  accountUuid: string,
  typed: string,
): Promise<Erasing | { outcome: 'still_paying' }> {
  const account = await app.store.accounts.findAccount(accountUuid)
  if (account && !isNameTyped(typed, account)) return { outcome: 'wrong_name' }
  if (account && app.payments !== null) {
    const ended = await endCharges(app, accountUuid)
    if (ended.outcome === 'refused') return { outcome: 'still_paying' }
  }
  return eraseAccount(app, accountUuid, typed)
}
