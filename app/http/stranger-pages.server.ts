// The sign-in gate and the unknown-address page for people without a session, and the API reference for everyone. The
// router renders each of the few kinds once; later requests get it with their own account, token and nonce filled in,
// at a fifth of the cost. Addresses with a message, a proof or an act use the router, and unknown ones of an account.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { AppLoadContext } from '@remix-run/node'
import type { App } from '#app/context/app-context.ts'
import { ACCOUNT_PARTS, accountInAddress } from '#app/domain/account-address.ts'
import { accountIdIn } from '#app/domain/account-id.ts'
import { isLinkProof } from '#app/features/accounts/gate.ts'
import { REFERENCE_PARTS, REFERENCE_PATH, referenceAddress } from '#app/features/reference/reference-places.ts'
import { workGoesOn } from '#app/lib/caller.server.ts'
import { flashCookieName, readCookies, sessionCookieName } from './cookies.ts'
import { cutPage, fillPage, type PageTemplate } from './page-template.ts'
import { accountsOfCookies, isSecure, sessionHashesIn } from './session.server.ts'

/** Pages that show the gate without a session, whatever else their address says besides account and token. */
const GATED = new Set([
  ...['/', '/fieldhook', '/automation', '/automation/runs', '/automation/settings'],
  ...['/deliveries', '/account', '/subscription'],
  ...ACCOUNT_PARTS.map((part) => `/account/${part}`),
])
/** These show no account data, and are the longest pages. */
const FOR_ANYBODY = new Set([REFERENCE_PATH, ...REFERENCE_PARTS.map((part) => referenceAddress(part))])
/** These need an account in the address. */
const OF_AN_ACCOUNT = new Set(['/subscription'])
/** The router's own: page data and the page list. */
const OF_THE_ROUTER = /\.data$|^\/__/

interface StrangerPage {
  status: number
  headers: Readonly<Record<string, string>>
  body: Buffer
}

/** Null = let the router answer. */
export type StrangerPages = (
  req: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  nonce: string,
) => Promise<StrangerPage | null>

interface Kept {
  status: number
  headers: Readonly<Record<string, string>>
  page: PageTemplate
}

/** Requests with the same kind share one rendered page. */
interface Kind {
  path: string
  account: boolean
  token: boolean
  /** The browser sent an expired session: the gate mentions it. */
  heldSession: boolean
}

export function createStrangerPages(
  app: App,
  draw: (request: Request, context: AppLoadContext) => Promise<Response>,
  isUnknown: (path: string) => boolean,
): StrangerPages {
  const { origin } = app.settings
  const mark = randomBytes(9).toString('hex')
  const slots = { nonce: `nonce-${mark}`, account: `account-${mark}`, token: `token-${mark}` }
  const unknownPath = `/unknown-${mark}`
  const kept = new Map<string, Promise<Kept | null>>()
  const secure = isSecure(app)

  async function make(kind: Kind): Promise<Kept | null> {
    const { path, account, token, heldSession } = kind
    const query = new URLSearchParams({
      ...(account && { accountUUID: slots.account }),
      ...(token && { token: slots.token }),
    })
    const here = `${path}${query.size > 0 ? `?${query}` : ''}`
    // A bot gets the whole page at once, not in pieces that scripts put together.
    const headers: Record<string, string> = { 'user-agent': 'Googlebot' }
    if (heldSession) headers.cookie = `${sessionCookieName('tab', secure)}=${mark}`
    const context = { app, clientIp: '', nonce: slots.nonce } satisfies AppLoadContext
    const drawn = await draw(new Request(`${origin}${here}`, { headers }), context)
    const html = await drawn.text()
    // A transient failure: the next request tries again.
    if (drawn.status >= 500) kept.delete(keyOf(kind))
    if (!isPlainPage(drawn) || drawn.status !== (path === unknownPath ? 404 : 200) || html.includes(unknownPath)) {
      return null
    }
    // A page without a link to itself has nothing to fill in; a plain path could match any other link.
    const page = cutPage(html, { ...slots, ...(query.size > 0 && { here }) })
    return { status: drawn.status, headers: Object.fromEntries(drawn.headers), page }
  }

  function find(kind: Kind): Promise<Kept | null> {
    const key = keyOf(kind)
    let found = kept.get(key)
    if (!found) {
      found = make(kind)
      kept.set(key, found)
      // The next request tries again.
      found.catch(() => kept.delete(key))
    }
    return found
  }

  async function gate(address: URL, cookies: string, nonce: string): Promise<StrangerPage | null> {
    const named = namedAtGate(address)
    if (named === null) return null
    const { account, token } = named
    const heldSession = sessionHashesIn(app, cookies).length > 0
    if (heldSession && (await accountsOfCookies(app, cookies)).length > 0) return null
    const found = await find({ path: address.pathname, account: account !== '', token: token !== '', heldSession })
    workGoesOn()
    return found && answer(found, { nonce, account, token, here: `${address.pathname}${address.search}` })
  }

  /** Null = no page for everybody. With an account in its address, the browser draws that account's navigation. */
  function pathForAnybody({ pathname, search }: URL): string | null {
    if (FOR_ANYBODY.has(pathname)) return pathname
    const isKept = isUnknown(pathname) && !OF_THE_ROUTER.test(pathname) && accountInAddress(search) === null
    return isKept ? unknownPath : null
  }

  return async ({ method, url = '', headers }, nonce) => {
    const address = method === 'GET' || method === 'HEAD' ? readableAddress(url, origin) : null
    if (address === null) return null
    const cookies = headers.cookie ?? ''
    if (readCookies(cookies).has(flashCookieName(secure))) return null
    const path = pathForAnybody(address)
    if (path === null) return gate(address, cookies, nonce)
    const found = await find({ path, account: false, token: false, heldSession: false })
    return found && answer(found, { nonce, account: '', token: '', here: '' })
  }
}

function keyOf({ path, account, token, heldSession }: Kind): string {
  return JSON.stringify([path, account, token, heldSession])
}

/** Account and token in a gate's address; null = not a gate, or the address proves something or asks for an act. */
function namedAtGate({ pathname, searchParams }: URL): { account: string; token: string } | null {
  if (!GATED.has(pathname) || searchParams.has('auth')) return null
  const account = accountIdIn(searchParams) ?? ''
  const token = searchParams.get('token') ?? ''
  if (isLinkProof(token) || (account === '' && (token !== '' || OF_AN_ACCOUNT.has(pathname)))) return null
  return { account, token }
}

function isPlainPage({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/html') === true && !headers.has('set-cookie')
}

/** Another check refuses a broken escape in an address. */
function readableAddress(url: string, origin: string): URL | null {
  if (!/^\/(?!\/)/.test(url)) return null
  const address = new URL(url, origin)
  try {
    decodeURIComponent(address.pathname)
    return address
  } catch {
    return null
  }
}

function answer({ status, headers, page }: Kept, filling: Parameters<typeof fillPage>[1]): StrangerPage {
  return { status, headers, body: fillPage(page, filling) }
}
