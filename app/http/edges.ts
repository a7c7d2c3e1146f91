// Rejects requests that no page, call or platform ever sends, before any other check.
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
    if (!url.startsWith('/')) return { status: 400, message: 'This address cannot be read.' }
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
