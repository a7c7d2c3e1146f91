// What notices are called: whom they are about, and what happened.
import { type AutomationAccount, automationAddress, ruleAnchor } from '#app/domain/automations/automation-address.ts'
import { runAddress, runsAddress, whyAddress } from '#app/domain/automations/history-address.ts'
import { managerAddress } from '#app/domain/delivery-address.ts'
import { type EndpointKey, keyOf } from '#app/domain/endpoint-key.ts'
import type { EndpointSubject, MailTopic, NoticeKind, NoticeRow, NoticeSubject } from '#app/domain/notices/notice.ts'
import { objectLabel } from '#app/domain/object-catalog.ts'
import { planHoldText } from '#app/domain/plan-hold.ts'
import type { Reason, ReasonParams } from '#app/domain/reason.ts'
import { plural } from '#app/domain/time/moments.ts'
import { signInAddress } from '#app/lib/sign-in-address.ts'
import { subscriptionAddress } from '../billing/subscription-address.ts'

/** `Job webhook`, `Office copy rule`, `Thank the customer`. */
export function subjectName(subject: NoticeSubject): string {
  switch (subject.kind) {
    case 'endpoint':
      return subject.rule ? `${subject.rule.name} rule` : `${objectLabel(subject.objectType)} webhook`
    case 'rule':
      return subject.name
    case 'account':
      return 'Your automations'
  }
}

/** The same subject without the name that somebody gave it. */
export function nameless(subject: NoticeSubject): NoticeSubject {
  if (subject.kind === 'rule') return { ...subject, name: 'An automation' }
  if (subject.kind !== 'endpoint' || !subject.rule) return subject
  return { ...subject, rule: { ...subject.rule, name: 'forwarding' } }
}

/** The card of the webhook manager that the notice belongs to. */
export function cardOf({ webhookId, rule }: EndpointSubject): EndpointKey {
  return rule ? keyOf({ kind: 'extra', id: rule.id }) : (webhookId ?? 0)
}

/** Where the owner goes from a notice about an automation or the account. `automationId` null = the account. */
export function noticeAddress(
  account: AutomationAccount,
  { kind, automationId, runId }: Pick<NoticeRow, 'kind' | 'runId'> & { automationId: number | null },
): string {
  if (automationId !== null) {
    const rule = String(automationId)
    if (kind === 'waiting') return runsAddress(account, { rule, status: 'needs_you' })
    if (kind === 'silent') return whyAddress(account)
    if (runId !== null) return runAddress(account, runId)
    if (kind === 'recovered') return runsAddress(account, { rule })
    return `${automationAddress(account, { step: 'edit', ruleId: automationId })}#${ruleAnchor(automationId)}`
  }
  if (kind === 'reconnect' || kind === 'permission') return signInAddress(account.accountUUID)
  if (kind === 'plan') return subscriptionAddress(account)
  return kind === 'recovered' ? runsAddress(account) : managerAddress(account)
}

/** The parts of a notice that its title is made of. */
export type Titled = Pick<NoticeRow, 'subject' | 'kind' | 'count' | 'reason'>

/** The heading, in the past tense, so that it stays true when someone reads it later: `Job webhook started failing`. */
export function noticeTitle(notice: Titled): string {
  return `${noticeName(notice)} ${whatHappened(notice)}`.trim()
}

export function noticeName(notice: Titled): string {
  return stopsNoRule(notice) ? 'Your webhooks' : subjectName(notice.subject)
}

/** Then the account's webhooks are all it stops. */
function stopsNoRule({ subject, reason }: Titled): boolean {
  return subject.kind === 'account' && paramsOf(reason).rules === ''
}

/** What comes after the name: `failed 3 times`. For the account, a whole sentence without its stop. */
export function whatHappened(notice: Titled): string {
  return stopsNoRule(notice) ? happened(notice).replace(/^and (webhooks|forwarding) /, '') : happened(notice)
}

function happened({ subject, kind, count, reason }: Titled): string {
  if (subject.kind === 'endpoint') return OF_ENDPOINTS[kind] ?? ''
  const params = paramsOf(reason)
  switch (kind) {
    case 'failing':
      return count === 1 ? 'failed' : `failed ${count} times`
    case 'stopped':
      return 'was stopped'
    case 'recovered':
      return subject.kind === 'rule' ? 'works again' : accountWorks(params)
    case 'waiting':
      return `has ${plural(count, 'run')} waiting for you`
    case 'silent':
      return `has not run for ${params.days} days, usually ${params.usually}`
    case 'undelivered':
      return `sent ${plural(count, 'message')} that did not arrive`
    case 'reconnect':
      return 'and webhooks need ServiceM8 to be connected again'
    case 'suspended':
      return 'stand still: the ServiceM8 account is suspended'
    case 'permission':
      return `need a permission in ServiceM8${params.scope ? `: ${params.scope}` : ''}`
    case 'plan':
      if (params.hold === 'past_due') {
        return `and forwarding stop ${params.until ? `on ${params.until}` : 'within 7 days'}. Your last payment failed`
      }
      return `and forwarding stand still. ${planHoldText(String(params.hold))}`
    case 'upstream':
      return `and webhooks no longer hear of changes in ServiceM8: ${objectLabel(String(params.object))}`
    case 'weekly':
      return ''
  }
}

/** True also where what waited was switched off. */
function accountWorks({ kind, what }: ReasonParams): string {
  if (kind === 'permission') return `no longer wait for ${what ? `the permission ${what}` : 'a permission'}`
  if (kind === 'upstream') return `and webhooks no longer miss ${objectLabel(String(what))} changes in ServiceM8`
  return 'and webhooks run again'
}

const OF_ENDPOINTS: Partial<Record<NoticeKind, string>> = {
  failing: 'started failing',
  stopped: 'was stopped',
  recovered: 'works again',
}

export function paramsOf(reason: Reason): ReasonParams {
  return typeof reason === 'string' ? {} : (reason.params ?? {})
}

/** The choice that decides whether the notice is mailed; null = the weekly line, which has its own. */
export function topicOf(subject: NoticeSubject, kind: NoticeKind): MailTopic | null {
  if (subject.kind === 'endpoint') return 'webhooks'
  if (kind === 'weekly') return null
  if (subject.kind === 'account') return 'account'
  return kind === 'waiting' || kind === 'silent' ? kind : 'failing'
}

/** `A`, `A and B`, `A, B and 12 more`. */
export function namesText(names: readonly string[], most = 20): string {
  const shown = names.slice(0, most)
  const rest = names.length - shown.length
  const all = rest > 0 ? [...shown, `${rest} more`] : shown
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}
