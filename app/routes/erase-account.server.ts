// Shared by the page and the call: an erased account must not keep paying.
import type { App } from '#app/context/app-context.ts'
import { isCharged } from '#app/domain/plan.ts'
import { type Erasing, eraseAccount } from '#app/features/accounts/erase-account.server.ts'
import { isNameTyped } from '#app/features/accounts/erasure.ts'
import { chargesEnded } from '#app/features/billing/manage-billing.server.ts'

/** Nothing was erased: the subscription could not be ended just now, or only by the operator: payments are off. */
export async function eraseWithSubscription(
  app: App,
  accountUuid: string,
  typed: string,
): Promise<Erasing | { outcome: 'still_paying' | 'payments_off' }> {
  const account = await app.store.accounts.findAccount(accountUuid)
  if (account && !isNameTyped(typed, account)) return { outcome: 'wrong_name' }
  if (account && app.payments === null && isCharged(await app.store.billing.findPlan(accountUuid)))
    return { outcome: 'payments_off' }
  if (account && !(await chargesEnded(app, accountUuid))) return { outcome: 'still_paying' }
  return eraseAccount(app, accountUuid, typed)
}
