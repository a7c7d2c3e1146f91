// Watches addresses: stores each change once as a notice, and checks the address. Scheduled, in steps.
import type { App } from '#app/context/app-context.ts'
import type { WatchedEndpoint } from '#db/store/notices.ts'
import { checkEndpoint } from '../controls/endpoint-check.server.ts'
import { needsCheck, noticeFor } from './notice.ts'

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
    if (after !== null) await nextTurn(app)
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

function nextTurn({ clock }: Pick<App, 'clock'>): Promise<void> {
  return new Promise((resolve) => {
    clock.wake(clock.now(), resolve)
  })
}
