// One address in front of several instances on this machine: each request goes to the next one that is ready.
import { Agent, request } from 'node:http'
import { createHttpServer } from './http-server.mjs'

/** Of one connection only, not of the request. */
const HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'te', 'trailer'])
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * A request is tried again elsewhere only when nothing of it was sent, or when it changes nothing.
 *
 * @param {() => readonly { port: number, ready: boolean }[]} instances those behind the address
 * @param {(req: import('node:http').IncomingMessage, res: import('node:http').ServerResponse) => boolean} [aside] answers
 *   some requests itself, and says whether it did
 */
export function createFront(instances, aside = () => false) {
  const agent = new Agent({ keepAlive: true })
  let turn = 0

  /**
   * @param {import('node:http').IncomingMessage} req
   * @param {import('node:http').ServerResponse} res
   * @param {readonly { port: number, ready: boolean }[]} candidates
   */
  function forward(req, res, [instance, ...others]) {
    if (!instance) return refuse(req, res, 503, 'No instance is ready. Try again in a moment.')
    const changesNothing = SAFE.has(req.method ?? '') && !hasBody(req)
    let begun = false
    const asked = request({
      ...{ host: '127.0.0.1', port: instance.port, method: req.method, path: req.url, agent },
      // As the instances trust it: TRUST_PROXY=fly.
      headers: { ...ofRequest(req.headers), 'fly-client-ip': req.socket.remoteAddress ?? '' },
    })
    asked.once('socket', (socket) => {
      const begin = () => {
        begun = true
        if (changesNothing) asked.end()
        else req.pipe(asked)
      }
      if (socket.connecting) socket.once('connect', begin)
      else begin()
    })
    asked.once('response', (answer) => {
      res.writeHead(answer.statusCode ?? 502, ofRequest(answer.headers))
      answer.once('error', () => res.destroy())
      answer.pipe(res)
    })
    asked.on('error', () => {
      if (res.destroyed) return
      if (res.headersSent) return void res.destroy()
      // The next look at it decides anew.
      if (!begun) instance.ready = false
      if (!begun || changesNothing) forward(req, res, others)
      else refuse(req, res, 502, 'The instance ended while it answered. Whether it did what was asked is not known.')
    })
    res.once('close', () => {
      if (!res.writableFinished) asked.destroy()
    })
  }

  const server = createHttpServer((req, res) => {
    if (aside(req, res)) return
    const ready = instances().filter((instance) => instance.ready)
    const first = ready.length > 0 ? turn++ % ready.length : 0
    forward(req, res, [...ready.slice(first), ...ready.slice(0, first)])
  })
  return {
    /** @param {number} port 0 = any; @param {string} host @returns {Promise<number>} the port */
    listen(port, host) {
      return new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          const address = server.address()
          resolve(address && typeof address === 'object' ? address.port : port)
        })
      })
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      agent.destroy()
      await closed
    },
  }
}

/** @param {import('node:http').IncomingHttpHeaders} headers */
function ofRequest(headers) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP.has(name)))
}

/** @param {import('node:http').IncomingMessage} req */
function hasBody({ headers }) {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * @param {import('node:http').IncomingMessage} req
 * @param {import('node:http').ServerResponse} res
 * @param {number} status
 * @param {string} sentence
 */
function refuse(req, res, status, sentence) {
  const rest = req.complete ? {} : { Connection: 'close' }
  res.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'Retry-After': '1', ...rest })
  res.end(`${sentence}\n`)
}
