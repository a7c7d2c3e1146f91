// Rules that poll a list of the platform at set times. One transaction stores the tick, its runs and the next tick: a
// crash before it repeats the poll, a crash after it repeats nothing.
import type { App } from '#app/context/app-context.ts'
import type { PollTrigger, RuleDefinition } from '#app/domain/automations/rule.ts'
import { CREATED_BY_RULE, type RunRequest, type RunSource } from '#app/domain/automations/run.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, seconds } from '#app/lib/duration.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import type { DoneFiring } from '#db/store/triggers.ts'
import { namedRecord } from '../records/changes.ts'
import type { RecordFacts } from '../records/facts.ts'
import { objectNoun, partsFor } from '../records/fields.ts'
import { objectOfEndpoint } from '../rules/conditions/conditions.ts'
import { groupRecords } from '../rules/grouping.ts'
import { objectsCreated } from '../rules/loops.ts'
import { occurrenceOf } from '../rules/timing/once.ts'
import { lastRun, movedTick, nextRun } from '../rules/timing/schedule.ts'
import { type EvaluateApp, pauseUnread, rememberUntil, runWish, tryAgainAt } from './evaluate.server.ts'
import { filterOf, type Judged, judgeAll, listFor } from './list-records.server.ts'

/** Rules polled in one round, of all accounts. */
const AT_ONCE = 8
/** The most records of a group that the history lists. */
const MOST_LISTED = 50
/** The most of them that are read one by one for their names: as many runs as Run Now shows. */
const MOST_NAMED = 10

/** Only the pauses of rules that wait for the platform are kept in memory: after a restart they are tried at once. */
export function createPoller(app: EvaluateApp) {
  const waiting = new Map<number, { until: number; tries: number }>()

  async function tick(rule: AutomationRow): Promise<number> {
    const now = app.clock.now()
    const outcome = await pollNow(app, rule, now)
    if (outcome.outcome === 'settled') {
      waiting.delete(rule.id)
      return outcome.started
    }
    const tries = (waiting.get(rule.id)?.tries ?? 0) + 1
    waiting.set(rule.id, { until: tryAgainAt(outcome.failure, tries, now), tries })
    app.log.warn({ automation: rule.id, account: rule.accountUuid, reason: outcome.failure.outcome }, 'poll.put_off')
    await pauseUnread(app, [rule], outcome.failure)
    return 0
  }

  return {
    /** Polls every due rule. Never throws because of a single rule. `nextAt`: when the next is due; null = none. */
    async round() {
      const now = app.clock.now()
      const most = AT_ONCE + waiting.size
      const due = await app.store.automations.dueAutomations(now, most)
      // Deleted, switched off or changed since: it is due no more. A full list may lack some that are.
      if (due.length < most) {
        const known = new Set(due.map((rule) => rule.id))
        for (const id of waiting.keys()) if (!known.has(id)) waiting.delete(id)
      }
      const ready = due.filter((rule) => (waiting.get(rule.id)?.until ?? 0) <= now).slice(0, AT_ONCE)
      const started = await Promise.all(
        ready.map(async (rule) => {
          try {
            return await tick(rule)
          } catch (error) {
            waiting.set(rule.id, { until: app.clock.now() + seconds(60), tries: 1 })
            app.log.error({ automation: rule.id, account: rule.accountUuid, error }, 'poll.failed')
            return 0
          }
        }),
      )
      const retries = [...waiting.values()].map((one) => one.until)
      const nextDue = await app.store.automations.nextAutomationDueAt()
      // A rule that waits for the platform stays due, so only its pause counts.
      const nextAt =
        ready.length > 0 ? nextDue : soonest([...retries, ...(nextDue !== null && nextDue > now ? [nextDue] : [])])
      return { started: started.reduce((sum, count) => sum + count, 0), nextAt }
    },
  }
}

function soonest(moments: readonly number[]): number | null {
  return moments.length === 0 ? null : Math.min(...moments)
}

