// Telling accounts about their addresses: what changed is written down once, looked into, and mailed. Timed work, in steps.
import type { App } from '#app/context/app-context.ts'
import { NOTICES_KEPT } from '#app/domain/endpoints/notice.ts'
import type { WatchedEndpoint } from '#db/store/notices.ts'
import { checkEndpoint } from '../controls/endpoint-check.server.ts'
import { loadMailChoice } from './mail-choice.server.ts'
import { needsCheck, noticeFor } from './notice.ts'
import { type MailApp, sendDueMails } from './notice-mail.server.ts'
import { planMail } from './notice-mail.ts'

type NoticeApp = MailApp & Pick<App, 'outbound'>

/** Endpoints looked at between two turns of the event loop. */
const LOOK = 500
/** Addresses looked into in one round, so that it stays well under a minute; the others follow in the next. */
const CHECKS_A_ROUND = 20
const CHECKS_AT_ONCE = 5
const FORGET_AT_ONCE = 200

/** One round: raises what is new, checks the addresses it is about, sends what is due. Run every minute. */
export async function raiseNotices(app: NoticeApp, signal?: AbortSignal): Promise<void> {
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
  await sendDueMails(app, signal)
  await app.store.notices.forgetNoticesStep(app.clock.now() - NOTICES_KEPT, FORGET_AT_ONCE)
}

/** True = there was something new. */
async function raise(app: NoticeApp, endpoint: WatchedEndpoint): Promise<boolean> {
  const { accountUuid, endpointId, latest } = endpoint
  const now = app.clock.now()
  const notice = noticeFor(endpoint, latest, now)
  if (!notice) return false
  const choice = await loadMailChoice(app, accountUuid)
  const mail = planMail(choice, await app.store.accounts.findCredential(accountUuid), now)
  const isNew = await app.store.notices.raiseNotice(
    { accountUuid, endpointId, latestId: latest?.id ?? null },
    { ...notice, at: now, mail },
  )
  if (isNew) app.log.info({ account: accountUuid, endpointId, kind: notice.kind, mail: mail.state }, 'notice.raised')
  return isNew
}

/** A few at a time: each may take some seconds. One that cannot be looked at holds up nobody. */
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
