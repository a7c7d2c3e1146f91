// Receivers with moods, and what each of their answers means by the design's rules: each is generated for its meaning.
import type { OutboundOutcome } from '#app/adapters/outbound/outbound.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import type { Chance } from '../stage/chance.ts'

/** The meaning of an answer for the engine. `waitMs`: the requested wait, before any cap; 0 without a valid one. */
export type Meaning =
  | { says: 'delivered' | 'gone' | 'failed' | 'overloaded' | 'hopeless' }
  | { says: 'rate_limited' | 'maintenance'; waitMs: number }

type NoResponse = Exclude<OutboundOutcome['outcome'], 'response'>

/** The answer, composed on arrival: a Retry-After may contain a time. */
export interface Reply {
  afterMs: number
  compose(
    now: number,
  ):
    | { meaning: Meaning; status: number; retryAfter?: string; location?: string }
    | { meaning: Meaning; fails: NoResponse }
}

/** The current behaviour of a receiver. */
export interface Mood {
  name: string
  /** `event`: the number of the event, for receivers that reject some of them. */
  reply(chance: Chance, event: number): Reply
}

export const TIMEOUT_MS = seconds(15)

const FAILED = { says: 'failed' } as const
const OVERLOADED = { says: 'overloaded' } as const
const HOPELESS = { says: 'hopeless' } as const
const STATUSES: readonly (readonly [number, Meaning])[] = [
  // Neither leads elsewhere: the one has no target.
  [302, FAILED],
  [304, FAILED],
  [400, FAILED],
  [404, FAILED],
  [408, FAILED],
  [425, FAILED],
  [500, FAILED],
  [501, FAILED],
  [502, OVERLOADED],
  [503, FAILED],
  [504, OVERLOADED],
]
const CONNECTION_FAULTS: readonly NoResponse[] = ['dns', 'refused', 'reset', 'tls', 'protocol']

const pause = (chance: Chance) => chance.span(1, 400)

function status(code: number, meaning: Meaning, afterMs: number): Reply {
  return { afterMs, compose: () => ({ meaning, status: code }) }
}
const delivered = (chance: Chance, afterMs = pause(chance)) =>
  status(chance.pick([200, 201, 202, 204]), { says: 'delivered' }, afterMs)
function failed(chance: Chance): Reply {
  const [code, meaning] = chance.pick(STATUSES)
  return status(code, meaning, pause(chance))
}
function unreachable(fails: NoResponse, chance: Chance): Reply {
  const hopeless = fails === 'blocked'
  return { afterMs: pause(chance), compose: () => ({ meaning: hopeless ? HOPELESS : FAILED, fails }) }
}
const timesOut = (): Reply => ({ afterMs: TIMEOUT_MS, compose: () => ({ meaning: OVERLOADED, fails: 'timeout' }) })
const redirects = (chance: Chance): Reply => {
  const code = chance.pick([301, 302, 303, 307, 308])
  return {
    afterMs: pause(chance),
    compose: () => ({ meaning: HOPELESS, status: code, location: 'https://elsewhere.example.com/' }),
  }
}

interface RetryAfter {
  text: string | undefined
  /** Null when missing or unreadable. */
  waitMs: number | null
}

