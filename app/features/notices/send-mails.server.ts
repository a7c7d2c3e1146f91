// Sends notices by e-mail: through the platform in the account's own name, and through the operator's mail server where
// that is impossible. Marks each one before sending: after a crash in between, it may have been sent and is not sent
// again. A mail may be lost; no mail is sent twice.
import type { App } from '#app/context/app-context.ts'
import { managerAddress } from '#app/domain/delivery-address.ts'
import { worstStep } from '#app/domain/endpoints/endpoint-check.ts'
import { type AfterMail, NOTICES_KEPT } from '#app/domain/notices/notice.ts'
import type { CodedReason } from '#app/domain/reason.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { DueMail } from '#db/store/notices.ts'
import {
  afterMail,
  again,
  DEFAULT_MAIL_CHOICE,
  MAILS_COUNT_FOR,
  type MailAnswer,
  type MailFacts,
  type MailWay,
  mailProblem,
  noticeMail,
  unclearReason,
} from './notice-mail.ts'
import { MAILS_A_DAY, mailReason } from './notice-reasons.ts'
import { cardOf, nameless, noticeAddress, topicOf } from './notice-text.ts'

export type MailApp = Pick<App, 'store' | 'clock' | 'log' | 'settings' | 'callAsAccount' | 'mailer'>

const IN_THE_BACKGROUND = { priority: 'background' } as const

/** The limit per round; the others are due again in a minute. */
const MAILS_A_ROUND = 20

const FORGET_AT_ONCE = 200

/** Of one round: a mail server that does not answer is not asked again before the next. */
interface Round {
  smtpDown: string | null
}

export async function sendDueMails(app: MailApp, signal?: AbortSignal): Promise<void> {
  const round: Round = { smtpDown: null }
  for (const mail of await app.store.notices.dueNoticeMails(app.clock.now(), MAILS_A_ROUND)) {
    if (signal?.aborted) return
    try {
      await sendOne(app, mail, round)
    } catch (error) {
      // Leave the mail marked as tried with an unclear result. It is not repeated.
      app.log.error({ account: mail.accountUuid, notice: mail.id, error }, 'notice.mail_failed')
    }
  }
}

async function sendOne(app: MailApp, mail: DueMail, round: Round): Promise<void> {
  const { accountUuid, id } = mail
  const { notices } = app.store
  const unsent = async (reason: CodedReason) =>
    notices.settleNoticeMail(accountUuid, id, { state: 'none', reason }, false)
  if (mail.superseded) return unsent(mailReason('superseded'))
  const choice = (await notices.findMailChoice(accountUuid)) ?? DEFAULT_MAIL_CHOICE
  const topic = topicOf(mail.subject, mail.kind)
  if (!choice.byMail || (topic !== null && choice.topicsOff.includes(topic))) return unsent(mailReason('off'))
  const problem = mailProblem(await app.store.accounts.findCredential(accountUuid))
  const way: MailWay = problem === null ? 'platform' : 'smtp'
  if (problem !== null && !app.mailer) return unsent(mailReason(problem))
  if (way === 'smtp' && round.smtpDown !== null) {
    return notices.settleNoticeMail(accountUuid, id, put(mail, round.smtpDown, app), false)
  }

  const address = choice.email === null ? await addressOfAccount(app, mail, way) : found(choice.email)
  if (address.outcome === 'none') return unsent(mailReason('no_address'))
  if (address.outcome === 'later') return notices.settleNoticeMail(accountUuid, id, address.after, false)
  return claimAndSend(app, mail, { to: address.to, way }, round)
}

/** Each minute a few. */
export async function forgetNotices({ store, clock }: Pick<App, 'store' | 'clock'>): Promise<void> {
  await store.notices.forgetNoticesStep(clock.now() - NOTICES_KEPT, FORGET_AT_ONCE)
}

function put(mail: DueMail, message: string, { clock }: Pick<App, 'clock'>): AfterMail {
  return again(message, { tries: mail.tries + 1, at: newsAt(mail) }, clock.now())
}

/** News stays news for a day from when it is mailed: a reminder is about an old notice. */
const newsAt = ({ at, lastAt }: DueMail) => Math.max(at, lastAt)

