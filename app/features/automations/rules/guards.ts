// What protects an account's customers from its rules, and rules from each other. Everything is off or generous until somebody
// chooses otherwise, and each decision is a sentence in the journal: nothing is dropped without a word.
import { type AccountGuards, accountGuardsSchema } from '#app/domain/automations/account-guards.ts'
import type { RuleGuards } from '#app/domain/automations/rule.ts'
import { dayOf, localStamp, MONTHS, readTimeOfDay, WEEKDAYS, wallOfDay, weekdayOf } from '#app/domain/local-time.ts'
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import { momentOfWall, wallAt } from '#app/lib/zone.ts'
import type { JudgedAt } from '../records/facts.ts'

export const DEFAULT_ACCOUNT_GUARDS: AccountGuards = {
  quietFrom: '20:00',
  quietTo: '08:00',
  quietWeekends: false,
  quietForAll: false,
  customerCooldownDays: 0,
  ruleDailyCap: 500,
  accountDailyCap: 1000,
  floodPerHour: 200,
}

/** What is stored, or the defaults; a single value that cannot be read is its default, the others stay. */
export function readAccountGuards(stored: unknown): AccountGuards {
  const given = typeof stored === 'object' && stored !== null ? stored : {}
  const parsed = accountGuardsSchema.safeParse({ ...DEFAULT_ACCOUNT_GUARDS, ...given })
  if (parsed.success) return parsed.data
  const bad = new Set(parsed.error.issues.map((issue) => String(issue.path[0])))
  const good = Object.fromEntries(Object.entries(given).filter(([name]) => !bad.has(name)))
  return accountGuardsSchema.parse({ ...DEFAULT_ACCOUNT_GUARDS, ...good })
}

/** One message to one customer, about to be sent. */
export interface MessageAsked {
  rule: RuleGuards
  account: AccountGuards
  at: JudgedAt
  /** "Nothing automatic to this customer", or about this job; `until` null = for good. */
  muted: { kind: 'company' | 'job'; until: Millis | null } | null
  /** Messages to customers so far. A day is the account's calendar day. */
  sent: {
    byRuleToday: number
    byRuleLastHour: number
    byAccountToday: number
    /** The latest to this customer, from this rule and from any; null = none. */
    lastByRule: Millis | null
    lastByAnyRule: Millis | null
  }
  /** A person pressed "send": what would hold it, or move it, is not asked again. */
  released: boolean
}

export type MessageVerdict =
  | { outcome: 'now' }
  | { outcome: 'later'; at: Millis; sentence: string }
  | { outcome: 'skip'; sentence: string }
  | { outcome: 'hold'; sentence: string }

/**
 * May this message go out? Asked just before sending, every time, also when a person went past the conditions. What keeps it back for
 * good comes first, then what needs a person, then what only needs time.
 */
export function mayMessage(asked: MessageAsked): MessageVerdict {
  return isKeptBack(asked) ?? (asked.released ? null : (needsPerson(asked) ?? isQuietNow(asked))) ?? { outcome: 'now' }
}

function isKeptBack({ rule, account, at, muted, sent, released }: MessageAsked): MessageVerdict | null {
  if (muted && (muted.until === null || muted.until > at.now)) {
    const what = muted.kind === 'company' ? 'this customer' : 'this job'
    const until = muted.until === null ? '' : ` until ${dayWords(muted.until, at)}`
    return { outcome: 'skip', sentence: `Not sent: automatic messages are switched off for ${what}${until}.` }
  }
  if (released) return null
  const byRule = pauseLeft(sent.lastByRule, rule.cooldownDays, at)
  if (byRule !== null) {
    const sentence = `Not sent: this rule wrote to the customer on ${byRule} and leaves ${dayCount(rule.cooldownDays)} between.`
    return { outcome: 'skip', sentence }
  }
  const byAny = pauseLeft(sent.lastByAnyRule, account.customerCooldownDays, at)
  if (byAny === null) return null
  const sentence = `Not sent: the customer had an automatic message on ${byAny}, and you leave ${dayCount(account.customerCooldownDays)} between.`
  return { outcome: 'skip', sentence }
}

/** The day of the last message while its pause lasts, in words; counted in calendar days. */
function pauseLeft(last: Millis | null, pauseDays: number, at: JudgedAt): string | null {
  if (last === null || pauseDays <= 0) return null
  const passed = dayOf(wallAt(at.now, at.zone)) - dayOf(wallAt(last, at.zone))
  return passed < pauseDays ? dayWords(last, at) : null
}

