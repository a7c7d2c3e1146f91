import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '#app/lib/clocks.server.ts'
import { scriptedResolver, watchConnectionAttempts } from '#tests/support/guard-trial.server.ts'
import {
  type HostileBehaviour,
  type HostileReceivers,
  startHostileReceivers,
} from '#tests/support/hostile-receivers.server.ts'
import { createOutbound } from './outbound.server.ts'
import type { Outbound, OutboundOutcome, OutboundProbe } from './outbound.ts'

const PATIENT = { totalMs: 8_000, connectMs: 4_000 }
const IMPATIENT = { totalMs: 500, connectMs: 300 }
const ENDLESS: readonly HostileBehaviour[] = ['never-answers', 'drips-headers', 'tls-silent']
let zoo: HostileReceivers
let outbound: Outbound
let impatient: Outbound

beforeAll(async () => {
  zoo = await startHostileReceivers()
  outbound = guarded()
  impatient = guarded(zoo.hostPorts, IMPATIENT)
})
afterAll(async () => {
  await outbound.close()
  await impatient.close()
  await zoo.close()
})

function guarded(egressAllow = zoo.hostPorts, limits = PATIENT): Outbound {
  return createOutbound({
    clock: systemClock(),
    selfHosts: ['addon.self.test'],
    egressAllow,
    limits,
    trustedCa: [zoo.authority],
  })
}

const post = (url: string, to: Outbound) => to.post({ url, headers: {}, body: '{}' })

describe('a look at an address', () => {
  const look = (url: string, of = outbound, timeoutMs = 8_000) =>
    of.probe({ url, headers: { 'user-agent': 'Fieldhook/0 (address check)' }, timeoutMs })

  type End = OutboundProbe['endedAt']

  test.each<[HostileBehaviour, OutboundOutcome['outcome'], End, End?]>([
    ['never-answers', 'timeout', 'answer'],
    ['drips-headers', 'timeout', 'answer'],
    ['half-closes', 'reset', 'answer'],
    ['resets', 'reset', 'answer'],
    ['floods-interim', 'protocol', 'answer'],
    ['not-http', 'protocol', 'answer'],
    ['huge-headers', 'protocol', 'answer'],
    ['refuses', 'refused', 'connection'],
    ['tls-expired', 'tls', 'security'],
    ['tls-self-signed', 'tls', 'security'],
    ['tls-wrong-name', 'tls', 'security'],
    ['tls-not-spoken', 'tls', 'security'],
    ['tls-silent', 'timeout', 'security'],
    // Whether the reset or the connection is noticed first is a matter of luck.
    ['tls-resets', 'reset', 'security', 'connection'],
    ['ok', 'response', 'answer'],
    ['huge-body', 'response', 'answer'],
    ['redirects-to-metadata', 'response', 'answer'],
  ])('of %s ends as %s, at the %s, with one request at most', async (behaviour, outcome, ...ends) => {
    const before = zoo.requests(behaviour)
    const patient = !ENDLESS.includes(behaviour)
    const seen = await look(zoo.url(behaviour), patient ? outbound : impatient, patient ? 8_000 : 500)
    expect(seen).toMatchObject({ literal: true, result: { outcome, peerIp: '127.0.0.1' } })
    expect(ends).toContain(seen.endedAt)
    expect(zoo.requests(behaviour) - before).toBeLessThanOrEqual(1)
  })

  test('knows until when the certificate is valid, over a whole handshake each time', async () => {
    const fresh = guarded()
    await post(zoo.url('tls-ok'), fresh)
    for (let time = 0; time < 2; time += 1) {
      const seen = await look(zoo.url('tls-ok'), fresh)
      expect(seen).toMatchObject({ secure: true, result: { outcome: 'response', status: 200 } })
      expect(seen.result.timing).toMatchObject({ connectMs: expect.any(Number), tlsMs: expect.any(Number) })
      const left = (seen.certificate?.validUntil ?? 0) - Date.now()
      expect(left).toBeGreaterThan(0)
      expect(left).toBeLessThanOrEqual(86_400_000)
      expect(seen.certificate?.issuer).toBe('Test authority')
    }
    expect((await look(zoo.url('ok'), fresh)).certificate).toBeNull()
    expect((await look(zoo.url('tls-expired'), fresh)).certificate).toBeNull()
    await fresh.close()
  })

  test('keeps no connection, and takes none that is kept', async () => {
    const fresh = guarded()
    await post(zoo.url('ok'), fresh)
    const before = zoo.connections()
    await look(zoo.url('ok'), fresh)
    await look(zoo.url('ok'), fresh)
    expect(zoo.connections() - before).toBe(2)
    await post(zoo.url('ok'), fresh)
    expect(zoo.connections() - before).toBe(2)
    await fresh.close()
  })

  test('asks with OPTIONS and without a body, as given', async () => {
    const arrived: IncomingMessage[] = []
    const server = createServer((request, response) => {
      arrived.push(request)
      response.writeHead(204).end()
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const fresh = guarded([`localhost:${port}`])
    const seen = await look(`http://localhost:${port}/in?key=1`, fresh)
    expect(seen).toMatchObject({ secure: false, literal: false, result: { status: 204, timing: { tlsMs: null } } })
    expect(seen.result.timing.dnsMs).toEqual(expect.any(Number))
    expect(arrived).toHaveLength(1)
    expect(arrived[0]).toMatchObject({ method: 'OPTIONS', url: '/in?key=1' })
    expect(arrived[0]?.headers).toMatchObject({ 'user-agent': 'Fieldhook/0 (address check)' })
    expect(arrived[0]?.headers['content-length'] ?? '0').toBe('0')
    expect(arrived[0]?.headers['transfer-encoding']).toBeUndefined()
    await fresh.close()
    await new Promise((resolve) => server.close(resolve))
  })

  test('is blocked without a socket outside the exceptions, and for headers that break the message', async () => {
    const strict = guarded([])
    const spy = watchConnectionAttempts()
    expect(await look(zoo.url('tls-ok'), strict)).toMatchObject({
      endedAt: 'address',
      result: { outcome: 'blocked', sentence: expect.stringContaining('private network'), peerIp: null },
    })
    const broken = await outbound.probe({ url: zoo.url('ok'), headers: { host: 'x' }, timeoutMs: 100 })
    expect(broken).toMatchObject({ endedAt: 'address', result: { outcome: 'blocked' } })
    spy.stop()
    expect(spy.attempts).toEqual([])
    await strict.close()
  })

  test('of a name says whether it was the name that was not found', async () => {
    const nowhere = createOutbound({
      clock: systemClock(),
      selfHosts: [],
      egressAllow: [],
      limits: PATIENT,
      resolver: scriptedResolver([]),
    })
    expect(await look('https://nowhere.example.com/', nowhere)).toMatchObject({
      endedAt: 'name',
      literal: false,
      result: { outcome: 'dns' },
    })
    await nowhere.close()
    expect(await look('https://nowhere.example.com/', nowhere)).toMatchObject({
      endedAt: 'connection',
      result: { outcome: 'reset', sentence: expect.stringContaining('restarted') },
    })
  })
})
