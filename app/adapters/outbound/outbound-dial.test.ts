// One connection, without a network: what is vetted, what is opened, and what becomes of it.
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { afterEach, expect, test, vi } from 'vitest'
import { createDial, DialError, type DialTrace, type SocketOptions } from './outbound-dial.server.ts'
import type { NameResolver } from './outbound-resolver.server.ts'
import { type AddressTarget, addressRules } from './safe-address.ts'

const PUBLIC = { address: '93.184.216.34', family: 4 as const }
const OTHER = { address: '93.184.216.35', family: 4 as const }
const PRIVATE = { address: '10.0.0.1', family: 4 as const }

type Resolved = Awaited<ReturnType<NameResolver['resolve']>>
const found = (...addresses: (typeof PUBLIC)[]): Resolved => ({ outcome: 'addresses', addresses, ttlMs: 1_000 })

interface FakeSocket extends EventEmitter {
  remoteAddress: string | undefined
  destroyed: boolean
  /** What was set on it. */
  set: unknown[][]
}

function dialler(answers: { names?: Resolved; machine?: Resolved } = {}, connectMs = 60_000) {
  const opened: { options: SocketOptions; socket: FakeSocket }[] = []
  const dial = createDial({
    rules: addressRules({ selfHosts: ['fieldhook.example.com'], egressAllow: [] }),
    names: { resolve: async () => answers.names ?? found(PUBLIC) },
    machine: { resolve: async () => answers.machine ?? found(PRIVATE) },
    connectMs,
    open(options) {
      const socket: FakeSocket = Object.assign(new EventEmitter(), {
        remoteAddress: PUBLIC.address as string | undefined,
        destroyed: false,
        set: [] as unknown[][],
        setNoDelay: (...how: unknown[]) => void socket.set.push(['no delay', ...how]),
        setKeepAlive: (...how: unknown[]) => void socket.set.push(['keep alive', ...how]),
        getPeerCertificate: () => ({ valid_to: 'Nov 22 10:00:00 2026 GMT', issuer: { O: 'Some Authority' } }),
        destroy() {
          socket.destroyed = true
        },
      })
      opened.push({ options, socket })
      return socket as unknown as Socket
    },
  })
  function begin(given: Partial<AddressTarget> = {}, how?: { fresh: boolean }) {
    const trace: DialTrace = { dnsMs: null, connectMs: null, tlsMs: null, peerIp: null, certificate: null }
    const done: [Error | null, Socket | null][] = []
    let tell = () => {}
    const ended = new Promise<void>((resolve) => {
      tell = resolve
    })
    const target: AddressTarget = {
      protocol: 'https:',
      hostname: 'receiver.example.com',
      port: 443,
      origin: 'https://receiver.example.com',
      path: '/',
      literal: false,
      excepted: false,
      ...given,
    }
    const running = dial(
      target,
      trace,
      (error, socket) => {
        done.push([error, socket])
        tell()
      },
      how,
    )
    return { trace, done, ended, running, ...(opened.at(-1) ?? { options: null, socket: null }) }
  }
  return { begin, opened }
}

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

type Begun = ReturnType<ReturnType<typeof dialler>['begin']>

function looked(begun: Begun, all: boolean): Promise<[unknown, unknown, unknown]> {
  return new Promise((resolve) => {
    begun.options?.lookup('receiver.example.com', { all }, (error, address, family) =>
      resolve([error && { ...error, message: error.message }, address, family]),
    )
  })
}

async function connected(begun: Begun): Promise<void> {
  await looked(begun, true)
  begun.socket?.emit('lookup')
  begun.socket?.emit('connect')
  begun.socket?.emit('secureConnect')
}

const codeOf = ([error]: [Error | null, unknown] = [null, null]) => (error ? Reflect.get(error, 'code') : null)

test('a private address as the name opens nothing', async () => {
  for (const hostname of ['127.0.0.1', '10.1.2.3', '::1']) {
    const { begin, opened } = dialler()
    const begun = begin({ hostname })
    await begun.ended
    expect(begun.done.map(codeOf)).toEqual(['DIAL_BLOCKED'])
    expect(Reflect.get(begun.done[0]?.[0] ?? {}, 'reason')).toBe('private_address')
    expect(opened).toHaveLength(0)
    begun.running.destroy()
    expect(begun.done).toHaveLength(1)
  }
})

