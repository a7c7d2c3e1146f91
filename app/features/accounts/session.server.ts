import type { App } from '#app/context/app-context.ts'
import { SESSION_SEEN_EVERY, type Session, sessionOf } from '#app/domain/session.ts'
import { hashToken } from '#app/lib/token.server.ts'

/** What the token in a cookie is stored and found as. */
export function sessionHashOf({ settings }: Pick<App, 'settings'>): (token: string) => string {
  return settings.sessionHash ?? hashToken
}

/** The session behind the cookies a browser sent, at most one per kind; null when none of them lives. */
export async function loadSession(
  app: Pick<App, 'store' | 'clock' | 'settings'>,
  tokens: string[],
): Promise<Session | null> {
  if (tokens.length === 0) return null
  const now = app.clock.now()
  const stored = await app.store.accounts.findSessions(tokens.map(sessionHashOf(app)))
  const session = sessionOf(stored, now)
  if (!session) return null
  for (const { tokenHash, lastSeenAt } of stored) {
    const living = session.tokenHashes.includes(tokenHash)
    if (living && now - lastSeenAt >= SESSION_SEEN_EVERY) await app.store.accounts.touchSession(tokenHash)
  }
  return session
}

/** Signs the browser out of everything these cookies stand for. */
export async function endSession(app: Pick<App, 'store' | 'settings'>, tokens: string[]): Promise<void> {
  await app.store.accounts.endSessions(tokens.map(sessionHashOf(app)))
}
