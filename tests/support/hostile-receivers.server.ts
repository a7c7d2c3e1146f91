// Receivers that behave like real ones on their worst days. Each has an address on loopback; pass `hostPorts` to the
// outbound guard as its exceptions.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { type Issued, issueCertificate } from './certificates.server.ts'

const HUGE = 50_000_000
const DRIP_EVERY = 20

/** Behaviour after the whole request has arrived. */
const BEHAVIOURS = {
  ok: (socket) => socket.write(answer('200 OK', ['content-type: text/plain'], 'ok')),
  'ok-then-closes': (socket) => socket.end(answer('200 OK', ['connection: close'], 'ok')),
  'never-answers': () => {},
  'drips-headers': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx-drip: ')
    drip(socket)
  },
  'drips-body': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100000\r\n\r\n')
    drip(socket)
  },
  'huge-body': (socket, sent) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${HUGE}\r\n\r\n`)
    pour(socket, Buffer.alloc(65_536, 'a'), HUGE, sent)
  },
  'gzip-bomb': (socket) => {
    bomb ??= gzipSync(Buffer.alloc(HUGE))
    socket.write(answer('200 OK', ['content-type: text/plain', 'content-encoding: gzip'], bomb))
  },
  'half-closes': (socket) => socket.end(),
  'closes-in-answer': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nten bytes.'),
  'gone-in-part': (socket) => socket.end('HTTP/1.1 410 Gone\r\ncontent-length: 100\r\n\r\ngone'),
  resets: (socket) => socket.resetAndDestroy(),
  'resets-in-answer': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nten bytes.', () => socket.resetAndDestroy())
  },
  'floods-interim': (socket, sent) => {
    pour(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n'.repeat(500)), HUGE, sent)
  },
  'some-interim': (socket) => {
    socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n'.repeat(3))
    socket.write(answer('200 OK', ['content-type: text/plain'], 'ok'))
  },
  'unasked-100': (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'),
  'unasked-101': (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: ws\r\nconnection: upgrade\r\n\r\n'),
  'bad-chunk': (socket) => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n'),
  'two-lengths': (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nabc'),
  'not-http': (socket) => socket.write('220 mail.example.com ESMTP\r\n'),
  'many-headers': (socket) => {
    const headers = Array.from({ length: 600 }, (_, i) => `x-${i}: ${i}`)
    socket.write(answer('200 OK', headers, 'ok'))
  },
  'huge-headers': (socket) => socket.write(answer('200 OK', [`x-huge: ${'a'.repeat(20_000)}`], 'ok')),
  'non-ascii-headers': (socket) => {
    const lines = Buffer.from('HTTP/1.1 200 OK\r\nx-latin: caf\xe9\r\n__proto__: x\r\nx-utf: ', 'latin1')
    const rest = Buffer.from('€\r\nset-cookie: a=1\r\nset-cookie: b=2\r\ncontent-length: 2\r\n\r\nok')
    socket.write(Buffer.concat([lines, rest]))
  },
  'binary-body': (socket) => socket.write(answer('200 OK', ['content-type: image/png'], Buffer.alloc(500, 0x89))),
  'long-text': (socket) =>
    socket.write(answer('500 Internal Server Error', ['content-type: text/html'], 'é'.repeat(4000))),
  'redirects-to-metadata': (socket) =>
    socket.write(answer('302 Found', ['location: http://169.254.169.254/latest/meta-data/'], '')),
} satisfies Record<string, (socket: Socket, sent: (bytes: number) => void) => unknown>

/** Failures before a request can be sent. */
const BROKEN_CONNECTIONS = [
  'refuses',
  'tls-expired',
  'tls-self-signed',
  'tls-wrong-name',
  'tls-not-spoken',
  'tls-silent',
  'tls-resets',
] as const

export type HostileBehaviour = keyof typeof BEHAVIOURS | (typeof BROKEN_CONNECTIONS)[number] | 'tls-ok'

export interface HostileReceivers {
  url(behaviour: HostileBehaviour): string
  /** `host:port` of every receiver. */
  hostPorts: string[]
  /** Number of complete requests. */
  requests(behaviour: HostileBehaviour): number
  /** Number of connections, over all receivers. */
  connections(): number
  /** Number of body bytes that a pouring receiver sent, including kernel buffers. */
  poured(behaviour: HostileBehaviour): number
  /** The certificate authority of `tls-ok` and `tls-wrong-name`, PEM. */
  authority: string
  close(): Promise<void>
}

export async function startHostileReceivers(): Promise<HostileReceivers> {
  const sockets = new Set<Socket>()
  const requests = new Map<string, number>()
  const poured = new Map<string, number>()
  const servers: Server[] = []
  let connections = 0

  function watch(socket: Socket) {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }

  function serve(socket: Socket) {
    let buffered: Buffer = Buffer.alloc(0)
    socket.on('end', () => socket.end())
    socket.on('data', (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk])
      for (let one = takeRequest(buffered); one; one = takeRequest(buffered)) {
        buffered = one.rest
        const { name } = one
        requests.set(name, (requests.get(name) ?? 0) + 1)
        const behave = BEHAVIOURS[name as keyof typeof BEHAVIOURS] ?? BEHAVIOURS.ok
        behave(socket, (bytes: number) => poured.set(name, (poured.get(name) ?? 0) + bytes))
      }
    })
  }

  async function listen(server: Server): Promise<number> {
    servers.push(server)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  }

  function secure({ cert, key }: Issued): Server {
    return createTlsServer({ cert, key }, serve)
      .on('connection', watch)
      .on('tlsClientError', () => {})
  }

  const authority = issueCertificate({ subject: 'Test authority', authority: true })
  const local = { names: ['localhost'], ips: ['127.0.0.1'] }
  const plain = await listen(createServer({ allowHalfOpen: true }, serve).on('connection', watch))
  const ports: Record<string, number> = {
    'tls-ok': await listen(secure(issueCertificate({ subject: 'ok', issuer: authority, ...local }))),
    'tls-expired': await listen(
      secure(issueCertificate({ subject: 'expired', issuer: authority, ...local, validFrom: -30, validTo: -1 })),
    ),
    'tls-self-signed': await listen(secure(issueCertificate({ subject: 'self-signed', ...local }))),
    'tls-wrong-name': await listen(
      secure(issueCertificate({ subject: 'other', issuer: authority, names: ['other.example.com'] })),
    ),
    'tls-not-spoken': await listen(
      createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).on('connection', watch),
    ),
    'tls-silent': await listen(createServer(() => {}).on('connection', watch)),
    'tls-resets': await listen(createServer((socket) => socket.resetAndDestroy()).on('connection', watch)),
    refuses: await unusedPort(),
  }

  return {
    url: (behaviour) => {
      const port = ports[behaviour]
      if (port === undefined) return `http://127.0.0.1:${plain}/${behaviour}`
      return `${behaviour === 'refuses' ? 'http' : 'https'}://127.0.0.1:${port}/${behaviour}`
    },
    hostPorts: [plain, ...Object.values(ports)].map((port) => `127.0.0.1:${port}`),
    requests: (behaviour) => requests.get(behaviour) ?? 0,
    connections: () => connections,
    poured: (behaviour) => poured.get(behaviour) ?? 0,
    authority: authority.cert,
    async close() {
      for (const socket of sockets) socket.destroy()
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

/** A port that was free a moment ago. */
async function unusedPort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

let bomb: Buffer | undefined

function answer(status: string, headers: readonly string[], body: string | Buffer): Buffer {
  const bytes = Buffer.from(body)
  const head = [`HTTP/1.1 ${status}`, ...headers, `content-length: ${bytes.length}`, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes])
}

function drip(socket: Socket) {
  const timer = setInterval(() => socket.write('a'), DRIP_EVERY)
  socket.on('close', () => clearInterval(timer))
}

function pour(socket: Socket, chunk: Buffer, total: number, sent: (bytes: number) => void) {
  let left = total
  const more = () => {
    while (left > 0 && !socket.destroyed) {
      const piece = chunk.subarray(0, Math.min(chunk.length, left))
      left -= piece.length
      sent(piece.length)
      if (!socket.write(piece)) return
    }
  }
  socket.on('drain', more)
  more()
}

/** The first complete request in the buffer: the first segment of its path, and the remaining bytes. */
function takeRequest(buffered: Buffer): { name: string; rest: Buffer } | null {
  const end = buffered.indexOf('\r\n\r\n')
  if (end < 0) return null
  const head = buffered.subarray(0, end).toString('latin1')
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
  if (buffered.length < end + 4 + length) return null
  return { name: /^\S+ \/([^/? ]*)/.exec(head)?.[1] ?? '', rest: buffered.subarray(end + 4 + length) }
}
