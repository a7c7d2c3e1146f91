import type { App } from '#app/context/app-context.ts'
import { type ProvedAccount, type Session, sessionOf } from '#app/domain/session.ts'
import { endSession, loadSession, sessionHashOf } from '#app/features/accounts/session.server.ts'
import { recordAudit } from '#app/features/audit/audit.server.ts'
import { noteProved } from '#app/lib/caller.server.ts'
import { endedSessionCookie, readCookies, type SessionKind, sessionCookieName } from './cookies.ts'

const KINDS: readonly SessionKind[] = ['tab', 'frame']

/** Whether the public address is https. Cookies have other names and flags then. */
export function isSecure(app: Pick<App, 'settings'>): boolean {
  return app.settings.origin.startsWith('https:')
}

/** What the request's browser has proved, or null. */
export async function findSession(
  app: Pick<App, 'store' | 'clock' | 'settings'>,
  request: Request,
): Promise<Session | null> {
  const session = await loadSession(app, tokensOf(app, request, KINDS))
  noteProved(session?.accounts ?? [])
  return session
}

/** The accounts of a raw `Cookie` header. This lookup does not extend a session. */
export async function accountsOfCookies(
  app: Pick<App, 'store' | 'clock' | 'settings'>,
  cookie: string | undefined,
): Promise<ProvedAccount[]> {
  const tokens = tokensIn(app, cookie ?? null, KINDS)
  const stored = await app.store.accounts.findSessions(tokens.map(sessionHashOf(app)))
  return sessionOf(stored, app.clock.now())?.accounts ?? []
}

/** The stored hashes of the sessions in a `Cookie` header. Says nothing about whether these sessions exist. */
export function sessionHashesIn(app: Pick<App, 'settings'>, cookie: string): string[] {
  return tokensIn(app, cookie, KINDS).map(sessionHashOf(app))
}

/** Whether the browser sent a current or former session. */
export function sentSession(app: Pick<App, 'settings'>, request: Request): boolean {
  return tokensOf(app, request, KINDS).length > 0
}

/** Hashes of the current session of one kind: a new session of that kind replaces it. */
export async function sessionsToReplace(
  app: Pick<App, 'store' | 'clock' | 'settings'>,
  request: Request,
  kind: SessionKind,
): Promise<string[]> {
  return (await sessionOfKind(app, request, kind))?.tokenHashes ?? []
}

/** What the browser has proved in its tabs or inside the platform's frame, or null. */
export function sessionOfKind(
  app: Pick<App, 'store' | 'clock' | 'settings'>,
  request: Request,
  kind: SessionKind,
): Promise<Session | null> {
  return loadSession(app, tokensOf(app, request, [kind]))
}

/** Ends the browser's sessions and returns the cookies that do so. */
export async function signOut(
  app: Pick<App, 'store' | 'settings' | 'clock' | 'log'>,
  request: Request,
): Promise<string[]> {
  const session = await findSession(app, request)
  await endSession(app, tokensOf(app, request, KINDS))
  for (const { accountUuid } of session?.accounts ?? []) await recordAudit(app, { accountUuid, action: 'sign_out' })
  return KINDS.map((kind) => endedSessionCookie(kind, isSecure(app)))
}

function tokensOf(app: Pick<App, 'settings'>, request: Request, kinds: readonly SessionKind[]): string[] {
  return tokensIn(app, request.headers.get('cookie'), kinds)
}

function tokensIn(app: Pick<App, 'settings'>, cookie: string | null, kinds: readonly SessionKind[]): string[] {
  const cookies = readCookies(cookie)
  return kinds.flatMap((kind) => cookies.get(sessionCookieName(kind, isSecure(app))) || [])
}
