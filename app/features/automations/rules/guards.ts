// Guards that protect an account's customers from its rules, and rules from each other. Everything is off or generous
// by default, and the journal has a reason for each decision: no message is dropped silently.
import { type AccountGuards, accountGuardsSchema } from '#app/domain/automations/account-guards.ts'
import type { MessagesSent } from '#app/domain/automations/receipt.ts'
import type { RuleGuards } from '#app/domain/automations/rule.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import type { CodedReason } from '#app/domain/reason.ts'
import { dayOf, readTimeOfDay, wallOfDay, weekdayOf } from '#app/domain/time/local-time.ts'
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

/** The stored guards or the defaults; a single unreadable value becomes its default, the others stay. */
export function readAccountGuards(stored: unknown): AccountGuards {
  const given = typeof stored === 'object' && stored !== null ? stored : {}
  const parsed = accountGuardsSchema.safeParse({ ...DEFAULT_ACCOUNT_GUARDS, ...given })
  if (parsed.success) return parsed.data
  const bad = new Set(parsed.error.issues.map((issue) => String(issue.path[0])))
  const good = Object.fromEntries(Object.entries(given).filter(([name]) => !bad.has(name)))
  return accountGuardsSchema.parse({ ...DEFAULT_ACCOUNT_GUARDS, ...good })
}

export interface MessageAsked {
  rule: RuleGuards
  account: AccountGuards
  at: JudgedAt
  /** Nothing automatic goes to this customer, or about this job; `until` null = for good. */
  muted: { kind: 'company' | 'job'; until: Millis | null } | null
  /** What they wrote back and nobody has decided about; missing or null = nothing. `job`: number of another job. */
  answered?: { id: number; words: string; writtenAt: Millis; job?: string } | null
  sent: MessagesSent
  /** A person pressed "send": caps, cooldowns and quiet hours are not checked again. */
  released: boolean
}

export type MessageVerdict =
  | { outcome: 'now' }
  | { outcome: 'later'; at: Millis; reason: CodedReason }
  | { outcome: 'skip'; reason: CodedReason }
  | { outcome: 'hold'; reason: CodedReason }

/**
 * May this message go out? Called just before every send, also when a person bypassed the conditions. Checks what skips
 * the message first, then what needs a person, then what only delays it.
 */
export function mayMessage(asked: MessageAsked): MessageVerdict {
  return (
    isKeptBack(asked) ??
    hasAnswered(asked) ??
    (asked.released ? null : (needsPerson(asked) ?? isQuietNow(asked))) ?? { outcome: 'now' }
  )
}

function isKeptBack({ rule, account, at, muted, sent, released }: MessageAsked): MessageVerdict | null {
  if (muted && (muted.until === null || muted.until > at.now)) {
    return { outcome: 'skip', reason: runReason('muted', { ...muted, ...at }) }
  }
  if (released) return null
  if (sent.sameAt != null) return { outcome: 'skip', reason: runReason('same_message', { at: sent.sameAt, ...at }) }
  const byRule = pauseLeft(sent.lastByRule, rule.cooldownDays, at)
  if (byRule !== null) {
    return { outcome: 'skip', reason: runReason('rule_cooldown', { days: rule.cooldownDays, at: byRule, ...at }) }
  }
  const byAny = pauseLeft(sent.lastByAnyRule, account.customerCooldownDays, at)
  if (byAny === null) return null
  const days = account.customerCooldownDays
  return { outcome: 'skip', reason: runReason('customer_cooldown', { days, at: byAny, ...at }) }
}

/** Words of an answer within a reason: the page shows all of them. */
const MOST_WORDS = 160

function hasAnswered({ answered, at }: MessageAsked): MessageVerdict | null {
  if (!answered) return null
  const { id, words, writtenAt, job } = answered
  const line = words.replace(/\s+/g, ' ').trim()
  const said = line.length <= MOST_WORDS ? line : `${line.slice(0, MOST_WORDS - 1)}…`
  return {
    outcome: 'hold',
    reason: runReason('answered', { id, words: said, at: writtenAt, ...at, ...(job && { job }) }),
  }
}

