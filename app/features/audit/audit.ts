import {
  ACTIONS,
  AUDIT_ACTIONS,
  type AuditAction,
  type AuditDetail,
  type AuditEntry,
  type AuditGroup,
  type AuditOutcome,
} from '#app/domain/audit.ts'
import type { MailTopic } from '#app/domain/notices/notice.ts'
import { objectLabel } from '#app/domain/object-catalog.ts'
import { dayText, plural } from '#app/domain/time/moments.ts'

export function actionsOf(group: AuditGroup): AuditAction[] {
  return AUDIT_ACTIONS.filter((action) => ACTIONS[action][0] === group)
}

function isAction(action: string): action is AuditAction {
  return Object.hasOwn(ACTIONS, action)
}

const OUTCOME_TEXTS: Record<AuditOutcome, string> = { done: 'Done', refused: 'Refused', failed: 'Failed' }

export function outcomeText(outcome: AuditOutcome): string {
  return OUTCOME_TEXTS[outcome]
}

/** Describes the action, as a sentence without a full stop. `channel` = of a message. */
export function auditText({ action, target }: Pick<AuditEntry, 'action' | 'target'>, channel?: unknown): string {
  if (!isAction(action)) return target === '' ? action : `${action}: ${target}`
  const text = action === 'message.sent' ? messageText(channel) : ACTIONS[action][1]
  return text.replace('{target}', () => target || '(no name)')
}

const MESSAGE_TEXTS: Readonly<Record<string, string>> = {
  'text message': 'Sent a text to {target}',
  'e-mail': 'Sent an e-mail to {target}',
  feed: 'Posted to the activity feed for {target}',
}

function messageText(channel: unknown): string {
  return (typeof channel === 'string' && MESSAGE_TEXTS[channel]) || ACTIONS['message.sent'][1]
}

/** What `count` counts. */
const COUNTED: Readonly<Record<string, string>> = {
  'sessions.ended': 'browser',
  'calls.refused': 'request',
  'replay.started': 'event',
  'automation.paused': 'automation',
  'automation.imported': 'automation',
}

const TRIGGERS: Readonly<Record<string, string>> = {
  webhook: 'on events',
  api_polling: 'on a schedule',
  manual_endpoint: 'from another program',
}

const TOPICS: Readonly<Record<string, string>> = {
  failing: 'failures',
  waiting: 'runs that wait',
  silent: 'silence',
  account: 'everything standing still',
  webhooks: 'webhooks',
} satisfies Record<MailTopic, string>

type FactWords = (value: string | number | boolean, action: string, zone: string) => string

const asIs: FactWords = (value) => String(value)
const unsaid: FactWords = () => ''
const yesOrNo =
  (yes: string, no: string): FactWords =>
  (value) =>
    value === true ? yes : no

/** Each fact in words. Numbers that only programs need are left out here; calls return them. */
const FACT_TEXTS: Readonly<Record<string, FactWords>> = {
  active: yesOrNo('switched on', 'switched off'),
  address: asIs,
  asked: (value) => `asked by ${value}`,
  automation: unsaid,
  changed: asIs,
  channel: unsaid,
  closedDays: (value) => (value === 0 ? '' : plural(Number(value), 'closed period')),
  count: (value, action) => (COUNTED[action] === undefined ? '' : plural(Number(value), COUNTED[action])),
  holidaysOff: yesOrNo('silence over holidays ignored', 'silence over holidays told'),
  mail: yesOrNo('on', 'off'),
  notice: unsaid,
  object: (value) => objectLabel(String(value)),
  off: (value) => `not about ${String(value).replace(/\w+/g, (topic) => TOPICS[topic] ?? topic)}`,
  public: yesOrNo('for every account', 'for this account'),
  reason: (value) => String(value).replaceAll('_', ' '),
  receiver: unsaid,
  replay: unsaid,
  role: (value) => `now ${value}`,
  run: (value) => `run ${value}`,
  scopes: (value) => plural(Number(value), 'permission'),
  status: (value) => (typeof value === 'number' ? `answered ${value}` : value === 'all' ? '' : `${value} ones`),
  sure: yesOrNo('', 'may not have arrived'),
  to: (value) => `to ${value}`,
  trigger: (value) => TRIGGERS[String(value)] ?? String(value),
  until: (value, _, zone) => `until ${dayText(Date.parse(String(value)), zone)}`,
  version: (value) => `version ${value}`,
  weekly: yesOrNo('a line every Monday', 'no line on Mondays'),
}

