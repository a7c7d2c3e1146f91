// Decides what follows an attempt: done, retry, or ended; and what the attempt says about its address.
import type {
  DeliveryProgress,
  EndpointHealth,
  NextStep,
  Settlement,
  Verdict,
} from '#app/domain/deliveries/delivery.ts'
import { endedByHoldText } from '#app/domain/plan-hold.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { afterTest, afterVerdict, holdFor } from './endpoint-health.ts'

/** Returns the Standard Webhooks headers of a forward. Throws when signing fails, so that the forward is not sent. */
export type SignForward = (forward: {
  id: string
  timestampSeconds: number
  body: string
  secrets: readonly string[]
}) => Record<string, string>

/** The wait after each failure. They add up to 67 hours and 43 minutes; the last try is exactly at the deadline. */
export const RETRY_GAPS: readonly number[] = [
  seconds(5),
  seconds(30),
  minutes(2),
  minutes(10),
  minutes(30),
  hours(1),
  hours(2),
  hours(4),
  hours(6),
  hours(8),
  hours(10),
  hours(12),
  hours(12),
  hours(12),
]

const LONGEST_GAP = Math.max(...RETRY_GAPS)

/** Only ever adds to the wait, so that deliveries that failed together do not retry together. */
const JITTER = 0.2

/** The wait after an overload (502, 504, time-out). With jitter the retry stays within the first minute. */
const OVERLOAD_GAP = seconds(50)

/** A delivery may start this long after its deadline: the last try is due then, and a slot may take a moment. */
export const DEADLINE_GRACE = minutes(1)

/**
 * The only place that decides what follows an attempt. `random` returns a number from 0 to below 1. `probe`: the
 * attempt was the one allowed through an open breaker. `moved`: the endpoint has another address since.
 */
export function nextStep(
  delivery: DeliveryProgress,
  endpoint: EndpointHealth,
  verdict: Verdict,
  context: { now: Millis; random: () => number; probe: boolean; moved: boolean },
): Settlement {
  const { eventSeq, deadlineAt } = delivery
  // An old address says nothing about the new one, which is tried at once. What it took is delivered, and a test was
  // of the address that answered.
  if (context.moved) {
    const isOver = verdict.outcome === 'delivered' || delivery.cause === 'test'
    const next: NextStep = isOver
      ? stepOf(delivery, verdict, context.now, context.random)
      : { step: 'retry', at: context.now, steps: delivery.steps }
    return { delivery: next, endpoint }
  }
  const health =
    delivery.cause === 'test'
      ? afterTest(endpoint, verdict, context.now)
      : afterVerdict(endpoint, { eventSeq, deadlineAt }, verdict, context)
  return { delivery: stepOf(delivery, verdict, context.now, context.random), endpoint: health }
}

function stepOf(delivery: DeliveryProgress, verdict: Verdict, now: Millis, random: () => number): NextStep {
  if (verdict.outcome === 'delivered') return { step: 'done' }
  if (verdict.outcome === 'gone' && delivery.cause !== 'test') return { step: 'stopped', reason: verdict.sentence }
  return again(delivery, verdict, now, random)
}

function again(delivery: DeliveryProgress, verdict: Verdict, now: Millis, random: () => number): NextStep {
  const { steps, deadlineAt } = delivery
  if (delivery.cause === 'test') return { step: 'expired', reason: `A test is sent once. ${verdict.sentence}` }
  if (now >= deadlineAt) return { step: 'expired', reason: `Not delivered within 72 hours. ${verdict.sentence}` }
  const held = now + (holdFor(verdict) ?? 0)
  if (verdict.outcome === 'rate_limited') return { step: 'retry', at: Math.min(held, deadlineAt), steps }
  const at = Math.max(held, retryAt(steps, now, verdict, random))
  return { step: 'retry', at: Math.min(at, deadlineAt), steps: steps + 1 }
}

/**
 * After the last step of the schedule, its longest wait repeats until the deadline. Usually the deadline comes first;
 * but pausing and resuming a webhook restarts the 72 hours, and tries must continue during them.
 */
function retryAt(steps: number, now: Millis, verdict: Verdict, random: () => number): Millis {
  const gap = RETRY_GAPS[steps] ?? LONGEST_GAP
  const overloaded = verdict.outcome === 'timeout' || verdict.statusCode === 502 || verdict.statusCode === 504
  const least = overloaded ? Math.max(gap, OVERLOAD_GAP) : gap
  return Math.round(now + least * (1 + JITTER * random()))
}

/** Whether it is too late to start a try. */
export function isPastDeadline(deadlineAt: Millis, now: Millis): boolean {
  return now > deadlineAt + DEADLINE_GRACE
}

/** Why a delivery ended without a last try: its endpoint or account was held all the time (`accountHold` = why). */
export function expiredWhileHeld(
  health: Pick<EndpointHealth, 'state' | 'holdReason' | 'breaker'> & { hasAddress: boolean },
  accountHold: string | null = null,
): string {
  if (accountHold !== null && health.state !== 'paused') {
    return `Not delivered within 72 hours: ${endedByHoldText(accountHold)}`
  }
  if (health.state === 'paused') return 'Kept for 30 days while sending was paused, then given up.'
  if (!health.hasAddress) return 'Not delivered within 72 hours: there was no address.'
  if (health.state === 'failing')
    return 'Not delivered within 72 hours: we had stopped trying because nothing succeeded.'
  if (health.breaker === 'open') return 'Not delivered within 72 hours: every attempt failed.'
  return `Not delivered within 72 hours. ${health.holdReason ?? 'Your address could not be reached in time.'}`
}

export const STOPPED_BY_RECEIVER =
  'Not sent: your address answered 410 and wants nothing more. Press “Start again” on its card, then send it again.'
export const DELIVERED_BY_ANOTHER = 'Delivered by another sending of the same event.'
export const WEBHOOK_DELETED = 'Not sent: the webhook was deleted.'
export const RULE_DELETED = 'Not sent: the forwarding rule was deleted.'
export const SAMPLE_LOST = 'Not sent: the test was interrupted by a restart.'
export const REPLAY_CANCELLED = 'Not sent: the replay was cancelled.'

/** The same for every attempt, retry and replay of one event to one endpoint, so that receivers recognise repeats. */
export function webhookId(eventId: string, endpointId: number): string {
  return `evt_${eventId.replaceAll('-', '')}_${endpointId}`
}
