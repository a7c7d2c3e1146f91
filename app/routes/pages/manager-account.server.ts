// Finds the account that the manager shows, or the message when there is none.
import { type LoaderFunctionArgs, redirect, type TypedResponse } from '@remix-run/node'
import type { App } from '#app/context/app-context.ts'
import { accountIdIn } from '#app/domain/account-id.ts'
import { greetingAtGate, isLinkProof } from '#app/features/accounts/gate.ts'
import { findLinkTarget } from '#app/features/accounts/link.server.ts'
import { linkQuestionAddress } from '#app/features/accounts/link-address.ts'
import { findPageAccount, type PageAccount } from '#app/features/accounts/page-account.server.ts'
import type { Remembered } from '#app/features/accounts/remembered.ts'
import { LINKED, returnMessage, SIGN_IN_TOASTS } from '#app/features/accounts/sign-in.ts'
import { readCookies, rememberedCookie, rememberedCookieName } from '#app/http/cookies.ts'
import { hasFlash, setFlash } from '#app/http/flash.server.ts'
import { findAccess } from '#app/http/guards.server.ts'
import { logRefusedPage } from '#app/http/refusals.server.ts'
import { findSession, isSecure, sentSession } from '#app/http/session.server.ts'
import type { Flash } from '#app/lib/flash.ts'

type Args = Pick<LoaderFunctionArgs, 'request' | 'context'>

/**
 * The account in the address; else the one that the sent `form` was shown for, whatever another tab has opened since;
 * else one that the browser remembers and has proved; else its latest connected one.
 */
export async function findManagerAccount({ request, context }: Args, form?: URLSearchParams): Promise<PageAccount> {
  const { app } = context
  const session = await findSession(app, request)
  const query = new URL(request.url).searchParams
  const shownFor = form && accountIdIn(query) === null ? accountIdIn(form) : null
  if (shownFor !== null) query.set('accountUUID', shownFor)
  const found = await findPageAccount(app, session, {
    query,
    adminHeader: request.headers.get('x-admin-mode'),
    remembered: rememberedIn(app, request),
  })
  if (found.outcome !== 'ready') await logRefusedPage({ request, context }, 'gate', session)
  return found
}

interface OpenedManager {
  found: PageAccount
  /** Shown once above the gate; null = none, or another message is shown. */
  greeting: string | null
  headers: Headers
}

/** Throws the redirect after a sign-in, and the one to the question when an address's token can link its id. */
export async function openManager({ request, context }: Args): Promise<OpenedManager> {
  const { app } = context
  const url = new URL(request.url)
  if (url.searchParams.has('auth')) throw await returnFromSignIn(app, request)
  const proofRefused = await askToLink(app, url)
  const found = await findManagerAccount({ request, context })
  const headers = new Headers()
  if (found.outcome === 'ready' && accountIdIn(url.searchParams) !== null) {
    for (const cookie of remember(app, request, found.accountId)) headers.append('Set-Cookie', cookie)
  }
  const silent = found.outcome !== 'sign_in' || hasFlash(app, request)
  const heldSession = sentSession(app, request) && (await findSession(app, request)) === null
  return { found, greeting: silent ? null : greetingAtGate({ heldSession, proofRefused }), headers }
}

/**
 * For an unknown id with a one-time proof: a page asks whether to link it, and its button does. An address alone
 * changes nothing. True = there was a proof, but it is invalid.
 */
async function askToLink(app: Args['context']['app'], url: URL): Promise<boolean> {
  const named = accountIdIn(url.searchParams)
  const token = url.searchParams.get('token')
  if (named === null || !isLinkProof(token) || (await app.store.accounts.resolveAccountId(named)) !== null) return false
  if ((await findLinkTarget(app, { externalId: named, token })).outcome === 'refused') return true
  throw redirect(linkQuestionAddress(url), { status: 302 })
}

/**
 * Cleans the address and turns the return's outcome into the next page's message. Anyone can write such an address:
 * shows only our own sentences, and a success only to a browser that has the account.
 */
async function returnFromSignIn(app: Args['context']['app'], request: Request): Promise<TypedResponse<never>> {
  const url = new URL(request.url)
  const named = accountIdIn(url.searchParams)
  const reason = url.searchParams.get('reason')
  const isSuccess = url.searchParams.get('auth') === 'success'
  const isHeld = named === null ? findSession(app, request) : findAccess(app, request, named)
  const description = isSuccess === (reason === LINKED) ? returnMessage(reason, named) : null
  const flash: Flash = {
    ...(isSuccess
      ? { kind: 'success', title: SIGN_IN_TOASTS.success }
      : { kind: 'error', title: SIGN_IN_TOASTS.failure }),
    ...(description !== null && { description }),
  }
  return redirectTo(app, url, ['auth', 'message', 'reason'], isSuccess && !(await isHeld) ? null : flash)
}

function redirectTo(
  app: Args['context']['app'],
  url: URL,
  without: string[],
  flash: Flash | null,
): TypedResponse<never> {
  const clean = new URLSearchParams(url.searchParams)
  for (const name of without) clean.delete(name)
  const query = clean.size > 0 ? `?${clean}` : ''
  return redirect(`${url.pathname}${query}`, {
    status: 302,
    headers: flash ? { 'Set-Cookie': setFlash(app, flash) } : {},
  })
}

/** The ids that a browser remembers: one per browser session, one long-term. They select an account, prove nothing. */
function rememberedIn(app: Pick<App, 'settings'>, request: Request): Remembered {
  const cookies = readCookies(request.headers.get('cookie'))
  const read = (kind: 'preferred' | 'last') => cookies.get(rememberedCookieName(kind, isSecure(app))) || null
  return { preferred: read('preferred'), last: read('last') }
}

/** Set-Cookie texts that make the browser remember the opened account; none when it already does. */
function remember(app: Pick<App, 'settings'>, request: Request, accountId: string): string[] {
  const held = rememberedIn(app, request)
  return (['preferred', 'last'] as const)
    .filter((kind) => held[kind] !== accountId)
    .map((kind) => rememberedCookie(kind, isSecure(app), accountId))
}
