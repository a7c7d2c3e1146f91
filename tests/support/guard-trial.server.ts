// The trials of the outbound guard. Unit tests assert on them; `npm run prove:guard` prints them.
import { lookup as dnsLookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { type AddressInfo, createServer, isIP, type LookupFunction, Socket } from 'node:net'
import { Agent, request } from 'undici'
import { createOutbound, type OutboundInput } from '#app/adapters/outbound/outbound.server.ts'
import type { Outbound, OutboundOutcome } from '#app/adapters/outbound/outbound.ts'
import { type OpenSocket, openSocket } from '#app/adapters/outbound/outbound-dial.server.ts'
import { dnsResolver, type NameAnswer, type NameResolver } from '#app/adapters/outbound/outbound-resolver.server.ts'
import { fixedClock } from '#app/lib/clocks.server.ts'
import corpus from '#tests/data/ssrf-corpus.json' with { type: 'json' }
import { startDnsServer } from './dns-server.server.ts'

export interface CorpusCase {
  url: string
  reason: string
  expect: 'blocked' | 'allowed'
  /** The addresses of the name at the first lookup. */
  dns?: string[]
  /** The addresses of the name at the lookup for the connection. */
  dnsAtConnect?: string[]
}

export const CORPUS = corpus as CorpusCase[]
const SELF_HOSTS = ['addon.self.test']
const LIMITS = { totalMs: 2_000, connectMs: 1_000, dnsMs: 1_000 }
/** Public addresses; only a fake socket ever receives them. */
const PUBLIC_V4 = '93.184.215.14'
const PUBLIC_V6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c'

/** A TCP server on loopback, on both families where available. Every connection, in any protocol, is a hit. */
interface Canary {
  port: number
  hits(): number
  close(): Promise<void>
}

async function startCanary(): Promise<Canary> {
  let hits = 0
  const server = createServer((socket) => {
    hits += 1
    socket.on('error', () => {})
    socket.destroy()
  })
  try {
    await once(server.listen({ port: 0, host: '::', ipv6Only: false }), 'listening')
  } catch {
    await once(server.listen({ port: 0, host: '0.0.0.0' }), 'listening')
  }
  return {
    port: (server.address() as AddressInfo).port,
    hits: () => hits,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Records every address that any socket of this process tries to connect to, until `stop`. */
export function watchConnectionAttempts(): { attempts: string[]; stop(): void } {
  const attempts: string[] = []
  const original = Socket.prototype.connect
  Socket.prototype.connect = function connect(this: Socket, ...args: unknown[]) {
    this.on('connectionAttempt', (ip: string, port: number) => attempts.push(`${ip} ${port}`))
    return Reflect.apply(original, this, args)
  } as typeof original
  return {
    attempts,
    stop: () => {
      Socket.prototype.connect = original
    },
  }
}

/**
 * A fake socket: calls its lookup as `net.connect` does, records the addresses, and fails. So an allowed address is
 * followed up to the last step without dialling the internet.
 */
function recordingSocket(dialled: string[]): OpenSocket {
  return ({ host, lookup }) => {
    const socket = new Socket()
    const refuse = (addresses: string[]) => {
      dialled.push(...addresses)
      socket.destroy(Object.assign(new Error('stand-in'), { code: 'ECONNREFUSED' }))
    }
    if (isIP(host)) queueMicrotask(() => refuse([host]))
    else {
      lookup(host, { all: true }, (error, answer) => {
        socket.emit('lookup')
        if (error) socket.destroy(error)
        else refuse(Array.isArray(answer) ? answer.map((one) => one.address) : [answer])
      })
    }
    return socket
  }
}

/** Answers from a script: the first question gets the first answer; the last answer repeats. */
export function scriptedResolver(...answers: (readonly string[])[]): NameResolver {
  let asked = 0
  return {
    async resolve(): Promise<NameAnswer> {
      const addresses = answers[Math.min(asked, answers.length - 1)] ?? []
      asked += 1
      if (addresses.length === 0) return { outcome: 'unknown' }
      return {
        outcome: 'addresses',
        addresses: addresses.map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 })),
        ttlMs: 0,
      }
    },
  }
}

export interface CorpusResult {
  cases: number
  agreed: number
  disagreements: string[]
  /** Real sockets' connection attempts while posting to refused addresses. */
  socketsOpened: string[]
  canaryHits: number
}

/**
 * Checks every case both on saving and on calling; the fake DNS answers `dns` first and `dnsAtConnect` second. Refused
 * cases use real sockets, once unchanged and once aimed at the canary's port.
 */
