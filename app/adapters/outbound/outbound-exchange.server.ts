// One request and its answer over one connection, with one deadline.
import { performance } from 'node:perf_hooks'
import type { Connection } from './outbound-connections.server.ts'
import { DialError } from './outbound-dial.server.ts'
import type { ExchangePhase, Fault } from './outbound-failure.ts'

interface ExchangeInput {
  method: 'POST' | 'OPTIONS'
  path: string
  headers: Record<string, string>
  /** Null = none. */
  body: string | null
  /** From now, ms. */
  deadlineMs: number
  /** Bytes of the answer's body to read; the connection ends when there are more. */
  readBytes: number
}

export type ExchangeResult =
  | {
      outcome: 'answered'
      status: number
      rawHeaders: readonly Uint8Array[]
      body: Buffer
      /** The rest of the body was not read: beyond `readBytes`, late, broken off or invalid. The connection is closed. */
      cut: boolean
      firstByteMs: number | null
    }
  | { outcome: 'failed'; fault: Fault; phase: ExchangePhase; firstByteMs: number | null }
  | { outcome: 'late'; phase: ExchangePhase; firstByteMs: number | null }

/** A server may send a few interim answers (102, 103); an endless stream is an attack. */
const MAX_INTERIM_ANSWERS = 32

/** For the body once the status is there: one that stays open must not hold up the next event. */
const BODY_MS = 1_000

class StopReading extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/** Never rejects. The connection may be reused only after a complete answer. */
export function exchange(connection: Connection, input: ExchangeInput): Promise<ExchangeResult> {
  return new Promise((resolve) => {
    let sentAt: number | null = null
    let firstByteMs: number | null = null
    let interim = 0
    let status = 0
    let rawHeaders: readonly Uint8Array[] = []
    let chunks: Buffer[] = []
    let size = 0
    let settled = false

    const late = () => {
      unfinished({ outcome: 'late', phase: phase(), firstByteMs })
      connection.destroy()
    }
    const deadline = setTimeout(late, input.deadlineMs)
    let bodyDeadline: NodeJS.Timeout | undefined

    function phase(): ExchangePhase {
      if (sentAt !== null) return firstByteMs === null ? 'waiting' : 'answering'
      return connection.trace.connectMs === null ? 'connecting' : 'securing'
    }

    function settle(result: ExchangeResult) {
      if (settled) return
      settled = true
      clearTimeout(deadline)
      clearTimeout(bodyDeadline)
      chunks = []
      resolve(result)
    }

    function answered(cut: boolean) {
      settle({
        outcome: 'answered',
        status,
        rawHeaders,
        body: Buffer.concat(chunks, Math.min(size, input.readBytes)),
        cut,
        firstByteMs,
      })
    }

    /** A status that has arrived is the answer, whatever becomes of the body: to send again would be a duplicate. */
    function unfinished(result: ExchangeResult) {
      if (status > 0) answered(true)
      else settle(result)
    }

    connection.client.dispatch(
      // `reset: false` keeps the connection for the next call; undici itself never retries.
      {
        method: input.method,
        path: input.path,
        headers: input.headers,
        body: input.body,
        reset: false,
        idempotent: false,
      },
      {
        // Called once connected, right before the first byte is written.
        onRequestStart() {
          sentAt = performance.now()
        },
        onResponseStarted() {
          if (sentAt !== null) firstByteMs ??= performance.now() - sentAt
        },
        onResponseStart(controller, code) {
          if (code < 200) {
            interim += 1
            if (interim > MAX_INTERIM_ANSWERS) controller.abort(new StopReading('INFORMATIONAL_FLOOD'))
            return
          }
          status = code
          bodyDeadline = setTimeout(late, BODY_MS)
          rawHeaders = isRaw(controller.rawHeaders) ? controller.rawHeaders : []
        },
        onResponseData(controller, chunk) {
          if (settled) return
          size += chunk.length
          chunks.push(chunk)
          if (size <= input.readBytes) return
          answered(true)
          controller.abort(new StopReading('ENOUGH'))
        },
        onResponseEnd() {
          answered(false)
        },
        onResponseError(_controller, error) {
          const fault = faultOf(error)
          // For a contradictory length undici reports a short body, though none had begun: the head itself was invalid.
          if (status === 0 && fault.code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
            fault.code = 'HPE_INVALID_CONTENT_LENGTH'
          unfinished({ outcome: 'failed', fault, phase: phase(), firstByteMs })
        },
      },
    )
  })
}

function isRaw(headers: unknown): headers is Buffer[] {
  return Array.isArray(headers) && headers.every((one) => Buffer.isBuffer(one))
}

function faultOf(error: Error): Fault {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null
  return { code, message: error.message, reason: error instanceof DialError ? error.reason : null }
}
