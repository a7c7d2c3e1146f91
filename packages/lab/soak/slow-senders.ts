// Senders that hold a connection by sending something every second: half never end their headers, half their body.
import { connect, type Socket } from 'node:net'
import type { AbuseOrder } from './wire.ts'

const HEADERS = (path: string) => `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-Slow: `
const BODY = (path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n`

export interface SlowSenders {
  opened(): number
  open(): number
  longestMs(): number
}

/** Keeps `slow` of them running for as long as the process lives: one that is cut off reconnects after a second. */
export function slowSenders({ port, token, slow }: Pick<AbuseOrder, 'port' | 'token' | 'slow'>): SlowSenders {
  const sockets = new Map<Socket, number>()
  let opened = 0
  let longestMs = 0

  function begin(): void {
    const number = opened++
    const socket = connect({ port, host: '127.0.0.1' })
    const since = performance.now()
    sockets.set(socket, since)
    // A known address, an unknown one, and a call behind the whole application.
    const path = [`/hooks/platform/${token}`, '/hooks/platform/nobody', '/api/webhooks'][number % 3] ?? '/'
    socket.write(number % 2 === 0 ? HEADERS(path) : BODY(path))
    // Ignores the answer and goes on.
    socket.on('data', () => {})
    socket.on('error', () => {})
    socket.on('close', () => {
      longestMs = Math.max(longestMs, performance.now() - since)
      sockets.delete(socket)
    })
  }

  setInterval(() => {
    for (const socket of sockets.keys()) socket.write('a')
    // Starts a tenth per second instead of all at once, so that they are also cut off at different times.
    for (let n = 0; n < slow / 10 && sockets.size < slow; n++) begin()
  }, 1_000)
  return {
    opened: () => opened,
    open: () => sockets.size,
    longestMs: () => Math.max(longestMs, ...[...sockets.values()].map((since) => performance.now() - since)),
  }
}
