// One exchange with the platform: timed as a whole, capped, never following a redirect, never throwing for an answer.
import { Agent, type Dispatcher, request } from 'undici'
import { seconds } from '../lib/duration.ts'
import type { WireAnswer } from './servicem8-answer.ts'

export type Exchanged = { outcome: 'answered'; answer: WireAnswer } | { outcome: 'unanswered'; sentence: string }

export interface WireRequest {
  method: 'GET' | 'POST' | 'DELETE'
  url: string
  headers: Record<string, string>
  /** Form fields, sent as `application/x-www-form-urlencoded`. */
  form?: Record<string, string>
  /** Whole exchange, ms. */
  timeoutMs: number
  maxBytes: number
}

/** Connections to the platform, kept for a while. Idle ones do not keep the process alive. */
export function createWire(): Dispatcher {
  return new Agent({ connections: 16, pipelining: 1, keepAliveTimeout: seconds(10), connect: { timeout: seconds(5) } })
}

export async function exchange(wire: Dispatcher, asked: WireRequest): Promise<Exchanged> {
  const signal = AbortSignal.timeout(asked.timeoutMs)
  try {
    const response = await request(asked.url, {
      dispatcher: wire,
      method: asked.method,
      signal,
      headersTimeout: asked.timeoutMs,
      bodyTimeout: asked.timeoutMs,
      headers: {
        accept: 'application/json',
        'user-agent': 'Fieldhook',
        ...(asked.form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
        ...asked.headers,
      },
      body: asked.form ? new URLSearchParams(asked.form).toString() : null,
    })
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      size += chunk.length
      // Leaving the loop destroys the body and, with it, the connection.
      if (size > asked.maxBytes)
        return { outcome: 'unanswered', sentence: 'ServiceM8 sent an answer that is too large.' }
      chunks.push(chunk)
    }
    const text = Buffer.concat(chunks).toString('utf8')
    return {
      outcome: 'answered',
      answer: { status: response.statusCode, headers: firstValues(response.headers), text },
    }
  } catch (error) {
    const late = signal.aborted || /TIMEOUT/.test(errorCode(error))
    return {
      outcome: 'unanswered',
      sentence: late
        ? `ServiceM8 did not answer within ${Math.round(asked.timeoutMs / 1000)} seconds.`
        : 'ServiceM8 could not be reached.',
    }
  }
}

function firstValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value
    if (first !== undefined) plain[name.toLowerCase()] = first
  }
  return plain
}

function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}