export async function runCorpus(cases: readonly CorpusCase[] = CORPUS, way: Way = 'post'): Promise<CorpusResult> {
  const canary = await startCanary()
  const spy = watchConnectionAttempts()
  const disagreements: string[] = []
  for (const one of cases) {
    const fault = one.expect === 'allowed' ? await tryAllowed(one, way) : await tryRefused(one, canary.port, way)
    if (fault) disagreements.push(`${one.url.slice(0, 100)} (${one.reason}): ${fault}`)
  }
  spy.stop()
  await canary.close()
  return {
    cases: cases.length,
    agreed: cases.length - disagreements.length,
    disagreements,
    socketsOpened: spy.attempts,
    canaryHits: canary.hits(),
  }
}

async function tryAllowed(one: CorpusCase, way: Way): Promise<string | null> {
  const dialled: string[] = []
  const resolver = scriptedResolver(one.dns ?? [])
  const { verdict, outcome } = await checkAndCall(one.url, { resolver, open: recordingSocket(dialled) }, way)
  const expected = one.dns ?? [new URL(one.url).hostname.replace(/^\[|\]$/g, '')]
  if (verdict !== 'allowed') return `refused when saved (${verdict})`
  if (outcome.outcome !== 'refused') return `refused when sent (${outcome.outcome})`
  return expected.every((address) => dialled.includes(address)) ? null : `dialled ${dialled.join(', ') || 'nothing'}`
}

async function tryRefused(one: CorpusCase, canaryPort: number, way: Way): Promise<string | null> {
  const answers = one.dnsAtConnect ? [one.dns ?? [], one.dnsAtConnect] : [one.dns ?? []]
  for (const url of [one.url, aimAt(one.url, canaryPort)]) {
    const dialled: string[] = []
    const recording = { resolver: scriptedResolver(...answers), open: recordingSocket(dialled) }
    const recorded = await checkAndCall(url, recording, way)
    if (dialled.length > 0) return `would have dialled ${dialled.join(', ')}`
    const real = { resolver: scriptedResolver(...answers), open: openSocket }
    const { verdict, outcome } = await checkAndCall(url, real, way)
    if (outcome.outcome !== recorded.outcome.outcome)
      return `ended as ${outcome.outcome} and ${recorded.outcome.outcome}`
    // A name that does not exist is not forbidden, only never dialled.
    const nowhere = one.dns?.length === 0
    if (outcome.outcome !== (nowhere ? 'dns' : 'blocked')) return `ended as ${outcome.outcome}`
    const saved = nowhere ? 'unresolved' : one.dnsAtConnect ? 'allowed' : 'blocked'
    // Suffixes and literals need no DNS; for names the first answer decides on saving.
    if (verdict !== saved) return `${verdict} when saved`
  }
  return null
}

async function checkAndCall(
  url: string,
  parts: Pick<OutboundInput, 'resolver' | 'open'>,
  way: Way,
): Promise<{ verdict: string; outcome: OutboundOutcome }> {
  const outbound = guardedOutbound(parts)
  const { verdict } = await outbound.check(url)
  const outcome = await call(outbound, url, way)
  await outbound.close()
  return { verdict, outcome }
}

function guardedOutbound(parts: Partial<OutboundInput>): Outbound {
  return createOutbound({ clock: fixedClock(), selfHosts: SELF_HOSTS, egressAllow: [], limits: LIMITS, ...parts })
}

/** How the product calls a user's address: with an event, or with a probe that carries none. */
export type Way = 'post' | 'probe'

async function call(outbound: Outbound, url: string, way: Way): Promise<OutboundOutcome> {
  if (way === 'post') return outbound.post({ url, headers: { 'content-type': 'application/json' }, body: '{}' })
  return (await outbound.probe({ url, headers: {}, timeoutMs: LIMITS.totalMs })).result
}

