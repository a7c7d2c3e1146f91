// The sign-in gate and the page of unknown addresses for people without a session, and the API reference for everybody. The router
// draws each once for each of its few kinds; whoever comes next gets it with the own account, token and nonce filled in, for a fifth of the work. What a message, a proof
// or an act comes with goes the long way.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { AppLoadContext } from '@remix-run/node'
import type { App } from '#app/context/app-context.ts'
import { accountIdIn } from '#app/domain/account-id.ts'
import { isLinkProof } from '#app/features/accounts/gate.ts'
import { workGoesOn } from '#app/lib/caller.server.ts'
import { flashCookieName, readCookies, sessionCookieName } from './cookies.ts'
import { cutPage, fillPage, type PageTemplate } from './page-template.ts'
import { accountsOfCookies, isSecure, sessionHashesIn } from './session.server.ts'

/** Pages that show the gate to somebody without a session, whatever their address says besides account and token. */
const GATED = new Set([
  ...['/', '/fieldhook', '/automation', '/automation/runs', '/automation/settings'],
  ...['/deliveries', '/account', '/subscription'],
])
/** Shows nothing of any account, and is the longest of all. */
const FOR_ANYBODY = new Set(['/api-reference'])
/** Of these an account has to be named. */
const OF_AN_ACCOUNT = new Set(['/subscription'])
/** The router's own: data of pages, and the list of them. */
const OF_THE_ROUTER = /\.data$|^\/__/

interface StrangerPage {
  status: number
  headers: Readonly<Record<string, string>>
  body: Buffer
}

/** Null = the router answers. */
export type StrangerPages = (
  req: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  nonce: string,
) => Promise<StrangerPage | null>

interface Kept {
  status: number
  headers: Readonly<Record<string, string>>
  page: PageTemplate
}

/** What is drawn alike but for what is filled in. */
interface Kind {
  path: string
  account: boolean
  token: boolean
  /** The browser sent what is no session any more: the gate says so. */
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
    // What comes to readers without scripts comes at once, and not in pieces that scripts put together.
    const headers: Record<string, string> = { 'user-agent': 'Googlebot' }
    if (heldSession) headers.cookie = `${sessionCookieName('tab', secure)}=${mark}`
    const context = { app, clientIp: '', nonce: slots.nonce } satisfies AppLoadContext
    const drawn = await draw(new Request(`${origin}${here}`, { headers }), context)
    const html = await drawn.text()
    // Something passing: the next one tries again.
    if (drawn.status >= 500) kept.delete(keyOf(kind))
    if (!isPlainPage(drawn) || drawn.status !== (path === unknownPath ? 404 : 200) || html.includes(unknownPath)) {
      return null
    }
    // What shows no link to itself has none to fill in; a plain path could be any other link.
    const page = cutPage(html, { ...slots, ...(query.size > 0 && { here }) })
    return { status: drawn.status, headers: Object.fromEntries(drawn.headers), page }
  }

  function find(kind: Kind): Promise<Kept | null> {
    const key = keyOf(kind)
    let found = kept.get(key)
    if (!found) {
      found = make(kind)
      kept.set(key, found)
      // The next one tries again.
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

  return async ({ method, url = '', headers }, nonce) => {
    const address = method === 'GET' || method === 'HEAD' ? readableAddress(url, origin) : null
    if (address === null) return null
    const { pathname } = address
    const cookies = headers.cookie ?? ''
    if (readCookies(cookies).has(flashCookieName(secure))) return null
    const unknown = isUnknown(pathname) && !OF_THE_ROUTER.test(pathname)
    if (!unknown && !FOR_ANYBODY.has(pathname)) return gate(address, cookies, nonce)
    const found = await find({
      path: unknown ? unknownPath : pathname,
      account: false,
      token: false,
      heldSession: false,
    })
    return found && answer(found, { nonce, account: '', token: '', here: '' })
  }
}

function keyOf({ path, account, token, heldSession }: Kind): string {
  return JSON.stringify([path, account, token, heldSession])
}

/** Account and token in the address of a gate; null = it is none, or the address proves something or asks for an act. */
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

/** Half an escape in an address is refused elsewhere. */
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
