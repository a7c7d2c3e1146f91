// One exchange with the platform: one timeout for all, a size limit, no redirects followed, never throws for an answer.
import { StringDecoder } from 'node:string_decoder'
import pRetry from 'p-retry'
import { Agent, type Dispatcher, request } from 'undici'
import { seconds } from '#app/lib/duration.ts'
import type { ListReader } from './long-list.server.ts'
import type { WireAnswer } from './servicem8-answer.ts'
import { isFile } from './servicem8-document.ts'

export type Exchanged =
  | { outcome: 'answered'; answer: WireAnswer }
  /** `undone`: no connection was made, so certainly nothing was done. */
  | { outcome: 'unanswered'; sentence: string; undone?: true; tooLarge?: true; late?: true }

export interface WireRequest {
  method: 'GET' | 'POST' | 'DELETE'
  url: string
  headers: Record<string, string>
  /** Form fields, sent as `application/x-www-form-urlencoded`. */
  form?: Record<string, string>
  /** Sent as JSON instead. */
  json?: unknown
  /** Sent as raw bytes instead. */
  bytes?: Uint8Array
  /** The answer may be a file: keeps its bytes, and its text only if it can be text. */
  keepBytes?: boolean
  /** Whole exchange, ms. */
  timeoutMs: number
  maxBytes: number
  /** Reads a long list while it arrives. */
  list?: ListReader
}

/** Connections to the platform, kept for a while: more than there are runs. Idle ones do not keep the process alive. */
export function createWire(): Dispatcher {
  return new Agent({ connections: 64, pipelining: 1, keepAliveTimeout: seconds(10), connect: { timeout: seconds(5) } })
}

/**
 * For writes: a separate connection each. The peer may close an idle connection at the moment we write, which would
 * leave open whether a message was sent. Without a limit: what waits for a connection until its time is over would
 * leave it open, too. The runs have their own limit.
 */
export function createLoneWire(): Dispatcher {
  return new Agent({ pipelining: 0, connect: { timeout: seconds(5) } })
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
        ...(asked.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(asked.bytes ? { 'content-type': 'application/octet-stream' } : {}),
        ...asked.headers,
      },
      body: bodyOf(asked),
    })
    return await readAnswer(response, asked)
  } catch (error) {
    const late = signal.aborted || /TIMEOUT/.test(errorCode(error))
    return {
      outcome: 'unanswered',
      sentence: late
        ? `ServiceM8 did not answer within ${Math.round(asked.timeoutMs / 1000)} seconds.`
        : 'ServiceM8 could not be reached.',
      ...(late && { late }),
      ...(madeNoConnection(errorCode(error)) ? { undone: true } : {}),
    }
  }
}

async function readAnswer(
  { statusCode: status, ...response }: Dispatcher.ResponseData,
  asked: WireRequest,
): Promise<Exchanged> {
  const list = status >= 200 && status < 300 ? asked.list : undefined
  const chunks: Buffer[] = []
  // Piece by piece: a list of 30 MB at once would block the thread.
  const decoder = new StringDecoder('utf8')
  let text = ''
  let size = 0
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    size += chunk.length
    // Leaving the loop destroys the body and, with it, the connection.
    if (size > asked.maxBytes)
      return { outcome: 'unanswered', sentence: 'ServiceM8 sent an answer that is too large.', tooLarge: true }
    if (asked.keepBytes) chunks.push(chunk)
    else text += decoder.write(chunk)
    if (list) text = await list.take(text)
  }
  const bytes = Buffer.concat(chunks)
  const headers = firstValues(response.headers)
  if (!asked.keepBytes) text += decoder.end()
  else if (!isFile(headers['content-type'] ?? '', bytes)) text = bytes.toString('utf8')
  const records = list?.end(text)
  return {
    outcome: 'answered',
    answer: { status, headers, text, ...(asked.keepBytes && { bytes }), ...(records !== undefined && { records }) },
  }
}

/** The connection failed, or its certificate was refused: no byte of the request was sent. */
function madeNoConnection(code: string): boolean {
  return NO_CONNECTION.has(code) || /CERT|^ERR_TLS/.test(code)
}

const NO_CONNECTION = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

function bodyOf({ form, json, bytes }: Pick<WireRequest, 'form' | 'json' | 'bytes'>): string | Uint8Array | null {
  if (bytes) return bytes
  if (form) return new URLSearchParams(form).toString()
  return json === undefined ? null : JSON.stringify(json)
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

interface ShortRetry<T> {
  /** `first` = the first attempt. An exception is a bug and is not retried. */
  ask: (first: boolean) => Promise<T>
  /** Whether this answer is worth a retry. */
  isPassing: (answer: T) => boolean
  /** Once aborted, nothing is retried. */
  signal?: AbortSignal | undefined
}

/**
 * Retries a read immediately after a transient failure, unnoticed by the caller. Longer failures have their own, stored
 * schedule. Never for writes: the first one may have been done. Returns the last of up to three answers. Waits 200 to
 * 400 ms, then 400 to 800 ms: random, so that many callers do not retry at once.
 */
export async function askShortly<T>({ ask, isPassing, signal }: ShortRetry<T>): Promise<T> {
  const last: T[] = []
  const askOnce = async (attempt: number) => {
    last.length = 0
    last.push(await ask(attempt === 1))
    if (last.some(isPassing)) throw new Passing()
  }
  const pauses = { retries: 2, minTimeout: 200, randomize: true, shouldRetry: isStillWorthIt }
  try {
    await pRetry(askOnce, signal?.aborted ? { retries: 0 } : { ...pauses, ...(signal && { signal }) })
  } catch (error) {
    if (last.length === 0) throw error
  }
  return last[0] as T
}

class Passing extends Error {}

const isStillWorthIt = ({ error }: { error: Error }) => error instanceof Passing
