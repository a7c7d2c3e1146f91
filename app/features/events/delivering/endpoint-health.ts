// The health of an address and how each attempt changes it: the breaker, the holds, and switching off.
import type { EndpointHealth, Verdict } from '#app/domain/deliveries/delivery.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'

/** Whether and from when a delivery may be sent, and whether it is a probe. */
export interface Gate {
  closed: boolean
  opensAt: Millis
  probing: boolean
}

export function gateOf(health: Pick<EndpointHealth, 'state' | 'holdUntil' | 'breaker' | 'nextProbeAt'>): Gate {
  const open = health.breaker === 'open'
  return {
    closed: health.state !== 'active',
    opensAt: Math.max(health.holdUntil ?? 0, open ? (health.nextProbeAt ?? 0) : 0),
    probing: open,
  }
}

export const BREAKER_FAILURES = 5
export const DIFFERENT_EVENTS = 3
const BREAKER_AFTER = minutes(1)
/** The waits before the first probe, the second and so on; the last one repeats. */
export const PROBE_GAPS: readonly number[] = [seconds(30), minutes(1), minutes(2), minutes(5), minutes(10), minutes(15)]

/** "72 hours without one success, and not because of one poisoned event." */
const SWITCH_OFF_AFTER = hours(72)

const LEAST_HOLD = minutes(1)
export const LONGEST_HOLD = hours(24)
export const LONGEST_MAINTENANCE = hours(1)

/** Redirects and refused addresses do not recover until someone acts. */
export const HOPELESS_IN_A_ROW = 3
const HOPELESS_HOLD = hours(6)

/** Did the attempt end before there was a connection, also a kept one? Dialling can then tell when there is one again. */
export function isUnreachable(attempt: { verdict: Verdict; connectMs: number | null; reached?: boolean }): boolean {
  switch (attempt.verdict.outcome) {
    case 'refused':
    case 'dns':
      return true
    case 'reset':
    case 'timeout':
    case 'tls':
      return attempt.connectMs === null && !attempt.reached
    default:
      return false
  }
}

/** Returns the ms that the whole endpoint waits at the receiver's request; null when it did not ask. */
export function holdFor(verdict: Verdict): number | null {
  if (verdict.outcome === 'rate_limited') {
    return Math.min(Math.max(verdict.retryAfterMs ?? 0, LEAST_HOLD), LONGEST_HOLD)
  }
  if (verdict.statusCode === 503 && verdict.retryAfterMs !== null) {
    return Math.min(verdict.retryAfterMs, LONGEST_MAINTENANCE)
  }
  return null
}

/** Returns the endpoint's health after an attempt. `internal` outcomes are our own fault and change nothing. */
export function afterVerdict(
  health: EndpointHealth,
  delivery: { eventSeq: number; deadlineAt: Millis },
  verdict: Verdict,
  context: { now: Millis; probe: boolean },
): EndpointHealth {
  const { now } = context
  if (verdict.outcome === 'internal') return health
  if (verdict.outcome === 'delivered') return afterSuccess(health, now)
  const hopeless = verdict.outcome === 'redirect' || verdict.outcome === 'blocked'
  if (verdict.outcome === 'gone') {
    return health.state === 'deleted' ? health : moveTo(health, 'stopped', verdict.sentence, now)
  }
  const held = withHold(hopeless ? health : withoutRest(health), delivery, verdict, now)
  // Being rate limited is not a failure, unless an event is lost by it: the last try is made at the deadline.
  const goesOn = verdict.outcome === 'rate_limited' && delivery.deadlineAt > now
  if (goesOn) return context.probe ? nextProbe(held, now) : held
  return afterFailure(held, delivery.eventSeq, verdict, { ...context, hopeless })
}

/**
 * Returns the health after a test event. Nobody expects a test to switch an endpoint off, so no answer does, not even a
 * 410. A success counts as for every event; whether the endpoint is on stays with its owner.
 */
export function afterTest(health: EndpointHealth, verdict: Verdict, now: Millis): EndpointHealth {
  return verdict.outcome === 'delivered' && health.state !== 'failing' ? afterSuccess(health, now) : health
}

/** A longer wait that the receiver asked for goes on, and is not ours to end: the streak stays below. */
function withRest(health: EndpointHealth, reason: string, now: Millis): EndpointHealth {
  const rested = holdUntil(health, now + HOPELESS_HOLD, reason, now)
  const asked = rested === health && health.redirectStreak === HOPELESS_IN_A_ROW
  return asked ? { ...health, redirectStreak: HOPELESS_IN_A_ROW - 1 } : rested
}

