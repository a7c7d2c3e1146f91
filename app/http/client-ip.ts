// Finds the caller's address. Behind a proxy the peer is the proxy; only the header set by the proxy is trusted.
import type { IncomingHttpHeaders } from 'node:http'

interface Connected {
  headers: IncomingHttpHeaders
  socket: { remoteAddress?: string | undefined }
}

/** Reads the peer's address; with `fly` the one in `Fly-Client-IP`, which Fly's proxy overwrites. */
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