test('the connection is told the addresses that were judged, as one or as a list', async () => {
  const begun = dialler({ names: found(PUBLIC, OTHER) }).begin()
  expect(await looked(begun, true)).toEqual([null, [PUBLIC, OTHER], undefined])
  expect(await looked(begun, false)).toEqual([null, PUBLIC.address, 4])
  const none = dialler({ names: found() }).begin()
  expect(await looked(none, false)).toEqual([null, [], undefined])
  const many = dialler({ names: found(...Array.from({ length: 9 }, () => PUBLIC)) }).begin()
  expect((await looked(many, true))[1]).toHaveLength(8)
})

test.each([
  ['one private address among public ones', found(PUBLIC, PRIVATE), 'DIAL_BLOCKED'],
  ['a ninth that is private', found(...Array.from({ length: 8 }, () => PUBLIC), PRIVATE), 'DIAL_BLOCKED'],
  ['a name nobody knows', { outcome: 'unknown' } as const, 'DIAL_NAME_UNKNOWN'],
  ['a name server that is silent', { outcome: 'unavailable' } as const, 'DIAL_NAME_UNAVAILABLE'],
])('%s is refused before anything is opened', async (_what, names, code) => {
  const [error, addresses] = await looked(dialler({ names }).begin(), true)
  expect([Reflect.get(error as object, 'code'), addresses]).toEqual([code, []])
})

test('an exception of the operator asks the machine, and its private answer is fine', async () => {
  const begun = dialler({ names: { outcome: 'unknown' } }).begin({ excepted: true, protocol: 'http:', port: 80 })
  expect(await looked(begun, true)).toEqual([null, [PRIVATE], undefined])
  expect(begun.options?.tls).toBeNull()
  if (begun.socket) begun.socket.remoteAddress = PRIVATE.address
  begun.socket?.emit('connect')
  await begun.ended
  expect(begun.done).toEqual([[null, begun.socket]])
})

test('a connection that ends up elsewhere than judged, or nowhere, is destroyed before it is used', async () => {
  for (const [remoteAddress, code] of [
    [OTHER.address, 'DIAL_BLOCKED'],
    [undefined, 'DIAL_CLOSED'],
  ] as const) {
    const begun = dialler().begin()
    if (begun.socket) begun.socket.remoteAddress = remoteAddress
    await connected(begun)
    expect([begun.done.map(codeOf), begun.socket?.destroyed]).toEqual([[code], true])
    expect(begun.done[0]?.[1]).toBeNull()
  }
})

test('an address that is mapped into IPv6 is the one that was judged', async () => {
  const begun = dialler().begin()
  if (begun.socket) begun.socket.remoteAddress = `::ffff:${PUBLIC.address}`
  await connected(begun)
  expect(begun.done).toEqual([[null, begun.socket]])
  expect(begun.trace.peerIp).toBe(`::ffff:${PUBLIC.address}`)
})

test('what is opened names the host to TLS, checks the certificate, and speaks one protocol', () => {
  const { options } = dialler().begin()
  expect(options).toMatchObject({
    host: 'receiver.example.com',
    port: 443,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_200,
    tls: { servername: 'receiver.example.com', ALPNProtocols: ['http/1.1'], rejectUnauthorized: true },
  })
  expect(dialler().begin({ hostname: PUBLIC.address }).options?.tls?.servername).toBe('')
})

test('it is told once how it went, whatever happens afterwards, and each phase is timed', async () => {
  const begun = dialler().begin()
  begun.socket?.emit('connectionAttempt', PUBLIC.address)
  expect(begun.trace.peerIp).toBe(PUBLIC.address)
  await connected(begun)
  begun.socket?.emit('error', new Error('late'))
  begun.socket?.emit('close')
  begun.running.destroy()
  expect(begun.done).toEqual([[null, begun.socket]])
  expect(begun.socket?.destroyed).toBe(false)
  for (const ms of [begun.trace.dnsMs, begun.trace.connectMs, begun.trace.tlsMs]) expect(ms).toBeGreaterThanOrEqual(0)
})

test('over TLS it is ready after the handshake and not before; a failure is passed on', async () => {
  const begun = dialler().begin()
  await looked(begun, true)
  begun.socket?.emit('lookup')
  begun.socket?.emit('connect')
  expect(begun.done).toEqual([])
  const failure = new Error('no certificate')
  begun.socket?.emit('error', failure)
  expect([begun.done, begun.socket?.destroyed]).toEqual([[[failure, null]], true])
})

