// Connections that are kept open between calls: which one is given, for how long, and that none is left behind. The receiver is a
// real one on loopback; the dialler connects to it without asking anybody.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { minutes, seconds } from '#app/lib/duration.ts'
import { type Connection, type Connections, createConnections } from './outbound-connections.server.ts'
import { type Dial, DialError } from './outbound-dial.server.ts'
import { exchange } from './outbound-exchange.server.ts'
import type { AddressTarget } from './safe-address.ts'

let server: Server
let dials: { origin: string; fresh: boolean | undefined; ended: boolean }[]
let connections: Connections
/** Sockets of the receiver. */
let accepted: Socket[]
let extraHeaders: Record<string, string>

const viaLoopback: Dial = (target, trace, done, how) => {
  const one = { origin: target.origin, fresh: how?.fresh, ended: false }
  dials.push(one)
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', (error) => done(error, null))
  socket.once('connect', () => {
    trace.connectMs = 1
    done(null, socket)
  })
  return {
    destroy() {
      one.ended = true
      socket.destroy()
    },
  }
}

beforeEach(async () => {
  dials = []
  accepted = []
  extraHeaders = {}
  server = createServer((_req, res) => {
    for (const [name, value] of Object.entries(extraHeaders)) res.setHeader(name, value)
    res.end('ok')
  })
  server.keepAliveTimeout = 0
  server.on('connection', (socket) => accepted.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  connections = open()
})
afterEach(async () => {
  connections.closeAll()
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
})

function open(given: Partial<Parameters<typeof createConnections>[0]> = {}): Connections {
  return createConnections({ dial: viaLoopback, idleMs: 60_000, maxIdle: 10, headerBytes: 16 * 1024, ...given })
}

function targetOf(hostname = 'a.dev'): AddressTarget {
  const origin = `http://${hostname}`
  return { protocol: 'http:', hostname, port: 80, origin, path: '/', literal: false, excepted: false }
}

async function call(connection: Connection) {
  const result = await exchange(connection, {
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    deadlineMs: 5_000,
    readBytes: 100,
  })
  return result.outcome === 'answered' ? result.status : result
}

/** One that answered, and was given back. */
async function kept(hostname?: string, of = connections): Promise<Connection> {
  const connection = of.take(targetOf(hostname))
  expect(await call(connection)).toBe(200)
  of.keep(connection)
  return connection
}

async function closed(connection: Connection): Promise<void> {
  const { socket } = connection
  if (socket && !socket.closed) await new Promise((done) => socket.once('close', done))
}

describe('a connection', () => {
  test('is dialled when the first request is sent, and says so', async () => {
    const connection = connections.take(targetOf())
    expect([dials.length, connection.dials, connection.socket, connection.origin]).toEqual([0, 0, null, 'http://a.dev'])
    expect(connection.trace).toEqual({ dnsMs: null, connectMs: null, tlsMs: null, peerIp: null, certificate: null })
    const before = connection.openedAt
    expect(await call(connection)).toBe(200)
    expect([dials, connection.dials]).toEqual([[{ origin: 'http://a.dev', fresh: false, ended: false }], 1])
    expect(connection.trace.connectMs).toBe(1)
    expect(connection.socket?.remotePort).toBe((server.address() as AddressInfo).port)
    expect(connection.openedAt).toBeGreaterThan(before)
  })

  test('that was kept is given to the next call of its origin, and to that one alone', async () => {
    const first = await kept()
    const again = connections.take(targetOf())
    expect(again).toBe(first)
    expect(connections.take(targetOf())).not.toBe(first)
    expect(connections.take(targetOf('b.dev'))).not.toBe(first)
    expect(await call(again)).toBe(200)
    expect(dials).toHaveLength(1)
  })

  test('used last is given first', async () => {
    const [one, two] = [connections.take(targetOf()), connections.take(targetOf())]
    await Promise.all([call(one), call(two)])
    connections.keep(one)
    connections.keep(two)
    expect(connections.take(targetOf())).toBe(two)
    expect(connections.take(targetOf())).toBe(one)
  })

  test('asked for fresh is never a kept one, and its dial is told', async () => {
    const first = await kept()
    const fresh = connections.takeFresh(targetOf())
    expect(fresh).not.toBe(first)
    await call(fresh)
    expect(dials.map((one) => one.fresh)).toEqual([false, true])
  })

  test('is not older than two minutes: what a name means may have changed', async () => {
    const first = await kept()
    first.openedAt -= minutes(2) - seconds(10)
    expect(connections.take(targetOf())).toBe(first)
    connections.keep(first)
    first.openedAt -= seconds(10)
    expect(connections.take(targetOf())).not.toBe(first)
    await closed(first)
    expect(first.client.destroyed).toBe(true)
  })

  test('that is broken is not given, the one before it is', async () => {
    const [one, two, three] = [connections.take(targetOf()), connections.take(targetOf()), connections.take(targetOf())]
    await Promise.all([call(one), call(two), call(three)])
    for (const connection of [one, two, three]) connections.keep(connection)
    three.socket?.destroy()
    two.socket = null
    expect(connections.take(targetOf())).toBe(one)
    expect([two.client.destroyed, three.client.destroyed]).toEqual([true, true])
  })

  test('that never had a socket, or has lost it, is not kept', async () => {
    const undialled = connections.take(targetOf())
    connections.keep(undialled)
    expect(undialled.client.destroyed).toBe(true)
    const lost = connections.take(targetOf())
    await call(lost)
    lost.socket?.destroy()
    connections.keep(lost)
    expect(lost.client.destroyed).toBe(true)
    expect(connections.take(targetOf())).not.toBe(lost)
  })

  test('that the other side closes while it is idle is gone at once', async () => {
    const first = await kept()
    accepted[0]?.destroy()
    await once(first.client, 'disconnect')
    expect(first.client.destroyed).toBe(true)
    expect(await call(connections.take(targetOf()))).toBe(200)
    expect(dials).toHaveLength(2)
  })

  test('that was idle for too long ends by itself', async () => {
    const impatient = open({ idleMs: 20 })
    const first = await kept('a.dev', impatient)
    await closed(first)
    expect(impatient.take(targetOf())).not.toBe(first)
    impatient.closeAll()
  })

  test('that closes between two requests is dialled anew, with a trace of its own', async () => {
    const connection = connections.take(targetOf())
    await call(connection)
    const trace = connection.trace
    accepted[0]?.destroy()
    await once(connection.client, 'disconnect')
    expect(await call(connection)).toBe(200)
    expect([connection.dials, dials.length]).toEqual([2, 2])
    expect(connection.trace).not.toBe(trace)
  })
})

describe('of those that are idle', () => {
  test('so many are kept over all origins; the oldest ends', async () => {
    const few = open({ maxIdle: 2 })
    const [a, b, c] = [await kept('a.dev', few), await kept('b.dev', few), await kept('c.dev', few)]
    expect([a.client.destroyed, b.client.destroyed, c.client.destroyed]).toEqual([true, false, false])
    expect(few.take(targetOf('a.dev'))).not.toBe(a)
    expect(few.take(targetOf('b.dev'))).toBe(b)
    few.keep(b)
    const d = await kept('d.dev', few)
    expect([c.client.destroyed, b.client.destroyed, d.client.destroyed]).toEqual([true, false, false])
    few.closeAll()
  })

  test('one that has ended takes nobody’s place', async () => {
    const few = open({ maxIdle: 2 })
    const [a, b] = [await kept('a.dev', few), await kept('b.dev', few)]
    a.destroy()
    await kept('c.dev', few)
    expect(b.client.destroyed).toBe(false)
    await kept('d.dev', few)
    expect(b.client.destroyed).toBe(true)
    few.closeAll()
  })

  test('one that ends leaves the others of its origin', async () => {
    const [one, two] = [connections.take(targetOf()), connections.take(targetOf())]
    await Promise.all([call(one), call(two)])
    connections.keep(one)
    connections.keep(two)
    one.destroy()
    expect(connections.take(targetOf())).toBe(two)
    expect(connections.take(targetOf())).not.toBe(one)
  })
})

describe('ending', () => {
  test('one that is being dialled ends the dial', async () => {
    const silent: Dial = () => ({
      destroy() {
        dials.push({ origin: '', fresh: undefined, ended: true })
      },
    })
    const waiting = open({ dial: silent })
    const connection = waiting.take(targetOf())
    const result = call(connection)
    await new Promise(setImmediate)
    connection.destroy()
    expect(dials).toHaveLength(1)
    expect(await result).toMatchObject({ outcome: 'failed' })
    connection.destroy()
    expect(dials).toHaveLength(1)
  })

  test('one that is connected has no dial to end', async () => {
    const connection = connections.take(targetOf())
    await call(connection)
    connection.destroy()
    await closed(connection)
    expect(dials).toEqual([{ origin: 'http://a.dev', fresh: false, ended: false }])
  })

  test('all of them: those at work, those kept; and none is kept afterwards', async () => {
    const idle = await kept('b.dev')
    const working = connections.take(targetOf())
    await call(working)
    connections.closeAll()
    expect([idle.client.destroyed, working.client.destroyed]).toEqual([true, true])
    connections.keep(working)
    expect(connections.take(targetOf())).not.toBe(working)
    expect(connections.take(targetOf('b.dev'))).not.toBe(idle)
  })
})

describe('a dial that fails', () => {
  function failing(error: Error | null) {
    const dial: Dial = (_target, _trace, done) => {
      queueMicrotask(() => done(error, null))
      return { destroy() {} }
    }
    const refusing = open({ dial })
    const connection = refusing.take(targetOf())
    return { connection, result: call(connection) }
  }

  test('fails the call with its own error', async () => {
    const { connection, result } = failing(new DialError('DIAL_BLOCKED', 'private_address'))
    expect(await result).toMatchObject({ outcome: 'failed', fault: { code: 'DIAL_BLOCKED' } })
    expect([connection.dials, connection.socket]).toEqual([1, null])
    connection.destroy()
  })

  test('or says that it was closed, when it does not say why', async () => {
    const { connection, result } = failing(null)
    expect(await result).toMatchObject({ outcome: 'failed', fault: { code: 'DIAL_CLOSED' } })
    connection.destroy()
  })
})

test('headers of an answer are read up to the limit and no further', async () => {
  extraHeaders = { 'x-long': 'a'.repeat(3_000) }
  const strict = open({ headerBytes: 2_000 })
  expect(await call(strict.take(targetOf()))).toMatchObject({ outcome: 'failed' })
  strict.closeAll()
  expect(await call(connections.take(targetOf()))).toBe(200)
})
