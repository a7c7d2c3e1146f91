// Plans a person's "Run Now": which runs the matches make, and which records are skipped as already handled. The
// question on the screen and the call that acts share it.
import type { PollTrigger } from '#app/domain/automations/rule.ts'
import type { RunRequest } from '#app/domain/automations/run.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import type { DoneFiring } from '#db/store/triggers.ts'
import { namedRecord } from '../records/changes.ts'
import type { RecordFacts } from '../records/facts.ts'
import { judgedAt } from '../rules/rule-place.server.ts'
import { occurrenceOf, occurrenceOfCall } from '../rules/timing/once.ts'
import { type EvaluateApp, rememberUntil, runWish } from './evaluate.server.ts'
import type { MatchedNow } from './match-now.server.ts'
import { requestsOf, sortHandled } from './poll.server.ts'

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
  const customers = await app.facts.customerNames(rule.accountUuid, [facts])
  const request = runWish(rule, {
    source: 'person',
    object: matched.object,
    recordUuids: [facts.recordUuid],
    triggerData: {
      description: requested.bypassConditions ? 'Run by hand, conditions skipped' : 'Run by hand',
      conditionMatching: { totalRecords: matched.total, matchedRecords: [namedRecord(facts, customers)] },
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
  return [{ recordUuid: facts.recordUuid, occurrence, expiresAt: rememberUntil(once, at.now) }]
}

/** The values that an outside caller would send. */
function calledWith(rule: AutomationRow, facts: RecordFacts): Record<string, string> {
  if (rule.triggerSource !== 'manual_endpoint') return {}
  return { job_uuid: facts.recordUuid, date: (facts.values.date ?? '').slice(0, 10) }
}
