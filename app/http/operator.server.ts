// Who may see the operator's page: a session with an account of ADMIN_ACCOUNTS, in a request that asks as an admin. To everybody else
// the page is not there, and that somebody looked for it is written down.
import type { AppLoadContext } from '@remix-run/node'
import { accountIdIn } from '#app/domain/account-id.ts'
import { actsAsAdmin } from '#app/domain/session.ts'
import { recordRefusedCall } from '#app/features/audit/refusals.server.ts'
import { findSession } from './session.server.ts'

interface Asked {
  request: Request
  context: Pick<AppLoadContext, 'app' | 'clientIp'>
}

interface Operator {
  /** The operator's own account, and its id as links name it. */
  accountUuid: string
  accountId: string
}

/** Without an id in the address it is any account of the session that is an admin's. Throws the 404 of an unknown page. */
export async function requireOperator({ request, context: { app, clientIp } }: Asked): Promise<Operator> {
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
  // Somebody from nowhere who guesses addresses is not worth a line.
  if (whose !== null) {
    try {
      const refused = { method: request.method, path: pathname, status: 404, accountUuid: whose }
      await recordRefusedCall(app, refused, clientIp)
    } catch (error) {
      app.log.error({ error }, 'audit.not_recorded')
    }
  }
  throw new Response(null, { status: 404, statusText: 'Not Found' })
}
