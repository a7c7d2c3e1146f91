// Each limit of the listener on real connections: whoever takes one out of http-server.mjs has a red line here.
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createHttpServer, HTTP_LIMITS } from '../../scripts/http-server.mjs'

/** Far away, but for the limit that is tried. */
const FAR = { ...HTTP_LIMITS, headersMs: 60_000, requestMs: 60_000, silentMs: 60_000, checkedEveryMs: 50 }

let close = async () => {}
afterEach(() => close())

async function listening(
  limits: Partial<typeof HTTP_LIMITS>,
  listener: Parameters<typeof createHttpServer>[0] = (_req, res) => void res.end('ok'),
) {
  const server = createHttpServer(listener, { ...FAR, ...limits })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sockets: Socket[] = []
  close = async () => {
    for (const socket of sockets) socket.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    sockets.push(socket)
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    return { socket, text: () => text, closed }
  }
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

test('headers that do not end are given up', async () => {
  const open = await listening({ headersMs: 100 })
  const { socket, text, closed } = open()
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ')
  await closed
  expect(text()).toMatch(/^HTTP\/1\.1 4\d\d/)
})

test('a body that does not end is given up', async () => {
  const open = await listening({ requestMs: 100, headersMs: 100 }, (req) => void req.resume())
  const { socket, closed } = open()
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx')
  await closed
})

test('a peer that neither sends nor reads is cut', async () => {
  const whole = 16 * 1024 * 1024
  let cut: Promise<unknown> | null = null
  const open = await listening({ silentMs: 100 }, ({ socket }, res) => {
    cut = new Promise((resolve) => socket.once('close', resolve))
    res.end(Buffer.alloc(whole))
  })
  const { socket, text, closed } = open()
  socket.write(GET)
  await new Promise((resolve) => socket.once('data', resolve))
  socket.pause()
  // A paused socket does not see its end, and a busy machine is late with it.
  await cut
  socket.resume()
  await closed
  // What it had not taken was never sent.
  expect(text().length).toBeLessThan(whole)
})

test('a connection ends after so many requests', async () => {
  const open = await listening({ requestsPerConnection: 2 })
  const { socket, text } = open()
  socket.write(GET)
  await expect.poll(text).toContain('ok')
  socket.write(GET)
  await expect.poll(() => text().toLowerCase()).toContain('connection: close')
})

test('there are so many connections', async () => {
  const open = await listening({ connections: 2 })
  const first = [open(), open()]
  for (const { socket } of first) socket.write(GET)
  await expect.poll(() => first.every(({ text }) => text().includes('ok'))).toBe(true)
  const third = open()
  await third.closed
  expect(third.text()).toBe('')
})

test('headers are so long', async () => {
  const open = await listening({ headerBytes: 2_000 })
  const { socket, text, closed } = open()
  socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'y'.repeat(3_000)}\r\n\r\n`)
  await closed
  expect(text()).toMatch(/^HTTP\/1\.1 4(00|31)/)
})

test('the product uses these limits, and they are as the documents say', () => {
  const serve = readFileSync('scripts/serve.js', 'utf8')
  expect(serve).toMatch(/createHttpServer\(\(req, res\) => \{/)
  // What bounds callers is built by the app; here it is put in place.
  for (const use of [
    "server.on('connection', running.intake.connected)",
    'running.intake.inTurn(req, res, () => {',
    'running.intake.enter(req, res, clientIp)',
    "res.on('finish', () => running.letGoOfBody(req))",
    'running.budgets.admit(req, clientIp)',
    'running.budgets.settle(req, res.locals.clientIp, meter, bytes)',
    'drained: drainOf(res),',
  ])
    expect(serve).toContain(use)
  expect(HTTP_LIMITS).toEqual({
    headerBytes: 16_384,
    headersMs: 10_000,
    requestMs: 30_000,
    silentMs: 60_000,
    requestsPerConnection: 10_000,
    connections: 2_000,
    checkedEveryMs: 5_000,
  })
})
