// The call budget of an account. The platform allows 180 calls a minute and 20,000 a day (facts: 5.6); running rules
// leave part of both for the screens, where a person waits.
import type { Millis } from '#app/lib/clock.ts'
import { days, seconds } from '#app/lib/duration.ts'
import { dayOf } from './time/local-time.ts'

type CallPriority = 'screen' | 'background'

/** A minute and a second: a call sent in one minute may arrive in the next. */
export const WINDOW = seconds(61)

export const CALLS_IN_WINDOW: Record<CallPriority, number> = { screen: 180, background: 150 }
export const CALLS_A_DAY: Record<CallPriority, number> = { screen: 20_000, background: 18_000 }

/** Shorter waits are waited out; longer ones are reported to the caller. */
export const WORTH_WAITING = seconds(2)

export interface CallCount {
  /** Times of the calls in the last window, oldest first. */
  recent: Millis[]
  /** Days since the epoch, UTC. */
  day: number
  inDay: number
  /** The platform's own "not before". */
  pausedUntil: Millis
}

export type CallVerdict = { verdict: 'go' } | { verdict: 'wait'; until: Millis; why: 'minute' | 'day' | 'platform' }

export function noCalls(now: Millis): CallCount {
  return { recent: [], day: dayOf(now), inDay: 0, pausedUntil: 0 }
}

/** Restores the count from stored calls after a process start. */
export function countFrom(known: { at: readonly Millis[]; inDay: number }, now: Millis): CallCount {
  const recent = known.at.filter((at) => at > now - WINDOW).sort((a, b) => a - b)
  return { recent, day: dayOf(now), inDay: Math.max(known.inDay, recent.length), pausedUntil: 0 }
}

/** May a call be made now? Drops expired entries; counts nothing. */
export function judgeCall(count: CallCount, priority: CallPriority, now: Millis): CallVerdict {
  forgetOld(count, now)
  if (count.pausedUntil > now) return { verdict: 'wait', until: count.pausedUntil, why: 'platform' }
  if (count.inDay >= CALLS_A_DAY[priority]) return { verdict: 'wait', until: days(count.day + 1), why: 'day' }
  const over = count.recent.length - CALLS_IN_WINDOW[priority]
  // Wait for this call to leave the window: by then, calls that screens made beyond the share have left too.
  const leaver = over >= 0 ? count.recent[over] : undefined
  return leaver === undefined ? { verdict: 'go' } : { verdict: 'wait', until: leaver + WINDOW, why: 'minute' }
}

export function noteCall(count: CallCount, now: Millis): void {
  forgetOld(count, now)
  count.recent.push(now)
  count.inDay += 1
}

/** The calls a screen may still make, out of the account's budget. */
export interface CallsLeft {
  minute: number
  day: number
  /** The platform's "not before"; null = none. */
  pausedUntil: Millis | null
}

export function callsLeft(count: CallCount, now: Millis): CallsLeft {
  forgetOld(count, now)
  return {
    minute: Math.max(0, CALLS_IN_WINDOW.screen - count.recent.length),
    day: Math.max(0, CALLS_A_DAY.screen - count.inDay),
    pausedUntil: count.pausedUntil > now ? count.pausedUntil : null,
  }
}

function forgetOld(count: CallCount, now: Millis): void {
  const kept = count.recent.findIndex((at) => at > now - WINDOW)
  count.recent.splice(0, kept === -1 ? count.recent.length : kept)
  const today = dayOf(now)
  if (count.day !== today) {
    count.day = today
    count.inDay = 0
  }
}

/** For users; the time is shown next to it. */
export const WAIT_SENTENCES: Record<'minute' | 'day' | 'platform', string> = {
  minute: 'This account has used its 180 ServiceM8 calls of this minute. Work continues in a moment.',
  day: 'This account has used its 20,000 ServiceM8 calls of today. Work continues after midnight UTC.',
  platform: 'ServiceM8 asked us to make fewer calls for this account. Work continues when ServiceM8 allows it.',
}
