// The e-mail settings of an account.
import type { App } from '#app/context/app-context.ts'
import type { MailChoice } from '#app/domain/endpoints/notice.ts'
import { DEFAULT_MAIL_CHOICE } from './notice-mail.ts'

type ChoiceApp = Pick<App, 'store' | 'clock' | 'log'>

export async function loadMailChoice(app: Pick<App, 'store'>, accountUuid: string): Promise<MailChoice> {
  return (await app.store.notices.findMailChoice(accountUuid)) ?? DEFAULT_MAIL_CHOICE
}

/** Changes only the named settings. */
export async function changeMailChoice(
  app: ChoiceApp,
  accountUuid: string,
  change: { byMail?: boolean | undefined; email?: string | null | undefined },
): Promise<MailChoice> {
  const before = await loadMailChoice(app, accountUuid)
  const choice = {
    byMail: change.byMail ?? before.byMail,
    email: change.email === undefined ? before.email : change.email,
  }
  await app.store.notices.saveMailChoice(accountUuid, choice, app.clock.now())
  app.log.info({ account: accountUuid, byMail: choice.byMail }, 'notice.mail_chosen')
  return choice
}
