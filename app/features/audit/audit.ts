// What is written down about who did what: the list of acts, the words for each, and what never gets into it.
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'

/** Older entries are forgotten. */
export const AUDIT_KEPT = days(400)
/** What strangers were refused is kept for less, and never more of it than this: anybody can make it. */
export const REFUSED_KEPT = days(90)
export const MOST_REFUSED_KEPT = { nobodys: 20_000, accounts: 100_000 } as const

export type AuditActor = 'session' | 'staff' | 'platform' | 'system' | 'stranger'
export type AuditOutcome = 'done' | 'refused' | 'failed'
/** Small facts; texts are masked when they are written. */
export type AuditDetail = Readonly<Record<string, string | number | boolean | null>>

export const AUDIT_GROUPS = {
  access: 'Sign-in and access',
  connection: 'Connection to ServiceM8',
  webhooks: 'Webhooks and forwarding rules',
  automations: 'Automations and limits',
  messages: 'Messages sent',
  payments: 'Subscription and payments',
  data: 'Export, erasure and tidying up',
} as const

export type AuditGroup = keyof typeof AUDIT_GROUPS

/** Every act, the group it is found under, and what it is called. `{target}` is what it was done to. */
const ACTIONS = {
  opened: ['access', 'Opened from inside ServiceM8'],
  'opening.refused': ['access', 'An opening from ServiceM8'],
  sign_in: ['access', 'Signed in through ServiceM8'],
  sign_out: ['access', 'Signed out'],
  'session.ended': ['access', 'Signed one browser out'],
  'sessions.ended': ['access', 'Signed out everywhere'],
  'call.refused': ['access', 'A request: {target}'],
  'calls.refused': ['access', 'More requests like these'],
  'admin.call': ['access', 'Looked at raw records as an admin: {target}'],
  'id.linked': ['connection', 'Linked the id {target}'],
  'connection.stored': ['connection', 'Connected to ServiceM8'],
  'connection.lost': ['connection', 'ServiceM8 ended the connection'],
  'webhook.created': ['webhooks', 'Created the webhook for {target}'],
  'webhook.changed': ['webhooks', 'Changed the webhook for {target}'],
  'webhook.deleted': ['webhooks', 'Deleted the webhook for {target}'],
  'rule.created': ['webhooks', 'Created the forwarding rule {target}'],
  'rule.changed': ['webhooks', 'Changed the forwarding rule {target}'],
  'rule.deleted': ['webhooks', 'Deleted a forwarding rule for {target}'],
  'sending.paused': ['webhooks', 'Paused sending to {target}'],
  'sending.resumed': ['webhooks', 'Resumed sending to {target}'],
  'secret.rotated': ['webhooks', 'Made a new signing secret for {target}'],
  'replay.started': ['webhooks', 'Began to send events again to {target}'],
  'replay.cancelled': ['webhooks', 'Stopped sending again: {target}'],
  'delivery.again': ['webhooks', 'Sent again: {target}'],
  'mail.changed': ['webhooks', 'Changed who is told by e-mail when an address fails'],
  'automation.created': ['automations', 'Created the automation {target}'],
  'automation.imported': ['automations', 'Imported automations'],
  'automation.changed': ['automations', 'Changed the automation {target}'],
  'automation.on': ['automations', 'Switched on the automation {target}'],
  'automation.off': ['automations', 'Switched off the automation {target}'],
  'automation.deleted': ['automations', 'Deleted the automation {target}'],
  'automation.key_renewed': ['automations', 'Made a new address that starts the automation {target}'],
  'automation.paused': ['automations', 'Paused automations'],
  'template.created': ['automations', 'Made the template {target}'],
  'limits.changed': ['automations', 'Changed the settings of all automations: {target}'],
  'customer.muted': ['automations', 'Stopped messages about the {target}'],
  'customer.allowed': ['automations', 'Allowed messages again: {target}'],
  'run.started': ['automations', 'Ran the automation {target} by hand'],
  'run.again': ['automations', 'Ran again: {target}'],
  'run.cancelled': ['automations', 'Cancelled: {target}'],
  'run.released': ['automations', 'Let go on: {target}'],
  'run.settled': ['automations', 'Decided about a message: {target}'],
  'message.sent': ['messages', 'Sent a message to {target}'],
  'payment.changed': ['payments', 'The subscription changed: {target}'],
  'payment.renewal': ['payments', 'An early renewal: {target}'],
  'role.changed': ['access', 'Changed who is an owner'],
  exported: ['data', 'Downloaded everything about this account'],
  'erasure.begun': ['data', 'Asked for this account to be erased'],
  erased: ['data', 'This account was erased'],
  'keys.put_in_front': ['data', 'A new encryption key came into use: {target}'],
  retention: ['data', 'What is older than it is kept was removed'],
} as const satisfies Record<string, readonly [AuditGroup, string]>

export type AuditAction = keyof typeof ACTIONS

