import type { App } from '#app/context/app-context.ts'
import type { Session } from '#app/domain/session.ts'
import { asOperator } from '#app/lib/caller.server.ts'
import { hashToken } from '#app/lib/token.server.ts'
import { isSessionId, type OpenSession, openSessions } from './open-sessions.ts'

/** What a session is called outside: nothing can be opened with it, and it says nothing about other accounts of the same browser. */
function shownIdFor(accountUuid: string): (tokenHash: string) => string {
  return (tokenHash) => hashToken(`shown session|${accountUuid}|${tokenHash}`).slice(0, 22)
}

/** `current` = the session that asks; null = none of them is marked. */
export async function listOpenSessions(
  app: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  current: Session | null,
): Promise<OpenSession[]> {
  const stored = await app.store.accounts.listSessions(accountUuid)
  const shownId = shownIdFor(accountUuid)
  return openSessions(stored, { now: app.clock.now(), current: current?.tokenHashes ?? [], shownId })
}

/** False = no such session of these accounts. The browser that asks is listed once: all it holds of the account ends together. */
export async function endOpenSession(
  app: Pick<App, 'store' | 'log'>,
  accountUuids: readonly string[],
  id: string | undefined,
  current: Session | null,
): Promise<boolean> {
  if (!isSessionId(id)) return false
  for (const accountUuid of accountUuids) {
    const shownId = shownIdFor(accountUuid)
    const stored = await app.store.accounts.listSessions(accountUuid)
    const found = stored.find(({ tokenHash }) => shownId(tokenHash) === id)
    if (!found) continue
    const own = current?.tokenHashes ?? []
    await app.store.accounts.endSessionsOf(accountUuid, own.includes(found.tokenHash) ? own : [found.tokenHash])
    app.log.info({ account: accountUuid }, 'session.ended')
    return true
  }
  return false
}

/**
 * For the operator: every browser is signed out of an account, which the account's own log tells as asked for by the operator.
 * Whether the caller is one has been checked. Answers how many it were.
 */
export function endSessionsOfAccount(app: Pick<App, 'store' | 'log'>, accountUuid: string): Promise<number> {
  return asOperator(() => endEverySession(app, accountUuid))
}

/** Every browser is signed out of the account, this one too. Answers how many it were. */
export async function endEverySession(app: Pick<App, 'store' | 'log'>, accountUuid: string): Promise<number> {
  const ended = await app.store.accounts.endSessionsOf(accountUuid, null)
  app.log.info({ account: accountUuid, ended }, 'sessions.ended')
  return ended
}
