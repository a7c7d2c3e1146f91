// A proof's user addresses: answer after a moment, and record how often each record arrived and under which id.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Random, wholeFrom } from '../report/arguments.ts'

export interface ProofReceiver {
  url: string
  hostAndPort: string
  /** Number of arrivals by record. */
  arrivals: ReadonlyMap<string, number>
  /** Repeated arrivals of a record. */
  repeats(): number
  /** Records that arrived under more than one `webhook-id`. */
  differentIds(): number
  /** Resolves when every record has arrived at least once, or after `withinMs`, with the number missing. */
  stillMissing(records: Iterable<string>, withinMs: number): Promise<number>
  close(): Promise<void>
}

/** Answers 200 after 2 to 20 ms, so that a kill always hits something in flight. */
export async function proofReceiver(random: Random): Promise<ProofReceiver> {
  const arrivals = new Map<string, number>()
  const ids = new Map<string, string>()
  const otherIds = new Set<string>()
  let repeats = 0
  let onArrival: ((record: string) => void) | null = null

  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const record = recordOf(Buffer.concat(chunks).toString())
      const id = String(req.headers['webhook-id'])
      const times = arrivals.get(record) ?? 0
      arrivals.set(record, times + 1)
      if (times > 0) repeats++
      if ((ids.get(record) ?? id) !== id) otherIds.add(record)
      ids.set(record, id)
      onArrival?.(record)
      setTimeout(() => res.writeHead(200, { 'content-type': 'text/plain' }).end('thank you'), wholeFrom(random, 2, 20))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/in`,
    hostAndPort: `127.0.0.1:${port}`,
    arrivals,
    repeats: () => repeats,
    differentIds: () => otherIds.size,
    async stillMissing(records, withinMs) {
      const missing = new Set([...records].filter((record) => !arrivals.has(record)))
      if (missing.size === 0) return 0
      return new Promise((done) => {
        const end = () => {
          clearTimeout(timer)
          onArrival = null
          done(missing.size)
        }
        const timer = setTimeout(end, withinMs)
        onArrival = (record) => {
          missing.delete(record)
          if (missing.size === 0) end()
        }
      })
    },
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** The record that a forwarded event is about. */
export function recordOf(body: string): string {
  return (JSON.parse(body) as { entry: { uuid: string }[] }).entry[0]?.uuid ?? ''
}
