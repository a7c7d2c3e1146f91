// Logs refused requests with the account that was asked for, or the caller's own: calls, pages, and requests turned
// away before both.
import type { AppLoadContext } from '@remix-run/node'
import type { App } from '#app/context/app-context.ts'
import { accountIdIn, readAccountId } from '#app/domain/account-id.ts'
import type { Session } from '#app/domain/session.ts'
import { recordRefusedAtTheDoor, recordRefusedCall } from '#app/features/audit/refusals.server.ts'
import { currentCaller } from '#app/lib/caller.server.ts'
import type { Refusal } from './origin-check.ts'
import { accountsOfCookies } from './session.server.ts'

export interface Asked {
  request: Request
  context: Pick<AppLoadContext, 'app' | 'clientIp'>
}

const WATCHED = /^\/(api\/.|hooks\/servicem8$|launch$)/
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])
const UUID = /^[0-9a-f-]{36}$/i

/** A JSON call was answered with 401, 403, 404 or 429. Never throws. */
export async function logRefusedCall({ request, context: { app, clientIp } }: Asked, status: number): Promise<void> {
  const url = new URL(request.url)
  if (!WATCHED.test(url.pathname)) return
  await quietly(app, async () => {
    const own = currentCaller()?.accounts[0]?.accountUuid ?? null
    const named = await accountNamedIn(app, url)
    // An unknown address without a session: not worth a line.
    if (status === 404 && named === null && own === null) return
    const refused = { method: request.method, path: url.pathname, status, accountUuid: named ?? own }
    await recordRefusedCall(app, refused, clientIp)
  })
}

/**
 * A page showed the sign-in gate instead of the requested account, or was refused for a missing role (403). A first
 * visit without a session is normal and not a refusal, but pressing a button then is. Never throws.
 */
export async function logRefusedPage(
  { request, context: { app, clientIp } }: Asked,
  shown: 'gate' | 403,
  session: Session | null,
): Promise<void> {
  if (session === null && SAFE.has(request.method)) return
  const url = new URL(request.url)
  await quietly(app, async () => {
    const accountUuid = await accountNamedIn(app, url)
    if (accountUuid === null) return
    // The session's own account, whose connection is gone: the gate is the way to reconnect.
    const own = session?.accounts.some((account) => account.accountUuid === accountUuid) ?? false
    if (own && shown === 'gate') return
    const refused = { method: request.method, path: url.pathname, status: SHOWN[shown], accountUuid }
    await recordRefusedCall(app, refused, clientIp)
  })
}

const SHOWN = { gate: 'the sign-in page', 403: 403 } as const

/** Refused before anything was read, because of its origin or a rate limit. Never throws. */
export async function logRefusedAtTheDoor(
  app: Pick<App, 'store' | 'clock' | 'log' | 'settings'>,
  { method, url, cookie, refusal }: { method: string; url: string; cookie: string | undefined; refusal: Refusal },
  clientIp: string,
): Promise<void> {
  await quietly(app, async () => {
    // Two leading slashes are a path, as in the router.
    const address = `${app.settings.origin}${url.startsWith('/') ? url : '/'}`
    const asked = URL.canParse(address) ? new URL(address) : new URL(app.settings.origin)
    const refused = { method, path: asked.pathname, status: refusal.status }
    // Looked up only for a line that is written, not for every request of a flood.
    const findWho = async () => {
      const own = await accountsOfCookies(app, cookie)
      const accountUuid = (await accountNamedIn(app, asked)) ?? own[0]?.accountUuid ?? null
      // Another site sends the cookie without its person.
      return { accountUuid, accounts: refusal.status === 429 ? own : [] }
    }
    await recordRefusedAtTheDoor(app, refused, clientIp, findWho)
  })
}

/** The account that an address names, by any of its ids; null = no existing account. */
async function accountNamedIn(app: Pick<App, 'store'>, { pathname, searchParams }: URL): Promise<string | null> {
  const inPath = pathname.split('/').filter((part) => UUID.test(part))
  for (const id of [accountIdIn(searchParams), ...inPath.map(readAccountId)]) {
    const accountUuid = id === null ? null : await app.store.accounts.resolveAccountId(id)
    if (accountUuid !== null) return accountUuid
  }
  return null
}

export async function quietly({ log }: Pick<App, 'log'>, tell: () => Promise<void>): Promise<void> {
  try {
    await tell()
  } catch (error) {
    log.error({ error }, 'audit.not_recorded')
  }
}
