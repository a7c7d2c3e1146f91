// A pooler as small as can be: every connection shares one session of the server, a transaction at a time.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

const message = (type: string, body: Buffer) => {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
const READY = message('Z', Buffer.from('I'))
const AUTHENTICATED = message('R', Buffer.alloc(4))
/** A session's number and secret of its own, as every pooler tells them. */
const KEY = message('K', Buffer.from([0, 1, 1, 1, 2, 2, 2, 2]))

/**
 * @param socketFile of a server that trusts whoever reaches it
 * @returns the port on 127.0.0.1
 */
export async function oneSessionPooler(
  socketFile: string,
  { user, database }: { user: string; database: string },
): Promise<{ port: number; close(): void }> {
  const words = Buffer.from(`user\0${user}\0database\0${database}\0\0`)
  const start = Buffer.alloc(8)
  start.writeInt32BE(words.length + 8)
  start.writeInt32BE(196_608, 4)
  const server = connect(socketFile)
  server.write(Buffer.concat([start, words]))
  const clients = new Set<Socket>()
  let owner: Socket | null = null
  const waiting: { from: Socket; bytes: Buffer }[] = []
  let idle = false
  const next = () => {
    const first = waiting.shift()
    if (!first) return
    owner = first.from
    idle = false
    server.write(first.bytes)
  }
  server.on('data', (bytes) => {
    owner?.write(bytes)
    // Enough for answers of our questions: ready, and in no transaction.
    if (!bytes.subarray(-6).equals(READY)) return
    idle = true
    next()
  })
  const listener = createServer((client) => {
    clients.add(client)
    client.on('error', () => undefined)
    client.once('data', () => {
      client.write(Buffer.concat([AUTHENTICATED, KEY, READY]))
      client.on('data', (bytes) => {
        if (bytes[0] === 'X'.charCodeAt(0)) return client.end()
        waiting.push({ from: client, bytes })
        if (idle) next()
      })
    })
  }).listen(0, '127.0.0.1')
  await new Promise((listening) => listener.once('listening', listening))
  return {
    port: (listener.address() as AddressInfo).port,
    close() {
      for (const client of clients) client.destroy()
      server.destroy()
      listener.close()
    },
  }
}
