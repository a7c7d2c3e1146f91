// "Run Now": which records a rule would act on at this moment, because a person asks and not because something happened.

import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import { asText } from '../records/changes.ts'
import type { RecordFacts } from '../records/facts.ts'
import {
  type FailedCondition,
  judge,
  neededParts,
  objectOfEndpoint,
  readsDeleted,
} from '../rules/conditions/conditions.ts'
import { type Failure, filterOf, judgeAll, listFor } from './list-records.server.ts'
import type { LookApp } from './look.server.ts'

interface MatchWish {
  /** Only this record; null = what the rule finds. */
  recordUuid: string | null
  /** Past the conditions; then one record only, the newest if none is named. */
  bypassConditions: boolean
}

export type MatchedNow =
  | { outcome: 'matched'; object: string; records: RecordFacts[]; total: number }
  /**
   * `failed`: the conditions that the newest (or the named) record does not meet; empty = there is no record at all. `record` = the
   * named one; null = none was named.
   */
  | { outcome: 'nothing'; failed: FailedCondition[]; total: number; record: RecordFacts | null }
  | { outcome: 'no_record'; message: string }
  | { outcome: 'failed'; failure: Failure }

/** The object a rule speaks of: a manual rule is about jobs. */
export function objectOf(definition: RuleDefinition): string {
  switch (definition.trigger.source) {
    case 'webhook':
      return definition.trigger.object
    case 'api_polling':
      return objectOfEndpoint(definition.trigger.endpoint)
    case 'manual_endpoint':
      return 'job'
  }
}

/**
 * Polled rules: every record that matches. Rules on events and manual ones: the newest that matches, one only, because a
 * person means "try it", not "text everybody". Nothing is stored or sent.
 */
export async function matchNow(app: LookApp, rule: AutomationRow, wish: MatchWish): Promise<MatchedNow> {
  const { accountUuid, definition } = rule
  const object = objectOf(definition)
  const account = await app.store.accounts.findAccount(accountUuid)
  const at = { now: app.clock.now(), zone: account?.timezone ?? 'UTC' }
  const { recordUuid, bypassConditions } = wish
  const withDeleted = readsDeleted(definition.trigger)

  if (recordUuid !== null) {
    const answer = await app.callAsAccount(accountUuid, (api, token) => api.read(token, object, recordUuid))
    if (answer.outcome === 'refused' && answer.status === 404) return NO_RECORD
    if (answer.outcome !== 'ok') return { outcome: 'failed', failure: answer }
    const joined = await app.facts.join(
      accountUuid,
      object,
      [answer.value],
      [...new Set([...neededParts(definition.conditions, object), 'company' as const])],
    )
    if (joined.outcome !== 'ok') return { outcome: 'failed', failure: joined }
    const facts = joined.facts[0]
    if (!facts || !(facts.active || withDeleted)) return NO_RECORD
    const verdict = judge(definition.conditions, facts, at)
    if (verdict.matched || bypassConditions) return { outcome: 'matched', object, records: [facts], total: 1 }
    return { outcome: 'nothing', failed: verdict.failed, total: 1, record: facts }
  }

  const everything = { ...definition, conditions: [] }
  const looked = bypassConditions ? everything : definition
  const listed = await listFor(app, accountUuid, object, filterOf(looked, at))
  if (listed.outcome === 'failed') return listed
  const newest = [...listed.records].sort((a, b) => (asText(a.edit_date) < asText(b.edit_date) ? 1 : -1))
  // Past the conditions means one record, so there is no need to look at the others.
  const present = newest.filter((record) => withDeleted || asText(record.active) !== '0')
  const asked = bypassConditions ? present.slice(0, 1) : newest
  const judged = await judgeAll(app, accountUuid, object, asked, looked, at)
  if (judged.outcome === 'failed') return judged
  const { matched, failed, total } = judged.judged
  if (matched.length > 0) {
    const one = bypassConditions || definition.trigger.source !== 'api_polling'
    return { outcome: 'matched', object, records: one ? matched.slice(0, 1) : matched, total }
  }
  if (failed.length > 0 || bypassConditions) return { outcome: 'nothing', failed, total, record: null }
  // The platform's own filter left nothing: the newest record says which conditions it was.
  const all = await listFor(app, accountUuid, object, filterOf(everything, at))
  if (all.outcome === 'failed') return all
  const rejudged = await judgeAll(app, accountUuid, object, all.records, definition, at)
  if (rejudged.outcome === 'failed') return rejudged
  return { outcome: 'nothing', failed: rejudged.judged.failed, total: rejudged.judged.total, record: null }
}

const NO_RECORD = { outcome: 'no_record', message: 'That record is not in ServiceM8 any more.' } as const
