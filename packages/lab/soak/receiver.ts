// A user's address of the soak: counts each record's arrivals, and goes away and comes back on the same port.
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type Random, wholeFrom } from '../report/arguments.ts'
import { recordOf } from '../stage/receiver.ts'

export interface SoakReceiver {
  url: string
  hostAndPort: string
  /** Number of arrivals by record. */
  arrivals: ReadonlyMap<string, number>
  /** Records that arrived but were unanswered when the receiver went away: the sender cannot know and repeats them. */
  cutOff: ReadonlySet<string>
  /** Repeated arrivals of records that were not cut off. */
  repeats(): number
  /** Ends abruptly, even during requests. */
  goAway(): Promise<void>
  comeBack(): Promise<void>
  close(): Promise<void>
}

/** Answers 200 after 2 to 20 ms. */
export async function soakReceiver(random: Random): Promise<SoakReceiver> {
  const arrivals = new Map<string, number>()
  const cutOff = new Set<string>()
  const here = new Set<string>()
  let repeats = 0
  let port = 0
  let server: Server | null = null
  const sockets = new Set<Socket>()

  async function listen(): Promise<void> {
    const started = createServer((req, res) => {
      const chunks: Buffer[] = []
      req.on('error', () => {})
      req.on('data', (chunk: Buffer) => chunks.push(chunk))
      req.on('end', () => {
        const record = recordOf(Buffer.concat(chunks).toString())
        const times = arrivals.get(record) ?? 0
        arrivals.set(record, times + 1)
        if (times > 0 && !cutOff.has(record)) repeats++
        here.add(record)
        setTimeout(
          () => {
            if (!res.destroyed) here.delete(record)
            res.writeHead(200, { 'content-type': 'text/plain' }).end('thank you')
          },
          wholeFrom(random, 2, 20),
        )
      })
    })
    // Longer than any client keeps an idle connection: the receiver must not close first.
    started.keepAliveTimeout = 120_000
    started.on('connection', (socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    })
    await new Promise<void>((done, fail) => {
      started.once('error', fail)
      started.listen(port, '127.0.0.1', done)
    })
    port = (started.address() as AddressInfo).port
    server = started
  }

  async function goAway(): Promise<void> {
    const ending = server
    if (!ending) return
    server = null
    const closed = new Promise((done) => ending.close(done))
    for (const record of here) cutOff.add(record)
    here.clear()
    for (const socket of sockets) socket.destroy()
    await closed
  }

  await listen()
  return {
    url: `http://127.0.0.1:${port}/in`,
    hostAndPort: `127.0.0.1:${port}`,
    arrivals,
    cutOff,
    repeats: () => repeats,
    goAway,
    comeBack: async () => {
      if (!server) await listen()
    },
    close: goAway,
  }
}
