// Plans a person's "Run Now": which runs the matches make, and which records are skipped as already handled. The
// question on the screen and the call that acts share it.

import type { CallFailure } from '#app/adapters/platform.ts'
import type { PollTrigger, RuleDefinition } from '#app/domain/automations/rule.ts'
import type { RunRequest } from '#app/domain/automations/run.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import type { DoneFiring } from '#db/store/triggers.ts'
import { asText, matchedRecord } from '../records/changes.ts'
import type { JudgedAt, RecordFacts } from '../records/facts.ts'
import { type FailedCondition, judge, judgedParts, objectOfRule, readsDeleted } from '../rules/conditions/conditions.ts'
import { judgedAt } from '../rules/rule-place.server.ts'
import { occurrenceOf, occurrenceOfCall } from '../rules/timing/once.ts'
import type { ContextRequest } from '../runs/run-context.server.ts'
import { type EvaluateApp, rememberUntil, runWish } from './evaluate.server.ts'
import { filterOf, type Judged, judgeAll, listFor, newestFirst } from './list-records.server.ts'
import { requestsOf, sortHandled, withNames } from './poll.server.ts'

interface MatchRequest {
  /** Only this record; null = the rule's matches. */
  recordUuid: string | null
  /** Ignores the conditions; then one record only, by default the newest. */
  bypassConditions: boolean
}

export type MatchedNow =
  | { outcome: 'matched'; object: string; records: RecordFacts[]; total: number }
  /**
   * `failed`: the conditions that the newest (or the named) record does not meet; empty = there is no record.
   * `record` = the named record; null = none was named.
   */
  | { outcome: 'nothing'; failed: FailedCondition[]; total: number; record: RecordFacts | null }
  | { outcome: 'no_record'; message: string }
  | { outcome: 'failed'; failure: CallFailure }

/** The search for a rule's records at one moment. */
interface Search extends Pick<ContextRequest, 'accountUuid' | 'definition' | 'object'> {
  at: JudgedAt
}

/**
 * Polled rules: every matching record. Rules on events and manual ones: only the newest match, because a person means
 * "try it", not "text everybody". Stores and sends nothing.
 */
export async function matchNow(app: EvaluateApp, rule: AutomationRow, request: MatchRequest): Promise<MatchedNow> {
  const { accountUuid, definition } = rule
  const at = await judgedAt(app, accountUuid)
  const search: Search = { accountUuid, definition, object: objectOfRule(definition), at }
  if (request.recordUuid !== null) return matchNamed(app, search, request.recordUuid, request.bypassConditions)
  return request.bypassConditions ? takeNewest(app, search) : matchListed(app, search)
}

async function matchNamed(
  app: EvaluateApp,
  { accountUuid, definition, object, at }: Search,
  recordUuid: string,
  bypassConditions: boolean,
): Promise<MatchedNow> {
  const answer = await app.callAsAccount(accountUuid, (api, token) => api.read(token, object, recordUuid))
  if (answer.outcome === 'refused' && answer.status === 404) return NO_RECORD
  if (answer.outcome !== 'ok') return { outcome: 'failed', failure: answer }
  const parts = new Set([...judgedParts([definition], object), 'company' as const])
  const joined = await app.facts.join(accountUuid, object, [answer.value], [...parts])
  if (joined.outcome !== 'ok') return { outcome: 'failed', failure: joined }
  const [facts] = joined.facts
  if (!facts || !(facts.active || readsDeleted(definition.trigger))) return NO_RECORD
  const verdict = judge(definition.conditions, facts, at)
  if (verdict.matched || bypassConditions) return { outcome: 'matched', object, records: [facts], total: 1 }
  return { outcome: 'nothing', failed: verdict.failed, total: 1, record: facts }
}

/** Without conditions only one record is run, so the others need not be read. */
async function takeNewest(app: EvaluateApp, search: Search): Promise<MatchedNow> {
  const { accountUuid, object, at } = search
  const everything = { ...search.definition, conditions: [] }
  const listed = await listFor(app, accountUuid, object, filterOf(everything, at), at.now)
  if (listed.outcome === 'failed') return listed
  const withDeleted = readsDeleted(everything.trigger)
  const newest = newestFirst(listed.records).find((record) => withDeleted || asText(record.active) !== '0')
  const judged = await judgeAll(app, accountUuid, object, newest ? [newest] : [], everything, at)
  if (judged.outcome === 'failed') return judged
  const { matched, total } = judged.judged
  return matched.length > 0 ? { outcome: 'matched', object, records: matched, total } : nothing(judged.judged)
}

async function matchListed(app: EvaluateApp, search: Search): Promise<MatchedNow> {
  const { definition, object } = search
  const judged = await judgeListed(app, search, definition)
  if (judged.outcome === 'failed') return judged
  const { matched, failed, total } = judged.judged
  if (matched.length > 0) {
    const isOfAll = definition.trigger.source === 'api_polling'
    return { outcome: 'matched', object, records: isOfAll ? matched : matched.slice(0, 1), total }
  }
  if (failed.length > 0) return nothing(judged.judged)
  // The platform's filter returned nothing: the newest record shows which conditions failed.
  const all = await judgeListed(app, search, { ...definition, conditions: [] })
  return all.outcome === 'failed' ? all : nothing(all.judged)
}

