// Notices to an account about its addresses: one fails, was stopped, or works again. Once per change.
import type { LatestNotice, NewNotice, WatchedCondition } from '#app/domain/notices/notice.ts'
import { noticeReason } from '#app/features/notices/notice-reasons.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'

/** One slow minute, or one event that is never accepted, is not worth a notice. */
export const FAILING_FOR = minutes(15)
export const FAILING_EVENTS = 3

/** Returns the notice that is due for the endpoint; null when there is nothing new. */
export function noticeFor(endpoint: WatchedCondition, latest: LatestNotice | null, now: Millis): NewNotice | null {
  const draft = troubleOf(endpoint, now)
  if (draft) return isSaid(draft, latest) ? null : draft
  if (latest === null || latest.kind === 'recovered') return null
  // A paused endpoint is not tried, and a new address has yet to succeed: only a success counts as recovery.
  const { lastSuccessAt } = endpoint
  const works = endpoint.state === 'active' && endpoint.failingSince === null
  if (!works || lastSuccessAt === null || lastSuccessAt <= latest.since) return null
  return { kind: 'recovered', since: lastSuccessAt, reason: noticeReason('recovered') }
}

function troubleOf(endpoint: WatchedCondition, now: Millis): NewNotice | null {
  const { state, stateSince, stateReason, failingSince, failedEvents, lastSentence } = endpoint
  switch (state) {
    case 'stopped':
      return { kind: 'stopped', since: stateSince, reason: noticeReason('stopped', { said: stateReason }) }
    case 'failing':
      return { kind: 'stopped', since: stateSince, reason: noticeReason('given_up', { said: stateReason }) }
    case 'active':
      if (failingSince === null || failedEvents < FAILING_EVENTS || now - failingSince < FAILING_FOR) return null
      return { kind: 'failing', since: failingSince, reason: noticeReason('failing', { said: lastSentence }) }
    case 'paused':
    case 'deleted':
      return null
    default:
      return assertNever(state)
  }
}

function isSaid(draft: NewNotice, latest: LatestNotice | null): boolean {
  return latest !== null && latest.kind === draft.kind && latest.since === draft.since
}

/** Whether an address in trouble still needs a check. One check per change for the worse. */
export function needsCheck(latest: LatestNotice | null, checkedAt: Millis | null): boolean {
  if (latest === null || latest.kind === 'recovered') return false
  return checkedAt === null || checkedAt < latest.at
}
