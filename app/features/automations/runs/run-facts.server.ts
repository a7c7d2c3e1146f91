// Loads the inputs of a plan: the current records, the account, and the trigger.
import type { CallFailure } from '#app/adapters/platform.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import type { ClaimedRun } from '#db/store/runs.ts'
import { reportTrouble } from '../actions/failure-text.ts'
import type { FactPart, RecordFacts } from '../records/facts.ts'
import type { FactLoader, PlanReader } from '../records/load-facts.server.ts'
import { readsDeleted, serverFilter } from '../rules/conditions/conditions.ts'
import type { PutOff } from '../rules/journal.ts'
import { plainFilter } from '../triggers/list-records.server.ts'

/** The part of the fact loader that runs use. */
export type RunFacts = Pick<FactLoader, 'one' | 'join' | 'profile'> & PlanReader

/** Above this number, records are first looked up in a list, then read one by one. */
const ONE_BY_ONE = 4

export type Loaded<T> = { outcome: 'ok'; value: T } | { outcome: 'put_off'; why: PutOff }

type RunRecords = Pick<ClaimedRun, 'accountUuid' | 'object' | 'recordUuids'>

/** Loads the records that still exist, in the run's order. Leaves out deleted ones, unless the rule includes them. */
export async function loadRecords(
  facts: RunFacts,
  run: RunRecords,
  definition: Pick<RuleDefinition, 'conditions' | 'trigger'>,
  parts: readonly FactPart[],
): Promise<Loaded<RecordFacts[]>> {
  const { accountUuid, object, recordUuids } = run
  const listed = await recordsOfList(facts, run, definition, parts)
  if (listed.outcome === 'put_off') return listed
  const found = new Map(listed.value.map((one) => [one.recordUuid, one]))
  for (const recordUuid of recordUuids) {
    if (found.has(recordUuid)) continue
    const one = await facts.one(accountUuid, object, recordUuid, parts)
    if (one.outcome === 'gone') continue
    if (one.outcome !== 'ok') return { outcome: 'put_off', why: putOffOf(one) }
    found.set(recordUuid, one.facts)
  }
  const asksAboutDeletion =
    readsDeleted(definition.trigger) || definition.conditions.some((condition) => condition.field === 'active')
  const value = recordUuids.flatMap((recordUuid) => {
    const one = found.get(recordUuid)
    return one && (one.active || asksAboutDeletion) ? [one] : []
  })
  return { outcome: 'ok', value }
}

/** Reads many records of a polling rule as one list; empty = read them one by one. */
async function recordsOfList(
  facts: RunFacts,
  { accountUuid, object, recordUuids }: RunRecords,
  { trigger, conditions }: Pick<RuleDefinition, 'conditions' | 'trigger'>,
  parts: readonly FactPart[],
): Promise<Loaded<RecordFacts[]>> {
  if (recordUuids.length <= ONE_BY_ONE || trigger.source !== 'api_polling') return { outcome: 'ok', value: [] }
  const wanted = new Set(recordUuids)
  const filter = serverFilter(conditions, trigger.endpoint)
  const ask = (filter: string) => facts.reader(accountUuid).list(object, filter === '' ? {} : { filter })
  let listed = await ask(filter)
  const isRefused = () => listed.outcome === 'refused' && listed.status !== 404
  // The platform may be unable to filter by a field, as in a check; the records can still be read.
  if (isRefused() && filter !== plainFilter(filter)) listed = await ask(plainFilter(filter))
  if (isRefused()) return { outcome: 'ok', value: [] }
  if (listed.outcome !== 'ok') return { outcome: 'put_off', why: putOffOf(listed) }
  const records = listed.value.filter((record) => wanted.has(String(record.uuid)))
  const joined = await facts.join(accountUuid, object, records, parts)
  return joined.outcome === 'ok'
    ? { outcome: 'ok', value: joined.facts }
    : { outcome: 'put_off', why: putOffOf(joined) }
}

/** Converts a failed call to journal terms. `refused` = invalid request: a retry does not help, but a person may. */
export function putOffOf(failure: CallFailure): PutOff {
  const { errorClass, sentence, retryAt } = reportTrouble(failure, 'this record')
  return { errorClass, sentence, retryAt }
}