export const AUDIT_ACTIONS = Object.keys(ACTIONS) as AuditAction[]

export interface AuditEntry {
  id: number
  at: Millis
  /** Null = nobody's. */
  accountUuid: string | null
  actor: AuditActor
  staffUuid: string | null
  /** One of `AUDIT_ACTIONS`; an older version may have known others. */
  action: string
  target: string
  outcome: AuditOutcome
  ip: string | null
  detail: AuditDetail
}

export function actionsOf(group: AuditGroup): AuditAction[] {
  return AUDIT_ACTIONS.filter((action) => ACTIONS[action][0] === group)
}

function isAction(action: string): action is AuditAction {
  return Object.hasOwn(ACTIONS, action)
}

const OUTCOME_WORDS: Record<AuditOutcome, string> = { done: 'Done', refused: 'Refused', failed: 'Failed' }

export function outcomeWords(outcome: AuditOutcome): string {
  return OUTCOME_WORDS[outcome]
}

/** What happened, as a sentence without a full stop. */
export function auditWords({ action, target }: Pick<AuditEntry, 'action' | 'target'>): string {
  if (!isAction(action)) return target === '' ? action : `${action}: ${target}`
  return ACTIONS[action][1].replace('{target}', () => target || '(no name)')
}

const DETAIL_WORDS: Readonly<Record<string, string>> = {
  address: 'address',
  asked: 'asked by',
  channel: 'by',
  changed: 'changed',
  count: 'how many',
  receiver: 'receiver',
  reason: 'why',
  run: 'run',
  scopes: 'permissions',
  status: 'answer',
  version: 'version',
}

/** The small facts in a line; '' when there are none. */
export function detailWords(detail: AuditDetail): string {
  return Object.entries(detail)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${DETAIL_WORDS[name] ?? name}: ${value === true ? 'yes' : value === false ? 'no' : value}`)
    .join(' · ')
}

/** Who it was, as far as is known. `staff` = names by uuid. */
export function actorWords(
  { actor, staffUuid }: Pick<AuditEntry, 'actor' | 'staffUuid'>,
  staff: Readonly<Record<string, string>> = {},
): string {
  switch (actor) {
    case 'staff':
      return (staffUuid !== null && Object.hasOwn(staff, staffUuid) && staff[staffUuid]) || 'A staff member'
    case 'session':
      return 'Somebody who signed in'
    case 'platform':
      return 'ServiceM8'
    case 'system':
      return 'Fieldhook'
    case 'stranger':
      return 'Somebody without a sign-in to this account'
  }
}

// ---- what never gets into it ----

/** `j…@example.com`: enough to know one's own by. */
export function maskEmail(address: string): string {
  const at = address.lastIndexOf('@')
  return at < 1 ? '…' : `${address.slice(0, 1)}…@${address.slice(at + 1)}`
}

const EMAIL = /[^\s@<>,;:"']{1,64}@[^\s@<>,;:"']{1,255}/g
const PHONE = /(?<![\w-])[+0][\d ()-]{7,18}\d(?![\w-])/g
/** Tokens and keys are 43 characters; uuids (36) stay readable. */
const TOKEN = /[\w-]{40,}/g
/** Path and query of an address: capabilities stand there. */
const ADDRESS = /\bhttps?:\/\/([^\s/?#@]*@)?([^\s/?#]+)[^\s]*/gi
const LONGEST = 200

/** A text without e-mail addresses, telephone numbers, tokens and the paths of addresses; at most 200 characters. */
export function maskText(text: string): string {
  const masked = text
    .slice(0, 1_000)
    .replace(ADDRESS, (_all, _user, host: string) => host)
    .replace(EMAIL, maskEmail)
    .replace(PHONE, '[number]')
    .replace(TOKEN, '[secret]')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  return masked.replace(/[\u0000-\u001f\u007f\u2028-\u202e\u2066-\u2069]+/g, ' ').slice(0, LONGEST)
}

const NEVER = /token|secret|password|authorization|cookie|sealed|hash$|^key$/i

/** Facts whose name says that they are secret are left out, texts are masked, and there are never many. */
export function redactDetail(detail: AuditDetail): AuditDetail {
  const kept = Object.entries(detail)
    .filter(([name]) => !NEVER.test(name))
    .slice(0, 12)
    .map(([name, value]) => [name.slice(0, 40), typeof value === 'string' ? maskText(value) : value])
  return Object.fromEntries(kept)
}

/** `hooks.zapier.com` of an address; '' of anything else. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : ''
}

/** A path with its ids taken out: `/api/webhooks/:id/replay`. Ids are unlike the names between them. */
export function pathPattern(path: string): string {
  const parts = path
    .split('/')
    .map((part) => (/^[a-z][a-z0-9-]{0,30}$/.test(part) && !/\d/.test(part) ? part : part && ':id'))
  return parts.slice(0, 8).join('/')
}
