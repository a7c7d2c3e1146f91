// The only exit to an address that a user typed. Every request for a user passes this guard, has limits for time and
// size, and returns an outcome.
import { networkInterfaces } from 'node:os'
import { performance } from 'node:perf_hooks'
import type { Clock } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'
import { remembered } from '#app/lib/remembered.ts'
import type {
  Outbound,
  OutboundOutcome,
  OutboundProbe,
  OutboundRequest,
  OutboundTiming,
  ProbeRequest,
} from './outbound.ts'
import { readHeaders, readText } from './outbound-answer.ts'
import { type Connection, createConnections, nothingYet } from './outbound-connections.server.ts'
import { createDial, type DialTrace, type OpenSocket, openSocket } from './outbound-dial.server.ts'
import { type ExchangeResult, exchange } from './outbound-exchange.server.ts'
import {
  describeFailure,
  type ExchangePhase,
  type FailureClass,
  maySafelyRepeat,
  timeoutSentence,
  wasSent,
} from './outbound-failure.ts'
import { cachedResolver, dnsResolver, machineResolver, type NameResolver } from './outbound-resolver.server.ts'
import {
  ADDRESS_SENTENCES,
  type AddressTarget,
  type AddressVerdict,
  addressRules,
  checkAddress,
  forbiddenIp,
} from './safe-address.ts'

/** All in ms, bytes, or counts. */
interface OutboundLimits {
  /** Whole call, unless the request sets its own. */
  totalMs: number
  /** TCP and TLS, after the name is resolved. */
  connectMs: number
  dnsMs: number
  /** A connection that fails sooner than this is retried once, if nothing was sent. */
  secondTryMs: number
  idleMs: number
  /** Kept connections over all origins. With fewer than addresses in use, every call would open a new one. */
  maxIdle: number
  readBytes: number
  storedBytes: number
  headerBytes: number
}

/** The pages state this limit for a slow address: at most 15 seconds. */
export const DEFAULT_LIMITS: OutboundLimits = {
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
  /** Public host names or origins of this service. */
  selfHosts: readonly string[]
  /** `host:port` pairs that may be private and use plain http. */
  egressAllow: readonly string[]
  limits?: Partial<OutboundLimits>
  /** Default: the machine's DNS servers. Answers are cached. */
  resolver?: NameResolver
  /** PEM certificates accepted besides the public authorities. */
  trustedCa?: readonly string[]
  /** For tests: the last step of a connection. */
  open?: OpenSocket
}

/** Number of addresses whose verdict is cached. */
const MOST_VERDICTS = 2_000

