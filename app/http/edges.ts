// Rejects requests that no page, call or platform ever sends, before any other check. A doubled slash is sent on.
import { addressOf, type Refusal, WITHOUT_COOKIES } from './origin-check.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Monitoring calls by any address. Token, key or signature prove the others, also under a name from before a move. */
const ANY_HOST = /^\/((healthz|readyz|metrics)\/?$|documents\/)/

interface Arriving {
  method?: string | undefined
  url?: string | undefined
  /** Name, value, name, value … as sent. */
  rawHeaders: readonly string[]
}

/** Returns the check for a product with the public address `origin`. Null = admitted. */
export function createEdges(origin: string): (req: Arriving) => Refusal | null {
  const own = new URL(origin)
  const names = new Set([own.host, `${own.hostname}:${own.port || (own.protocol === 'https:' ? '443' : '80')}`])
  const local = isLoopbackName(own.hostname)
  return ({ method = '', url = '', rawHeaders }) => {
    if (!METHODS.includes(method)) {
      return { status: 405, message: 'Method not allowed', headers: { Allow: METHODS.join(', ') } }
    }
    const refusal = judgeTarget(url)
    if (refusal) return refusal
    const hosts = hostsIn(rawHeaders)
    if (hosts.length > 1) return ONE_HOST
    const host = hosts[0]?.toLowerCase() ?? ''
    if (names.has(host) || takesAnyHost(url)) return null
    if (hosts.length === 0) return ONE_HOST
    if (local && isLoopbackName(host.replace(/:\d{1,5}$/, ''))) return null
    return { status: 421, message: `This is another address. Open ${origin} instead.` }
  }
}

const ONE_HOST: Refusal = { status: 400, message: 'Send one Host header.' }

/** With a doubled slash, a page's own links would name another host. Calls and hooks stay: a program may not follow. */
function judgeTarget(url: string): Refusal | null {
  if (!url.startsWith('/')) return { status: 400, message: 'This address cannot be read.' }
  // The parser makes a slash of a backslash.
  const asked = /\/\/|\\/.test(url) ? addressOf(url) : null
  if (!asked) return null
  const path = asked.pathname.replace(/\/{2,}/g, '/')
  if (path === asked.pathname || /^\/(api|hooks)\//.test(path)) return null
  const headers = { Location: `${path}${asked.search}` }
  return { status: 308, message: 'Open this address with single slashes.', headers }
}

function takesAnyHost(url: string): boolean {
  const path = addressOf(url)?.pathname ?? ''
  return ANY_HOST.test(path) || WITHOUT_COOKIES.test(path)
}

function hostsIn(rawHeaders: readonly string[]): string[] {
  const hosts: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1] ?? '')
  }
  return hosts
}

function isLoopbackName(name: string): boolean {
  return /^((.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(name)
}
