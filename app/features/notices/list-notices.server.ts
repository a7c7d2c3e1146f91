// The notices of an account, for screens and calls.
import type { App } from '#app/context/app-context.ts'
import { type NoticeView, noticeView, shownNotices } from './notice-view.ts'

/** Number of notices to read to find those that are shown. */
const NOTICES_READ = 100
const NOTICES_SHOWN = 20

/** The current notices, newest first. */
export async function listNotices(app: Pick<App, 'store' | 'clock'>, accountUuid: string): Promise<NoticeView[]> {
  const now = app.clock.now()
  const rows = shownNotices(await app.store.notices.listNotices(accountUuid, NOTICES_READ, now), now)
  return rows.slice(0, NOTICES_SHOWN).map((row) => noticeView(row, now))
}

/** Those about automations and the account. */
export async function listRuleNotices(app: Pick<App, 'store' | 'clock'>, accountUuid: string): Promise<NoticeView[]> {
  const now = app.clock.now()
  const rows = shownNotices(await app.store.notices.listNotices(accountUuid, NOTICES_READ, now), now)
  const own = rows.filter(({ subject }) => subject.kind !== 'endpoint')
  return own.slice(0, NOTICES_SHOWN).map((row) => noticeView(row, now))
}
