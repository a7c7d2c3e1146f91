// Sends notices by e-mail through the platform, in the account's own name. Marks each one before sending: after a crash
// in between, it may have been sent and is not sent again.
import type { App } from '#app/context/app-context.ts'
import type { AfterMail } from '#app/domain/endpoints/notice.ts'
import type { CodedReason } from '#app/domain/reason.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { DueMail } from '#db/store/notices.ts'
import { worstStep } from '../controls/endpoint-check.ts'
import { loadMailChoice } from './mail-choice.server.ts'
import { subjectKey } from './notice.ts'
import { afterMail, MAILS_COUNT_FOR, mailProblem, noticeMail, postponed } from './notice-mail.ts'
import { MAILS_A_DAY, mailReason, noticeReasonText } from './notice-reasons.ts'

export type MailApp = Pick<App, 'store' | 'clock' | 'log' | 'settings' | 'callAsAccount'>

const IN_THE_BACKGROUND = { priority: 'background' } as const

/** The limit per round; the others are due again in a minute. */
const MAILS_A_ROUND = 20

export async function sendDueMails(app: MailApp, signal?: AbortSignal): Promise<void> {
  for (const mail of await app.store.notices.dueNoticeMails(app.clock.now(), MAILS_A_ROUND)) {
    if (signal?.aborted) return
    try {
      await sendOne(app, mail)
    } catch (error) {
      // Leave the mail marked as tried with an unclear result. It is not repeated.
      app.log.error({ account: mail.accountUuid, notice: mail.id, error }, 'notice.mail_failed')
    }
  }
}

async function sendOne(app: MailApp, mail: DueMail): Promise<void> {
  const unsent = async (reason: CodedReason) =>
    app.store.notices.settleNoticeMail(mail.accountUuid, mail.id, { state: 'none', reason }, false)
  if (mail.superseded) return unsent(mailReason('superseded'))
  const choice = await loadMailChoice(app, mail.accountUuid)
  if (!choice.byMail) return unsent(mailReason('off'))
  const problem = mailProblem(await app.store.accounts.findCredential(mail.accountUuid))
  if (problem !== null) return unsent(mailReason(problem))

  const address =
    choice.email === null ? await addressOfAccount(app, mail) : { outcome: 'found' as const, to: choice.email }
  if (address.outcome === 'none') return unsent(mailReason('no_address'))
  if (address.outcome === 'later')
    return app.store.notices.settleNoticeMail(mail.accountUuid, mail.id, address.after, false)
  return claimAndSend(app, mail, address.to)
}

async function claimAndSend(app: MailApp, mail: DueMail, to: string): Promise<void> {
  const { accountUuid, id } = mail
  const now = app.clock.now()
  const claim = await app.store.notices.claimNoticeMail(accountUuid, id, {
    at: now,
    countSince: now - MAILS_COUNT_FOR,
    most: MAILS_A_DAY,
    unclear: mailReason('unclear'),
    tooMany: mailReason('too_many'),
  })
  switch (claim.outcome) {
    case 'gone':
      return
    case 'too_many':
      app.log.info({ account: accountUuid, notice: id }, 'notice.mail_over_limit')
      return
    case 'claimed':
      break
    default:
      return assertNever(claim)
  }
  const { subject, text } = noticeMail(await factsOf(app, mail), now)
  const answer = await app.callAsAccount(
    accountUuid,
    (api, token) => api.sendEmail(token, { to, subject, textBody: text }),
    IN_THE_BACKGROUND,
  )
  const after = afterMail(answer, { to, tries: claim.tries, at: mail.at }, app.clock.now())
  await app.store.notices.settleNoticeMail(accountUuid, id, after, true)
  app.log.info({ account: accountUuid, notice: id, outcome: answer.outcome, mail: after.state }, 'notice.mailed')
}

type Address = { outcome: 'found'; to: string } | { outcome: 'none' } | { outcome: 'later'; after: AfterMail }

/** Returns the address the platform has for the account. The call sends nothing, so it can be repeated. */
async function addressOfAccount(app: MailApp, mail: DueMail): Promise<Address> {
  const vendor = await app.callAsAccount(mail.accountUuid, (api, token) => api.vendor(token), IN_THE_BACKGROUND)
  if (vendor.outcome !== 'ok') {
    const after = postponed(vendor.message, { tries: mail.tries + 1, at: mail.at }, app.clock.now())
    return { outcome: 'later', after }
  }
  const to = vendor.value.email
  return to === '' ? { outcome: 'none' } : { outcome: 'found', to }
}

async function factsOf(app: MailApp, mail: DueMail) {
  const { accountUuid, endpointId, subject, timezone } = mail
  const check = await app.store.notices.findEndpointCheck(accountUuid, endpointId)
  const key = subjectKey(subject)
  const { kind, accountName, reason, since, troubleSince, waiting } = mail
  return {
    kind,
    subject,
    accountName,
    sentence: noticeReasonText(reason),
    since,
    troubleSince,
    waiting,
    next: (check && worstStep(check.steps)?.fix) ?? null,
    link: `${app.settings.origin}/fieldhook?${new URLSearchParams({ accountUUID: accountUuid })}#${typeof key === 'number' ? `webhook-${key}` : key}`,
    timezone,
  }
}
