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

  async function make({ path, account, token, heldSession }: Kind): Promise<Kept | null> {
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
    const isPage = drawn.headers.get('content-type')?.startsWith('text/html') && !drawn.headers.has('set-cookie')
    // Something passing: the next one tries again.
    if (drawn.status >= 500) kept.delete(keyOf({ path, account, token, heldSession }))
    if (!isPage || drawn.status !== (path === unknownPath ? 404 : 200) || html.includes(unknownPath)) return null
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

  return async ({ method, url = '', headers }, nonce) => {
    if ((method !== 'GET' && method !== 'HEAD') || !/^\/(?!\/)/.test(url)) return null
    const address = new URL(url, origin)
    const { pathname, searchParams } = address
    if (!canBeRead(pathname)) return null
    const cookies = headers.cookie ?? ''
    if (cookies !== '' && readCookies(cookies).has(flashCookieName(secure))) return null
    if (isUnknown(pathname) && !OF_THE_ROUTER.test(pathname)) {
      const found = await find({ path: unknownPath, account: false, token: false, heldSession: false })
      return found && answer(found, { nonce, account: '', token: '', here: '' })
    }
    if (FOR_ANYBODY.has(pathname)) {
      const found = await find({ path: pathname, account: false, token: false, heldSession: false })
      return found && answer(found, { nonce, account: '', token: '', here: '' })
    }
    if (!GATED.has(pathname) || searchParams.has('auth')) return null
    const account = accountIdIn(searchParams) ?? ''
    const token = searchParams.get('token') ?? ''
    if (isLinkProof(token) || (account === '' && (token !== '' || OF_AN_ACCOUNT.has(pathname)))) return null
    const heldSession = cookies !== '' && sessionHashesIn(app, cookies).length > 0
    if (heldSession && (await accountsOfCookies(app, cookies)).length > 0) return null
    const found = await find({ path: pathname, account: account !== '', token: token !== '', heldSession })
    workGoesOn()
    return found && answer(found, { nonce, account, token, here: `${pathname}${address.search}` })
  }
}

function keyOf({ path, account, token, heldSession }: Kind): string {
  return JSON.stringify([path, account, token, heldSession])
}

/** Half an escape in an address is refused elsewhere. */
function canBeRead(pathname: string): boolean {
  try {
    return decodeURIComponent(pathname) !== ''
  } catch {
    return false
  }
}

function answer({ status, headers, page }: Kept, filling: Parameters<typeof fillPage>[1]): StrangerPage {
  return { status, headers, body: fillPage(page, filling) }
}
