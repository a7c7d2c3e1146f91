// Connections kept open between calls to the same origin. Uses one `undici` client per connection instead of its pool,
// so each call knows its socket: the address, whether it is new or reused, and whether a byte was sent.
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { Client } from 'undici'
import { minutes } from '#app/lib/duration.ts'
import { type Dial, DialError, type DialTrace } from './outbound-dial.server.ts'
import type { AddressTarget } from './safe-address.ts'

export interface Connection {
  client: Client
  origin: string
  /** Number of dials; undici dials again when a kept connection turns out to be closed. */
  dials: number
  /** The latest dial. */
  trace: DialTrace
  /** The socket of the latest successful dial. */
  socket: Socket | null
  openedAt: number
  /** Ends it immediately, in any phase. */
  destroy(): void
}

export interface Connections {
  /** A connection for one call: a kept one, else a new one (which dials on the first request). */
  take(target: AddressTarget): Connection
  /** Always a new one, with a full handshake and its certificate recorded. Must not be kept. */
  takeFresh(target: AddressTarget): Connection
  /** Returns it for reuse after a complete answer. */
  keep(connection: Connection): void
  closeAll(): void
}

/** Maximum age: a kept connection does not follow DNS changes. */
const OLDEST = minutes(2)

export function createConnections(input: {
  dial: Dial
  idleMs: number
  maxIdle: number
  headerBytes: number
}): Connections {
  const { dial, idleMs, maxIdle, headerBytes } = input
  /** Over all origins, least recently used first. */
  const idle = new Set<Connection>()
  /** The same by origin, most recently used last. */
  const idleOf = new Map<string, Connection[]>()
  const open = new Set<Connection>()

  function take(target: AddressTarget): Connection {
    for (let one = latestOf(target.origin); one; one = latestOf(target.origin)) {
      noLongerIdle(one)
      // Stryker disable next-line EqualityOperator: the clock counts in fractions of a microsecond, nothing is exactly as old
      if (performance.now() - one.openedAt < OLDEST && one.socket && !one.socket.destroyed) return one
      one.destroy()
    }
    return create(target, { fresh: false })
  }

  function latestOf(origin: string): Connection | undefined {
    return idleOf.get(origin)?.at(-1)
  }

  function noLongerIdle(connection: Connection): void {
    if (!idle.delete(connection)) return
    const same = idleOf.get(connection.origin) ?? []
    const left = same.filter((one) => one !== connection)
    if (left.length > 0) idleOf.set(connection.origin, left)
    else idleOf.delete(connection.origin)
  }

  function keep(connection: Connection) {
    if (!open.has(connection) || !connection.socket || connection.socket.destroyed) return connection.destroy()
    idle.add(connection)
    const same = idleOf.get(connection.origin)
    if (same) same.push(connection)
    else idleOf.set(connection.origin, [connection])
    const oldest = idle.size > maxIdle ? idle.values().next().value : undefined
    oldest?.destroy()
  }

  function create(target: AddressTarget, how: { fresh: boolean }): Connection {
    let dialling: { destroy(): void } | null = null
    const client = new Client(target.origin, {
      pipelining: 1,
      // Stryker disable next-line BooleanLiteral: asked only by the library's own dialler, and ours offers HTTP/1.1 alone
      allowH2: false,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      maxHeaderSize: headerBytes,
      // One deadline for the whole call covers both; these would restart with every byte.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect(_options, callback) {
        connection.dials += 1
        connection.trace = nothingYet()
        connection.openedAt = performance.now()
        const dialled = (error: Error | null, socket: Socket | null) => {
          dialling = null
          connection.socket = socket
          if (socket) callback(null, socket)
          else callback(error ?? new DialError('DIAL_CLOSED'), null)
        }
        dialling = dial(target, connection.trace, dialled, how)
      },
    })
    const connection: Connection = {
      client,
      origin: target.origin,
      dials: 0,
      trace: nothingYet(),
      socket: null,
      openedAt: performance.now(),
      destroy() {
        if (!open.delete(connection)) return
        noLongerIdle(connection)
        dialling?.destroy()
        // Resolves when everything is closed; rejects for a client that is already gone, which is fine.
        client.destroy(new DialError('DIAL_CLOSED')).catch(() => {})
      },
    }
    // Closed by the peer, or idle for too long.
    client.on('disconnect', () => {
      if (idle.has(connection)) connection.destroy()
    })
    open.add(connection)
    return connection
  }

  return {
    take,
    takeFresh: (target) => create(target, { fresh: true }),
    keep,
    closeAll() {
      for (const connection of [...open]) connection.destroy()
    },
  }
}

export function nothingYet(): DialTrace {
  return { dnsMs: null, connectMs: null, tlsMs: null, peerIp: null, certificate: null }
}
