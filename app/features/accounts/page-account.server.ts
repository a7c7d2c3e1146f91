// Decides which account a page shows, or why it shows the sign-in gate.
import type { App } from '#app/context/app-context.ts'
import { accountIdIn } from '#app/domain/account-id.ts'
import { CREDENTIAL_MESSAGES } from '#app/domain/credential.ts'
import type { Role } from '#app/domain/people.ts'
import { type ActingAccount, actsAsAdmin, type Session } from '#app/domain/session.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { AccountRow } from '#db/store/accounts.ts'
import { missingScopes } from './permissions.ts'
import { idsToTry, NOTHING_REMEMBERED, type Remembered } from './remembered.ts'

export type PageAccount =
  /** The URL names no account, and the session has none to pick. */
  | { outcome: 'no_account' }
  /** The URL names an account this browser has not proved, or (`proved`) one that was never connected. */
  | { outcome: 'sign_in'; accountId: string; proved: boolean }
  | {
      outcome: 'ready'
      account: AccountRow
      /** As the URL names it, for links. */
      accountId: string
      admin: boolean
      /** Set when the platform no longer accepts the connection: the page still shows all and asks to sign in. */
      reconnect: string | null
      /** Permissions that only a new sign-in can grant; empty when none is missing. */
      missingScopes: string[]
      role: Role
      /** `provedAt`: when the current identity was proved; `freshAt`: the latest proof. */
      proof: ActingAccount['proof']
      provedAt: Millis
      freshAt: Millis
      /** The person who is signed in, if the platform said so. */
      staffUuid: string | null
    }

interface Asked {
  query: URLSearchParams
  adminHeader: string | null
  /** The ids the browser remembers; missing when there are none. */
  remembered?: Remembered
}

/**
 * Without an id in the URL, picks a remembered id that the session has proved; otherwise the latest proved account with
 * a token; otherwise the latest that must reconnect (spec, section 4).
 */
export async function findPageAccount(
  app: Pick<App, 'store' | 'settings'>,
  session: Session | null,
  asked: Asked,
): Promise<PageAccount> {
  const named = accountIdIn(asked.query)
  if (named === null) return pickAccount(app, session, asked)
  const accountUuid = session ? await app.store.accounts.resolveAccountId(named) : null
  const proved = session?.accounts.find((account) => account.accountUuid === accountUuid)
  const ready = proved ? await readyAccount(app, proved, named, asked) : null
  return ready ?? { outcome: 'sign_in', accountId: named, proved: proved !== undefined }
}

async function pickAccount(
  app: Pick<App, 'store' | 'settings'>,
  session: Session | null,
  asked: Asked,
): Promise<PageAccount> {
  const proved = [...(session?.accounts ?? [])].sort((a, b) => b.freshAt - a.freshAt)
  for (const id of idsToTry(asked.remembered ?? NOTHING_REMEMBERED, app.settings.autoLoadExcludes ?? [])) {
    const accountUuid = await app.store.accounts.resolveAccountId(id)
    const account = proved.find((one) => one.accountUuid === accountUuid)
    if (!account) continue
    const ready = await readyAccount(app, account, id, asked)
    if (ready) return ready
  }
  let broken: PageAccount | null = null
  for (const one of proved) {
    const ready = await readyAccount(app, one, one.accountUuid, asked)
    if (ready?.outcome === 'ready' && ready.reconnect === null) return ready
    broken ??= ready
  }
  return broken ?? { outcome: 'no_account' }
}

async function readyAccount(
  app: Pick<App, 'store' | 'settings'>,
  { accountUuid, role, proof, provedAt, freshAt, staffUuid }: ActingAccount,
  accountId: string,
  asked: Asked,
): Promise<PageAccount | null> {
  const account = await app.store.accounts.findAccount(accountUuid)
  const credential = await app.store.accounts.findCredential(accountUuid)
  if (!account || !credential) return null
  return {
    outcome: 'ready',
    account,
    accountId,
    admin: actsAsAdmin(
      app.settings.adminAccounts,
      { accountUuid, staffUuid },
      { query: asked.query, header: asked.adminHeader },
    ),
    reconnect: credential.state === 'reconnect' ? CREDENTIAL_MESSAGES.reconnect : null,
    missingScopes: missingScopes(credential, app.settings.scopes),
    role,
    proof,
    provedAt,
    freshAt,
    staffUuid,
  }
}
