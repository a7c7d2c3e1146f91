// Which account a page shows, or why it shows the sign-in gate.
import type { App } from '#app/app-context.ts'
import type { AccountRow } from '#db/store/accounts.ts'
import { accountIdIn } from './account-id.ts'
import { CREDENTIAL_MESSAGES } from './credential.ts'
import { actsAsAdmin, type Session } from './session.ts'

export type PageAccount =
  /** The address names no account, and the session holds none to pick. */
  | { outcome: 'no_account' }
  /** The address names an account this browser has not proved, or one that was never connected. */
  | { outcome: 'sign_in'; accountId: string }
  | {
      outcome: 'ready'
      account: AccountRow
      /** As the address names it: for links. */
      accountId: string
      admin: boolean
      /** The platform no longer accepts the connection: the page still shows everything and asks to sign in again. */
      reconnect: string | null
    }

/** Without an id in the address the session's latest connected account is picked (spec, section 4). */
export async function findPageAccount(
  app: Pick<App, 'store' | 'settings'>,
  session: Session | null,
  asked: { query: URLSearchParams; adminHeader: string | null },
): Promise<PageAccount> {
  const named = accountIdIn(asked.query)
  if (named === null) return pickAccount(app, session, asked)
  const accountUuid = session ? await app.store.resolveAccountId(named) : null
  const proved = session?.accounts.some((account) => account.accountUuid === accountUuid) ?? false
  if (accountUuid === null || !proved) return { outcome: 'sign_in', accountId: named }
  return (await readyAccount(app, accountUuid, named, asked)) ?? { outcome: 'sign_in', accountId: named }
}

async function pickAccount(
  app: Pick<App, 'store' | 'settings'>,
  session: Session | null,
  asked: { query: URLSearchParams; adminHeader: string | null },
): Promise<PageAccount> {
  const latestFirst = [...(session?.accounts ?? [])].sort((a, b) => b.provedAt - a.provedAt)
  for (const { accountUuid } of latestFirst) {
    const ready = await readyAccount(app, accountUuid, accountUuid, asked)
    if (ready) return ready
  }
  return { outcome: 'no_account' }
}

async function readyAccount(
  app: Pick<App, 'store' | 'settings'>,
  accountUuid: string,
  accountId: string,
  asked: { query: URLSearchParams; adminHeader: string | null },
): Promise<PageAccount | null> {
  const account = await app.store.findAccount(accountUuid)
  const credential = await app.store.findCredential(accountUuid)
  if (!account || !credential) return null
  return {
    outcome: 'ready',
    account,
    accountId,
    admin: actsAsAdmin(app.settings.adminAccounts, accountUuid, { query: asked.query, header: asked.adminHeader }),
    reconnect: credential.state === 'reconnect' ? CREDENTIAL_MESSAGES.reconnect : null,
  }
}
