// The notices of an account, for screens and calls.
import type { App } from '#app/context/app-context.ts'
import { NOTICES_READ, type NoticeView, noticeView } from './notice-view.ts'

type NoticeApp = Pick<App, 'store' | 'clock'>

/** The current notices, newest first: one per address; of automations and the account, all that goes on. */
export async function listNotices(app: NoticeApp, accountUuid: string, of?: 'others'): Promise<NoticeView[]> {
  const now = app.clock.now()
  return (await app.store.notices.listNotices(accountUuid, NOTICES_READ, now, of)).map((row) => noticeView(row, now))
}

/** Those about automations and the account. */
export function listRuleNotices(app: NoticeApp, accountUuid: string): Promise<NoticeView[]> {
  return listNotices(app, accountUuid, 'others')
}
