// Opens one connection to a checked address. Check and connection use the same DNS answer, so a name cannot switch to a
// private address in between.
import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import {
  createSecureContext,
  rootCertificates,
  type SecureContext,
  type TLSSocket,
  connect as tlsConnect,
} from 'node:tls'
import type { Millis } from '#app/lib/clock.ts'
import { ipKey } from './ip-address.ts'
import type { NameResolver, ResolvedAddress } from './outbound-resolver.server.ts'
import { type AddressReason, type AddressRules, type AddressTarget, forbiddenIp } from './safe-address.ts'

/** Why no connection was made, beyond the errors of the operating system and TLS. */
export class DialError extends Error {
  readonly code: 'DIAL_BLOCKED' | 'DIAL_NAME_UNKNOWN' | 'DIAL_NAME_UNAVAILABLE' | 'DIAL_TIMEOUT' | 'DIAL_CLOSED'
  readonly reason: AddressReason | null
  constructor(code: DialError['code'], reason: AddressReason | null = null) {
    super(code)
    this.name = 'DialError'
    this.code = code
    this.reason = reason
  }
}

/** Records the steps of a connection as they happen. Times in ms, null = that phase did not happen. */
export interface DialTrace {
  dnsMs: number | null
  connectMs: number | null
  tlsMs: number | null
  /** The last address tried. */
  peerIp: string | null
  /** Only set for a fresh handshake. */
  certificate: SeenCertificate | null
}

export interface SocketOptions {
  host: string
  port: number
  lookup: LookupFunction
  autoSelectFamily: true
  autoSelectFamilyAttemptTimeout: number
  /** Null for plain http. */
  tls: {
    servername: string
    secureContext: SecureContext
    ALPNProtocols: string[]
    session: Buffer | undefined
    /** Explicit, so that no environment variable can disable certificate checks. */
    rejectUnauthorized: true
  } | null
}

/** The last step, `net.connect` or `tls.connect`. Tests replace it to see the target without connecting. */
export type OpenSocket = (options: SocketOptions) => Socket

export type Dial = (
  target: AddressTarget,
  trace: DialTrace,
  done: (error: Error | null, socket: Socket | null) => void,
  /** `fresh`: a full handshake without session resumption; records the certificate. */
  how?: { fresh: boolean },
) => { destroy(): void }

/** Maximum addresses tried per name; further ones are checked but not used. */
const MAX_ADDRESSES = 8
/** Delay before the next address is tried. Node's own 250 ms is less than one round trip around the world. */
const NEXT_ADDRESS_AFTER = 1_200
const MAX_SESSIONS = 256

export function openSocket({ tls, ...options }: SocketOptions): Socket {
  return tls ? tlsConnect({ ...options, ...tls }) : netConnect(options)
}

/**
 * `names` resolves for the guard, `machine` for the operator's exceptions. `connectMs` bounds TCP and TLS together,
 * after the name is resolved. `trustedCa`: PEM certificates accepted besides the public authorities.
 */
