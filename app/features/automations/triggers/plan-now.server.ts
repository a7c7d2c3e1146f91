// What a person's "Run Now" would do: which runs it makes of what matches, and what it leaves alone because it was handled before.
// The same for the question on the screen and for the call that acts.
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
  /** Past the conditions. */
  bypassConditions: boolean
  /** Only this one; null = what the rule finds. */
  recordUuid: string | null
  /** Also what was handled before, or was there when the rule was switched on. */
  includeHandled: boolean
}

export interface NowPlan {
  requests: RunRequest[]
  /** Records that match and are left alone: with the run that handled them, or none where they were there before the rule. */
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

/** A tick, asked for by hand. */
async function planTick(
  app: PlanApp,
  rule: AutomationRow,
  trigger: PollTrigger,
  matched: Matched,
  again: boolean,
): Promise<NowPlan> {
  const tickOf = { at: await judgedAt(app, rule.accountUuid), source: 'person' as const, tick: null }
  // While what is there is still being noted, all of it is what was there.
  const preparing = rule.active && !rule.baselined
  const { open, handled } = preparing
    ? { open: [], handled: matched.records.map(({ recordUuid }) => ({ recordUuid, runId: null, at: tickOf.at.now })) }
    : await sortHandled(app, rule, matched.records, tickOf)
  const judged = { matched: again ? matched.records : open, failed: [], total: matched.total }
  const requests = await requestsOf(app, rule, trigger, judged, tickOf)
  return again ? { requests: requests.map((request) => ({ ...request, again })), handled: [] } : { requests, handled }
}

/**
 * The first record, whatever was there when the rule was switched on: a person means this one. What the rule has done for it
 * already, it does again only when that is asked for too.
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
      description: requested.bypassConditions ? 'Run by a person, past the conditions' : 'Run by a person',
      conditionMatching: { totalRecords: matched.total, matchedRecords: [namedRecord(facts, customers)] },
      values: calledWith(rule, facts),
      bypassedConditions: requested.bypassConditions,
    },
    ledger,
    ...(before && { again: true }),
    wakeAt: app.clock.now(),
    // Whoever presses the button has been asked.
    held: null,
  })
  return { requests: [request], handled: [] }
}

/** What the ledger is to remember of it, so that the rule does not act again by itself; of "every time" there is nothing. */
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

/** What an outside caller would have sent. */
function calledWith(rule: AutomationRow, facts: RecordFacts): Record<string, string> {
  if (rule.triggerSource !== 'manual_endpoint') return {}
  return { job_uuid: facts.recordUuid, date: (facts.values.date ?? '').slice(0, 10) }
}
