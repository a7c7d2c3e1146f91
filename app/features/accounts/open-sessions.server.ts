import type { App } from '#app/context/app-context.ts'
import type { Session } from '#app/domain/session.ts'
import { asOperator } from '#app/lib/caller.server.ts'
import { hashToken } from '#app/lib/token.server.ts'
import { isSessionId, type OpenSession, openSessions } from './open-sessions.ts'

/** Derives a session's public id: it opens nothing and reveals nothing about the same browser's other accounts. */
function shownIdFor(accountUuid: string): (tokenHash: string) => string {
  return (tokenHash) => hashToken(`shown session|${accountUuid}|${tokenHash}`).slice(0, 22)
}

/** `current` = the requesting session, which is marked; null when none is. */
export async function listOpenSessions(
  app: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  current: Session | null,
): Promise<OpenSession[]> {
  const stored = await app.store.accounts.listSessions(accountUuid)
  const shownId = shownIdFor(accountUuid)
  return openSessions(stored, { now: app.clock.now(), current: current?.tokenHashes ?? [], shownId })
}

/** False = no such session of these accounts. The requesting browser is one entry, whose sessions end together. */
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
 * For the operator: signs every browser out of an account. The account's own audit log names the operator. The caller
 * has checked that the request comes from the operator. Returns the number of sessions.
 */
export function endSessionsOfAccount(app: Pick<App, 'store' | 'log'>, accountUuid: string): Promise<number> {
  return asOperator(() => endEverySession(app, accountUuid))
}

/** Signs every browser out of the account, including this one. Returns the number of sessions. */
export async function endEverySession(app: Pick<App, 'store' | 'log'>, accountUuid: string): Promise<number> {
  const ended = await app.store.accounts.endSessionsOf(accountUuid, null)
  app.log.info({ account: accountUuid, ended }, 'sessions.ended')
  return ended
}
