import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createIntake, type Intake, leaveBody, letGoOfBody } from './intake.server.ts'

const MB = 1024 * 1024
const open: { server: Server; sockets: Socket[] }[] = []
afterEach(async () => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

type Handle = (req: IncomingMessage, res: ServerResponse) => void

/** A listener behind an intake, and a way to connect to it. */
async function listening(intake: Intake, handle: Handle) {
  const server = createServer((req, res) => intake.inTurn(req, res, () => handle(req, res)))
  server.on('connection', intake.connected)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  open.push({ server, sockets })
  return {
    connect: () =>
      new Promise<{ socket: Socket; text(): string; closed: Promise<void> }>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1')
        sockets.push(socket)
        let received = ''
        const closed = new Promise<void>((done) => socket.once('close', () => done()))
        socket.on('error', () => {})
        socket.on('data', (chunk) => {
          received += chunk.toString('latin1')
        })
        socket.once('connect', () => resolve({ socket, text: () => received, closed }))
        socket.once('error', reject)
      }),
  }
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

describe('requests sent ahead on one connection', () => {
  it('begin when the answer before was sent: whoever reads nothing has one answer made, not five', async () => {
    let begun = 0
    const { connect } = await listening(createIntake(), (_req, res) => {
      begun++
      res.end(Buffer.alloc(8 * MB, 'x'))
    })
    const { socket } = await connect()
    socket.pause()
    socket.write(GET.repeat(5))
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(begun).toBe(1)
    socket.resume()
    await expect.poll(() => begun, { timeout: 8_000 }).toBe(5)
  })

  it('are answered in order, one at a time', async () => {
    let underWay = 0
    let most = 0
    const { connect } = await listening(createIntake(), (req, res) => {
      most = Math.max(most, ++underWay)
      setTimeout(() => {
        underWay--
        res.end(`<${req.url}>`)
      }, 5)
    })
    const { socket, text } = await connect()
    for (let n = 0; n < 5; n++) socket.write(`GET /${n} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await expect.poll(text).toContain('</4>')
    expect(text().match(/<\/\d>/g)).toEqual(['</0>', '</1>', '</2>', '</3>', '</4>'])
    expect(most).toBe(1)
  })

  it('are too many above four that wait: the connection is cut', async () => {
    let begun = 0
    const { connect } = await listening(createIntake(), () => {
      begun++
    })
    const { socket, closed } = await connect()
    socket.write(GET.repeat(6))
    await closed
    expect(begun).toBe(1)
  })

  it('are forgotten with their connection', async () => {
    const begun: string[] = []
    const { connect } = await listening(createIntake(), (req) => {
      begun.push(req.url ?? '')
    })
    const { socket } = await connect()
    socket.write(GET.repeat(3))
    await expect.poll(() => begun.length).toBe(1)
    socket.destroy()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(begun).toHaveLength(1)
  })
})

describe('what one caller has under way', () => {
  const behind = (intake: Intake, answered: Promise<void>): Handle => {
    return (req, res) => {
      const refusal = intake.enter(req, res, String(req.headers['x-from']))
      if (refusal) {
        res.writeHead(refusal.status, refusal.headers)
        res.end()
        return
      }
      void answered.then(() => res.end('ok'))
    }
  }
  const from = (ip: string, body = '') =>
    `POST / HTTP/1.1\r\nHost: x\r\nX-From: ${ip}\r\n${body || 'Content-Length: 0'}\r\n\r\n`

  it('are so many requests; the next is 429, and only for that caller', async () => {
    const intake = createIntake({ requestsOfOne: 2 })
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const { connect } = await listening(intake, behind(intake, answered))
    const connections = await Promise.all(Array.from({ length: 4 }, connect))
    const [one, two, three, other] = connections
    // Two of one IPv6 customer are one caller.
    one?.socket.write(from('2001:db8::1'))
    two?.socket.write(from('2001:db8::2'))
    await expect.poll(intake.underWay).toBe(2)
    three?.socket.write(from('2001:db8::3'))
    await expect.poll(() => three?.text()).toMatch(/^HTTP\/1\.1 429 [\s\S]*retry-after: 2/i)
    other?.socket.write(from('198.51.100.7'))
    await expect.poll(intake.underWay).toBe(3)
    answer()
    await expect.poll(intake.underWay).toBe(0)
    expect([one?.text(), other?.text()].every((text) => text?.includes('200 OK'))).toBe(true)
  })

  it('are so many bytes of bodies, as announced; of all callers together so many more', async () => {
    const intake = createIntake({ bodyBytesOfOne: 300 * 1024, bodyBytes: 500 * 1024 })
    const { connect } = await listening(intake, behind(intake, new Promise(() => {})))
    const statuses: string[] = []
    for (const [ip, body] of [
      ['192.0.2.1', 'Content-Length: 200000'],
      ['192.0.2.1', 'Transfer-Encoding: chunked'],
      ['192.0.2.2', 'Transfer-Encoding: chunked'],
      ['192.0.2.3', 'Content-Length: 100000'],
      ['192.0.2.4', ''],
    ] as const) {
      const { socket, text } = await connect()
      socket.write(from(ip, body))
      await new Promise((resolve) => setTimeout(resolve, 50))
      statuses.push(text().slice(9, 12))
    }
    expect(statuses).toEqual(['', '429', '', '503', ''])
    expect(intake.bodies.held()).toBe(200_000 + 256 * 1024)
    for (const { sockets } of open) for (const socket of sockets) socket.destroy()
    await expect.poll(() => [intake.bodies.held(), intake.underWay()]).toEqual([0, 0])
  })

  it('are so many connections, unless it is a proxy', async () => {
    for (const [isProxy, cut] of [
      [() => false, true],
      [() => true, false],
      [undefined, false],
    ] as const) {
      const intake = createIntake({ connectionsOfOne: 3 }, isProxy)
      const { connect } = await listening(intake, (_req, res) => void res.end('ok'))
      const first = await Promise.all(Array.from({ length: 3 }, connect))
      const fourth = await connect()
      fourth.socket.write(GET)
      if (cut) {
        await fourth.closed
        expect(fourth.text()).toBe('')
        first[0]?.socket.destroy()
        await first[0]?.closed
        await new Promise((resolve) => setTimeout(resolve, 20))
        const fifth = await connect()
        fifth.socket.write(GET)
        await expect.poll(fifth.text).toContain('200 OK')
      } else {
        await expect.poll(fourth.text).toContain('200 OK')
      }
    }
  })
})

describe('what is left of a body', () => {
  it('is thrown away, so that the connection goes on; a sender that does not end is cut', async () => {
    const { connect } = await listening(createIntake(), (req, res) => {
      res.end('no')
      letGoOfBody(req)
    })
    const { socket, text, closed } = await connect()
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n')
    socket.write('x'.repeat(60_000))
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n')
    await expect.poll(() => text().match(/200 OK/g)?.length).toBe(2)
    await closed
  })

  it('of whoever is turned away is not read when it is long: the answer arrives, and the connection ends', async () => {
    let taken = 0
    const { connect } = await listening(createIntake(), (req, res) => {
      res.end('no')
      leaveBody(req)
      req.on('close', () => {
        taken = req.socket.bytesRead
      })
    })
    const { socket, text, closed } = await connect()
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n')
    socket.write('x'.repeat(5_000_000))
    await expect.poll(text).toMatch(/200 OK/)
    await closed
    expect(taken).toBeLessThan(200_000)
  })
})
