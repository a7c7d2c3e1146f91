// @ts-check
// The HTTP listener with all limits on how long a peer may take and how much it may open.
// tests/house/http-server.test.ts tries each limit on real connections.
import { createServer } from 'node:http'

/**
 * @typedef {object} HttpLimits
 * @property {number} headerBytes of one request
 * @property {number} headersMs from the first byte to the end of the headers
 * @property {number} requestMs from the first byte to the end of the body
 * @property {number} silentMs time without any data read or sent
 * @property {number} requestsPerConnection after this many the connection is closed
 * @property {number} connections at a time
 * @property {number} checkedEveryMs how often the first two time limits are checked
 */

/** @type {Readonly<HttpLimits>} */
export const HTTP_LIMITS = Object.freeze({
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  requestMs: 30_000,
  silentMs: 60_000,
  requestsPerConnection: 10_000,
  connections: 2_000,
  checkedEveryMs: 5_000,
})

/**
 * @param {import('node:http').RequestListener} listener
 * @param {Readonly<HttpLimits>} [limits]
 */
export function createHttpServer(listener, limits = HTTP_LIMITS) {
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkedEveryMs,
      keepAlive: true,
    },
    listener,
  )
  server.timeout = limits.silentMs
  server.maxRequestsPerSocket = limits.requestsPerConnection
  server.maxConnections = limits.connections
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    else socket.destroy()
  })
  return server
}