/** Headers that control framing or routing. Only the connection sets them. */
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
  // The rules stay the same while the process runs; name resolution is checked at every connection.
  const verdictOn = remembered(MOST_VERDICTS, (url) => checkAddress(url, rules))
  let closed = false

  async function post(request: OutboundRequest): Promise<OutboundOutcome> {
    const started = performance.now()
    const elapsed = () => performance.now() - started
    const verdict = verdictOn(request.url)
    if (verdict.outcome === 'refused') return refusedAddress(verdict, elapsed())
    const fault = findHeaderFault(request.headers)
    if (fault) return unsent('blocked', fault, elapsed())

    const totalMs = request.timeoutMs ?? limits.totalMs
    const headers = { 'accept-encoding': 'identity', ...request.headers }
    for (let attempt = 1; ; attempt += 1) {
      if (closed) return unsent('reset', 'This service is being restarted; the call will be made again.', elapsed())
      const connection = connections.take(verdict.target)
      const dialsBefore = connection.dials
      const result = await exchange(connection, {
        method: 'POST',
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
      const reached = result.outcome !== 'answered' && wasSent(result.phase)

      switch (result.outcome) {
        case 'answered':
          return readAnswer(result, peerIp, timing)
        case 'late':
          return { outcome: 'timeout', sentence: timeoutSentence(result.phase, totalMs), reached, peerIp, timing }
        case 'failed': {
          const failure = describeFailure(result.fault, result.phase, limits.connectMs)
          const again = attempt === 1 && elapsed() < limits.secondTryMs && maySafelyRepeat(failure, result.phase)
          if (again) continue
          return { ...failedOf(failure, peerIp, timing), reached }
        }
      }
    }
  }

  function readAnswer(
    result: Extract<ExchangeResult, { outcome: 'answered' }>,
    peerIp: string | null,
    timing: OutboundTiming,
  ): OutboundOutcome {
    const headers = readHeaders(result.rawHeaders)
    const { text, truncated } = readText(headers, result.body, result.cut, limits.storedBytes)
    return { outcome: 'response', status: result.status, headers, body: text, bodyTruncated: truncated, peerIp, timing }
  }

  async function probe({ url, headers, timeoutMs }: ProbeRequest): Promise<OutboundProbe> {
    const verdict = checkAddress(url, rules)
    const fault = findHeaderFault(headers)
    if (verdict.outcome === 'refused' || fault !== null) {
      const result = verdict.outcome === 'refused' ? refusedAddress(verdict, 0) : unsent('blocked', fault ?? '', 0)
      return { result, endedAt: 'address', secure: false, literal: false, certificate: null }
    }
    const { target } = verdict
    const seen = { secure: target.protocol === 'https:', literal: target.literal }
    if (closed) {
      const result = unsent('reset', 'This service is being restarted. Please check again in a minute.', 0)
      return { result, endedAt: 'connection', ...seen, certificate: null }
    }
    const started = performance.now()
    const connection = connections.takeFresh(target)
    const result = await exchange(connection, {
      method: 'OPTIONS',
      path: target.path,
      headers: { 'accept-encoding': 'identity', ...headers },
      body: null,
      deadlineMs: timeoutMs,
      readBytes: limits.readBytes,
    })
    const { trace } = connection
    connection.destroy()
    const timing = timingOf(performance.now() - started, trace, result.firstByteMs)
    const { certificate, peerIp } = trace
    switch (result.outcome) {
      case 'answered':
        return { result: readAnswer(result, peerIp, timing), endedAt: 'answer', ...seen, certificate }
      case 'late': {
        const sentence = timeoutSentence(result.phase, timeoutMs)
        const endedAt = endOf(result.phase, connection, target)
        return { result: { outcome: 'timeout', sentence, peerIp, timing }, endedAt, ...seen, certificate }
      }
      case 'failed': {
        const failure = describeFailure(result.fault, result.phase, limits.connectMs)
        const endedAt = ENDS[failure.outcome] ?? endOf(result.phase, connection, target)
        return { result: failedOf(failure, peerIp, timing), endedAt, ...seen, certificate }
      }
    }
  }

  function knock(url: string): Promise<boolean> {
    const verdict = verdictOn(url)
    if (verdict.outcome === 'refused' || closed) return Promise.resolve(false)
    return new Promise((resolve) => {
      dial(verdict.target, nothingYet(), (_, socket) => {
        socket?.destroy()
        resolve(socket !== null)
      })
    })
  }

  return {
    post,
    probe,
    knock,
    async check(url) {
      const verdict = checkAddress(url, rules)
      if (verdict.outcome === 'refused')
        return { verdict: 'blocked', sentence: verdict.sentence, refused: verdict.reason }
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
          if (reason) return { verdict: 'blocked', sentence: ADDRESS_SENTENCES[reason], refused: reason }
          return { verdict: 'allowed' }
        }
      }
    },
    async close() {
      closed = true
      connections.closeAll()
    },
  }
}

/** Failures that determine by themselves where a probe ended. */
const ENDS: Partial<Record<FailureClass, OutboundProbe['endedAt']>> = { blocked: 'address', dns: 'name' }

/** Where a probe ended. */
function endOf(phase: ExchangePhase, { trace }: Connection, target: AddressTarget): OutboundProbe['endedAt'] {
  switch (phase) {
    case 'connecting':
      return trace.dnsMs === null && !target.literal ? 'name' : 'connection'
    case 'securing':
      return target.protocol === 'https:' ? 'security' : 'connection'
    case 'waiting':
    case 'answering':
      return 'answer'
  }
}

/** Does not reveal where a refused address leads. */
function failedOf(failure: ReturnType<typeof describeFailure>, peerIp: string | null, timing: OutboundTiming) {
  return { ...failure, peerIp: failure.outcome === 'blocked' ? null : peerIp, timing }
}

function unsent(outcome: FailureClass, sentence: string, totalMs: number) {
  return { outcome, sentence, peerIp: null, timing: timingOf(totalMs, null, null) }
}

function refusedAddress(
  { reason, sentence }: Extract<AddressVerdict, { outcome: 'refused' }>,
  totalMs: number,
): OutboundOutcome {
  return { ...unsent('blocked', sentence, totalMs), refused: reason }
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

/** A sentence with the fault in the request headers; null when they are valid. */
function findHeaderFault(headers: Record<string, string>): string | null {
  for (const name of Object.keys(headers)) {
    const fault = faultOfHeaderName(name)
    if (fault !== '') return fault
    if (NOT_OF_A_HEADER.test(headers[name] ?? ''))
      return `The header "${name.toLowerCase()}" contains characters that are not allowed.`
  }
  return null
}

const NOT_OF_A_HEADER = /[^\t\x20-\x7e\x80-\xff]/
const MOST_HEADER_NAMES = 1_000

/** Every forward carries the same few names. Empty = no fault. */
const faultOfHeaderName = remembered(MOST_HEADER_NAMES, (name) => {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return 'A header name contains characters that are not allowed.'
  return RESERVED_HEADERS.has(name.toLowerCase()) ? `The header "${name.toLowerCase()}" cannot be set.` : ''
})

/** The machine's own addresses, public ones included: a name that resolves to them leads back to us. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
}