/** Our own rest ends with any other answer: its sentence is no longer true. */
function withoutRest(health: EndpointHealth): EndpointHealth {
  if (health.redirectStreak < HOPELESS_IN_A_ROW) return health
  return { ...health, holdUntil: null, holdReason: null, holdSince: null, redirectStreak: 0 }
}

function afterSuccess(before: EndpointHealth, now: Millis): EndpointHealth {
  const health = withoutRest(before)
  const keepsHold = health.holdUntil !== null && health.holdUntil > now
  const better: EndpointHealth = {
    ...health,
    ...(keepsHold ? {} : { holdUntil: null, holdReason: null, holdSince: null }),
    breaker: 'closed',
    breakerProbes: 0,
    nextProbeAt: null,
    failingSince: null,
    failureStreak: 0,
    failureEvents: [],
    redirectStreak: 0,
    lastSuccessAt: now,
  }
  // A manual delivery, or the last one in flight, succeeded: the endpoint works again.
  return health.state === 'failing' ? moveTo(better, 'active', null, now) : better
}

function afterFailure(
  health: EndpointHealth,
  eventSeq: number,
  verdict: Verdict,
  { now, probe, hopeless }: { now: Millis; probe: boolean; hopeless: boolean },
): EndpointHealth {
  const events = health.failureEvents
  let next: EndpointHealth = {
    ...health,
    failingSince: health.failingSince ?? now,
    failureStreak: health.failureStreak + 1,
    failureEvents: events.length < DIFFERENT_EVENTS && !events.includes(eventSeq) ? [...events, eventSeq] : events,
    redirectStreak: hopeless ? health.redirectStreak + 1 : 0,
  }
  if (hopeless && next.redirectStreak >= HOPELESS_IN_A_ROW) next = withRest(next, verdict.sentence, now)
  const failingFor = now - (next.failingSince ?? now)
  const several = next.failureEvents.length >= DIFFERENT_EVENTS
  if (next.breaker === 'open') {
    if (probe) next = nextProbe(next, now)
  } else if (next.failureStreak >= BREAKER_FAILURES && several && failingFor >= BREAKER_AFTER) {
    next = { ...next, breaker: 'open', breakerProbes: 0, nextProbeAt: now + probeGap(0) }
  }
  if (next.state === 'active' && several && failingFor >= SWITCH_OFF_AFTER) {
    next = moveTo(next, 'failing', `Nothing could be delivered for 72 hours. ${verdict.sentence}`, now)
  }
  return next
}

/** Being asked to wait is no failure, until events are given up by it that had no last try. */
export function failureOfHeld(
  health: EndpointHealth & { hasAddress: boolean },
  lost: readonly { eventSeq: number }[],
  now: Millis,
) {
  const asked = health.state === 'active' && health.hasAddress && health.holdReason !== null
  if (!asked || (health.holdUntil ?? 0) <= now) return null
  const events = new Set([...health.failureEvents, ...lost.map(({ eventSeq }) => eventSeq)])
  return { failingSince: health.failingSince ?? now, failureEvents: [...events].slice(0, DIFFERENT_EVENTS) }
}

function withHold(
  health: EndpointHealth,
  delivery: { deadlineAt: Millis },
  verdict: Verdict,
  now: Millis,
): EndpointHealth {
  const wait = holdFor(verdict)
  if (wait === null) return health
  // Never past the deadline of this delivery: its last try is made then.
  const until = delivery.deadlineAt > now ? Math.min(now + wait, delivery.deadlineAt) : now + wait
  return holdUntil(health, until, verdict.sentence, now)
}

/** When several answers ask for a wait, the longest counts. A hold without a reason is a rest at a handover: it ends early. */
function holdUntil(health: EndpointHealth, until: Millis, reason: string, now: Millis): EndpointHealth {
  const holding = health.holdUntil !== null && health.holdUntil > now
  if (holding && (health.holdUntil ?? 0) >= until && health.holdReason !== null) return health
  return {
    ...health,
    holdUntil: holding ? Math.max(health.holdUntil ?? 0, until) : until,
    holdReason: reason,
    holdSince: holding ? (health.holdSince ?? now) : now,
  }
}

function nextProbe(health: EndpointHealth, now: Millis): EndpointHealth {
  if (health.breaker !== 'open') return health
  const breakerProbes = health.breakerProbes + 1
  return { ...health, breakerProbes, nextProbeAt: now + probeGap(breakerProbes) }
}

function probeGap(probes: number): number {
  return PROBE_GAPS[Math.min(probes, PROBE_GAPS.length - 1)] ?? minutes(15)
}

function moveTo(
  health: EndpointHealth,
  state: EndpointHealth['state'],
  stateReason: string | null,
  now: Millis,
): EndpointHealth {
  return { ...health, state, stateReason, stateSince: now }
}
