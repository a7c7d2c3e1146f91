// Whose request is it? Behind a proxy the peer is the proxy; only the header that the proxy itself sets is believed.
import type { IncomingHttpHeaders } from 'node:http'

interface Connected {
  headers: IncomingHttpHeaders
  socket: { remoteAddress?: string | undefined }
}

/** Reads the address of the peer; with `fly` the one in `Fly-Client-IP`, which Fly's proxy overwrites. */
export function clientIpReader(trustProxy: 'none' | 'fly'): (req: Connected) => string {
  return ({ headers, socket }) => {
    const told = trustProxy === 'fly' ? headers['fly-client-ip'] : undefined
    const address =
      typeof told === 'string' && looksLikeAddress(told.trim()) ? told.trim() : (socket.remoteAddress ?? '')
    // An IPv4 peer of a dual-stack listener.
    return address.replace(/^::ffff:(?=\d+\.)/i, '') || 'unknown'
  }
}

function looksLikeAddress(text: string): boolean {
  return text.length <= 45 && (/^(\d{1,3}\.){3}\d{1,3}$/.test(text) || /^[0-9a-f:]*:[0-9a-f:.]*$/i.test(text))
}

/** What counts as one caller: an IPv4 address, or the /64 an IPv6 customer gets. */
export function callerOf(ip: string): string {
  if (!ip.includes(':')) return ip
  const [head = '', tail] = ip.toLowerCase().split('%')[0]?.split('::') ?? []
  const left = head === '' ? [] : head.split(':')
  if (tail === undefined) return left.slice(0, 4).join(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}
