// Lists, joins and evaluates the records of a rule, a few hundred at a time, so no other work has to wait.
import type { CallFailure, PlatformRecord } from '#app/adapters/platform.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { askNewest } from '#app/lib/ask-newest.server.ts'
import type { Millis } from '#app/lib/clock.ts'
import { takingTurns } from '#app/lib/turns.server.ts'
import { asText } from '../records/changes.ts'
import type { JudgedAt, RecordFacts } from '../records/facts.ts'
import { recentEdits } from '../records/recent-edits.ts'
import {
  ACTIVE_ONLY,
  type FailedCondition,
  judge,
  judgedParts,
  readsDeleted,
  serverFilter,
} from '../rules/conditions/conditions.ts'
import { partsForGrouping } from '../rules/grouping.ts'
import type { EvaluateApp } from './evaluate.server.ts'

/** The most records read of one list: 4 pages of the platform's largest size (facts: 5.3). */
export const MOST_RECORDS = 20_000
const AT_A_TIME = 250

type Listed =
  | { outcome: 'ok'; object: string; records: PlatformRecord[]; complete: boolean }
  | { outcome: 'failed'; failure: CallFailure }

/**
 * The list, filtered by the platform as far as possible; every record is evaluated again here. If the platform refuses
 * the filter (a field it cannot filter by), the list is requested once more without it, which only costs calls.
 * @param now set when the newest records must be among those of a list too long to read
 */
export async function listFor(
  app: EvaluateApp,
  accountUuid: string,
  object: string,
  filter: string,
  now: Millis | null = null,
): Promise<Listed> {
  const list = (wanted: string) =>
    app.callAsAccount(accountUuid, (api, token) =>
      api.list(token, object, { limit: MOST_RECORDS, ...(wanted === '' ? {} : { filter: wanted }) }),
    )
  const ask = (wanted: string) =>
    now === null
      ? list(wanted)
      : askNewest((recent) => list([wanted, recent].filter(Boolean).join(' and ')), MOST_RECORDS, recentEdits(now))
  let answer = await ask(filter)
  const plain = plainFilter(filter)
  if (answer.outcome === 'refused' && answer.status !== 404 && filter !== plain) {
    app.log.warn({ account: accountUuid, object, filter, message: answer.message }, 'list.filter_refused')
    answer = await ask(plain)
  }
  if (answer.outcome !== 'ok') return { outcome: 'failed', failure: answer }
  const complete = answer.value.length < MOST_RECORDS
  if (!complete) app.log.warn({ account: accountUuid, object }, 'list.more_than_read')
  return { outcome: 'ok', object, records: answer.value, complete }
}

/** What is left of a filter that the platform refuses. */
export function plainFilter(filter: string): string {
  return filter.startsWith(ACTIVE_ONLY) ? ACTIVE_ONLY : ''
}

export function filterOf(definition: RuleDefinition, at: JudgedAt): string {
  return definition.trigger.source === 'api_polling'
    ? serverFilter(definition.conditions, definition.trigger.endpoint, at)
    : ACTIVE_ONLY
}

export interface Judged {
  matched: RecordFacts[]
  /** The failed conditions of the newest record that did not match; empty when there is none. */
  failed: FailedCondition[]
  total: number
}

type JudgedList = { outcome: 'ok'; judged: Judged } | { outcome: 'failed'; failure: CallFailure }

/** By last edit. */
export function newestFirst(records: readonly PlatformRecord[]): PlatformRecord[] {
  return [...records].sort((a, b) => (asText(a.edit_date) < asText(b.edit_date) ? 1 : -1))
}

/** Newest edit first. Yields to the event loop between parts. */
export async function judgeAll(
  app: EvaluateApp,
  accountUuid: string,
  object: string,
  records: readonly PlatformRecord[],
  definition: RuleDefinition,
  at: JudgedAt,
): Promise<JudgedList> {
  const { enabled, field } = definition.grouping
  const parts = [
    ...new Set([...judgedParts([definition], object), ...(enabled && field ? partsForGrouping(field, object) : [])]),
  ]
  const withDeleted = readsDeleted(definition.trigger)
  const sorted = newestFirst(records)
  const matched: RecordFacts[] = []
  let failed: FailedCondition[] = []
  let total = 0
  const turn = takingTurns()
  for (let from = 0; from < sorted.length; from += AT_A_TIME) {
    const joined = await app.facts.join(accountUuid, object, sorted.slice(from, from + AT_A_TIME), parts)
    if (joined.outcome !== 'ok') return { outcome: 'failed', failure: joined }
    const present = joined.facts.filter(({ active }) => active || withDeleted)
    total += present.length
    for (const facts of present) {
      const verdict = judge(definition.conditions, facts, at)
      if (verdict.matched) matched.push(facts)
      else if (failed.length === 0) failed = verdict.failed
      await turn()
    }
  }
  return { outcome: 'ok', judged: { matched, failed, total } }
}