/** The checks of an account whose time zone may have changed keep their time of day. */
export async function moveTicks(
  app: Pick<App, 'store' | 'clock' | 'rulesChanged'>,
  accountUuid: string,
): Promise<void> {
  const now = app.clock.now()
  const account = await app.store.accounts.findAccount(accountUuid)
  const rules = await app.store.automations.listAutomations(accountUuid)
  for (const { id, version, active, nextRunAt: expected, definition } of rules) {
    const { trigger } = definition
    if (!account || !active || trigger.source !== 'api_polling' || expected === null || expected <= now) continue
    const nextRunAt = movedTick(trigger, account.timezone, expected, now)
    if (nextRunAt === null) continue
    const tick = { automationId: id, version, expected, nextRunAt, verdicts: [], requests: [] }
    await app.store.triggers.settlePoll(accountUuid, tick, now)
    app.rulesChanged()
  }
}

type Failed = Extract<Awaited<ReturnType<typeof judgeAll>>, { outcome: 'failed' }>
type Polled = { outcome: 'settled'; started: number } | Failed

async function pollNow(app: EvaluateApp, rule: AutomationRow, now: number): Promise<Polled> {
  const { accountUuid, definition } = rule
  const { trigger } = definition
  const account = await app.store.accounts.findAccount(accountUuid)
  if (trigger.source !== 'api_polling' || !account || rule.nextRunAt === null) {
    await app.store.automations.changeAutomation(accountUuid, rule.id, { nextRunAt: null, at: now })
    return { outcome: 'settled', started: 0 }
  }
  const settle = async (
    requests: RunRequest[],
    verdicts: Parameters<App['store']['triggers']['settlePoll']>[1]['verdicts'] = [],
  ) => {
    const started = await app.store.triggers.settlePoll(
      accountUuid,
      {
        automationId: rule.id,
        version: rule.version,
        expected: rule.nextRunAt,
        nextRunAt: nextRun(trigger, account.timezone, now, rule.nextRunAt),
        verdicts,
        requests,
      },
      app.clock.now(),
    )
    return { outcome: 'settled', started: (started ?? []).filter((one) => one.outcome === 'started').length } as const
  }
  // However late, and however many ticks were missed: one poll on return (contract, section 8).
  const zone = account.timezone
  const asOf = judgedAsOf(definition, trigger, zone, rule.nextRunAt, now)
  const at = { now: asOf ?? now, zone }
  const listed = await listFor(app, accountUuid, objectOfEndpoint(trigger.endpoint), filterOf(definition, at))
  if (listed.outcome === 'failed') return listed
  const judged = await judgeAll(app, accountUuid, listed.object, listed.records, definition, at)
  if (judged.outcome === 'failed') return judged
  const tickOf: TickOf = { at: { now, zone }, source: 'poll', tick: rule.nextRunAt, ...(asOf !== null && { asOf }) }
  const { open } = await sortHandled(app, rule, judged.judged.matched, tickOf)
  return settle(await requestsOf(app, rule, trigger, { ...judged.judged, matched: open }, tickOf))
}

/** The list of a week or a month stays that of its tick, however late it is made up; null = all others are of now. */
function judgedAsOf({ once }: RuleDefinition, trigger: PollTrigger, zone: string, tick: Millis, now: Millis) {
  if (once !== 'period') return null
  const last = lastRun(trigger, zone, tick, now) ?? tick
  const next = nextRun(trigger, zone, last, last)
  return next !== null && next - last > days(4) ? last : null
}

interface TickOf {
  at: { now: number; zone: string }
  /** As of when the list of a week or a month was judged. */
  asOf?: Millis
  source: RunSource
  /** The tick's planned time; null = a person asked. */
  tick: number | null
}

/** Splits the matches into open ones and those the ledger has as handled, or as created by the rule itself. */
export async function sortHandled(
  app: Pick<EvaluateApp, 'store'>,
  rule: AutomationRow,
  matched: readonly RecordFacts[],
  tickOf: TickOf,
): Promise<{ open: RecordFacts[]; handled: DoneFiring[] }> {
  const { definition } = rule
  const created = objectsCreated(definition)
  const firingsOf = (facts: RecordFacts) => [
    ...(definition.once === 'period' ? [] : [firingOf(definition, facts, tickOf)]),
    ...(created.includes(facts.object) ? [{ recordUuid: facts.recordUuid, occurrence: CREATED_BY_RULE }] : []),
  ]
  const firings = matched.flatMap(firingsOf)
  if (firings.length === 0) return { open: [...matched], handled: [] }
  const done = await app.store.triggers.doneBefore(rule.accountUuid, rule.id, firings)
  const entryOf = (facts: RecordFacts) =>
    firingsOf(facts).flatMap(({ recordUuid, occurrence }) => done.get(`${recordUuid}|${occurrence}`) ?? [])[0]
  return {
    open: matched.filter((facts) => entryOf(facts) === undefined),
    handled: matched.flatMap((facts) => entryOf(facts) ?? []),
  }
}

