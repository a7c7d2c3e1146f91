// Judges the answer of a user's address and writes the sentence that explains it.
import type { AttemptOutcome, NoAnswer, Verdict } from '#app/domain/deliveries/delivery.ts'
import { plural } from '#app/domain/time/moments.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, seconds } from '#app/lib/duration.ts'
import { LONGEST_HOLD, LONGEST_MAINTENANCE } from './endpoint-health.ts'

/** The part of an outbound call's result that is judged here. */
type Answer =
  | { outcome: 'response'; status: number; headers: Readonly<Record<string, string>> }
  | { outcome: NoAnswer; sentence: string }

/** `now` = when the answer arrived, because a Retry-After may name a moment. */
export const judgeAnswer = (answer: Answer, now: Millis): Verdict => judge(answer, now, true)

/** `bounded`: the webhook waits, so the sentence says how long at most. */
function judge(answer: Answer, now: Millis, bounded: boolean): Verdict {
  if (answer.outcome !== 'response') {
    return { outcome: answer.outcome, statusCode: null, retryAfterMs: null, sentence: answer.sentence }
  }
  const { status, headers } = answer
  const outcome = outcomeOf(status, headers.location)
  const mayWait = outcome === 'rate_limited' || status === 503
  const retryAfterMs = mayWait ? parseRetryAfter(headers['retry-after'], now) : null
  const most = !bounded ? Infinity : status === 503 ? LONGEST_MAINTENANCE : LONGEST_HOLD
  const asked = retryAfterMs ? askedWait(retryAfterMs, most) : null
  return { outcome, statusCode: status, retryAfterMs, sentence: sentenceFor(outcome, status, headers, asked) }
}

/** Judges a test event, which never stops a webhook: the sentence says what a real event would do. */
export function judgeTest(answer: Answer, now: Millis): Verdict {
  const verdict = judge(answer, now, false)
  if (verdict.outcome === 'rate_limited') return { ...verdict, sentence: SLOWED_AT_TEST }
  return verdict.outcome === 'gone' ? { ...verdict, sentence: GONE_AT_TEST } : verdict
}

/** Judges a notification of an automation: it has no card, and each is tried by itself. */
export function judgeNotification(answer: Answer, now: Millis): Verdict {
  const verdict = judge(answer, now, false)
  const { outcome, retryAfterMs: wait } = verdict
  if (outcome === 'gone') return { ...verdict, sentence: GONE_FOR_STEP }
  if (outcome !== 'rate_limited') return verdict
  return {
    ...verdict,
    sentence: wait
      ? `Your address answered 429 and asked us to wait ${duration(wait)}. We try again then.`
      : 'Your address answered 429: it wants fewer requests. We try again later.',
  }
}

const GONE_FOR_STEP = 'Your address answered 410: it takes nothing more. Change the address in the automation.'

const GONE_AT_TEST = 'Your address answered 410. The test changed nothing. A real event would stop this webhook.'

const SLOWED_AT_TEST = 'Your address answered 429: it wants fewer requests. The test changed nothing.'

function outcomeOf(status: number, location: string | undefined): Exclude<AttemptOutcome, NoAnswer> {
  if (status >= 200 && status < 300) return 'delivered'
  if (leadsElsewhere(status, location)) return 'redirect'
  if (status === 410) return 'gone'
  return status === 429 ? 'rate_limited' : 'http_error'
}