export function createDial(input: {
  rules: AddressRules
  names: NameResolver
  machine: NameResolver
  connectMs: number
  open: OpenSocket
  trustedCa?: readonly string[]
}): Dial {
  const { rules, names, machine, connectMs, open } = input
  const secureContext = createSecureContext(input.trustedCa ? { ca: [...rootCertificates, ...input.trustedCa] } : {})
  const sessions = new Map<string, Buffer>()

  function keepSession(key: string, session: Buffer) {
    sessions.delete(key)
    sessions.set(key, session)
    if (sessions.size > MAX_SESSIONS) sessions.delete(sessions.keys().next().value as string)
  }

  return function dial(target, trace, done, how) {
    const { hostname, port, excepted } = target
    const vetted = new Set<string | null>()

    async function resolveVetted(name: string): Promise<ResolvedAddress[]> {
      const answer = await (excepted ? machine : names).resolve(name)
      if (answer.outcome === 'unknown') throw new DialError('DIAL_NAME_UNKNOWN')
      if (answer.outcome === 'unavailable') throw new DialError('DIAL_NAME_UNAVAILABLE')
      for (const { address } of answer.addresses) vet(address)
      return answer.addresses.slice(0, MAX_ADDRESSES)
    }

    function vet(address: string) {
      const reason = excepted ? null : forbiddenIp(address, rules)
      if (reason) throw new DialError('DIAL_BLOCKED', reason)
      vetted.add(ipKey(address))
    }

    const lookup: LookupFunction = (name, options, callback) => {
      resolveVetted(name).then(
        (addresses) => {
          const [first] = addresses
          if (options.all || !first) callback(null, addresses)
          else callback(null, first.address, first.family)
        },
        (error: Error) => callback(error, []),
      )
    }

    // `net.connect` does no lookup for an IP address, so a literal is checked here, before the socket opens.
    if (isIP(hostname)) {
      try {
        vet(hostname)
      } catch (error) {
        queueMicrotask(() => done(error as DialError, null))
        return { destroy() {} }
      }
    }

    const sessionKey = `${hostname}:${port}`
    const started = performance.now()
    let phaseStarted = started
    let settled = false
    let timer: NodeJS.Timeout | undefined
    const socket = open({
      host: hostname,
      port,
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER,
      tls:
        target.protocol === 'https:'
          ? {
              servername: isIP(hostname) ? '' : hostname,
              secureContext,
              ALPNProtocols: ['http/1.1'],
              session: how?.fresh ? undefined : sessions.get(sessionKey),
              rejectUnauthorized: true,
            }
          : null,
    })

    function lap(): number {
      const now = performance.now()
      const spent = now - phaseStarted
      phaseStarted = now
      return spent
    }

    function finish(error: Error | null) {
      if (settled) return
      settled = true
      clearTimeout(timer)
      if (error) sessions.delete(sessionKey)
      if (error) socket.destroy()
      done(error, error ? null : socket)
    }

    function startTimer() {
      timer ??= setTimeout(() => finish(new DialError('DIAL_TIMEOUT')), connectMs)
    }

    socket.setNoDelay(true)
    socket.setKeepAlive(true, 60_000)
    // Stays for the life of the socket, so that a late error is never unhandled.
    socket.on('error', finish)
    socket.once('close', () => finish(new DialError('DIAL_CLOSED')))
    socket.once('lookup', () => {
      trace.dnsMs = lap()
      startTimer()
    })
    socket.on('connectionAttempt', (address: string) => {
      trace.peerIp = address
    })
    // Runs before TLS writes its first byte. Unreachable while the lookup is honest; catches proxies and surprises.
    socket.prependOnceListener('connect', () => {
      trace.connectMs = lap()
      const peer = socket.remoteAddress
      trace.peerIp = peer ?? trace.peerIp
      if (!peer) return finish(new DialError('DIAL_CLOSED'))
      if (!vetted.has(ipKey(peer))) return finish(new DialError('DIAL_BLOCKED', 'private_address'))
    })
    if (target.protocol === 'https:') {
      socket.on('session', (session: Buffer) => keepSession(sessionKey, session))
      socket.once('secureConnect', () => {
        trace.tlsMs = lap()
        if (how?.fresh) trace.certificate = seenCertificate((socket as TLSSocket).getPeerCertificate())
        finish(null)
      })
    } else {
      socket.once('connect', () => finish(null))
    }
    if (isIP(hostname)) startTimer()
    return { destroy: () => finish(new DialError('DIAL_CLOSED')) }
  }
}

// The accepted certificate of a server, to show when it expires.
interface SeenCertificate {
  validUntil: Millis
  /** Organisation, else name. */
  issuer: string | null
}

/** As `getPeerCertificate` returns it: empty for a closed connection. A name may occur several times. */
interface ShownCertificate {
  valid_to?: string | undefined
  issuer?: { O?: string | string[] | undefined; CN?: string | string[] | undefined } | undefined
}

const LONGEST_NAME = 100

/** Null = no certificate, or none with an expiry. */
export function seenCertificate({ valid_to: validTo, issuer }: ShownCertificate): SeenCertificate | null {
  const validUntil = Date.parse(validTo ?? '')
  if (Number.isNaN(validUntil)) return null
  return { validUntil, issuer: firstName(issuer?.O) ?? firstName(issuer?.CN) }
}

function firstName(name: string | string[] | undefined): string | null {
  const [first = ''] = typeof name === 'string' ? [name] : (name ?? [])
  return first === '' ? null : first.slice(0, LONGEST_NAME)
}
