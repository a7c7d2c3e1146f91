// What a run knows when it plans: its records as they are now, the account, and what set it off.
import type { AccountCallResult, PlatformRecord } from '#app/adapters/platform.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import type { Reason } from '#app/domain/reason.ts'
import type { ClaimedRun } from '#db/store/runs.ts'
import type { AccountProfile, ReadOnlyPlatform } from '../actions/action.server.ts'
import { tellTrouble } from '../actions/failure-words.ts'
import type { FactPart, RecordFacts } from '../records/facts.ts'
import { readsDeleted, serverFilter } from '../rules/conditions/conditions.ts'

type CallFailure = Exclude<AccountCallResult<never>, { outcome: 'ok' }>

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

/** The records of a run that still exist, in its order. A deleted one is left out, unless the rule asks for those too. */
export async function loadRecords(
  facts: RunFacts,
  run: Pick<ClaimedRun, 'accountUuid' | 'object' | 'recordUuids'>,
  definition: Pick<RuleDefinition, 'conditions' | 'trigger'>,
  parts: readonly FactPart[],
): Promise<Loaded<RecordFacts[]>> {
  const { accountUuid, object, recordUuids } = run
  const found = new Map<string, RecordFacts>()
  if (recordUuids.length > ONE_BY_ONE && definition.trigger.source === 'api_polling') {
    const wanted = new Set(recordUuids)
    const filter = serverFilter(definition.conditions, definition.trigger.endpoint)
    const listed = await facts.reader(accountUuid).list(object, filter === '' ? {} : { filter })
    if (listed.outcome !== 'ok') return { outcome: 'put_off', why: putOffOf(listed) }
    const records = listed.value.filter((record) => wanted.has(String(record.uuid)))
    const joined = await facts.join(accountUuid, object, records, parts)
    if (joined.outcome !== 'ok') return { outcome: 'put_off', why: putOffOf(joined) }
    for (const one of joined.facts) found.set(one.recordUuid, one)
  }
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

/** A call that gave no answer, in the journal's words. `refused` = asked wrongly: no repeat helps, but a person may. */
export function putOffOf(failure: CallFailure): PutOff {
  const { errorClass, sentence, retryAt } = tellTrouble(failure, 'this record')
  return { errorClass, sentence, retryAt }
}