async function claimAndSend(
  app: MailApp,
  mail: DueMail,
  { to, way }: { to: string; way: MailWay },
  round: Round,
): Promise<void> {
  const { accountUuid, id } = mail
  const now = app.clock.now()
  const claim = await app.store.notices.claimNoticeMail(accountUuid, id, {
    at: now,
    countSince: now - MAILS_COUNT_FOR,
    most: MAILS_A_DAY,
    unclear: unclearReason(way),
    tooMany: mailReason('too_many'),
  })
  switch (claim.outcome) {
    case 'gone':
    case 'later':
      return
    case 'too_many':
      app.log.info({ account: accountUuid, notice: id }, 'notice.mail_over_limit')
      return
    case 'claimed':
      break
    default:
      return assertNever(claim)
  }
  const facts = await factsOf(app, mail)
  // In the operator's name, an address that the account chose gets no words of the account's choice as a subject.
  const bySmtp = to === mail.accountEmail ? facts : { ...facts, subject: nameless(facts.subject) }
  const letter = { to, ...noticeMail(facts, now), smtpSubject: noticeMail(bySmtp, now).subject }
  const sent = await send(app, accountUuid, letter, way)
  if (sent.way === 'smtp' && sent.answer.outcome === 'unavailable' && !sent.answer.answered)
    round.smtpDown = sent.answer.message
  const after = afterMail(sent.answer, { to, tries: claim.tries, at: newsAt(mail) }, app.clock.now(), sent.way)
  await app.store.notices.settleNoticeMail(accountUuid, id, after, true)
  const told = { account: accountUuid, notice: id, kind: mail.kind, way: sent.way, outcome: sent.answer.outcome }
  app.log.info({ ...told, mail: after.state }, 'notice.mailed')
}

/** The platform says so before it sends anything: the mail server may carry it instead. */
const CARRIED_OTHERWISE = new Set(['unauthorized', 'forbidden', 'suspended', 'not_connected', 'reconnect'])

async function send(
  { callAsAccount, mailer }: MailApp,
  accountUuid: string,
  { to, subject, smtpSubject, text }: { to: string; subject: string; smtpSubject: string; text: string },
  way: MailWay,
): Promise<{ way: MailWay; answer: MailAnswer }> {
  if (way === 'smtp' && mailer) return { way, answer: await mailer.send({ to, subject: smtpSubject, text }) }
  const answer = await callAsAccount(
    accountUuid,
    (api, token) => api.sendEmail(token, { to, subject, textBody: text }),
    IN_THE_BACKGROUND,
  )
  if (!mailer || !CARRIED_OTHERWISE.has(answer.outcome)) return { way: 'platform', answer }
  return { way: 'smtp', answer: await mailer.send({ to, subject: smtpSubject, text }) }
}

type Address = { outcome: 'found'; to: string } | { outcome: 'none' } | { outcome: 'later'; after: AfterMail }

function found(to: string): Address {
  return to === '' ? { outcome: 'none' } : { outcome: 'found', to }
}

/** The address the platform has for the account, or had when it could be asked. The call sends nothing. */
async function addressOfAccount(app: MailApp, mail: DueMail, way: MailWay): Promise<Address> {
  if (way === 'smtp') return found(mail.accountEmail ?? '')
  const vendor = await app.callAsAccount(mail.accountUuid, (api, token) => api.vendor(token), IN_THE_BACKGROUND)
  if (vendor.outcome === 'ok') {
    await app.store.notices.noteAccountEmail(mail.accountUuid, vendor.value.email)
    return found(vendor.value.email)
  }
  if (mail.accountEmail) return found(mail.accountEmail)
  return { outcome: 'later', after: put(mail, vendor.message, app) }
}

async function factsOf(app: MailApp, mail: DueMail): Promise<MailFacts> {
  const { accountUuid, subjectId, subject, kind } = mail
  const check = subject.kind === 'endpoint' ? await app.store.notices.findEndpointCheck(accountUuid, subjectId) : null
  const { accountName, reason, since, count, troubleSince, waiting, timezone } = mail
  return {
    ...{ kind, subject, accountName, reason, since, count, troubleSince, waiting, timezone },
    next: (check && worstStep(check.steps)?.fix) ?? null,
    link: `${app.settings.origin}${pathOf(mail)}`,
  }
}

/** Where the owner goes from the mail. */
function pathOf({ accountUuid, subject, kind, runId }: DueMail): string {
  const account = { accountUUID: accountUuid, admin: false }
  if (subject.kind === 'endpoint') return managerAddress(account, cardOf(subject))
  return noticeAddress(account, { kind, runId, automationId: subject.kind === 'rule' ? subject.automationId : null })
}
