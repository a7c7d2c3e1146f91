// How the platform reacts to the answer of a delivery. The backoff is our own: the real one is not published.
import type { Millis } from '#app/lib/clock.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'

const SPACING: readonly Millis[] = [
  seconds(10),
  seconds(30),
  minutes(2),
  minutes(10),
  minutes(30),
  hours(1),
  hours(2),
  hours(4),
  hours(6),
]
const SPACING_AFTER = hours(12)

/** After this long, a delivery is abandoned and its subscription is cancelled. */
export const RETRY_FOR = hours(72)
/** A subscription that fails for longer is marked inactive. */
export const INACTIVE_AFTER = hours(12)

const SLOW_STEPS: readonly Millis[] = [minutes(1), minutes(2), minutes(5), minutes(15)]

/** Time of the next attempt after the `attempts`-th failure at `at`; null when there is none. */
export function retryAt(createdAt: Millis, attempts: number, at: Millis): Millis | null {
  const last = createdAt + RETRY_FOR
  if (at >= last) return null
  return Math.min(at + (SPACING[attempts - 1] ?? SPACING_AFTER), last)
}

/** How long the whole account is paused after its `times`-th 429 in a row. */
export function slowFor(times: number): Millis {
  return SLOW_STEPS[Math.min(times, SLOW_STEPS.length) - 1] ?? minutes(15)
}

/** The platform's text for `last_failure_reason`. */
export function failureReason(failingFor: Millis): string {
  return `Webhook request failed for over ${failingFor >= RETRY_FOR ? 72 : 12} hours`
}

type AnswerMeaning = 'delivered' | 'gone' | 'slow_down' | 'failed'

/** 2xx is done, 410 unsubscribes, 429 slows the account, anything else (also no answer) is retried. */
export function meaningOf(status: number | null): AnswerMeaning {
  if (status === null) return 'failed'
  if (status >= 200 && status < 300) return 'delivered'
  if (status === 410) return 'gone'
  return status === 429 ? 'slow_down' : 'failed'
}