test('closed or given up, it is destroyed and says so', () => {
  const closed = dialler().begin()
  closed.socket?.emit('close')
  const givenUp = dialler().begin()
  givenUp.running.destroy()
  for (const begun of [closed, givenUp]) expect(begun.done.map(codeOf)).toEqual(['DIAL_CLOSED'])
  expect(givenUp.socket?.destroyed).toBe(true)
})

test('the time for TCP and TLS begins when the name is resolved, or at once without a name', async () => {
  const literal = dialler({}, 1).begin({ hostname: PUBLIC.address })
  await literal.ended
  expect(literal.done.map(codeOf)).toEqual(['DIAL_TIMEOUT'])
  const named = dialler({}, 1).begin()
  named.socket?.emit('lookup')
  await named.ended
  expect(named.done.map(codeOf)).toEqual(['DIAL_TIMEOUT'])
})

test('a session is resumed for the same host and port, unless a whole handshake is asked for or the last one failed', async () => {
  const { begin } = dialler()
  const first = begin()
  expect(first.options?.tls?.session).toBeUndefined()
  const session = Buffer.from('session')
  first.socket?.emit('session', Buffer.from('older'))
  first.socket?.emit('session', session)
  await connected(first)
  expect(begin({}, { fresh: true }).options?.tls?.session).toBeUndefined()
  expect(begin({ port: 8443 }).options?.tls?.session).toBeUndefined()
  const second = begin()
  expect(second.options?.tls?.session).toBe(session)
  second.socket?.emit('error', new Error('refused'))
  expect(begin().options?.tls?.session).toBeUndefined()
})

test('so many sessions are kept and no more: the oldest goes', () => {
  const { begin } = dialler()
  for (let port = 2000; port < 2257; port += 1) begin({ port }).socket?.emit('session', Buffer.from(String(port)))
  expect(begin({ port: 2000 }).options?.tls?.session).toBeUndefined()
  expect(String(begin({ port: 2001 }).options?.tls?.session)).toBe('2001')
  expect(String(begin({ port: 2256 }).options?.tls?.session)).toBe('2256')
})

test('a session that was renewed is the youngest again', () => {
  const { begin } = dialler()
  for (let port = 2000; port < 2256; port += 1) begin({ port }).socket?.emit('session', Buffer.from('old'))
  begin({ port: 2000 }).socket?.emit('session', Buffer.from('new'))
  begin({ port: 3000 }).socket?.emit('session', Buffer.from('one more'))
  expect(String(begin({ port: 2000 }).options?.tls?.session)).toBe('new')
  expect(begin({ port: 2001 }).options?.tls?.session).toBeUndefined()
})

test('the certificate is noted where a whole handshake was asked for, and there alone', async () => {
  const { begin } = dialler()
  const usual = begin()
  await connected(usual)
  expect(usual.trace.certificate).toBeNull()
  const fresh = begin({}, { fresh: true })
  await connected(fresh)
  expect(fresh.trace.certificate).toEqual({ validUntil: Date.UTC(2026, 10, 22, 10), issuer: 'Some Authority' })
})

test('small bodies leave at once, and a silent end of the other side is found out', () => {
  expect(dialler().begin().socket?.set).toEqual([
    ['no delay', true],
    ['keep alive', true, 60_000],
  ])
})

test('each phase is timed from the end of the one before', async () => {
  let now = 1_000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const begun = dialler().begin()
  await looked(begun, true)
  now = 1_007
  begun.socket?.emit('lookup')
  now = 1_019
  begun.socket?.emit('connect')
  now = 1_050
  begun.socket?.emit('secureConnect')
  expect(begun.trace).toMatchObject({ dnsMs: 7, connectMs: 12, tlsMs: 31 })
})

test('no time runs before the name is resolved, and none after the end', async () => {
  vi.useFakeTimers()
  const named = dialler().begin()
  expect(vi.getTimerCount()).toBe(0)
  await looked(named, true)
  named.socket?.emit('lookup')
  named.socket?.emit('lookup')
  expect(vi.getTimerCount()).toBe(1)
  named.socket?.emit('connect')
  named.socket?.emit('secureConnect')
  expect(named.done).toEqual([[null, named.socket]])
  expect(vi.getTimerCount()).toBe(0)
  dialler().begin({ hostname: PUBLIC.address })
  expect(vi.getTimerCount()).toBe(1)
})

test('an error says in the log what it is', () => {
  expect(String(new DialError('DIAL_TIMEOUT'))).toBe('DialError: DIAL_TIMEOUT')
})
