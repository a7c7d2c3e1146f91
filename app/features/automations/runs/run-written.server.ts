// What a run itself wrote on its jobs: its later steps see it, whether their records were read before or after. Its
// conditions do not, or its own first step would stop the message after it.
import type { JournalEffect, JournalRow } from '#app/domain/automations/journal-row.ts'
import { localStamp } from '#app/domain/time/local-time.ts'
import { minutes } from '#app/lib/duration.ts'
import { wallAt } from '#app/lib/zone.ts'
import { sameValue } from '../records/changes.ts'
import { keyOf } from '../records/fact-rows.ts'
import type { FactPart, RecordFacts } from '../records/facts.ts'
import { type Loaded, putOffOf, type RunFacts } from './run-facts.server.ts'

interface JobWrite {
  recordUuid: string
  /** A field that is no longer so was changed by somebody else, and stays. */
  from: Readonly<Record<string, string>>
  to: Readonly<Record<string, string>>
  /** Account-local: what was edited later was edited by somebody else. */
  until: string
}

/** Fields that are shown by what is joined to them. */
const NAMED: Readonly<Record<string, readonly FactPart[]>> = {
  queue_uuid: ['queue'],
  category_uuid: ['category'],
  badges: ['badge'],
  company_uuid: ['company', 'company_contact'],
  queue_assigned_staff_uuid: ['staff'],
}

/** The records with what these rows have sent; or (`undoneIn` = the account's zone) as if they had sent nothing. */
export async function withWritten(
  facts: Pick<RunFacts, 'join'>,
  accountUuid: string,
  records: readonly RecordFacts[],
  rows: readonly JournalRow[],
  undoneIn: string | null = null,
): Promise<Loaded<RecordFacts[]>> {
  const writes = rows.flatMap(({ state, effect, endedAt }): JobWrite[] => {
    if (state !== 'sent' || !isJobWrite(effect)) return []
    const { recordUuid, before, fields } = effect
    if (undoneIn === null) return [{ recordUuid, from: before, to: fields, until: '' }]
    return [{ recordUuid, from: fields, to: before, until: localStamp(wallAt((endedAt ?? 0) + minutes(1), undoneIn)) }]
  })
  if (undoneIn !== null) writes.reverse()
  const values = records.map((record) => valuesAfter(record, writes))
  const parts = Object.entries(NAMED).flatMap(([name, all]) =>
    writes.some(({ to }) => name in to) ? all.filter((part) => records.some((one) => one.parts.includes(part))) : [],
  )
  // A booking has a staff member of its own, a job the one who was booked last.
  const ids = values.map((one, index) => ({
    ...Object.fromEntries(Object.entries(one).filter(([name]) => name in NAMED || name === 'staff_uuid')),
    uuid: records[index]?.jobUuid,
  }))
  const named = parts.length > 0 ? await facts.join(accountUuid, 'job', ids, parts) : null
  if (named && named.outcome !== 'ok') return { outcome: 'put_off', why: putOffOf(named) }
  const value = records.map((one, index) => {
    const { uuid: _job, ...joined } = named?.facts[index]?.values ?? {}
    const customer = values[index]?.company_uuid
    // Mutes ask for it.
    const companyUuid = customer === one.values.company_uuid ? one.companyUuid : keyOf(customer)
    return { ...one, companyUuid, values: { ...values[index], ...joined } }
  })
  return { outcome: 'ok', value }
}

type JobUpdate = Extract<JournalEffect, { kind: 'update_record' }>

function isJobWrite(effect: JournalEffect): effect is JobUpdate {
  return effect.kind === 'update_record' && effect.object === 'job'
}

/** Did these rows change what cannot be thought away: a booking, a note, a part? */
export function cannotBeUndone(rows: readonly JournalRow[]): boolean {
  return rows.some(({ state, effect, sendingAt }) => {
    if (sendingAt === null || (state === 'sent' && isJobWrite(effect))) return false
    return effect.class === 'set' || effect.class === 'create' || effect.class === 'document'
  })
}

function valuesAfter(record: RecordFacts, writes: readonly JobWrite[]): Record<string, string> {
  const values = { ...record.values }
  for (const write of writes.filter(({ recordUuid }) => recordUuid === record.jobUuid)) {
    for (const [name, value] of Object.entries(write.to)) {
      if (isStillSo(record.object, values[name], write, name)) values[name] = value
    }
  }
  return values
}

/** On a booking, `known` is the job's field if it was read, and never when the job was edited. */
function isStillSo(object: string, known: string | undefined, { from, until }: JobWrite, name: string): boolean {
  if (object !== 'job' && (known === undefined || name === 'edit_date')) return false
  return name === 'edit_date' ? (known ?? '') <= until : sameValue(known ?? '', from[name] ?? '')
}
