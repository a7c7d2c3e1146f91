// The answer to a platform call, whichever entrance it used. The status drives the platform: 200 and 4xx end the event,
// 410 ends the subscription, 429 and 503 bring the event back.
import type { Received } from '#app/features/events/event.ts'
import { assertNever } from '#app/lib/assert-never.ts'

/** The result of a call: read, or refused before that. */
export type PlatformOutcome =
  | Received
  /** This caller has tried too many unknown addresses. */
  | { outcome: 'guessing'; waitMs: number }
  /** The account has used up its minute. */
  | { outcome: 'over_budget'; waitMs: number }
  /** Too many bytes in progress for this account (`one`) or for all. */
  | { outcome: 'too_much_under_way'; whose: 'one' | 'all' }
  | { outcome: 'slow_body' }

interface PlatformAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

export function toPlatformAnswer(received: PlatformOutcome): PlatformAnswer {
  switch (received.outcome) {
    case 'stored':
      return RECEIVED
    case 'challenged':
      return answer(200, 'text/plain; charset=utf-8', received.challenge)
    case 'unreadable':
      return refuse(400, received.reason)
    case 'rejected':
      return refuse(400, 'The event could not be stored.')
    case 'unknown_address':
      return refuse(404, 'Not found')
    case 'wrong_method':
      return refuse(405, 'This address takes POST.', { allow: 'POST' })
    case 'slow_body':
      return refuse(408, 'The body did not arrive in time.')
    case 'deleted_subscription':
      return refuse(410, 'This subscription was deleted.')
    case 'too_large':
      return refuse(413, received.reason)
    case 'body_too_large':
      return refuse(413, 'Larger than 256 KB.')
    case 'guessing':
      return later(received.waitMs, (wait) => `Too many requests. Please try again in ${wait} s.`)
    case 'over_budget':
      return later(received.waitMs, () => 'Too much work at once. Send it again.')
    case 'too_fast':
      return later(received.waitMs, () => 'Too many events at once. Send them again.')
    case 'over_limit':
      return refuse(429, 'There are too many events of this account.', { 'retry-after': '60' })
    case 'too_much_under_way':
      return refuse(received.whose === 'one' ? 429 : 503, 'Too much at once. Send it again.', { 'retry-after': '10' })
    case 'unavailable':
      return refuse(503, 'The event could not be stored. Send it again.', { 'retry-after': '10' })
    default:
      return assertNever(received)
  }
}

/** Untrusted text on our host: nothing in an answer may run, be framed, cached or sniffed as another type. */
const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

function answer(status: number, contentType: string, body: string, extra?: Record<string, string>): PlatformAnswer {
  return { status, headers: { 'content-type': contentType, ...COMMON_HEADERS, ...extra }, body }
}

const RECEIVED = answer(200, 'application/json; charset=utf-8', '{"received":true}')

function refuse(status: number, message: string, extra?: Record<string, string>): PlatformAnswer {
  return answer(status, 'application/json; charset=utf-8', JSON.stringify({ message }), extra)
}

function later(ms: number, message: (seconds: number) => string): PlatformAnswer {
  const wait = Math.max(1, Math.ceil(ms / 1000))
  return refuse(429, message(wait), { 'retry-after': String(wait) })
}
