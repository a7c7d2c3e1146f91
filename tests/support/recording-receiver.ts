import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  at: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** A user's address on this machine: stores every request, answers `status()` (200 by default). */
export async function startReceiver(status: (body: string) => number = () => 200) {
  const received: Received[] = []
  const waiters = new Set<() => void>()
  const server = createServer((req, res) => {
    let body = ''
    req.on('data', (chunk) => {
      body += chunk
    })
    req.on('end', () => {
      const code = status(body)
      received.push({ at: Date.now(), headers: req.headers, body })
      res.writeHead(code, { 'content-type': 'text/plain' }).end(code < 300 ? 'thank you' : 'no')
      for (const wake of waiters) wake()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/in`,
    hostAndPort: `127.0.0.1:${port}`,
    received,
    /** Resolves when `enough` holds, checked after each arrival; rejects after `ms`. */
    async until(enough: (received: Received[]) => boolean, ms: number): Promise<void> {
      if (enough(received)) return
      await new Promise<void>((done, fail) => {
        const timer = setTimeout(() => {
          waiters.delete(look)
          fail(new Error(`waited ${ms} ms in vain; ${received.length} arrived`))
        }, ms)
        const look = () => {
          if (!enough(received)) return
          clearTimeout(timer)
          waiters.delete(look)
          done()
        }
        waiters.add(look)
      })
    },
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