function sentenceFor(
  outcome: Exclude<AttemptOutcome, NoAnswer>,
  status: number,
  headers: Readonly<Record<string, string>>,
  asked: string | null,
): string {
  switch (outcome) {
    case 'delivered':
      return `Delivered: your address answered ${status}.`
    case 'redirect': {
      const target = redirectTarget(headers.location)
      return `Your address answered ${status} and redirects${target ? ` to ${target}` : ''}. Redirects are not followed: please enter the final address.`
    }
    case 'gone':
      return 'Your address answered 410, which asks us to send nothing more. Press “Start again” on its card when it should receive events again.'
    case 'rate_limited':
      return `Your address answered 429${asked ? ` and ${asked}` : ': it wants fewer requests.'} We pause and send more slowly.`
    case 'http_error':
      if (status >= 300 && status < 400) return `Your address answered ${status}, which is no delivery.`
      return `Your address answered ${status}.${advice(status, asked)}`
    default:
      return assertNever(outcome)
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** A redirect, which stays one until somebody changes the address. A 304, or one without a target, is any other error. */
export function leadsElsewhere(status: number, location: string | undefined): boolean {
  return REDIRECTS.has(status) && Boolean(location)
}

const ADVICE: Record<number, string> = {
  400: 'It did not accept the message. Does it expect another format?',
  401: 'It asks for a password or a key. Is the address complete?',
  403: 'It refuses us. Is a key missing in the address? Does a firewall block us?',
  404: 'Is the scenario switched on?',
  405: 'It must accept POST.',
  408: 'It timed out. It may be overloaded.',
  413: 'It refuses messages of this size.',
  415: 'It does not accept JSON.',
  500: 'The receiving system reported an error.',
  501: 'The receiving system does not support this request.',
  502: 'The system behind your address does not answer. It may be restarting.',
  503: 'The receiving system is overloaded or being maintained.',
  504: 'The system behind your address took too long.',
}

function advice(status: number, asked: string | null): string {
  const text = ADVICE[status] ?? (status >= 500 ? ADVICE[500] : status < 200 ? 'It sent no final response.' : '')
  return `${text ? ` ${text}` : ''}${asked ? ` It ${asked}` : ''}`
}

/** Formats a redirect's target for display: shortened, and without the query, which may contain keys. */
export function redirectTarget(location: string | undefined): string | null {
  if (!location || !URL.canParse(location)) return null
  const { origin, pathname, protocol } = new URL(location)
  if (protocol !== 'https:' && protocol !== 'http:') return null
  const target = `${origin}${pathname}`
  return target.length <= 200 ? target : origin
}

function askedWait(ms: number, most: number): string {
  return `asked us to wait ${duration(ms)}.${ms > most ? ` We wait ${duration(most)} at most.` : ''}`
}

function duration(ms: number): string {
  const whole = Math.ceil(ms / 1000)
  if (whole < 120) return plural(whole, 'second')
  const minutes = Math.round(whole / 60)
  if (minutes < 120) return plural(minutes, 'minute')
  const rest = minutes % 60
  return `${plural(Math.floor(minutes / 60), 'hour')}${rest === 0 ? '' : ` ${plural(rest, 'minute')}`}`
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/** The three forms of RFC 9110 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`. */
const FIXED_DATE = /^[a-z]{3}, (\d{2}) ([a-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) (?:gmt|utc)$/
const OLD_DATE = /^[a-z]{6,9}, (\d{2})-([a-z]{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) (?:gmt|utc)$/
const ASCTIME = /^[a-z]{3} ([a-z]{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/

/**
 * Returns the ms to wait from `now`: whole or decimal seconds, or an HTTP date in any of its three forms. A past moment
 * = 0; anything else = null, as if the header were missing. It can only delay a retry.
 */
export function parseRetryAfter(value: string | undefined, now: Millis): number | null {
  const text = value?.trim().toLowerCase() ?? ''
  // A repeated header arrives as "30, 30".
  const number = /^(\d+(?:\.\d+)?)(?:\s*,\s*\d+(?:\.\d+)?)*$/.exec(text)?.[1]
  const at = number === undefined ? httpDate(text, now) : now + Math.ceil(seconds(Number(number)))
  return at === null ? null : Math.min(Math.max(0, at - now), LONGEST_WAIT)
}

/** Nothing waits longer than this anyway. */
const LONGEST_WAIT = days(30)

function httpDate(text: string, now: Millis): Millis | null {
  const fixed = FIXED_DATE.exec(text)
  if (fixed) return moment(fixed[3], fixed[2], fixed[1], fixed[4], fixed[5], fixed[6])
  const asctime = ASCTIME.exec(text)
  if (asctime) return moment(asctime[6], asctime[1], asctime[2], asctime[3], asctime[4], asctime[5])
  const old = OLD_DATE.exec(text)
  if (!old) return null
  // For two-digit years, use the century that is at most 50 years ahead.
  const thisYear = new Date(now).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + Number(old[3])
  return moment(String(year > thisYear + 50 ? year - 100 : year), old[2], old[1], old[4], old[5], old[6])
}

function moment(year?: string, month?: string, day?: string, hour?: string, minute?: string, second?: string) {
  const index = MONTHS.indexOf(month ?? '')
  const at = Date.UTC(Number(year), index, Number(day), Number(hour), Number(minute), Number(second))
  const valid =
    index >= 0 &&
    new Date(at).getUTCDate() === Number(day) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) <= 60
  return valid ? at : null
}
