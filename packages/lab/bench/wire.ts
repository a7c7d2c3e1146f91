// What the processes of the benchmark say to each other, and the events they send.

/** Where events are sent, and what of them. */
export interface Target {
  port: number
  /** The secret parts of our addresses, one per account. */
  tokens: string[]
  /** What stands before a token in the address; ours when left out. */
  path?: string
}

/** All of them begin with `warmUpSeconds` that do not count. */
export type LoadOrder =
  /** As fast as it is answered: each connection sends its next event when it has its answer. */
  | { do: 'saturate'; target: Target; connections: number; warmUpSeconds: number; seconds: number }
  /** So many a second whatever happens; an event's time runs from the moment it was planned for. */
  | {
      do: 'steady'
      target: Target
      perSecond: number
      warmUpSeconds: number
      seconds: number
      /** 64 when left out. */
      connections?: number
      /** Ends at the first connection that breaks, as when the server is killed. */
      untilCut?: boolean
    }
  /** As fast as it comes out at the other end: at most `window` events are between us and the receivers. */
  | { do: 'through'; target: Target; window: number; connections: number; warmUpSeconds: number; seconds: number }

export interface LoadResult {
  /** Events that counted, and the time they took. */
  sent: number
  seconds: number
  /** Every answer of the whole order by its status. */
  statuses: Record<string, number>
  answerMs: Spread
  /** The number of every event that was answered with 2xx, warm-up included. */
  acknowledged: number[]
  /** `through`: events that had arrived at the receivers while it counted. */
  arrived: number
  /** `through`: what was under way when the sending ended, and how long it took to arrive. */
  left: number
  leftMs: number
}

export interface Spread {
  p50: number
  p99: number
  max: number
}

export type LoadMessage = { at: 'counting' } | { at: 'counted' } | { at: 'done'; result: LoadResult }

export type ReceiverOrder =
  | { do: 'forget' | 'tell' }
  /** Answers so late, to make work pile up between the server and its receivers. */
  | { do: 'answer_after'; ms: number }
  /** Down: connections are refused, those that are open are cut. Up: the same ports listen again. */
  | { do: 'down' | 'up' }
  /** The numbers of the events that came since `forget`, in order, as often as each came. */
  | { do: 'numbers' }
export interface ReceiverResult {
  arrived: number
  /** From the moment an event was sent (or planned to be) to its arrival here. */
  delayMs: Spread
}
export type ReceiverMessage =
  | { at: 'listening'; ports: number[] }
  | { at: 'told'; result: ReceiverResult }
  | { at: 'changed' }
  | { at: 'numbers'; numbers: number[] }

export interface BareInput {
  database: string
  /** Null: events are stored and that is all. */
  forward: { slots: number } | null
}

export function spreadOf(values: number[]): Spread {
  const sorted = Float64Array.from(values).sort()
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** Of one clock for all processes of a machine, ms. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1_000 + nanoseconds / 1e6
}

const UUID = '00000000-0000-4000-8000-000000000000'

/** The request of one account, with places for what differs from event to event. */
export interface Template {
  bytes: Buffer
  uuidsAt: number[]
}

export const OWN_PATH = '/hooks/platform/'

export function templateFor(token: string, port: number, path = OWN_PATH): Template {
  const body = JSON.stringify({
    object: 'job',
    entry: [
      { uuid: UUID, changed_fields: ['status', 'total_invoice_amount', 'edit_date'], time: '2026-01-05 09:00:00' },
    ],
    resource_url: `https://api.servicem8.com/api_1.0/job/${UUID}.json`,
  })
  const bytes = Buffer.from(
    `POST ${path}${token} HTTP/1.1\r\nHost: localhost:${port}\r\nUser-Agent: ServiceM8\r\nAccept: */*\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const first = bytes.indexOf(UUID)
  return { bytes, uuidsAt: [first, bytes.indexOf(UUID, first + 1)] }
}

/** The record's uuid is the event's number and the moment it was sent, so that a receiver can tell how long it took. */
export function requestFor({ bytes, uuidsAt }: Template, number: number, sentMs: number): Buffer {
  const request = Buffer.from(bytes)
  const count = number.toString(16).padStart(8, '0')
  const moment = Math.round(sentMs * 1_000)
    .toString(16)
    .padStart(12, '0')
  for (const at of uuidsAt) {
    request.write(count, at, 'latin1')
    request.write(moment, at + 24, 'latin1')
  }
  return request
}

const BEFORE_UUID = Buffer.from('"uuid":"')

/** The number of the event in this body; null = it is not one of ours. */
export function numberOf(request: Buffer, from: number): number | null {
  const at = request.indexOf(BEFORE_UUID, from)
  if (at < 0) return null
  const start = at + BEFORE_UUID.length
  return Number.parseInt(request.toString('latin1', start, start + 8), 16)
}

/** When the event in this body was sent; null = it is not one of ours. */
export function sentMsOf(request: Buffer, from: number): number | null {
  const at = request.indexOf(BEFORE_UUID, from)
  if (at < 0) return null
  const moment = Number.parseInt(
    request.toString('latin1', at + BEFORE_UUID.length + 24, at + BEFORE_UUID.length + 36),
    16,
  )
  return moment / 1_000
}