/** Joins the facts in one line; '' when there are none. Days are those of `zone`. */
export function factsText({ action, detail }: Pick<AuditEntry, 'action' | 'detail'>, zone: string): string {
  return Object.entries(detail)
    .map(([name, value]) => {
      if (value === null || value === '') return ''
      return FACT_TEXTS[name]?.(value, action, zone) ?? `${name} ${value}`
    })
    .filter((words) => words !== '')
    .join(' · ')
}

/** Names the actor, as far as known. `staff` = names by uuid. */
export function actorText(
  { actor, staffUuid }: Pick<AuditEntry, 'actor' | 'staffUuid'>,
  staff: Readonly<Record<string, string>> = {},
): string {
  const name = staffUuid !== null && Object.hasOwn(staff, staffUuid) && staff[staffUuid]
  switch (actor) {
    case 'staff':
      return name || 'A staff member'
    case 'session':
      return 'A signed-in user'
    // An opening: ServiceM8 says who.
    case 'platform':
      return name || 'ServiceM8'
    case 'system':
      return 'Fieldhook'
    case 'stranger':
      return 'Not signed in'
  }
}

// ---- what is never stored ----

/** `j…@example.com`: enough to recognise one's own. */
export function maskEmail(address: string): string {
  const at = address.lastIndexOf('@')
  return at < 1 ? '…' : `${address.slice(0, 1)}…@${address.slice(at + 1)}`
}

const EMAIL = /[^\s@<>,;:"']{1,64}@[^\s@<>,;:"']{1,255}/g
const PHONE = /(?<![\w-])[+0][\d ()-]{7,18}\d(?![\w-])/g
/** Tokens and keys are 43 characters; uuids (36) stay readable, and names: words between `-`, `_` and capitals. */
const TOKEN = /[\w-]{40,}/g
const WORD = /^([A-Z]*|[A-Z]?[a-z]*([A-Z][a-z]+)*)\d{0,8}$/
/** A URL's path and query, which can contain secrets. */
const ADDRESS = /\bhttps?:\/\/([^\s/?#@]*@)?([^\s/?#]+)[^\s]*/gi
const LONGEST = 200

/** Removes e-mail addresses, telephone numbers, tokens and the paths of URLs from a text; at most 200 characters. */
export function maskText(text: string): string {
  const masked = text
    .slice(0, 1_000)
    .replace(ADDRESS, (_all, _user, host: string) => host)
    .replace(EMAIL, maskEmail)
    .replace(PHONE, '[number]')
    .replace(TOKEN, (run) => (run.split(/[-_]/).every((part) => WORD.test(part)) ? run : '[secret]'))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  return masked.replace(/[\u0000-\u001f\u007f\u2028-\u202e\u2066-\u2069]+/g, ' ').slice(0, LONGEST)
}

const NEVER = /token|secret|password|authorization|cookie|sealed|hash$|^key$/i

/** Removes details with a secret's name, masks texts, and limits the number of details. */
export function redactDetail(detail: AuditDetail): AuditDetail {
  const kept = Object.entries(detail)
    .filter(([name]) => !NEVER.test(name))
    .slice(0, 12)
    .map(([name, value]) => [name.slice(0, 40), typeof value === 'string' ? maskText(value) : value])
  return Object.fromEntries(kept)
}

export const AUDIT_OUTCOMES = ['done', 'refused', 'failed'] as const satisfies readonly AuditOutcome[]

/** As typed; '' = any. */
export interface AuditForm {
  group: string
  outcome: string
  /** Days, `YYYY-MM-DD`, in the account's zone, both inclusive. */
  from: string
  until: string
}

export function asksNothingOfAudit(form: AuditForm): boolean {
  return Object.values(form).every((value) => value === '')
}

/** An entry as the page shows it. */
export interface AuditLine extends Pick<AuditEntry, 'id' | 'at' | 'actor' | 'outcome' | 'ip'> {
  who: string
  what: string
  /** More facts in words; '' = none. */
  facts: string
  /** The run it belongs to; null = none. */
  run: number | null
  /** The entry's account; set only where entries of all accounts are shown. */
  accountUuid: string | null
}

export interface AuditLogView {
  form: AuditForm
  errors: Record<string, string[]>
  /** Null when the log was not read, because of `errors`. */
  lines: AuditLine[] | null
  /** The cursor for older entries; null when there are none. */
  next: number | null
  isOlder: boolean
  /** Entries of every account, without targets and details. */
  everybody: boolean
}