function needsPerson({ rule, account, sent }: MessageAsked): MessageVerdict | null {
  const cap = rule.dailyCap ?? account.ruleDailyCap
  if (sent.byRuleToday >= cap) {
    return {
      outcome: 'hold',
      sentence: `Held: this rule has sent ${messages(cap)} to customers today, its limit for a day.`,
    }
  }
  if (sent.byAccountToday >= account.accountDailyCap) {
    const limit = messages(account.accountDailyCap)
    return { outcome: 'hold', sentence: `Held: your rules have sent ${limit} to customers today, the limit for a day.` }
  }
  if (sent.byRuleLastHour >= account.floodPerHour) {
    const limit = messages(account.floodPerHour)
    return {
      outcome: 'hold',
      sentence: `Held: this rule has sent ${limit} to customers within an hour. Is that right?`,
    }
  }
  return null
}

function isQuietNow({ rule, account, at }: MessageAsked): MessageVerdict | null {
  if (!rule.respectQuietHours && !account.quietForAll) return null
  const until = quietUntil(account, at)
  if (until === null) return null
  return {
    outcome: 'later',
    at: until,
    sentence: `Waits for the end of your quiet hours: ${dayWords(until, at)}, ${timeWords(until, at)}.`,
  }
}

/** When the quiet hours of this moment end; null = it is not quiet. */
export function quietUntil(
  guards: Pick<AccountGuards, 'quietFrom' | 'quietTo' | 'quietWeekends'>,
  { now, zone }: JudgedAt,
): Millis | null {
  const from = readTimeOfDay(guards.quietFrom) ?? 0
  const to = readTimeOfDay(guards.quietTo) ?? 0
  const isQuiet = (wall: number) => {
    const day = dayOf(wall)
    if (guards.quietWeekends && weekdayOf(day) > 5) return true
    const time = wall - wallOfDay(day)
    return from <= to ? time >= from && time < to : time >= from || time < to
  }
  const wall = wallAt(now, zone)
  if (!isQuiet(wall)) return null
  // It ends at the end time or at midnight of one of the next days: a weekend may stand between.
  const ends = [0, 1, 2, 3].flatMap((ahead) => [wallOfDay(dayOf(wall) + ahead), wallOfDay(dayOf(wall) + ahead) + to])
  const end = ends.sort((a, b) => a - b).find((one) => one > wall && !isQuiet(one))
  return end === undefined ? null : Math.max(momentOfWall(end, zone).at, now + 1)
}

function messages(limit: number): string {
  return limit === 1 ? '1 message' : `${limit} messages`
}

function dayCount(count: number): string {
  return count === 1 ? '1 day' : `${count} days`
}

function dayWords(at: Millis, { now, zone }: JudgedAt): string {
  const day = dayOf(wallAt(at, zone))
  const today = dayOf(wallAt(now, zone))
  if (day === today) return 'today'
  if (day === today + 1) return 'tomorrow'
  const date = new Date(wallOfDay(day))
  return `${WEEKDAYS[weekdayOf(day) - 1]}, ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
}

function timeWords(at: Millis, { zone }: JudgedAt): string {
  return localStamp(wallAt(at, zone)).slice(11, 16)
}

// ---- rules that set off rules ----

/** So many rules may set each other off in a row; the next run waits for a person. */
export const HOP_LIMIT = 3
export const HOP_LIMIT_SENTENCE =
  'Held: this run was set off by a change that other rules made, three in a row. They may be going round in a circle.'

/** The same rule on the same record, more often than this within `BREAKER_WITHIN`, is stopped. Successes count. */
export const BREAKER_RUNS = 3
export const BREAKER_WITHIN = minutes(10)
export const BREAKER_SENTENCE =
  'Stopped: this rule has run three times for the same record within ten minutes. Look at what sets it off, then switch it on again.'

export type LoopVerdict =
  | { outcome: 'go' }
  /** Its own doing. */
  | { outcome: 'skip'; sentence: string }
  /** The run is made and waits for a person. */
  | { outcome: 'hold'; sentence: string }
  /** The rule is paused, and this run held with it. */
  | { outcome: 'pause'; sentence: string }

/**
 * May a rule start on a change? `cause` = the rule whose write the change is, with the hop of that write; null = a person's change.
 * `runsOnRecord` = when this rule ran on this record lately, epoch ms.
 */
export function mayStart(input: {
  automationId: number
  cause: { automationId: number; hop: number } | null
  runsOnRecord: readonly Millis[]
  now: Millis
}): LoopVerdict {
  const { automationId, cause, runsOnRecord, now } = input
  if (cause?.automationId === automationId) {
    return { outcome: 'skip', sentence: 'This rule made the change itself.' }
  }
  if (cause !== null && cause.hop + 1 > HOP_LIMIT) return { outcome: 'hold', sentence: HOP_LIMIT_SENTENCE }
  const recent = runsOnRecord.filter((at) => at > now - BREAKER_WITHIN && at <= now)
  return recent.length >= BREAKER_RUNS ? { outcome: 'pause', sentence: BREAKER_SENTENCE } : { outcome: 'go' }
}
