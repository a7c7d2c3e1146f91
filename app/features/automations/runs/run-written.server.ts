// What a run itself wrote on its jobs: its later steps see it, whether their records were read before or after.
import type { Effect } from '#app/domain/automations/effect.ts'
import type { JournalRow } from '#app/domain/automations/journal-row.ts'
import { sameValue } from '../records/changes.ts'
import type { FactPart, RecordFacts } from '../records/facts.ts'
import { type Loaded, putOffOf, type RunFacts } from './run-facts.server.ts'

type JobWrite = Extract<Effect, { kind: 'update_record' }>

/** Fields that are shown by a joined name. */
const NAMED: Readonly<Record<string, FactPart>> = { queue_uuid: 'queue', category_uuid: 'category', badges: 'badge' }

/** The records with what these rows have sent. What somebody else changed meanwhile stays. */
export async function withWritten<T extends { records: readonly RecordFacts[] }>(
  facts: Pick<RunFacts, 'join'>,
  accountUuid: string,
  context: T,
  rows: readonly JournalRow[],
): Promise<Loaded<T>> {
  const { records } = context
  const writes = rows.flatMap(({ state, effect }) =>
    state === 'sent' && effect.kind === 'update_record' && effect.object === 'job' ? [effect] : [],
  )
  const values = records.map((record) => valuesAfter(record, writes))
  const parts = Object.entries(NAMED).flatMap(([name, part]) =>
    writes.some(({ fields }) => name in fields) && records.some((one) => one.parts.includes(part)) ? [part] : [],
  )
  const ids = values.map((one) => Object.fromEntries(Object.entries(one).filter(([name]) => name in NAMED)))
  const named = parts.length > 0 ? await facts.join(accountUuid, 'job', ids, parts) : null
  if (named && named.outcome !== 'ok') return { outcome: 'put_off', why: putOffOf(named) }
  const after = records.map((one, index) => ({ ...one, values: { ...values[index], ...named?.facts[index]?.values } }))
  return { outcome: 'ok', value: { ...context, records: after } }
}

function valuesAfter(record: RecordFacts, writes: readonly JobWrite[]): Record<string, string> {
  const values = { ...record.values }
  for (const { recordUuid, before, fields } of writes) {
    if (recordUuid !== record.jobUuid) continue
    for (const [name, value] of Object.entries(fields)) {
      // What a booking does not show is a field of its job that was not read.
      const known = values[name] ?? (record.object === 'job' ? '' : null)
      if (known !== null && sameValue(known, before[name] ?? '')) values[name] = value
    }
  }
  return values
}
