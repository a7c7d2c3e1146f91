// "Send everything since …": what may be asked for, by form and by call.
import { z } from 'zod'
import { localInput, momentOf } from '#app/domain/local-time.ts'
import { iso, type Millis } from '#app/lib/clock.ts'
import { days, hours } from '#app/lib/duration.ts'
import type { FieldErrors } from '../endpoint.ts'
import type { ReplayView } from '../endpoint-view.ts'
import type { ReplayForm } from './replay-text.ts'

export interface ReplayRequest {
  since: Millis
  /** failed = given up or stopped, and never delivered. */
  status: 'all' | 'failed'
  /** Of this record only; null = of all. */
  objectUuid: string | null
}

const record = z
  .string({ error: 'Must be the uuid of a record' })
  .trim()
  .max(64, 'Must be the uuid of a record')
  .nullish()
  .transform((value) => value || null)

/** The call's body. `since` carries its zone, so that nobody has to guess whose clock is meant. */
export const replayBody = z.object({
  since: z.iso
    .datetime({ offset: true, error: 'Must be a date and time with its zone, like 2026-11-21T09:00:00Z' })
    .transform((text) => Date.parse(text)),
  status: z
    .enum(['all', 'failed'], { error: 'Must be one of all, failed' })
    .nullish()
    .transform((value) => value ?? 'all'),
  objectUuid: record,
  dryRun: z
    .boolean({ error: 'Must be true or false' })
    .nullish()
    .transform((value) => value ?? false),
})

type ReplayRead = { outcome: 'wish'; request: ReplayRequest } | { outcome: 'invalid'; errors: FieldErrors }

/** Reads the page's form. What lies in the future is refused: nothing was received since then. */
export function readReplayForm(form: ReplayForm, now: Millis, timezone: string): ReplayRead {
  const errors: FieldErrors = {}
  const since = momentOf(form.since, timezone)
  if (since === null) errors.since = ['Choose a date and a time.']
  else if (since > now) errors.since = ['This is still to come. Choose a moment in the past.']
  const objectUuid = record.safeParse(form.objectUuid)
  if (!objectUuid.success) errors.objectUuid = ['Must be the uuid of a record']
  if (since === null || !objectUuid.success || Object.keys(errors).length > 0) return { outcome: 'invalid', errors }
  const status = form.status === 'all' ? 'all' : 'failed'
  return { outcome: 'wish', request: { since, status, objectUuid: objectUuid.data } }
}

/** What the form begins with: what was missed since it went wrong, else the last day. */
export function firstReplayForm(failingSince: Millis | null, now: Millis, timezone: string): ReplayForm {
  return { since: localInput(failingSince ?? now - days(1), timezone), status: 'failed', objectUuid: '' }
}

/** Do two wishes mean the same? Then one replay answers both. */
export function sameRequest(one: ReplayRequest, other: ReplayRequest): boolean {
  return one.since === other.since && one.status === other.status && one.objectUuid === other.objectUuid
}

/** An event waits 72 hours at most, so that whatever was still waiting when an address stopped is younger than this. */
const WAITED_AT_MOST = hours(72)

/** What an address missed that stopped, or was given up, at a moment: what waited then, and what came after. */
export function missedSince(stoppedAt: Millis): ReplayRequest {
  return { since: stoppedAt - WAITED_AT_MOST, status: 'failed', objectUuid: null }
}

/** A replay's result stands on the card this long. */
const RESULT_SHOWN = hours(1)

/** What a card shows of the latest replays (newest first): those that run, and the newest result if it is fresh. */
export function shownReplays(replays: readonly ReplayView[], now: Millis): ReplayView[] {
  const fresh = replays.find((one) => one.state !== 'running' && (one.endedAt ?? 0) > now - RESULT_SHOWN)
  return replays
    .filter((one) => one.state === 'running' || one === fresh)
    .map(({ id, since, status, objectUuid, state, total, delivered, undelivered, createdAt, endedAt }) => ({
      id,
      since,
      status,
      objectUuid,
      state,
      total,
      delivered,
      undelivered,
      createdAt,
      endedAt,
    }))
}

/** A replay as calls answer it. */
export function replayJson(replay: ReplayView) {
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