/** The time of the last message while its pause lasts, else null; counted in calendar days. */
function pauseLeft(last: Millis | null, pauseDays: number, at: JudgedAt): Millis | null {
  if (last === null || pauseDays <= 0) return null
  const passed = dayOf(wallAt(at.now, at.zone)) - dayOf(wallAt(last, at.zone))
  return passed < pauseDays ? last : null
}

function needsPerson({ rule, account, sent }: MessageAsked): MessageVerdict | null {
  const cap = rule.dailyCap ?? account.ruleDailyCap
  if (sent.byRuleToday >= cap) return { outcome: 'hold', reason: runReason('rule_daily_cap', { limit: cap }) }
  if (sent.byAccountToday >= account.accountDailyCap) {
    return { outcome: 'hold', reason: runReason('account_daily_cap', { limit: account.accountDailyCap }) }
  }
  if (sent.byRuleLastHour >= account.floodPerHour) {
    return { outcome: 'hold', reason: runReason('flood', { limit: account.floodPerHour }) }
  }
  return null
}

function isQuietNow({ rule, account, at }: MessageAsked): MessageVerdict | null {
  if (!rule.respectQuietHours && !account.quietForAll) return null
  const until = quietUntil(account, at)
  if (until === null) return null
  return { outcome: 'later', at: until, reason: runReason('quiet_hours', { at: until, ...at }) }
}

/** When the current quiet hours end; null = it is not quiet. */
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
  // They end at the end time or at midnight of one of the next days: a weekend may be in between.
  const ends = [0, 1, 2, 3].flatMap((ahead) => [wallOfDay(dayOf(wall) + ahead), wallOfDay(dayOf(wall) + ahead) + to])
  const end = ends.sort((a, b) => a - b).find((one) => one > wall && !isQuiet(one))
  if (end === undefined) return null
  const { at } = momentOfWall(end, zone)
  // Of a local time that comes twice, the first may be over: the second is as far away as the clock on the wall says.
  return at > now ? at : now + (end - wall)
}

// ---- rules that trigger rules ----

/** How many rules may trigger each other in a row; the next run waits for a person. */
const HOP_LIMIT = 3

/** More runs of a rule on the same record within `BREAKER_WITHIN` pause the rule. Successful runs count. */
const BREAKER_RUNS = 3
export const BREAKER_WITHIN = minutes(10)

type LoopVerdict =
  | { outcome: 'go' }
  /** The rule made the change itself. */
  | { outcome: 'skip'; sentence: string }
  /** The run is created and waits for a person. */
  | { outcome: 'hold'; reason: CodedReason }
  /** The rule is paused and this run is held. */
  | { outcome: 'pause'; reason: CodedReason }

/**
 * May a rule start on a change? `cause` = the rule that wrote the change, with the hop of that write; null = a person's
 * change. `runsOnRecord` = when this rule recently ran on this record, epoch ms.
 */
export function mayStart(input: {
  automationId: number
  cause: { automationId: number; hop: number } | null
  runsOnRecord: readonly Millis[]
  now: Millis
}): LoopVerdict {
  const { automationId, cause, runsOnRecord, now } = input
  if (cause?.automationId === automationId) {
    return { outcome: 'skip', sentence: 'This automation made the change itself.' }
  }
  if (cause !== null && cause.hop + 1 > HOP_LIMIT) return { outcome: 'hold', reason: runReason('hop_limit') }
  const recent = runsOnRecord.filter((at) => at > now - BREAKER_WITHIN && at <= now)
  return recent.length >= BREAKER_RUNS ? { outcome: 'pause', reason: runReason('breaker') } : { outcome: 'go' }
}
