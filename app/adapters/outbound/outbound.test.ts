import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type LookupFunction } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '#app/lib/clocks.server.ts'
import { withEnvironment } from '#tests/support/environment.ts'
import { scriptedResolver, watchConnectionAttempts } from '#tests/support/guard-trial.server.ts'
import {
  type HostileBehaviour,
  type HostileReceivers,
  startHostileReceivers,
} from '#tests/support/hostile-receivers.server.ts'
import { createOutbound, DEFAULT_LIMITS } from './outbound.server.ts'
import type { Outbound, OutboundOutcome } from './outbound.ts'
import { openSocket, type SocketOptions } from './outbound-dial.server.ts'

/** Far more than anything here takes, so that a busy machine changes no outcome … */
const PATIENT = { totalMs: 8_000, connectMs: 4_000 }
/** … and little for those that would use up any limit. */
const IMPATIENT = { totalMs: 500, connectMs: 300 }
const ENDLESS: readonly HostileBehaviour[] = ['never-answers', 'drips-headers', 'drips-body', 'tls-silent']
const BODY = '{"object":"Job"}'
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

test('an address has 15 seconds to answer', () => {
  expect(DEFAULT_LIMITS.totalMs).toBe(15_000)
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

function post(url: string, headers: Record<string, string> = {}, to = outbound): Promise<OutboundOutcome> {
  return to.post({ url, headers: { 'content-type': 'application/json', ...headers }, body: BODY })
}

describe('every receiver in the zoo ends in one outcome, of its class, inside the time limit', () => {
  test.each<[HostileBehaviour, OutboundOutcome['outcome'], RegExp]>([
    ['never-answers', 'timeout', /^No answer within 0.5 seconds/],
    ['drips-headers', 'timeout', /^The answer had begun but was not complete/],
    ['half-closes', 'reset', /without an answer/],
    ['resets', 'reset', /without an answer/],
    ['floods-interim', 'protocol', /interim answers without end/],
    ['unasked-100', 'protocol', /not valid HTTP/],
    ['unasked-101', 'protocol', /not valid HTTP/],
    ['two-lengths', 'protocol', /not valid HTTP/],
    ['not-http', 'protocol', /not valid HTTP/],
    ['huge-headers', 'protocol', /larger than 16 KB/],
    ['refuses', 'refused', /refused the connection/],
    ['tls-expired', 'tls', /has expired/],
    ['tls-self-signed', 'tls', /self-signed/],
    ['tls-wrong-name', 'tls', /issued for another name/],
    ['tls-not-spoken', 'tls', /No secure connection/],
    ['tls-silent', 'timeout', /TLS\) was not ready within 0.3 seconds/],
    ['tls-resets', 'reset', /before the request could be sent/],
  ])('%s: %s', async (behaviour, outcome, sentence) => {
    const before = zoo.requests(behaviour)
    const started = performance.now()
    const [sender, limits] = ENDLESS.includes(behaviour) ? [impatient, IMPATIENT] : [outbound, PATIENT]
    const result = await post(zoo.url(behaviour), {}, sender)
    expect(result).toMatchObject({ outcome, sentence: expect.stringMatching(sentence), peerIp: '127.0.0.1' })
    expect(performance.now() - started).toBeLessThan(limits.totalMs + 500)
    expect(zoo.requests(behaviour) - before).toBeLessThanOrEqual(1)
  })

  test.each<[HostileBehaviour, number, string, boolean]>([
    ['ok', 200, 'ok', false],
    ['ok-then-closes', 200, 'ok', false],
    ['some-interim', 200, 'ok', false],
    ['gzip-bomb', 200, '', false],
    ['binary-body', 200, '', false],
    ['huge-body', 200, 'a'.repeat(4096), true],
    ['long-text', 500, 'é'.repeat(2048), true],
    ['drips-body', 200, expect.stringMatching(/^a+$/), true],
    ['closes-in-answer', 200, 'ten bytes.', true],
    ['resets-in-answer', 200, 'ten bytes.', true],
    ['bad-chunk', 200, '', false],
    ['gone-in-part', 410, 'gone', true],
    ['redirects-to-metadata', 302, '', false],
    ['many-headers', 200, 'ok', false],
    ['tls-ok', 200, 'ok', false],
  ])('%s: answered %i', async (behaviour, status, body, bodyTruncated) => {
    const before = zoo.requests(behaviour)
    const result = await post(zoo.url(behaviour), {}, ENDLESS.includes(behaviour) ? impatient : outbound)
    expect(result).toMatchObject({ outcome: 'response', status, body, bodyTruncated, peerIp: '127.0.0.1' })
    expect(zoo.requests(behaviour) - before).toBe(1)
  })

  test('a body that never ends holds up an answer for a second', async () => {
    const result = await post(zoo.url('drips-body'))
    expect(result).toMatchObject({ outcome: 'response', status: 200, bodyTruncated: true })
    expect(result.timing?.totalMs).toBeLessThan(2_000)
  })

  test('header values outside ASCII arrive as bytes, and a header named like the prototype is just a header', async () => {
    const result = await post(zoo.url('non-ascii-headers'))
    expect(result).toMatchObject({
      headers: { 'x-latin': 'caf\xe9', 'x-utf': Buffer.from('€').toString('latin1'), 'set-cookie': 'a=1, b=2' },
    })
    expect(result.outcome === 'response' && Object.keys(result.headers)).toContain('__proto__')
  })

  test('a redirect is reported and not followed', async () => {
    const spy = watchConnectionAttempts()
    const result = await post(zoo.url('redirects-to-metadata'), {}, guarded())
    spy.stop()
    expect(result).toMatchObject({ status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data/' } })
    expect(spy.attempts.map((one) => one.split(' ')[0])).toEqual(['127.0.0.1'])
  })
})

test('memory stays flat while sixty huge, packed and endless answers are cut off', async () => {
  const pouredBefore = zoo.poured('huge-body')
  const before = process.memoryUsage()
  for (let round = 0; round < 5; round += 1) {
    const kinds: HostileBehaviour[] = ['huge-body', 'gzip-bomb', 'floods-interim', 'huge-headers']
    await Promise.all(kinds.flatMap((kind) => [post(zoo.url(kind)), post(zoo.url(kind)), post(zoo.url(kind))]))
  }
  const after = process.memoryUsage()
  // What a receiver got rid of sits in the kernel's buffers; the rest of its 50 MB was never taken.
  expect((zoo.poured('huge-body') - pouredBefore) / 15).toBeLessThan(12_000_000)
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(30_000_000)
  expect(after.heapUsed - before.heapUsed).toBeLessThan(60_000_000)
})

describe('time', () => {
  test('is split into phases, which are null on a connection that was used before', async () => {
    const fresh = guarded()
    const first = await post(zoo.url('tls-ok'), {}, fresh)
    expect(first.timing).toEqual({
      totalMs: expect.any(Number),
      dnsMs: null, // an IP address asks no DNS
      connectMs: expect.any(Number),
      tlsMs: expect.any(Number),
      firstByteMs: expect.any(Number),
    })
    const second = await post(zoo.url('tls-ok'), {}, fresh)
    expect(second).toMatchObject({ outcome: 'response', peerIp: '127.0.0.1' })
    expect(second.timing).toMatchObject({ dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: expect.any(Number) })
    await fresh.close()
  })

  test('is known up to the phase that failed', async () => {
    expect((await post(zoo.url('refuses'))).timing).toMatchObject({ connectMs: null, tlsMs: null, firstByteMs: null })
    expect((await post(zoo.url('tls-silent'), {}, impatient)).timing).toMatchObject({
      connectMs: expect.any(Number),
      tlsMs: null,
    })
    const late = await post(zoo.url('never-answers'), {}, impatient)
    expect(late.timing.totalMs).toBeGreaterThanOrEqual(IMPATIENT.totalMs - 5)
    expect(late.timing.firstByteMs).toBeNull()
  })

  test('of one call can be set by the request', async () => {
    const result = await outbound.post({ url: zoo.url('never-answers'), headers: {}, body: BODY, timeoutMs: 100 })
    expect(result).toMatchObject({ outcome: 'timeout', sentence: 'No answer within 0.1 seconds.' })
    expect(result.timing.totalMs).toBeLessThan(2_000)
  })
})

describe('connections', () => {
  test('are kept for the next call, and shared by nobody at the same time', async () => {
    const fresh = guarded()
    const before = zoo.connections()
    for (let i = 0; i < 5; i += 1) await post(zoo.url('ok'), {}, fresh)
    expect(zoo.connections() - before).toBe(1)
    await Promise.all(Array.from({ length: 4 }, () => post(zoo.url('ok'), {}, fresh)))
    expect(zoo.connections() - before).toBe(4)
    await fresh.close()
  })

  test('that the other side closed after its answer are replaced without a failure', async () => {
    const fresh = guarded()
    for (let i = 0; i < 5; i += 1)
      expect(await post(zoo.url('ok-then-closes'), {}, fresh)).toMatchObject({ status: 200 })
    await fresh.close()
  })

  test('that were kept and then fail after the request say that it was sent', async () => {
    let requests = 0
    const server = createServer((request, response) => {
      requests += 1
      if (requests % 2 === 0) request.socket.resetAndDestroy()
      else response.end('ok')
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const place = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const sender = guarded([place])
    expect(await post(`http://${place}/`, {}, sender)).toMatchObject({ status: 200 })
    const reset = await post(`http://${place}/`, {}, sender)
    expect(reset).toMatchObject({ outcome: 'reset', reached: true, timing: { connectMs: null } })
    expect(await post(zoo.url('refuses'))).toMatchObject({ outcome: 'refused', reached: false })
    await sender.close()
    server.close()
  })

  test('that fail at once are tried a second time, others are not', async () => {
    const spy = watchConnectionAttempts()
    const attempts = async (behaviour: HostileBehaviour) => {
      spy.attempts.length = 0
      await post(zoo.url(behaviour), {}, impatient)
      return spy.attempts.length
    }
    expect(await attempts('refuses')).toBe(2)
    expect(await attempts('tls-resets')).toBe(2)
    expect(await attempts('tls-expired')).toBe(1)
    expect(await attempts('tls-silent')).toBe(1)
    spy.stop()
    expect([zoo.requests('resets'), zoo.requests('half-closes')]).toEqual([1, 1])
  })

  test('are all gone after closing, and calls in flight end', async () => {
    const fresh = guarded()
    await post(zoo.url('ok'), {}, fresh)
    const inFlight = post(zoo.url('never-answers'), {}, fresh)
    await expect.poll(() => zoo.requests('never-answers')).toBeGreaterThan(2)
    await fresh.close()
    expect(await inFlight).toMatchObject({ outcome: 'reset' })
    expect(await post(zoo.url('ok'), {}, fresh)).toMatchObject({
      outcome: 'reset',
      sentence: expect.stringContaining('restarted'),
    })
  })
})

describe('the request', () => {
  test('arrives as it was given, with its own length and host, and asks for no compression', async () => {
    const arrived: { request: IncomingMessage; body: string }[] = []
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      arrived.push({ request, body })
      response.end()
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const fresh = guarded([`localhost:${port}`])
    const body = '{"name":"Zoë €"}'
    const url = `http://LOCALHOST:${port}/a%20b?q=1#frag`
    expect(await fresh.post({ url, headers: { 'webhook-id': 'evt_1' }, body })).toMatchObject({
      outcome: 'response',
      status: 200,
    })
    await fresh.close()
    server.close()
    expect(arrived).toHaveLength(1)
    expect(arrived[0]).toMatchObject({
      body,
      request: {
        method: 'POST',
        url: '/a%20b?q=1',
        headers: {
          host: `localhost:${port}`,
          'content-length': String(Buffer.byteLength(body)),
          'webhook-id': 'evt_1',
          'accept-encoding': 'identity',
        },
      },
    })
  })

  test.each([
    ['Host'],
    ['content-length'],
    ['Connection'],
    ['transfer-encoding'],
    ['expect'],
    ['upgrade'],
    ['proxy-authorization'],
  ])('may not set %s', async (name) => {
    expect(await post(zoo.url('ok'), { [name]: '1' })).toMatchObject({
      outcome: 'blocked',
      sentence: `The header "${name.toLowerCase()}" cannot be set.`,
    })
  })

  test.each([[{ 'x-a': 'a\r\nhost: evil' }], [{ 'x-a': '€' }], [{ 'x a': '1' }], [{ 'x-a\r\nb': '1' }]])(
    'may not carry a header that breaks the message (%#)',
    async (headers) => {
      expect(await post(zoo.url('ok'), headers)).toMatchObject({ outcome: 'blocked', peerIp: null })
    },
  )

  test('ignores proxy variables', async () => {
    const proxy = zoo.url('refuses')
    const variables = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy, ALL_PROXY: proxy }
    const result = await withEnvironment(variables, async () => {
      const fresh = guarded()
      const answer = await post(zoo.url('ok'), {}, fresh)
      await fresh.close()
      return answer
    })
    expect(result).toMatchObject({ outcome: 'response', status: 200 })
  })

  test('insists on a valid certificate, whatever the environment says, and speaks nothing but HTTP/1.1', async () => {
    const opened: SocketOptions[] = []
    const watched = createOutbound({
      clock: systemClock(),
      selfHosts: [],
      egressAllow: zoo.hostPorts,
      open: (options) => {
        opened.push(options)
        return openSocket(options)
      },
    })
    expect(await post(zoo.url('tls-ok'), {}, watched)).toMatchObject({ outcome: 'tls' })
    await watched.close()
    expect(opened[0]?.tls).toMatchObject({ rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] })
  })
})

describe('an address outside the exceptions', () => {
  test('is blocked without a socket, and the sentence tells nothing about the inside', async () => {
    const strict = guarded([])
    const spy = watchConnectionAttempts()
    for (const behaviour of ['ok', 'tls-ok'] as const) {
      const result = await post(zoo.url(behaviour), {}, strict)
      expect(result).toMatchObject({ outcome: 'blocked', peerIp: null, timing: { connectMs: null } })
      expect(JSON.stringify(result)).not.toContain('127.0.0.1')
    }
    spy.stop()
    expect(spy.attempts).toEqual([])
    expect(await strict.check(zoo.url('tls-ok'))).toMatchObject({
      verdict: 'blocked',
      sentence: expect.stringContaining('private network'),
    })
    expect(await strict.check('https://addon.self.test/')).toMatchObject({ verdict: 'blocked' })
    await strict.close()
  })

  test('is let through for its exact host and port alone', async () => {
    const [hostPort = ''] = zoo.hostPorts
    const one = guarded([hostPort])
    expect(await one.check(zoo.url('ok'))).toEqual({ verdict: 'allowed' })
    expect(await post(zoo.url('ok'), {}, one)).toMatchObject({ status: 200 })
    expect(await post(zoo.url('tls-ok'), {}, one)).toMatchObject({ outcome: 'blocked' })
    expect(await post(zoo.url('ok').replace('127.0.0.1', 'localhost'), {}, one)).toMatchObject({ outcome: 'blocked' })
    await one.close()
  })

  test('is noticed after connecting, should the socket end up elsewhere than the vetted answer, before a byte is sent', async () => {
    const received: Buffer[] = []
    const elsewhere = createTcpServer((socket) =>
      socket.on('error', () => {}).on('data', (data) => received.push(data)),
    )
    await once(elsewhere.listen(0, '127.0.0.1'), 'listening')
    const { port } = elsewhere.address() as AddressInfo
    const diverted = createOutbound({
      clock: systemClock(),
      selfHosts: [],
      egressAllow: [],
      limits: PATIENT,
      resolver: scriptedResolver(['93.184.215.14']),
      open: ({ lookup, ...options }) => {
        lookup(options.host, { all: true }, () => {})
        const divert: LookupFunction = (_name, _options, callback) =>
          setImmediate(() => callback(null, [{ address: '127.0.0.1', family: 4 }]))
        return openSocket({ ...options, port, lookup: divert })
      },
    })
    expect(await post('https://example.com/', {}, diverted)).toMatchObject({ outcome: 'blocked', peerIp: null })
    await diverted.close()
    await new Promise((resolve) => elsewhere.close(resolve))
    expect(Buffer.concat(received)).toHaveLength(0)
  })
})
