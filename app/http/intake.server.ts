// Limits concurrent work: one request per connection, a number of requests per caller, and the bytes of unprocessed
// bodies. A caller above a limit waits, is asked to retry, or is cut off; other callers are not affected.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { callerOf } from '#app/lib/caller-of.ts'
import { isPrivate } from './neighbours.server.ts'
import type { Refusal } from './origin-check.ts'

interface IntakeLimits {
  /** Requests that wait on one connection for the answer before them. No browser and no platform sends one ahead. */
  waitingOnConnection: number
  /** Connections per public address. A proxy owns all connections behind it: there the next limit applies. */
  connectionsOfOne: number
  /** Concurrent requests per caller. */
  requestsOfOne: number
  /** Bytes of bodies in memory: per caller or account, and in total. */
  bodyBytesOfOne: number
  bodyBytes: number
}

const MB = 1024 * 1024
const INTAKE_LIMITS: Readonly<IntakeLimits> = {
  waitingOnConnection: 4,
  connectionsOfOne: 256,
  requestsOfOne: 128,
  bodyBytesOfOne: 16 * MB,
  bodyBytes: 64 * MB,
}

export type Bodies = ReturnType<typeof createBodies>
export type Intake = ReturnType<typeof createIntake>

/** A body of unknown length counts as the longest that is read. */
const UNKNOWN_LENGTH = 256 * 1024

export function createIntake(
  given: Partial<IntakeLimits> = {},
  /** Whether the peer is a proxy or on our own network. */
  isProxy: (address: string) => boolean = isPrivate,
) {
  const limits = { ...INTAKE_LIMITS, ...given }
  const bodies = createBodies(limits)
  const lines = new WeakMap<Socket, (() => void)[]>()
  const connections = counter()
  const requests = counter()

  return {
    bodies,
    /** False = this address has too many connections, and this one was cut. */
    connected(socket: Socket): boolean {
      const address = socket.remoteAddress ?? ''
      if (isProxy(address)) return true
      const caller = callerOf(address)
      if (connections.add(caller) > limits.connectionsOfOne) {
        connections.drop(caller)
        socket.destroy()
        return false
      }
      socket.once('close', () => connections.drop(caller))
      return true
    },
    /** Handles the request after every earlier answer on its connection was sent. */
    inTurn(req: IncomingMessage, res: ServerResponse, handle: () => void): void {
      const { socket } = req
      const line = lines.get(socket)
      const begin = () => {
        // Sent, or abandoned because the connection is gone.
        res.once('close', () => {
          const next = lines.get(socket)?.shift()
          if (next && !socket.destroyed) next()
          else lines.delete(socket)
        })
        handle()
      }
      if (!line) {
        lines.set(socket, [])
        begin()
      } else if (line.length < limits.waitingOnConnection) {
        line.push(begin)
      } else {
        socket.destroy()
      }
    },
    /** Counts a request and its announced body until the request ends. Null = accepted. */
    enter(req: IncomingMessage, res: ServerResponse, clientIp: string): Refusal | null {
      const caller = callerOf(clientIp)
      if (requests.add(caller) > limits.requestsOfOne) {
        requests.drop(caller)
        return again(429)
      }
      const bytes = announced(req)
      const over = bytes > 0 ? bodies.take(caller, bytes) : null
      if (over) {
        requests.drop(caller)
        return again(over === 'one' ? 429 : 503)
      }
      res.once('close', () => {
        requests.drop(caller)
        if (bytes > 0) bodies.give(caller, bytes)
      })
      return null
    },
    /** Requests in progress. */
    underWay: requests.total,
  }
}

function again(status: 429 | 503): Refusal {
  const message =
    status === 429
      ? 'Too many requests at once. Please try again in 2 s.'
      : 'Too much at once. Please try again in 2 s.'
  return { status, message, headers: { 'Retry-After': '2' } }
}

function announced({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return UNKNOWN_LENGTH
  // Longer bodies are refused before they are read.
  return Math.min(Number(headers['content-length'] ?? 0) || 0, UNKNOWN_LENGTH)
}

/** Counts the bytes of bodies in memory per holder. */
function createBodies({ bodyBytes, bodyBytesOfOne }: Pick<IntakeLimits, 'bodyBytes' | 'bodyBytesOfOne'>) {
  const holders = new Map<string, number>()
  let held = 0
  return {
    /** Total bytes held. */
    held: () => held,
    /** Null = allowed; return them with `give`. Otherwise, the limit that was reached. */
    take(holder: string, bytes: number): 'one' | 'all' | null {
      const own = holders.get(holder) ?? 0
      if (own + bytes > bodyBytesOfOne) return 'one'
      if (held + bytes > bodyBytes) return 'all'
      holders.set(holder, own + bytes)
      held += bytes
      return null
    },
    give(holder: string, bytes: number): void {
      const left = (holders.get(holder) ?? 0) - bytes
      if (left > 0) holders.set(holder, left)
      else holders.delete(holder)
      held -= bytes
    },
  }
}

/** Counts per key and in total. */
export function counter() {
  const counts = new Map<string, number>()
  let total = 0
  return {
    total: () => total,
    add(key: string): number {
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      total++
      return count
    },
    drop(key: string): void {
      const count = (counts.get(key) ?? 1) - 1
      if (count > 0) counts.set(key, count)
      else counts.delete(key)
      total--
    },
  }
}

/** How long to read and discard the rest of an unwanted body. ms */
const LEFTOVER_MS = 1_000
/** The same for a long unread body: enough time for the answer to arrive. Longer-lived objects cost a full GC. */
const UNREAD_MS = 250
/** A body of this many bytes or more is long. */
const SHORT_BODY = 64 * 1024

/** By announced length. */
export function isLong(req: IncomingMessage): boolean {
  return announced(req) > SHORT_BODY
}

/**
 * An answer that did not need the whole body (404, 413 …) leaves the rest in the connection, where it would block the
 * next request. Discards incoming data for a moment, then cuts a sender that continues.
 */
export function letGoOfBody(req: IncomingMessage): void {
  if (req.complete) return
  req.removeAllListeners('data')
  req.resume()
  cutAfter(req, LEFTOVER_MS)
}

/**
 * The same for a rejected caller: reading a long body would cost more than the rest of the request, so the body stays
 * unread and the connection is cut. The answer must not close the connection itself: it would not arrive.
 */
export function leaveBody(req: IncomingMessage): void {
  if (!isLong(req)) {
    letGoOfBody(req)
    return
  }
  if (req.complete) return
  req.removeAllListeners('data')
  // With its own reader, Node does not read the rest by itself after the answer.
  req.on('data', () => {})
  req.pause()
  cutAfter(req, UNREAD_MS)
}

function cutAfter(req: IncomingMessage, ms: number): void {
  setTimeout(() => {
    if (!req.complete) req.destroy()
  }, ms).unref()
}
