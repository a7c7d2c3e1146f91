// The e-mail settings of an account.
import { isDeepStrictEqual } from 'node:util'
import type { App } from '#app/context/app-context.ts'
import type { MailChoice } from '#app/domain/notices/notice.ts'
import { namedChoices } from '#app/features/notices/mail-form.ts'
import { DEFAULT_MAIL_CHOICE, mailProblem } from '#app/features/notices/notice-mail.ts'
import { MAIL_PROBLEM_TEXTS } from '#app/features/notices/notice-reasons.ts'

/** What is chosen, and why no e-mail can be sent now; null when one can. */
export async function loadMailSettings(
  app: Pick<App, 'store' | 'settings'>,
  accountUuid: string,
): Promise<{ choice: MailChoice; problem: string | null }> {
  const choice = (await app.store.notices.findMailChoice(accountUuid)) ?? DEFAULT_MAIL_CHOICE
  // The operator's mail server carries what ServiceM8 cannot.
  const problem = app.settings.mailServer ? null : mailProblem(await app.store.accounts.findCredential(accountUuid))
  return { choice, problem: problem && MAIL_PROBLEM_TEXTS[problem] }
}

/** Changes only the named settings. */
export async function changeMailChoice(
  app: Pick<App, 'store' | 'clock' | 'log'>,
  accountUuid: string,
  change: Parameters<typeof namedChoices>[0],
): Promise<MailChoice> {
  const { notices } = app.store
  const named = namedChoices(change)
  const before = (await notices.findMailChoice(accountUuid)) ?? DEFAULT_MAIL_CHOICE
  if (isDeepStrictEqual({ ...before, ...named }, before)) return before
  const choice = await notices.saveMailChoice(accountUuid, named, DEFAULT_MAIL_CHOICE, app.clock.now())
  app.log.info({ account: accountUuid, byMail: choice.byMail }, 'notice.mail_chosen')
  return choice
}
