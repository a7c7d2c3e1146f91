// "Send everything since …": the requests that the form and the call accept.
import { z } from 'zod'
import type { Replay, ReplayRequest } from '#app/domain/deliveries/stored-delivery.ts'
import { localInput, momentOf } from '#app/domain/time/local-time.ts'
import { WANTED } from '#app/domain/wanted.ts'
import { iso, type Millis } from '#app/lib/clock.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import type { FieldErrors } from '../endpoint.ts'
import type { ReplayForm } from './replay-text.ts'

const record = z
  .string(WANTED.record)
  .trim()
  .max(64, WANTED.record)
  .nullish()
  .transform((value) => value?.toLowerCase() || null)

/**
 * The call's body. `since` includes its time zone, so the moment is unambiguous. Strict: a misspelt limit would send
 * everything.
 */
export const replayBody = z.strictObject({
  since: z.iso
    .datetime({ offset: true, error: 'Must be a date and time with its zone, like 2026-11-21T09:00:00Z' })
    .transform((text) => Date.parse(text)),
  status: z
    .enum(['all', 'failed'], { error: 'Must be one of all, failed' })
    .nullish()
    .transform((value) => value ?? 'all'),
  objectUuid: record,
  dryRun: z
    .boolean(WANTED.flag)
    .nullish()
    .transform((value) => value ?? false),
})

type ReplayRead = { outcome: 'wish'; request: ReplayRequest } | { outcome: 'invalid'; errors: FieldErrors }

/** Reads the page's form. Refuses a moment in the future, because no event can be newer than now. */
export function readReplayForm(form: ReplayForm, now: Millis, timezone: string): ReplayRead {
  const errors: FieldErrors = {}
  const since = momentOf(form.since, timezone)
  if (since === null) errors.since = ['Choose a date and a time.']
  else if (since > now) errors.since = ['Choose a time in the past.']
  const objectUuid = record.safeParse(form.objectUuid)
  if (!objectUuid.success) errors.objectUuid = [WANTED.record]
  if (since === null || !objectUuid.success || Object.keys(errors).length > 0) return { outcome: 'invalid', errors }
  const status = form.status === 'all' ? 'all' : 'failed'
  return { outcome: 'wish', request: { since, status, objectUuid: objectUuid.data } }
}

/** The form's initial values: what a failing endpoint missed, otherwise the last day. `tried` = something was sent there. */
export function firstReplayForm(failingSince: Millis | null, now: Millis, timezone: string, tried = true): ReplayForm {
  const since = failingSince === null ? now - days(1) : missedSince(failingSince).since
  const status = tried || failingSince !== null ? 'failed' : 'all'
  return { since: localInput(since, timezone), status, objectUuid: '' }
}

/** Whether two requests mean the same, so that one replay serves both. */
export function sameRequest(one: ReplayRequest, other: ReplayRequest): boolean {
  return one.since === other.since && one.status === other.status && one.objectUuid === other.objectUuid
}

/** An event waits at most 72 hours, so events still waiting when an address stopped are newer than this. */
const WAITED_AT_MOST = hours(72)

/** The events an address missed: those waiting when it went wrong, and all later ones. To the minute, as the form asks. */
export function missedSince(stoppedAt: Millis): ReplayRequest {
  const since = stoppedAt - WAITED_AT_MOST
  return { since: since - (since % minutes(1)), status: 'failed', objectUuid: null }
}

/** How long a card shows a replay's result. */
const RESULT_SHOWN = hours(1)

/** The replays a card shows, from the latest ones (newest first): running ones, and the newest result if recent. */
export function shownReplays(replays: readonly Replay[], now: Millis): Replay[] {
  const fresh = replays.find((one) => one.state !== 'running' && (one.endedAt ?? 0) > now - RESULT_SHOWN)
  return replays
    .filter((one) => one.state === 'running' || one === fresh)
    .map((one) => {
      const { id, since, status, objectUuid, state, total, delivered, undelivered, createdAt, endedAt } = one
      return { id, since, status, objectUuid, state, total, delivered, undelivered, createdAt, endedAt }
    })
}

/** A replay as calls return it. */
export function replayJson(replay: Replay) {
  const { id, state, status, objectUuid, total, delivered, undelivered } = replay
  return {
    replayId: id,
    state,
    count: total,
    delivered,
    undelivered,
    since: iso(replay.since),
    status,
    objectUuid,
    createdAt: iso(replay.createdAt),
    endedAt: replay.endedAt === null ? null : iso(replay.endedAt),
  }
}
