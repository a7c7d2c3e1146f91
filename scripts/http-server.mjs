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

/**
 * Returns a function that waits until the response has room for more; false = it was closed. It asks the answers of
 * `write`, because `res.writableNeedDrain` does not know the queue of `compression`.
 *
 * @param {import('node:http').ServerResponse} res
 * @returns {() => Promise<boolean>} first called before the first `write`
 */
export function drainOf(res) {
  let watched = false
  let full = false
  let wake = () => {}
  const watch = () => {
    watched = true
    const { write } = res
    res.write = (/** @type {any[]} */ ...args) => {
      const hasRoom = /** @type {any} */ (write).apply(res, args)
      if (!hasRoom) full = true
      return hasRoom
    }
    // For good: `compression` hands `drain` to its own stream, where `once` would not take itself away.
    res.on('drain', () => {
      full = false
      wake()
    })
    res.on('close', () => wake())
  }
  return async () => {
    if (!watched) watch()
    while (full && !res.closed) await new Promise((resolve) => (wake = () => resolve(undefined)))
    return !res.closed
  }
}
