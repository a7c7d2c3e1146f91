// Notices to an account about its addresses: one fails, was stopped, or works again. Once per change.
import { type EndpointKey, keyOf } from '#app/domain/endpoint-key.ts'
import type {
  LatestNotice,
  NewNotice,
  NoticeKind,
  NoticeSubject,
  WatchedCondition,
} from '#app/domain/endpoints/notice.ts'
import { objectLabel } from '#app/domain/object-catalog.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import { noticeReason } from './notice-reasons.ts'

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

/** `Job webhook`, `Office copy rule`. */
export function subjectName({ objectType, rule }: NoticeSubject): string {
  return rule ? `${rule.name} rule` : `${objectLabel(objectType)} webhook`
}

/** The card the notice belongs to. */
export function subjectKey({ webhookId, rule }: NoticeSubject): EndpointKey {
  return rule ? keyOf({ kind: 'extra', id: rule.id }) : (webhookId ?? 0)
}

/** The heading of a notice, in the past tense, so that it stays true when someone reads it later. */
export function noticeTitle(kind: NoticeKind, subject: NoticeSubject): string {
  return `${subjectName(subject)} ${HAPPENED[kind]}`
}

const HAPPENED: Record<NoticeKind, string> = {
  failing: 'started failing',
  stopped: 'was stopped',
  recovered: 'works again',
}

/** Keeps the newest notice of each address, which replaces the older ones. `notices` newest first. */
export function newestPerEndpoint<T extends { endpointId: number }>(notices: readonly T[]): T[] {
  const seen = new Set<number>()
  return notices.filter(({ endpointId }) => !seen.has(endpointId) && seen.add(endpointId))
}
