// For tests: a proxy before a server on this machine that records the traffic.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Exchange } from './official-document.server.ts'

const HOP = new Set(['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding'])

/** @param target base URL of the server behind the proxy, without a trailing slash */
export async function recordWire(target: string) {
  const exchanges: Exchange[] = []
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const method = req.method ?? 'GET'
    const url = req.url ?? '/'
    const ask = () =>
      fetch(`${target}${url}`, {
        method,
        headers: Object.entries(req.headers).flatMap(([name, value]): [string, string][] =>
          HOP.has(name) || value === undefined ? [] : [[name, String(value)]],
        ),
        redirect: 'manual',
        ...(body.byteLength > 0 && { body }),
      })
    const answer = await ask().catch(() => null)
    // When the server behind does not answer, the proxy does not answer either.
    if (!answer) return void req.socket.destroy()
    const bytes = Buffer.from(await answer.arrayBuffer())
    const path = url.split('?')[0] ?? ''
    exchanges.push({ method, path, sent: jsonOf(body), status: answer.status, answer: jsonOf(bytes) })
    const headers = [...answer.headers].filter(([name]) => !HOP.has(name))
    res.writeHead(answer.status, Object.fromEntries(headers)).end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** In order of completion. */
    exchanges,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown
  } catch {
    return undefined
  }
}
