// Watches automations: runs that wait, messages that did not arrive, and silence by their own rhythm. Failures are told by the runs
// themselves, in the commit that ends them or lets them wait for a later try.
import type { App } from '#app/context/app-context.ts'
import { dayOf, todayOf, wallOfDay, weekdayOf } from '#app/domain/time/local-time.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { momentOfWall, wallAt } from '#app/lib/zone.ts'
import type { RhythmRule } from '#db/store/notices.ts'
import { daysOff, type IsOff } from './closed-days.ts'
import { noticeReason } from './notice-reasons.ts'

type WatchApp = Pick<App, 'store' | 'clock' | 'log' | 'callAsAccount'>

/** A person may just be about to decide. */
const WAITED_FOR = hours(1)

/** How long a message that did not arrive is news. */
const LOST_FOR = days(7)
const KINDS = ['stopped', 'waiting', 'undelivered'] as const

/**
 * Every minute. Each automation that stopped itself, has runs that wait for a person, or sent messages that did not arrive,
 * has its notice, with its number as it is now; the others have none any more.
 */
export async function watchRules({ store: { notices }, clock }: Pick<App, 'store' | 'clock'>): Promise<void> {
  const now = clock.now()
  await notices.endOutdated(now)
  const troubled = await notices.troubledRules(now - LOST_FOR)
  for (const { kind, accountUuid, automationId: id, count, since, runId } of troubled) {
    if (kind === 'waiting' && now - since < WAITED_FOR) continue
    const reason = noticeReason(kind === 'stopped' ? 'breaker' : kind)
    const trouble = { kind, fingerprint: kind, since, count, reason, runId, total: true }
    await notices.raiseTrouble(accountUuid, { kind: 'rule', id }, trouble, now)
  }
  const still = new Set(troubled.map(({ kind, automationId }) => `${kind} ${automationId}`))
  for (const { accountUuid, subject, kind, fingerprint } of await notices.openTroubles(KINDS)) {
    if (still.has(`${kind} ${subject.id}`)) continue
    await notices.endTrouble(accountUuid, subject, fingerprint, { at: now, say: null })
  }
}

const RULES_AT_ONCE = 200
/** Silence is told in the morning: a day is over, and somebody is there to read it. */
const MORNING = 9
const EVENING = 18

/**
 * Every hour. Judges each automation once a day, in the morning of its account. `judged` remembers on which day: losing it
 * repeats a judgement, which changes nothing.
 */
export async function watchSilence(app: WatchApp, judged: Map<number, number>, signal?: AbortSignal): Promise<void> {
  const now = app.clock.now()
  for (let after: number | null = 0; after !== null && !signal?.aborted; ) {
    const step: Awaited<ReturnType<typeof app.store.notices.rhythmRulesStep>> = await app.store.notices.rhythmRulesStep(
      after,
      RULES_AT_ONCE,
    )
    for (const rule of step.rules) {
      const today = todayOf({ now, zone: rule.timezone })
      if (!isWorkingHour(now, rule.timezone) || judged.get(rule.id) === today) continue
      await judge(app, rule, now)
      judged.set(rule.id, today)
    }
    after = step.next
  }
}

function isWorkingHour(now: Millis, zone: string): boolean {
  const wall = wallAt(now, zone)
  const hour = Math.floor((wall - wallOfDay(dayOf(wall))) / hours(1))
  return hour >= MORNING && hour < EVENING
}

async function judge({ store, log }: WatchApp, rule: RhythmRule, now: Millis): Promise<void> {
  const { id, accountUuid, timezone: zone } = rule
  const quarters = await store.notices.quartersOfRuns(id, now - days(RHYTHM_DAYS))
  const moments = quarters.map((quarter) => quarter * minutes(15))
  const ran = [...new Set(moments.map((at) => dayOf(wallAt(at, zone))))]
  const since = dayOf(wallAt(rule.activeSince, zone))
  const silence = silenceOf(ran, todayOf({ now, zone }), since, daysOff(rule))
  const last = moments.at(-1)
  if (!silence || last === undefined) return
  const trouble = { kind: 'silent', fingerprint: 'silent', since: last + minutes(15), count: 1 } as const
  const reason = noticeReason('silent', { ...silence })
  await store.notices.raiseTrouble(
    accountUuid,
    { kind: 'rule', id },
    { ...trouble, reason, runId: null, total: true },
    now,
  )
  log.info({ account: accountUuid, automation: id, days: silence.days }, 'notice.silent')
}

