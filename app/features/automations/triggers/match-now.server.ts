// "Run Now": finds the records a rule would act on now, because a person asks and not because of an event.
import type { CallFailure } from '#app/adapters/platform.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import { asText } from '../records/changes.ts'
import type { JudgedAt, RecordFacts } from '../records/facts.ts'
import { type FailedCondition, judge, neededParts, objectOfRule, readsDeleted } from '../rules/conditions/conditions.ts'
import { judgedAt } from '../rules/rule-place.server.ts'
import type { ContextRequest } from '../runs/run-context.server.ts'
import type { EvaluateApp } from './evaluate.server.ts'
import { filterOf, type Judged, judgeAll, listFor, newestFirst } from './list-records.server.ts'

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
  const parts = new Set([...neededParts(definition.conditions, object), 'company' as const])
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
  const listed = await listFor(app, accountUuid, object, filterOf(everything, at))
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
  const listed = await listFor(app, accountUuid, object, filterOf(asked, at))
  return listed.outcome === 'failed' ? listed : judgeAll(app, accountUuid, object, listed.records, definition, at)
}

function nothing({ failed, total }: Judged): MatchedNow {
  return { outcome: 'nothing', failed, total, record: null }
}

const NO_RECORD = { outcome: 'no_record', message: 'That record is no longer in ServiceM8.' } as const
