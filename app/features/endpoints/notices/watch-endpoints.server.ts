// Watches addresses: stores each change once as a notice, and checks the address. Scheduled, in steps.
import type { App } from '#app/context/app-context.ts'
import type { LatestNotice, NewNotice, WatchedCondition } from '#app/domain/notices/notice.ts'
import { noticeReason } from '#app/features/notices/notice-reasons.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { pause } from '#app/lib/turns.server.ts'
import type { WatchedEndpoint } from '#db/store/notices.ts'
import { checkEndpoint } from '../controls/endpoint-check.server.ts'
import { failingForLong } from '../endpoint-status.ts'

type NoticeApp = Pick<App, 'store' | 'clock' | 'log' | 'settings' | 'outbound'>

/** Number of endpoints to look at before yielding to the event loop. */
const LOOK = 500
/** Addresses to check per round, so that a round takes well under a minute; the next round checks the others. */
const CHECKS_A_ROUND = 20
const CHECKS_AT_ONCE = 5

/** Runs one round: raises new notices and checks their addresses. Run every minute. */
export async function watchEndpoints(app: NoticeApp, signal?: AbortSignal): Promise<void> {
  const toCheck: WatchedEndpoint[] = []
  for (let after: number | null = 0; after !== null && !signal?.aborted; ) {
    const step: Awaited<ReturnType<typeof app.store.notices.watchedEndpointsStep>> =
      await app.store.notices.watchedEndpointsStep(after, LOOK)
    for (const endpoint of step.endpoints) {
      const raised = await raise(app, endpoint)
      const wanted = raised || needsCheck(endpoint.latest, endpoint.checkedAt)
      if (wanted && toCheck.length < CHECKS_A_ROUND) toCheck.push(endpoint)
    }
    after = step.next
    if (after !== null) await pause(app.clock, 0)
  }
  await checkAll(app, toCheck, signal)
}

/** Returns true when there was a new notice. */
async function raise(app: NoticeApp, endpoint: WatchedEndpoint): Promise<boolean> {
  const { accountUuid, endpointId, latest } = endpoint
  const now = app.clock.now()
  const notice = noticeFor(endpoint, latest, now)
  if (!notice) return false
  const isNew = await app.store.notices.raiseNotice(
    { accountUuid, endpointId, latestId: latest?.id ?? null },
    { ...notice, at: now, mail: { state: 'pending', dueAt: now } },
  )
  if (isNew) app.log.info({ account: accountUuid, endpointId, kind: notice.kind }, 'notice.raised')
  return isNew
}

/** Checks a few at a time, because each may take some seconds. A failed check does not block the others. */
async function checkAll(app: NoticeApp, endpoints: WatchedEndpoint[], signal: AbortSignal | undefined): Promise<void> {
  for (let from = 0; from < endpoints.length && !signal?.aborted; from += CHECKS_AT_ONCE) {
    const some = endpoints.slice(from, from + CHECKS_AT_ONCE)
    await Promise.all(
      some.map(({ accountUuid, endpointId }) =>
        checkEndpoint(app, accountUuid, endpointId).catch((error: unknown) =>
          app.log.error({ account: accountUuid, endpointId, error }, 'address.check_failed'),
        ),
      ),
    )
  }
}

// Notices to an account about its addresses: one fails, was stopped, or works again. Once per change.

/** Returns the notice that is due for the endpoint; null when there is nothing new. */
export function noticeFor(endpoint: WatchedCondition, latest: LatestNotice | null, now: Millis): NewNotice | null {
  const draft = troubleOf(endpoint, now)
  if (draft) return isSaid(draft, latest) ? null : draft
  if (latest === null || latest.kind === 'recovered') return null
  // A paused endpoint is not tried, and a new address has yet to succeed: only a success counts as recovery.
  const { lastSuccessAt, holdUntil } = endpoint
  const works = endpoint.state === 'active' && endpoint.failingSince === null && (holdUntil ?? 0) <= now
  if (!works || lastSuccessAt === null || lastSuccessAt <= latest.since) return null
  return { kind: 'recovered', since: lastSuccessAt, reason: noticeReason('recovered') }
}

function troubleOf(endpoint: WatchedCondition, now: Millis): NewNotice | null {
  const { state, stateSince, stateReason, lastSentence } = endpoint
  switch (state) {
    case 'stopped':
      return { kind: 'stopped', since: stateSince, reason: noticeReason('stopped', { said: stateReason }) }
    case 'failing':
      return { kind: 'stopped', since: stateSince, reason: noticeReason('given_up', { said: stateReason }) }
    case 'active': {
      const since = failingForLong(endpoint, now)
      if (since === null) return null
      return { kind: 'failing', since, reason: noticeReason('failing', { said: lastSentence }) }
    }
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
