// The only way out to an address that a user typed. Everything that is sent for a user passes the guard here, is bounded in
// time and size, and comes back as an outcome.
import { networkInterfaces } from 'node:os'
import { performance } from 'node:perf_hooks'
import type { Clock } from '../lib/clock.ts'
import { seconds } from '../lib/duration.ts'
import type { Outbound, OutboundOutcome, OutboundRequest, OutboundTiming } from './outbound.ts'
import { readHeaders, readText } from './outbound-answer.ts'
import { createConnections } from './outbound-connections.server.ts'
import { createDial, type DialTrace, type OpenSocket, openSocket } from './outbound-dial.server.ts'
import { exchange } from './outbound-exchange.server.ts'
import { describeFailure, type FailureClass, maySafelyRepeat, timeoutSentence } from './outbound-failure.ts'
import { cachedResolver, dnsResolver, machineResolver, type NameResolver } from './outbound-resolver.server.ts'
import { addressRules, addressSentence, checkAddress, forbiddenIp } from './safe-address.ts'

/** All in ms, bytes, or counts. */
export interface OutboundLimits {
  /** Whole call, unless the request says otherwise. */
  totalMs: number
  /** TCP and TLS, after the name is resolved. */
  connectMs: number
  dnsMs: number
  /** A connection that fails sooner than this is tried once more, if nothing had been sent. */
  secondTryMs: number
  idleMs: number
  /** Connections kept open between calls, over all origins. With fewer than addresses in use, every call would dial anew. */
  maxIdle: number
  readBytes: number
  storedBytes: number
  headerBytes: number
}

const DEFAULT_LIMITS: OutboundLimits = {
  totalMs: seconds(15),
  connectMs: seconds(5),
  dnsMs: seconds(3),
  secondTryMs: seconds(1),
  idleMs: seconds(10),
  maxIdle: 512,
  readBytes: 16 * 1024,
  storedBytes: 4 * 1024,
  headerBytes: 16 * 1024,
}

export interface OutboundInput {
  clock: Clock
  /** Host names or origins under which this service is reached from outside. */
  selfHosts: readonly string[]
  /** `host:port` pairs that may be private and plain http. */
  egressAllow: readonly string[]
  limits?: Partial<OutboundLimits>
  /** Default: the machine's DNS servers. Its answers are cached. */
  resolver?: NameResolver
  /** PEM certificates accepted besides the public authorities. */
  trustedCa?: readonly string[]
  /** For tests: the last step of a connection. */
  open?: OpenSocket
}

/** Headers that decide how a message is framed or routed. Set by the connection alone. */
const RESERVED_HEADERS = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'proxy-authorization',
  'proxy-connection',
])

export function createOutbound(input: OutboundInput): Outbound {
  const limits = { ...DEFAULT_LIMITS, ...input.limits }
  const rules = addressRules({ selfHosts: input.selfHosts, selfIps: ownAddresses(), egressAllow: input.egressAllow })
  const names = cachedResolver(input.resolver ?? dnsResolver({ budgetMs: limits.dnsMs }), input.clock)
  const machine = cachedResolver(machineResolver(limits.dnsMs), input.clock)
  const dial = createDial({
    rules,
    names,
    machine,
    connectMs: limits.connectMs,
    open: input.open ?? openSocket,
    trustedCa: input.trustedCa,
  })
  const connections = createConnections({ dial, ...limits })
  let closed = false

  async function post(request: OutboundRequest): Promise<OutboundOutcome> {
    const started = performance.now()
    const elapsed = () => performance.now() - started
    const verdict = checkAddress(request.url, rules)
    if (verdict.outcome === 'refused') return unsent('blocked', verdict.sentence, elapsed())
    const fault = findHeaderFault(request.headers)
    if (fault) return unsent('blocked', fault, elapsed())

    const totalMs = request.timeoutMs ?? limits.totalMs
    const headers = { 'accept-encoding': 'identity', ...request.headers }
    for (let attempt = 1; ; attempt += 1) {
      if (closed) return unsent('reset', 'This service is being restarted; the call will be made again.', elapsed())
      const connection = connections.take(verdict.target)
      const dialsBefore = connection.dials
      const result = await exchange(connection, {
        path: verdict.target.path,
        headers,
        body: request.body,
        deadlineMs: Math.max(0, totalMs - elapsed()),
        readBytes: limits.readBytes,
      })
      const dialled = connection.dials > dialsBefore ? connection.trace : null
      const timing = timingOf(elapsed(), dialled, result.firstByteMs)
      const peerIp = connection.trace.peerIp
      if (result.outcome === 'answered' && !result.cut) connections.keep(connection)
      else connection.destroy()

      switch (result.outcome) {
        case 'answered': {
          const answerHeaders = readHeaders(result.rawHeaders)
          const { text, truncated } = readText(answerHeaders, result.body, result.cut, limits.storedBytes)
          return {
            outcome: 'response',
            status: result.status,
            headers: answerHeaders,
            body: text,
            bodyTruncated: truncated,
            peerIp,
            timing,
          }
        }
        case 'late':
          return { outcome: 'timeout', sentence: timeoutSentence(result.phase, totalMs), peerIp, timing }
        case 'failed': {
          const failure = describeFailure(result.fault, result.phase, limits.connectMs)
          const again = attempt === 1 && elapsed() < limits.secondTryMs && maySafelyRepeat(failure, result.phase)
          if (again) continue
          return { ...failure, peerIp: failure.outcome === 'blocked' ? null : peerIp, timing }
        }
      }
    }
  }

  return {
    post,
    async check(url) {
      const verdict = checkAddress(url, rules)
      if (verdict.outcome === 'refused') return { verdict: 'blocked', sentence: verdict.sentence }
      const { hostname, literal, excepted } = verdict.target
      if (literal || excepted) return { verdict: 'allowed' }
      const answer = await names.resolve(hostname)
      switch (answer.outcome) {
        case 'unknown':
          return { verdict: 'unresolved', sentence: 'The name in this address does not exist yet. Check the spelling.' }
        case 'unavailable':
          return { verdict: 'unresolved', sentence: 'The name in this address could not be looked up just now.' }
        case 'addresses': {
          const reason = answer.addresses.map(({ address }) => forbiddenIp(address, rules)).find((one) => one !== null)
          return reason ? { verdict: 'blocked', sentence: addressSentence(reason) } : { verdict: 'allowed' }
        }
      }
    },
    async close() {
      closed = true
      connections.closeAll()
    },
  }
}

function unsent(outcome: FailureClass, sentence: string, totalMs: number): OutboundOutcome {
  return { outcome, sentence, peerIp: null, timing: timingOf(totalMs, null, null) }
}

function timingOf(totalMs: number, dialled: DialTrace | null, firstByteMs: number | null): OutboundTiming {
  const whole = (ms: number | null | undefined) => (ms == null ? null : Math.round(ms))
  return {
    totalMs: Math.round(totalMs),
    dnsMs: whole(dialled?.dnsMs),
    connectMs: whole(dialled?.connectMs),
    tlsMs: whole(dialled?.tlsMs),
    firstByteMs: whole(firstByteMs),
  }
}

/** What is wrong with the headers of a request, as a sentence; null when they can be sent as they are. */
function findHeaderFault(headers: Record<string, string>): string | null {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return 'A header name contains characters that are not allowed.'
    if (RESERVED_HEADERS.has(name.toLowerCase())) return `The header "${name.toLowerCase()}" cannot be set.`
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      return `The header "${name.toLowerCase()}" contains characters that are not allowed.`
  }
  return null
}

/** The machine's own addresses, public ones included: a name that leads to them leads back here. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
}