/** `asked`: the definition whose conditions the platform filters by. */
async function judgeListed(app: EvaluateApp, { accountUuid, definition, object, at }: Search, asked: RuleDefinition) {
  const listed = await listFor(app, accountUuid, object, filterOf(asked, at), at.now)
  return listed.outcome === 'failed' ? listed : judgeAll(app, accountUuid, object, listed.records, definition, at)
}

function nothing({ failed, total }: Judged): MatchedNow {
  return { outcome: 'nothing', failed, total, record: null }
}

const NO_RECORD = { outcome: 'no_record', message: 'That record is no longer in ServiceM8.' } as const

type Matched = Extract<MatchedNow, { outcome: 'matched' }>
type PlanApp = Pick<EvaluateApp, 'store' | 'clock' | 'facts'>

export interface RunNowRequest {
  /** Ignores the conditions. */
  bypassConditions: boolean
  /** Only this record; null = the rule's matches. */
  recordUuid: string | null
  /** Includes records that were handled before or existed when the rule was switched on. */
  includeHandled: boolean
}

export interface NowPlan {
  requests: RunRequest[]
  /** Skipped matches, each with the run that handled it; no run if it existed before the rule. */
  handled: DoneFiring[]
}

export async function planNow(
  app: PlanApp,
  rule: AutomationRow,
  matched: Matched,
  requested: RunNowRequest,
): Promise<NowPlan> {
  const { trigger } = rule.definition
  const chosen = requested.bypassConditions || requested.recordUuid !== null
  return trigger.source === 'api_polling' && !chosen
    ? planTick(app, rule, trigger, matched, requested.includeHandled)
    : planOne(app, rule, matched, requested)
}

/** A tick that a person requested. */
async function planTick(
  app: PlanApp,
  rule: AutomationRow,
  trigger: PollTrigger,
  matched: Matched,
  again: boolean,
): Promise<NowPlan> {
  const tickOf = { at: await judgedAt(app, rule.accountUuid), source: 'person' as const, tick: null }
  // Until the baseline is complete, all matches count as existing.
  const preparing = rule.active && !rule.baselined
  const { open, handled } = preparing
    ? { open: [], handled: matched.records.map(({ recordUuid }) => ({ recordUuid, runId: null, at: tickOf.at.now })) }
    : await sortHandled(app, rule, matched.records, tickOf)
  const judged = { matched: again ? matched.records : open, failed: [], total: matched.total }
  const wanted = await requestsOf(app, rule, trigger, judged, tickOf)
  // The person who presses the button has already agreed.
  const requests = wanted.map((request) => ({ ...request, held: null }))
  return again ? { requests: requests.map((request) => ({ ...request, again })), handled: [] } : { requests, handled }
}

/**
 * A run for the first record, also if it existed when the rule was switched on: the person means this one. If the rule
 * has acted on it before, only with `includeHandled`.
 */
async function planOne(
  app: PlanApp,
  rule: AutomationRow,
  matched: Matched,
  requested: RunNowRequest,
): Promise<NowPlan> {
  const [facts] = matched.records
  if (!facts) return { requests: [], handled: [] }
  const ledger = await ledgerOf(app, rule, facts)
  const [occurrence] = ledger
  const done = occurrence && (await app.store.triggers.doneBefore(rule.accountUuid, rule.id, ledger))
  const before = done?.get(`${occurrence?.recordUuid}|${occurrence?.occurrence}`)
  if (before && before.runId !== null && !requested.includeHandled) return { requests: [], handled: [before] }
  const told = await withNames(app, rule.accountUuid, facts)
  const request = runWish(rule, {
    source: 'person',
    object: matched.object,
    recordUuids: [facts.recordUuid],
    triggerData: {
      description: requested.bypassConditions ? 'Run by hand, conditions skipped' : 'Run by hand',
      conditionMatching: { totalRecords: matched.total, matchedRecords: [matchedRecord(told)] },
      values: calledWith(rule, facts),
      bypassedConditions: requested.bypassConditions,
    },
    ledger,
    ...(before && { again: true }),
    wakeAt: app.clock.now(),
    // The person who presses the button has already agreed.
    held: null,
  })
  return { requests: [request], handled: [] }
}

/** The entry that keeps the rule from acting again by itself; empty for "every time". */
async function ledgerOf(app: PlanApp, rule: AutomationRow, facts: RecordFacts): Promise<RunRequest['ledger']> {
  const { once, trigger } = rule.definition
  if (once === 'change' || once === 'period') return []
  const at = await judgedAt(app, rule.accountUuid)
  const occurrence =
    trigger.source === 'manual_endpoint'
      ? occurrenceOfCall(once, calledWith(rule, facts).date ?? '', at)
      : occurrenceOf(once, { facts, changes: [], at, groupKey: null, tick: null })
  if (occurrence === null) return []
  return [{ recordUuid: facts.recordUuid, occurrence, expiresAt: rememberUntil(rule.definition, at.now) }]
}

/** The values that an outside caller would send. */
function calledWith(rule: AutomationRow, facts: RecordFacts): Record<string, string> {
  if (rule.triggerSource !== 'manual_endpoint') return {}
  return { job_uuid: facts.recordUuid, date: (facts.values.date ?? '').slice(0, 10) }
}
