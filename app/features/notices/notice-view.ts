// The data a screen or a call shows about notices. Moments are epoch milliseconds.
import { type EndpointKey, refOf } from '#app/domain/endpoint-key.ts'
import type { MailChoice, MailTopic, NoticeRow } from '#app/domain/notices/notice.ts'
import { iso, type Millis } from '#app/lib/clock.ts'
import { closedDaysText } from './closed-days.ts'
import { mailSaid } from './notice-mail.ts'
import { noticeReasonText } from './notice-reasons.ts'
import { cardOf, noticeName, noticeTitle, whatHappened } from './notice-text.ts'

/** More than an account has addresses and automations; pages show the first few, and how many more there are. */
export const NOTICES_READ = 2_000

export interface NoticeView extends Pick<NoticeRow, 'id' | 'kind' | 'since' | 'count' | 'runId' | 'at'> {
  /** The card of the webhook manager; null = it is about an automation or the account. */
  card: EndpointKey | null
  /** Null = it is about an address or the account. */
  automationId: number | null
  /** Whom it is about, and what happened: together the title. */
  name: string
  what: string
  title: string
  sentence: string
  /** Whether it was mailed, or why not; null when not yet decided. */
  mail: string | null
}

export type EndpointNotice = NoticeView & { card: EndpointKey }

export function noticeView(row: Omit<NoticeRow, 'subjectId' | 'lastAt' | 'mailState'>, now: Millis): NoticeView {
  const { id, kind, subject, since, count, reason, runId, at } = row
  return {
    ...{ id, kind, since, count, runId, at },
    card: subject.kind === 'endpoint' ? cardOf(subject) : null,
    automationId: subject.kind === 'rule' ? subject.automationId : null,
    name: noticeName(row),
    what: whatHappened(row),
    title: noticeTitle(row),
    sentence: kind === 'failing' && row.mended ? MENDED : noticeReasonText(reason),
    mail: mailSaid(row.mailReason, row.mailAt, now),
  }
}

/** Whether the changed automation fails, nobody knows before it runs. */
const MENDED = 'You have changed it since. Its next run shows whether it works.'

/** "Notices by e-mail": an account's choices. */
export interface MailSettingsView extends Pick<MailChoice, 'byMail' | 'weekly' | 'holidaysOff'> {
  /** '' for the address ServiceM8 has. */
  email: string
  topicsOff: MailTopic[]
  /** One line for each. */
  closedDays: string
  /** Why no e-mail can be sent now; null when it can. */
  problem: string | null
}

export function mailSettingsView(choice: MailChoice, problem: string | null): MailSettingsView {
  const { email, topicsOff, closedDays } = choice
  return { ...choice, email: email ?? '', topicsOff: [...topicsOff], closedDays: closedDaysText(closedDays), problem }
}

/** A notice as calls return it. */
export function noticeJson({ id, card, automationId, kind, title, sentence, since, count, at, mail }: NoticeView) {
  const ref = card === null ? null : refOf(card)
  const moments = { since: iso(since), createdAt: iso(at) }
  return {
    id,
    kind,
    webhookId: ref?.kind === 'webhook' ? ref.id : null,
    forwardingRuleId: ref?.kind === 'extra' ? ref.id : null,
    automationId,
    title,
    sentence,
    count,
    ...moments,
    mail,
  }
}

/** The settings as calls return them. */
export function noticeSettingsJson(choice: MailChoice, problem: string | null) {
  return { ...choice, topicsOff: [...choice.topicsOff], closedDays: [...choice.closedDays], problem }
}