function firingOf({ once }: RuleDefinition, facts: RecordFacts, { at, tick }: TickOf) {
  const occurrence = occurrenceOf(once, { facts, changes: [], at, groupKey: null, tick })
  return { recordUuid: facts.recordUuid, occurrence }
}

/** A booking has the names that people see only through its job. */
export async function withNames(app: Pick<EvaluateApp, 'facts'>, accountUuid: string, facts: RecordFacts) {
  const read = { ...facts.values, uuid: facts.recordUuid }
  const parts = partsFor(['company_name', 'generated_job_id'], facts.object)
  const named = await app.facts.join(accountUuid, facts.object, [read], parts)
  return (named.outcome === 'ok' ? named.facts[0] : null) ?? facts
}

/**
 * The runs of a poll: one per record, per group, or one for all. Handled records must be left out before, for groups
 * too, so that one finished record does not keep the rest of its group from their run.
 */
export async function requestsOf(
  app: Pick<EvaluateApp, 'facts'>,
  rule: AutomationRow,
  trigger: PollTrigger,
  judged: Judged,
  tickOf: TickOf,
): Promise<RunRequest[]> {
  const { definition } = rule
  const { at, source, tick, asOf } = tickOf
  const perRecord = definition.once !== 'period'
  const open = judged.matched
  // Names for the records that the history shows.
  const customers = await app.facts.customerNames(rule.accountUuid, open)
  const nameless = source === 'person' ? open.slice(0, MOST_NAMED).filter((facts) => facts.companyUuid === null) : []
  const found = await Promise.all(nameless.map((facts) => withNames(app, rule.accountUuid, facts)))
  const namedOf = new Map(found.map((facts) => [facts.recordUuid, facts]))

  const object = objectOfEndpoint(trigger.endpoint)
  const request = (
    records: readonly RecordFacts[],
    groupKey: string | null,
    ledger: RunRequest['ledger'],
  ): RunRequest =>
    runWish(rule, {
      source,
      object,
      recordUuids: records.map((facts) => facts.recordUuid),
      groupKey,
      triggerData: {
        ...(asOf !== undefined && { asOf }),
        description: source === 'person' ? 'Run by hand' : `Checked ${objectNoun(object)}s`,
        conditionMatching: {
          totalRecords: judged.total,
          matchedRecords: records
            .slice(0, MOST_LISTED)
            .map((facts) => namedRecord(namedOf.get(facts.recordUuid) ?? facts, customers)),
        },
      },
      ledger,
      wakeAt: at.now,
    })
  const expiresAt = rememberUntil(definition, at.now)
  const ledgerOf = (records: readonly RecordFacts[], groupKey: string): RunRequest['ledger'] => {
    if (perRecord) return records.map((facts) => ({ ...firingOf(definition, facts, tickOf), expiresAt }))
    // A person who asks for a report gets one, even if the schedule already made one today.
    const first = records[0]
    if (source === 'person' || !first) return []
    const occurrence = occurrenceOf(definition.once, { facts: first, changes: [], at, groupKey, tick })
    return [{ recordUuid: `group:${groupKey}`, occurrence, expiresAt }]
  }

  if (definition.grouping.enabled && definition.grouping.field) {
    return groupRecords(open, definition.grouping.field).map(({ key, records }) =>
      request(records, key, ledgerOf(records, key)),
    )
  }
  if (definition.digest) return open.length === 0 ? [] : [request(open, null, ledgerOf(open, ''))]
  return open.map((facts) => request([facts], null, ledgerOf([facts], facts.recordUuid)))
}