/** Every valid form of a Retry-After, and some invalid ones. */
function retryAfter(chance: Chance, now: number): RetryAfter {
  const wait = chance.weighted<number>([
    [6, chance.span(seconds(1), minutes(10))],
    [2, chance.span(minutes(10), hours(3))],
    [1, chance.span(hours(3), days(3))],
  ])
  const moment = Math.floor((now + wait) / 1000) * 1000
  const untilMoment = Math.max(0, moment - now)
  const past = Math.floor((now - wait) / 1000) * 1000
  const whole = Math.ceil(wait / 1000)
  const halves = Math.ceil(wait / 500) * 500
  return chance.pick<() => RetryAfter>([
    () => ({ text: String(whole), waitMs: seconds(whole) }),
    () => ({ text: ` ${whole} `, waitMs: seconds(whole) }),
    () => ({ text: (halves / 1000).toFixed(1), waitMs: halves }),
    () => ({ text: '0', waitMs: 0 }),
    () => ({ text: new Date(moment).toUTCString(), waitMs: untilMoment }),
    () => ({ text: oldDate(moment), waitMs: untilMoment }),
    () => ({ text: asctime(moment), waitMs: untilMoment }),
    () => ({ text: new Date(past).toUTCString(), waitMs: 0 }),
    () => ({ text: undefined, waitMs: null }),
    () => ({ text: chance.pick(['', 'soon', '-5', '1e3', '12 minutes', 'NaN']), waitMs: null }),
  ])()
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** `Sunday, 06-Nov-94 08:49:37 GMT` */
function oldDate(at: number): string {
  const [, day, month, year, time] = new Date(at).toUTCString().split(' ')
  return `${DAYS[new Date(at).getUTCDay()]}, ${day}-${month}-${year?.slice(2)} ${time} GMT`
}

/** `Sun Nov  6 08:49:37 1994` */
function asctime(at: number): string {
  const [name, day, month, year, time] = new Date(at).toUTCString().split(' ')
  return `${name?.slice(0, 3)} ${month} ${String(Number(day)).padStart(2, ' ')} ${time} ${year}`
}

function asksToWait(code: 429 | 503, chance: Chance): Reply {
  return {
    afterMs: pause(chance),
    compose(now) {
      const { text, waitMs } = retryAfter(chance, now)
      const meaning: Meaning =
        code === 429
          ? { says: 'rate_limited', waitMs: waitMs ?? 0 }
          : waitMs === null
            ? FAILED
            : { says: 'maintenance', waitMs }
      return { meaning, status: code, ...(text !== undefined && { retryAfter: text }) }
    },
  }
}

function anything(chance: Chance): Reply {
  return chance.weighted<() => Reply>([
    [10, () => delivered(chance)],
    [4, () => failed(chance)],
    [2, () => unreachable(chance.pick(CONNECTION_FAULTS), chance)],
    [2, timesOut],
    [2, () => asksToWait(429, chance)],
    [2, () => asksToWait(503, chance)],
    [1, () => redirects(chance)],
    [1, () => unreachable('blocked', chance)],
    [0.2, () => status(410, { says: 'gone' }, pause(chance))],
  ])()
}

/** Accepts everything except certain events, which it always rejects. */
export const PICKY: Mood = {
  name: 'refuses every seventh event',
  reply: (chance, event) => (event % 7 === 0 ? failed(chance) : delivered(chance)),
}

export const WORKS: Mood = { name: 'works', reply: (chance) => delivered(chance) }

/** A temporary mood: mostly one that works, otherwise one of each kind of trouble. */
export function newMood(chance: Chance): Mood {
  return chance.weighted<() => Mood>([
    [8, () => WORKS],
    [2, () => PICKY],
    [3, () => ({ name: 'is slow', reply: (own) => delivered(own, own.span(seconds(1), seconds(14))) })],
    [5, () => ({ name: 'answers anything', reply: anything })],
    [
      4,
      () => {
        const [code, meaning] = chance.pick(STATUSES)
        return { name: `answers ${code}`, reply: (own) => status(code, meaning, pause(own)) }
      },
    ],
    [3, () => ({ name: 'fails in every way', reply: failed })],
    [3, () => ({ name: 'hangs', reply: timesOut })],
    [
      2,
      () => {
        const fault = chance.pick(CONNECTION_FAULTS)
        return { name: `cannot be reached (${fault})`, reply: (own) => unreachable(fault, own) }
      },
    ],
    [2, () => ({ name: 'asks to wait with 429', reply: (own) => asksToWait(429, own) })],
    [
      2,
      () => ({
        name: 'asks to wait with 429 now and then',
        reply: (own) => (own.hit(0.3) ? asksToWait(429, own) : delivered(own)),
      }),
    ],
    [2, () => ({ name: 'is maintained (503)', reply: (own) => asksToWait(503, own) })],
    [1, () => ({ name: 'redirects', reply: redirects })],
    [1, () => ({ name: 'is not allowed', reply: (own) => unreachable('blocked', own) })],
    [1, () => ({ name: 'is gone (410)', reply: (own) => status(410, { says: 'gone' }, pause(own)) })],
  ])()
}

/** Moods in which nothing ever succeeds. */
export function hopelessMood(chance: Chance): Mood {
  for (;;) {
    const mood = newMood(chance)
    if (/^(answers \d|fails|hangs|cannot|redirects|is not)/.test(mood.name)) return mood
  }
}
