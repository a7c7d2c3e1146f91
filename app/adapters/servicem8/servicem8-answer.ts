// Reads ServiceM8's answers and classifies failures. Always text first, then JSON: errors arrive as JSON, plain text or
// HTML, flags as numbers or quoted, `errorCode` as a number or a string (facts: 5.1, 5.5, 5.6).
import type { Millis } from '#app/lib/clock.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { isRecord, parseJson } from '#app/lib/json.ts'
import type { PlatformFailure, PlatformRecord, PlatformResult } from '../platform.ts'

/** An answer that arrived, with any status. Header names are lower case. */
export interface WireAnswer {
  status: number
  headers: Record<string, string>
  text: string
  /** Only when requested. */
  bytes?: Uint8Array
  /** Records of a long list, read as a stream; `text` is its end. Null = unreadable. */
  records?: PlatformRecord[] | null
}

const LONGEST_MESSAGE = 500
const LONGEST_WAIT = hours(24)

/** `1`, `"1"`, `true` and `"true"` are true; everything else is false. */
export function isFlagSet(value: unknown): boolean {
  return value === 1 || value === true || value === '1' || value === 'true'
}

/** A text field: numbers become text, any other type becomes ''. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' ? String(value) : ''
}

/** The platform's own message, at most 500 characters, or a plain sentence when it gave none (HTML, empty, binary). */
export function messageOf(answer: Pick<WireAnswer, 'status' | 'text'>): string {
  const parsed = parseJson(answer.text)
  const said = isRecord(parsed)
    ? [parsed.message, parsed.error_description, parsed.error].map(textOf).find((text) => text !== '')
    : typeof parsed === 'string'
      ? parsed
      : parsed === undefined && !/^\s*</.test(answer.text)
        ? answer.text
        : ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  const clean = (said ?? '').replace(/[\u0000-\u001f\u007f]+/g, ' ').trim()
  return clean === '' ? `ServiceM8 answered with status ${answer.status}.` : clean.slice(0, LONGEST_MESSAGE)
}

/**
 * Separates success from the seven kinds of failure. A 2xx with an `errorCode` other than 0, or `success: false`, is a
 * failure too.
 */
export function readAnswer(answer: WireAnswer, now: Millis): { outcome: 'ok'; body: unknown } | PlatformFailure {
  const good = answer.status >= 200 && answer.status < 300
  if (!good) return failureOf(answer, answer.status, now)
  const body = answer.records === undefined ? parseJson(answer.text) : answer.records
  if (!isRecord(body)) return { outcome: 'ok', body }
  const code = Number(textOf(body.errorCode) || 0)
  if (code !== 0) return failureOf(answer, code >= 400 && code < 600 ? code : 400, now)
  if (body.success === false || body.success === 'false') return failureOf(answer, 400, now)
  return { outcome: 'ok', body }
}

function failureOf(answer: WireAnswer, status: number, now: Millis): PlatformFailure {
  const message = messageOf(answer)
  if (status === 401) return { outcome: 'unauthorized', status, message }
  if (status === 402) return { outcome: 'suspended', status, message }
  if (status === 403) return { outcome: 'forbidden', status, message }
  if (status === 429) {
    const retryAt = retryMoment({ text: answer.text, retryAfter: answer.headers['retry-after'] ?? null, now })
    return { outcome: 'rate_limited', status, message, retryAt }
  }
  if (status >= 400 && status < 500) return { outcome: 'refused', status, message }
  return { outcome: 'unavailable', status, message }
}

/**
 * The retry time after a 429. Uses `Retry-After` if present (seconds or a date, at most 24 h); else the text: a minute
 * limit ends with the minute, a day limit is retried in an hour.
 */
export function retryMoment(input: { text: string; retryAfter: string | null; now: Millis }): Millis {
  const { text, retryAfter, now } = input
  if (retryAfter !== null && retryAfter.trim() !== '') {
    const asked = /^\s*\d+\s*$/.test(retryAfter) ? now + seconds(Number(retryAfter)) : Date.parse(retryAfter)
    if (Number.isFinite(asked)) return Math.min(Math.max(asked, now + seconds(1)), now + LONGEST_WAIT)
  }
  if (/per day|24.?hour|daily/i.test(text)) return now + hours(1)
  return (Math.floor(now / minutes(1)) + 1) * minutes(1)
}

/** No usable answer: no connection, a timeout, or too large. `sentence` is for people. */
export function unavailable(sentence: string, status: number | null = null): PlatformFailure {
  return { outcome: 'unavailable', status, message: sentence }
}

/** The same, when certainly nothing was done. */
export function undone(sentence: string, status: number | null = null): PlatformFailure {
  return { outcome: 'unavailable', status, message: sentence, undone: true }
}

/** A success answer without the expected content. */
export function unreadable(what: string): PlatformFailure {
  return unavailable(`ServiceM8 sent an answer that could not be read as ${what}.`)
}

/** Passes failures on and turns a success body into a value; `read` returns null for an unusable body. */
export function mapAnswer<T>(
  answer: { outcome: 'ok'; body: unknown } | PlatformFailure,
  what: string,
  read: (body: unknown) => T | null,
): PlatformResult<T> {
  if (answer.outcome !== 'ok') return answer
  const value = read(answer.body)
  return value === null ? unreadable(what) : { outcome: 'ok', value }
}
