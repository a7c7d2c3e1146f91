// Junk for every entry point without a session: a steady trickle, and a burst every ten seconds.
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { seededRandom, wholeFrom } from '../report/arguments.ts'
import type { AbuseOrder } from './wire.ts'

const TRICKLE_EVERY_MS = 100
const BURST_EVERY_MS = 10_000
const BURST = 200

interface Piece {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
}

export interface JunkFlood {
  sent(): number
  answers: ReadonlyMap<number, number>
}

/** Runs for as long as the process lives. */
export function junkFlood({ port, token, seed }: Pick<AbuseOrder, 'port' | 'token' | 'seed'>): JunkFlood {
  const random = seededRandom(seed)
  const agent = new Agent({ keepAlive: true, maxSockets: 50 })
  const answers = new Map<number, number>()
  const large = Buffer.alloc(300_000, 'x')
  let sent = 0

  const known = `/hooks/platform/${token}`
  const pieces: (() => Piece)[] = [
    () => ({ method: 'POST', path: `/hooks/platform/${wholeFrom(random, 0, 1e9)}`, body: '{"object":"job"}' }),
    () => ({ method: 'POST', path: known, body: '{"object":' }),
    () => ({ method: 'POST', path: known, body: Buffer.from([0, 255, 254, 1, 2, 3]) }),
    () => ({ method: 'POST', path: known, body: '[[[[[[[[[[[[[[[[[[[[]]' }),
    () => ({ method: 'POST', path: known, body: large }),
    () => ({ method: 'DELETE', path: known }),
    () => ({ method: 'POST', path: '/hooks/stripe', headers: { 'stripe-signature': 't=1,v1=00' }, body: '{}' }),
    () => ({ method: 'POST', path: '/hooks/servicem8', body: 'eyJhbGciOiJub25lIn0.e30.' }),
    () => ({ method: 'GET', path: '/%c3%28/../../etc/passwd' }),
    () => ({ method: 'GET', path: `/api/${wholeFrom(random, 0, 1e9)}` }),
    () => ({ method: 'POST', path: '/api/webhooks', body: '{"object":"job","callback_url":"javascript:1"}' }),
    () => ({ method: 'GET', path: '/', headers: { 'x-large': 'a'.repeat(20_000) } }),
  ]

  function send(): void {
    sent++
    const piece = pieces[wholeFrom(random, 0, pieces.length)]
    if (piece) sendPiece(piece())
    else sendBytes()
  }

  function sendPiece({ method, path, headers = {}, body }: Piece): void {
    let counted = false
    const count = (status: number) => {
      if (!counted) answers.set(status, (answers.get(status) ?? 0) + 1)
      counted = true
    }
    const call = request({ port, host: '127.0.0.1', method, path, agent, timeout: 20_000 }, (answer) => {
      count(answer.statusCode ?? 0)
      answer.on('error', () => {})
      answer.resume()
    })
    for (const [name, value] of Object.entries(headers)) call.setHeader(name, value)
    call.on('timeout', () => call.destroy())
    call.on('error', () => count(0))
    call.end(body)
  }

  /** Sends bytes that are no HTTP. */
  function sendBytes(): void {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('error', () => {})
    socket.on('data', () => {})
    socket.end(Buffer.from(Array.from({ length: 200 }, () => wholeFrom(random, 0, 255))))
  }

  setInterval(send, TRICKLE_EVERY_MS)
  setInterval(() => {
    for (let n = 0; n < BURST; n++) send()
  }, BURST_EVERY_MS)
  return { sent: () => sent, answers }
}
