// Guards the operator's page: requires a session with an account of ADMIN_ACCOUNTS, in a request that asks as an admin.
// For everyone else the page does not exist, and the attempt is logged.
import { accountIdIn } from '#app/domain/account-id.ts'
import { actsAsAdmin } from '#app/domain/session.ts'
import { recordRefusedCall } from '#app/features/audit/refusals.server.ts'
import { type Asked, quietly } from './refusals.server.ts'
import { findSession } from './session.server.ts'

/**
 * Returns the operator's own account, and its id in links. Without an id in the address, uses any admin account of the
 * session. Throws the 404 of an unknown page.
 */
export async function requireOperator({ request, context: { app, clientIp } }: Asked) {
  const { pathname, searchParams } = new URL(request.url)
  const session = await findSession(app, request)
  const named = accountIdIn(searchParams)
  const namedUuid = named === null ? null : await app.store.accounts.resolveAccountId(named)
  const asked = { query: searchParams, header: request.headers.get('x-admin-mode') }
  const own = session?.accounts.find(
    (proved) =>
      (named === null || proved.accountUuid === namedUuid) && actsAsAdmin(app.settings.adminAccounts, proved, asked),
  )
  if (own) return { accountUuid: own.accountUuid, accountId: named ?? own.accountUuid }
  const whose = namedUuid ?? session?.accounts[0]?.accountUuid ?? null
  // An anonymous caller who guesses addresses is not worth a line.
  if (whose !== null) {
    const refused = { method: request.method, path: pathname, status: 404, accountUuid: whose }
    await quietly(app, () => recordRefusedCall(app, refused, clientIp))
  }
  throw new Response(null, { status: 404, statusText: 'Not Found' })
}
