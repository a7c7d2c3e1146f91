// The messages between the benchmark's processes, and the events they send.

/** The target of the events. */
export interface Target {
  port: number
  /** The secret parts of our addresses, one per account. */
  tokens: string[]
  /** The path before the token in the address; ours when missing. */
  path?: string
}

/** Every order starts with `warmUpSeconds` that do not count. */
export type LoadOrder =
  /** As fast as the answers come: each connection sends its next event when it has its answer. */
  | { do: 'saturate'; target: Target; connections: number; warmUpSeconds: number; seconds: number }
  /** A fixed rate whatever happens; an event's time starts at its planned time. */
  | {
      do: 'steady'
      target: Target
      perSecond: number
      warmUpSeconds: number
      seconds: number
      /** 64 when missing. */
      connections?: number
      /** Ends when the first connection breaks, as when the server is killed. */
      untilCut?: boolean
    }
  /** As fast as the receivers get the events: at most `window` events are in flight. */
  | { do: 'through'; target: Target; window: number; connections: number; warmUpSeconds: number; seconds: number }

export interface LoadResult {
  /** Counted events, and their duration. */
  sent: number
  seconds: number
  /** Number of answers in the whole order, by status. */
  statuses: Record<string, number>
  answerMs: Spread
  /** The number of every event that was answered with 2xx, including warm-up. */
  acknowledged: number[]
  /** `through`: events that arrived at the receivers during the counted time. */
  arrived: number
  /** `through`: events in flight when the sending ended, and how long they took to arrive. */
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
  /** Delays answers by this much, to build a backlog between the server and its receivers. */
  | { do: 'answer_after'; ms: number }
  /** Down: connections are refused, open ones are cut. Up: the same ports listen again. */
  | { do: 'down' | 'up' }
  /** The numbers of the events that arrived since `forget`, in order, with repetitions. */
  | { do: 'numbers' }
export interface ReceiverResult {
  arrived: number
  /** From the time an event was sent (or planned to be) to its arrival here. */
  delayMs: Spread
}
export type ReceiverMessage =
  | { at: 'listening'; ports: number[] }
  | { at: 'told'; result: ReceiverResult }
  | { at: 'changed' }
  | { at: 'numbers'; numbers: number[] }

export interface BareInput {
  database: string
  /** Null: events are only stored. */
  forward: { slots: number } | null
}

export interface MinimalInput {
  database: string
  /** The address of token 0, 1, ... */
  urls: string[]
}

/** A fixed rate for some seconds, each event at its planned time. `hang`: so many addresses never answer. */
export interface OpenOrder {
  port: number
  tokens: string[]
  path: string
  perSecond: number
  seconds: number
  hang?: number
}

/** Counted from the planned time of each event, at addresses that answer. */
export interface OpenTimes {
  ackMs: Spread
  /** Until it arrived at its address. */
  delayMs: Spread
}

export interface OpenResult extends OpenTimes {
  offered: number
  /** Answered with 200. */
  acknowledged: number
  statuses: Record<string, number>
  /** Arrived while the load lasted. */
  arrivedInTime: number
  arrived: number
  /** Acknowledged for addresses that answer. */
  due: number
  /** Arrivals of events that had arrived before. */
  again: number
  /** Time from the end of the load to the last arrival. */
  leftMs: number
  /** Time from the end of the load to the last answer. */
  lateMs: number
  firstFive: OpenTimes
  /** One per second. */
  curve: OpenTimes[]
}

export type OpenMessage = { at: 'listening'; hosts: string[] } | { at: 'offered' } | { at: 'done'; result: OpenResult }

export function spreadOf(values: number[]): Spread {
  const sorted = Float64Array.from(values).sort()
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** From one clock shared by all processes of a machine, ms. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1_000 + nanoseconds / 1e6
}

const UUID = '00000000-0000-4000-8000-000000000000'

/** The request of one account, with the positions of the parts that vary per event. */
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

/** The record's uuid contains the event's number and its send time, so that a receiver can measure the latency. */
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

/** The number of the event in this body; null when it is not one of ours. */
export function numberOf(request: Buffer, from: number): number | null {
  const at = request.indexOf(BEFORE_UUID, from)
  if (at < 0) return null
  const start = at + BEFORE_UUID.length
  return Number.parseInt(request.toString('latin1', start, start + 8), 16)
}

/** When the event in this body was sent; null when it is not one of ours. */
export function sentMsOf(request: Buffer, from: number): number | null {
  const at = request.indexOf(BEFORE_UUID, from)
  if (at < 0) return null
  const moment = Number.parseInt(
    request.toString('latin1', at + BEFORE_UUID.length + 24, at + BEFORE_UUID.length + 36),
    16,
  )
  return moment / 1_000
}
