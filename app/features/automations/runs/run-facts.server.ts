// What a run knows when it plans: its records as they are now, the account, and what set it off.
import type { CallFailure, PlatformRecord } from '#app/adapters/platform.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import type { Reason } from '#app/domain/reason.ts'
import type { ClaimedRun } from '#db/store/runs.ts'
import type { AccountProfile, ReadOnlyPlatform } from '../actions/action.server.ts'
import { reportTrouble } from '../actions/failure-text.ts'
import type { FactPart, RecordFacts } from '../records/facts.ts'
import { readsDeleted, serverFilter } from '../rules/conditions/conditions.ts'

/** Of the fact loader, what a run needs. */
export interface RunFacts {
  one(
    accountUuid: string,
    object: string,
    recordUuid: string,
    parts: readonly FactPart[],
  ): Promise<{ outcome: 'ok'; facts: RecordFacts } | { outcome: 'gone' } | CallFailure>
  join(
    accountUuid: string,
    object: string,
    records: readonly PlatformRecord[],
    parts: readonly FactPart[],
  ): Promise<{ outcome: 'ok'; facts: RecordFacts[] } | CallFailure>
  profile(accountUuid: string): Promise<{ outcome: 'ok'; profile: AccountProfile } | CallFailure>
  reader(accountUuid: string): ReadOnlyPlatform
}

/** Why something could not be asked: what `afterPlanPutOff` decides by. */
export interface PutOff {
  errorClass: string
  sentence: Reason
  retryAt: number | null
}

/** More records than this are looked for in a list before they are read one by one. */
const ONE_BY_ONE = 4

export type Loaded<T> = { outcome: 'ok'; value: T } | { outcome: 'put_off'; why: PutOff }

type RunRecords = Pick<ClaimedRun, 'accountUuid' | 'object' | 'recordUuids'>

/** The records of a run that still exist, in its order. A deleted one is left out, unless the rule asks for those too. */
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

/** Many records of a rule by the clock are read as one list; empty = they are to be read one by one. */
async function recordsOfList(
  facts: RunFacts,
  { accountUuid, object, recordUuids }: RunRecords,
  { trigger, conditions }: Pick<RuleDefinition, 'conditions' | 'trigger'>,
  parts: readonly FactPart[],
): Promise<Loaded<RecordFacts[]>> {
  if (recordUuids.length <= ONE_BY_ONE || trigger.source !== 'api_polling') return { outcome: 'ok', value: [] }
  const wanted = new Set(recordUuids)
  const filter = serverFilter(conditions, trigger.endpoint)
  const listed = await facts.reader(accountUuid).list(object, filter === '' ? {} : { filter })
  if (listed.outcome !== 'ok') return { outcome: 'put_off', why: putOffOf(listed) }
  const records = listed.value.filter((record) => wanted.has(String(record.uuid)))
  const joined = await facts.join(accountUuid, object, records, parts)
  return joined.outcome === 'ok'
    ? { outcome: 'ok', value: joined.facts }
    : { outcome: 'put_off', why: putOffOf(joined) }
}

/** A call that gave no answer, in the journal's words. `refused` = asked wrongly: no repeat helps, but a person may. */
export function putOffOf(failure: CallFailure): PutOff {
  const { errorClass, sentence, retryAt } = reportTrouble(failure, 'this record')
  return { errorClass, sentence, retryAt }
}
