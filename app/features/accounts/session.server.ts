import type { App } from '#app/context/app-context.ts'
import { SESSION_SEEN_EVERY, type Session, sessionOf } from '#app/domain/session.ts'
import { hashToken } from '#app/lib/token.server.ts'

/** Returns the function that hashes a cookie's token for storage and lookup. */
export function sessionHashOf({ settings }: Pick<App, 'settings'>): (token: string) => string {
  return settings.sessionHash ?? hashToken
}

/** Loads the session of a browser's cookies, at most one per kind; null when none is alive. */
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

/** Ends every session of these cookies. */
export async function endSession(app: Pick<App, 'store' | 'settings'>, tokens: string[]): Promise<void> {
  await app.store.accounts.endSessions(tokens.map(sessionHashOf(app)))
}