/** Every hour: from Monday morning on, the line of the week for accounts that asked for one. Once a week each. */
export async function tellWeek({ store, clock, log }: Pick<App, 'store' | 'clock' | 'log'>): Promise<void> {
  const now = clock.now()
  for (const { accountUuid, timezone: zone } of await store.notices.weeklyAccounts()) {
    const today = todayOf({ now, zone })
    if (weekdayOf(today) !== 1 || !isWorkingHour(now, zone)) continue
    const startOf = (day: number) => momentOfWall(wallOfDay(day), zone).at
    const since = startOf(today)
    const week = await store.notices.weekFigures(accountUuid, startOf(today - 7), since)
    const { rules, unwell, messages, failures } = week
    const reason = noticeReason('weekly', { rules, unwell, messages, failures })
    if (await store.notices.raiseWeekly(accountUuid, { since, reason, at: now }))
      log.info({ account: accountUuid }, 'notice.weekly')
  }
}

const ADDRESSES_AT_ONCE = 20

/** Every hour: reads the e-mail addresses that are needed once an account can no longer be asked. */
export async function learnAddresses({ store, log, callAsAccount }: WatchApp, signal?: AbortSignal): Promise<void> {
  for (const accountUuid of await store.notices.accountsWithoutEmail(ADDRESSES_AT_ONCE)) {
    if (signal?.aborted) return
    const vendor = await callAsAccount(accountUuid, (api, token) => api.vendor(token), { priority: 'background' })
    if (vendor.outcome === 'ok') await store.notices.noteAccountEmail(accountUuid, vendor.value.email)
    else log.debug({ account: accountUuid, outcome: vendor.outcome }, 'notice.address_unknown')
  }
}

// Decides when an automation is silent for unusually long: "has not run for 9 days, usually twice a week".
//
// The rule: the days on which it ran make its rhythm, at least five of them over at least two weeks. Weekdays on which it
// never ran, holidays and the account's closed days are left out, in the past as well as now. It is silent when it missed
// two of its turns, two days more than ever before, half as many again as ever before, and more than an irregular
// rhythm explains (four times its spread). A rule that runs at random has a wide spread, so it needs a long silence.
/** `days`: whole days since the last run. `usually`: `twice a week`. */
type Silence = { days: number; usually: string }

/** How far back the rhythm is looked at: runs are kept a little longer. */
const RHYTHM_DAYS = 89
const LEAST_DAYS = 5
const LEAST_SPAN = 14

/**
 * `days`: the local days on which it ran, ascending, each once. `today`: nothing is expected of it yet. `since`: the day it
 * was switched on; silence counts from then at the earliest. Null = nothing unusual, or too little is known.
 */
export function silenceOf(days: readonly number[], today: number, since: number, isOff: IsOff): Silence | null {
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined || days.length < LEAST_DAYS || last - first < LEAST_SPAN) return null
  const works = workingWeekdays(days)
  const missed = (from: number, to: number) => {
    let count = 0
    for (let day = from + 1; day < to; day++) if (works.has(weekdayOf(day)) && !isOff(day)) count++
    return count
  }
  const gaps = days.slice(1).map((day, index) => missed(days[index] as number, day))
  const now = missed(Math.max(last, since - 1), today)
  return now < bearable(gaps) ? null : { days: today - last, usually: usuallyText(days.length, last - first) }
}

/** The days it may miss: fewer than this is usual. */
function bearable(gaps: readonly number[]): number {
  const most = Math.max(...gaps)
  const steps = gaps.map((gap) => gap + 1)
  const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length
  const spread = Math.sqrt(steps.reduce((sum, step) => sum + (step - mean) ** 2, 0) / steps.length)
  return Math.max(Math.ceil(mean * 2), most + 2, Math.ceil(most * 1.5), Math.ceil(mean + 4 * spread) - 1)
}

/** The weekdays it ever ran on. */
function workingWeekdays(days: readonly number[]): ReadonlySet<number> {
  return new Set(days.map(weekdayOf))
}

/** `days` run days over `span` days: `every day`, `twice a week`, `every 2 weeks`. */
function usuallyText(days: number, span: number): string {
  const aWeek = ((days - 1) / span) * 7
  if (aWeek >= 6.5) return 'every day'
  if (aWeek >= 2.5) return `${Math.round(aWeek)} days a week`
  if (aWeek >= 1.5) return 'twice a week'
  if (aWeek >= 0.75) return 'once a week'
  return `every ${Math.round(1 / aWeek)} weeks`
}
