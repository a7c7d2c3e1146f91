// Putting a job into a queue sets three fields: the queue, until when, and for whom (facts: 5.8).
import type { AccountCallResult } from '#app/adapters/platform.ts'
import type { PlanWarning } from '#app/domain/automations/effect.ts'
import { localStamp } from '#app/domain/local-time.ts'
import { days } from '#app/lib/duration.ts'
import { wallAt } from '#app/lib/zone.ts'
import { isActive, type Values, valuesOf } from '../records/fact-rows.ts'
import type { RecordFacts } from '../records/facts.ts'
import { folded, isUuid, readFlag, readNumber } from '../records/field-value.ts'
import { activeStaff, findStaff, staffName } from '../records/staff-members.server.ts'
import type { PlanContext, ReadOnlyPlatform } from './action.server.ts'
import { shorten } from './failure-words.ts'

type Trouble = Exclude<AccountCallResult<never>, { outcome: 'ok' }>

type FoundQueue =
  | { outcome: 'found'; queue: Values }
  | { outcome: 'gone'; sentence: string }
  | { outcome: 'failed'; trouble: Trouble }

const GONE = 'The queue that this automation uses was deleted in ServiceM8. Open the automation and choose another one.'

/** By its id, read afresh: a deleted queue must not swallow jobs. By its name where a rule was written or imported so. */
export async function findQueue(read: ReadOnlyPlatform, wanted: string): Promise<FoundQueue> {
  const word = wanted.trim()
  if (word === '') return { outcome: 'gone', sentence: 'No queue was chosen. Open the automation and choose one.' }
  if (!isUuid(word)) {
    const listed = await read.list('queue')
    if (listed.outcome !== 'ok') return { outcome: 'failed', trouble: listed }
    const named = listed.value.map(valuesOf).find((one) => isActive(one) && folded(one.name ?? '') === folded(word))
    return named
      ? { outcome: 'found', queue: named }
      : {
          outcome: 'gone',
          sentence: `There is no queue called "${shorten(word, 60)}" in ServiceM8. Open the automation and choose one.`,
        }
  }
  const answer = await read.read('queue', word.toLowerCase())
  if (answer.outcome === 'refused') return { outcome: 'gone', sentence: GONE }
  if (answer.outcome !== 'ok') return { outcome: 'failed', trouble: answer }
  const queue: Values = { ...valuesOf(answer.value), uuid: word.toLowerCase() }
  return isActive(queue) ? { outcome: 'found', queue } : { outcome: 'gone', sentence: GONE }
}

/**
 * The fields that put a job there: until now plus the queue's days, and for the job's own staff member where the queue wants
 * somebody; nobody known there means the first active staff member, with a word about it.
 */
export async function queueFields(
  context: Pick<PlanContext, 'read' | 'now' | 'account'>,
  queue: Values,
  record: RecordFacts | null,
): Promise<
  { outcome: 'ok'; fields: Record<string, string>; warnings: PlanWarning[] } | { outcome: 'failed'; trouble: Trouble }
> {
  const stay = readNumber(queue.default_timeframe ?? '') ?? 0
  const until = localStamp(wallAt(context.now, context.account.zone) + days(Math.round(stay)))
  const fields = { queue_uuid: queue.uuid ?? '', ...(stay > 0 && { queue_expiry_date: until }) }
  if (readFlag(queue.requires_assignment ?? '') !== true) return { outcome: 'ok', fields, warnings: [] }

  const found = await activeStaff(context.read)
  if (found.outcome === 'failed') return found
  const values = record?.values ?? {}
  const known =
    findStaff(found.staff, values.queue_assigned_staff_uuid ?? '') ??
    findStaff(found.staff, values.assigned_staff ?? '') ??
    findStaff(found.staff, values.staff_uuid ?? '')
  const chosen = known ?? found.staff[0] ?? null
  if (!chosen?.uuid) return { outcome: 'ok', fields, warnings: [] }
  const sentence = `The queue ${queue.name ?? ''} wants somebody to be responsible. Nobody is known for this job, so it is ${staffName(chosen)}.`
  return {
    outcome: 'ok',
    fields: { ...fields, queue_assigned_staff_uuid: chosen.uuid },
    warnings: known ? [] : [{ code: 'queue_staff_by_default', sentence }],
  }
}