/** The same address on another port; unchanged when it already names a port or is no https address. */
function aimAt(url: string, port: number): string {
  return url.replace(/^(https:\/\/[^/?#\\]+?)(?=[/?#\\]|$)/, (authority) =>
    /:\d+$/.test(authority) ? authority : `${authority}:${port}`,
  )
}

/** Spellings of loopback that reach a local server when only the lookup is guarded. */
const LOOPBACK_SPELLINGS = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '017700000001',
  '0177.0.0.1',
  '0x7f.1',
  '127.0.0.0x1',
  '127.0.0.1.',
  '0',
  '0.0.0.0',
  '127.127.127.127',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
]

export interface TrialResult {
  tried: number
  refused: number
  socketsOpened: string[]
  canaryHits: number
  /** The same trial without the guard. Zeros here mean that the trial proves nothing. */
  control: { socketsOpened: number; canaryHits: number }
}

/** IP addresses in the URL, over https and http, with the real agent. Control: a client guarded only in its lookup. */
export async function runLiterals(way: Way = 'post'): Promise<TrialResult> {
  const canary = await startCanary()
  const urls = LOOPBACK_SPELLINGS.flatMap((host) => [
    `https://${host}:${canary.port}/`,
    `http://${host}:${canary.port}/`,
  ])
  const outbound = guardedOutbound({ resolver: scriptedResolver([]) })
  const spy = watchConnectionAttempts()
  let refused = 0
  for (const url of urls) refused += (await call(outbound, url, way)).outcome === 'blocked' ? 1 : 0
  const result = { tried: urls.length, refused, socketsOpened: spy.attempts, canaryHits: canary.hits() }
  spy.stop()
  await outbound.close()

  const refuseAll: LookupFunction = (_name, _options, callback) => callback(new Error('refused'), '')
  const socketsOpened = await dialNaively(urls, refuseAll)
  await canary.close()
  return { ...result, control: { socketsOpened, canaryHits: canary.hits() - result.canaryHits } }
}

/** Names that a real DNS server switches to loopback between two questions, and answers that mix public and private. */
export async function runRebinding(way: Way = 'post'): Promise<TrialResult> {
  const canary = await startCanary()
  const turning = {
    'turns.rebinding.dev': [[PUBLIC_V4], ['127.0.0.1']],
    'turns-to-v6.rebinding.dev': [[PUBLIC_V6], ['::1']],
    'turns-to-mapped.rebinding.dev': [[PUBLIC_V4], ['::ffff:127.0.0.1']],
    'turns-and-adds.rebinding.dev': [[PUBLIC_V4], [PUBLIC_V4, '127.0.0.1']],
    'turns-to-zero.rebinding.dev': [[PUBLIC_V4], ['0.0.0.0']],
  }
  const private_ = {
    'mixed.rebinding.dev': [[PUBLIC_V4, '127.0.0.1']],
    'mixed-families.rebinding.dev': [[PUBLIC_V4, '::1']],
    'loopback.rebinding.dev': [['127.0.0.1']],
  }
  const names = [...Object.keys(turning), ...Object.keys(private_)]
  const urls = names.map((name) => `https://${name}:${canary.port}/`)
  const guardedDns = await startDnsServer({ ...turning, ...private_ })
  const outbound = guardedOutbound({ resolver: dnsResolver({ servers: [guardedDns.address], budgetMs: 1_000 }) })
  const spy = watchConnectionAttempts()
  let refused = 0
  for (const [i, url] of urls.entries()) {
    const saved = await outbound.check(url)
    const expected = i < Object.keys(turning).length ? 'allowed' : 'blocked'
    const sent = [await call(outbound, url, way), await call(outbound, url, way)]
    refused += saved.verdict === expected && sent.every((one) => one.outcome === 'blocked') ? 1 : 0
  }
  const result = { tried: urls.length, refused, socketsOpened: spy.attempts, canaryHits: canary.hits() }
  spy.stop()
  await outbound.close()
  await guardedDns.close()

  // Control: look up first, connect later. It accepts the public answer and then connects to the next one. Only names
  // whose second answer is loopback alone: the control must not call the internet either.
  const naiveNames = Object.entries(turning)
    .filter(([, [, second]]) => !second?.includes(PUBLIC_V4))
    .map(([name]) => name)
  const naiveDns = await startDnsServer(turning)
  const dns = new Resolver()
  dns.setServers([naiveDns.address])
  for (const name of naiveNames) await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)])
  const askAgain: LookupFunction = (name, _options, callback) => {
    Promise.any([dns.resolve4(name), dns.resolve6(name)]).then(
      ([address]) => dnsLookup(address ?? '', { all: true }, callback),
      (error: Error) => callback(error, ''),
    )
  }
  const naiveUrls = naiveNames.map((name) => `https://${name}:${canary.port}/`)
  const socketsOpened = await dialNaively(naiveUrls, askAgain)
  await naiveDns.close()
  await canary.close()
  return { ...result, control: { socketsOpened, canaryHits: canary.hits() - result.canaryHits } }
}

/** Posts with a client guarded only by this lookup. Returns the number of connection attempts. */
async function dialNaively(urls: readonly string[], lookup: LookupFunction): Promise<number> {
  const spy = watchConnectionAttempts()
  const agent = new Agent({ connect: { lookup, timeout: 1_000 } })
  for (const url of urls) await request(url, { dispatcher: agent, method: 'POST', body: '{}' }).catch(() => {})
  await agent.destroy()
  spy.stop()
  return spy.attempts.length
}
