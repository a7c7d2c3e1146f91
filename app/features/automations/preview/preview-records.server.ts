// Records to preview a rule with: recently changed ones, newest first, found by job number or customer.
import type { CallFailure, PlatformRecord } from '#app/adapters/platform.ts'
import type { Condition } from '#app/domain/automations/rule.ts'
import { dayOf, localStamp, wallOfDay } from '#app/domain/time/local-time.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'
import { takingTurns } from '#app/lib/turns.server.ts'
import { wallAt } from '#app/lib/zone.ts'
import type { RecordChoice } from '../form/form-preview.ts'
import { asText, matchedRecord } from '../records/changes.ts'
import type { FactPart, JudgedAt, RecordFacts } from '../records/facts.ts'
import { partsFor } from '../records/fields.ts'
import type { Reads } from '../records/remembered-reads.server.ts'
import { ACTIVE_ONLY, judge, neededParts } from '../rules/conditions/conditions.ts'
import { BACKTEST_DAYS } from './backtest.ts'
import { recordLabel } from './preview-view.ts'

interface FailedRead {
  outcome: 'failed'
  failure: CallFailure
}

interface RecentRecords {
  outcome: 'ok'
  /** Newest change first. */
  records: PlatformRecord[]
  /** False = more records exist than one read returns. */
  complete: boolean
}

/** One page of the platform's largest size (facts: 5.3). */
const MOST_READ = 5_000
/** Records to read when nothing changed recently. */
const MOST_OLDER = 500
const AT_A_TIME = 100
/** Maximum records evaluated to find one that meets the conditions. */
const MOST_JUDGED = 1_000
export const MOST_CHOICES = 8

/** Records changed in the last 30 days; if there are none, older ones. Deleted records only if `withDeleted`. */
export async function recentRecords(
  reads: Reads,
  accountUuid: string,
  object: string,
  at: JudgedAt,
  { orOlder, withDeleted }: { orOlder: boolean; withDeleted: boolean },
): Promise<RecentRecords | FailedRead> {
  // Start at the beginning of a day, so the query stays the same all day and is cached.
  const since = localStamp(wallOfDay(dayOf(wallAt(sinceOf(at.now), at.zone))))
  const of = { accountUuid, object, withDeleted }
  const recent = await list(reads, of, `edit_date gt '${since}'`, MOST_READ)
  if (recent.outcome === 'failed' || recent.records.length > 0 || !orOlder) return recent
  return list(reads, of, '', MOST_OLDER)
}

/**
 * Reads all records for a polling rule, because many meet a condition only as they age. `all` = false: too many for one
 * read, so these are the recently changed ones.
 */
export async function presentRecords(
  reads: Reads,
  accountUuid: string,
  object: string,
  at: JudgedAt,
  withDeleted: boolean,
): Promise<(RecentRecords & { all: boolean }) | FailedRead> {
  const present = await list(reads, { accountUuid, object, withDeleted }, '', MOST_READ)
  if (present.outcome === 'failed') return present
  if (present.complete) return { ...present, all: true }
  const recent = await recentRecords(reads, accountUuid, object, at, { orOlder: false, withDeleted })
  return recent.outcome === 'failed' ? recent : { ...recent, all: false }
}

export function sinceOf(now: Millis): Millis {
  return now - days(BACKTEST_DAYS)
}

interface ListOf {
  accountUuid: string
  object: string
  withDeleted: boolean
}

async function list(reads: Reads, { accountUuid, object, withDeleted }: ListOf, wanted: string, limit: number) {
  const filter = [withDeleted ? '' : ACTIVE_ONLY, wanted].filter((clause) => clause !== '').join(' and ')
  const answer = await reads.callAsAccount(accountUuid, (api, token) =>
    api.list(token, object, { limit, ...(filter !== '' && { filter }) }),
  )
  if (answer.outcome !== 'ok') return { outcome: 'failed', failure: answer } as const
  const records = answer.value
    .filter((record) => withDeleted || asText(record.active) !== '0')
    .sort((a, b) => (asText(a.edit_date) < asText(b.edit_date) ? 1 : -1))
  return { outcome: 'ok', records, complete: answer.value.length < limit } as const
}

/** Parts that the record's label and the conditions need. */
export function partsToShow(object: string, conditions: readonly Condition[]): FactPart[] {
  return [...new Set([...partsFor(['company_name', 'generated_job_id'], object), ...neededParts(conditions, object)])]
}

export function choiceOf(facts: RecordFacts, conditions: readonly Condition[], at: JudgedAt): RecordChoice {
  return {
    uuid: facts.recordUuid,
    label: recordLabel(facts.object, matchedRecord(facts)),
    matches: judge(conditions, facts, at).matched,
  }
}

interface ChooseFrom extends ListOf {
  conditions: readonly Condition[]
  at: JudgedAt
}

type Joined = { outcome: 'ok'; facts: RecordFacts[] } | FailedRead

export async function joinFor(
  reads: Reads,
  { accountUuid, object, conditions }: ChooseFrom,
  records: readonly PlatformRecord[],
): Promise<Joined> {
  const joined = await reads.facts.join(accountUuid, object, records, partsToShow(object, conditions))
  return joined.outcome === 'ok' ? { outcome: 'ok', facts: joined.facts } : { outcome: 'failed', failure: joined }
}

/** Joins records in batches, only as far as the caller reads. */
async function* joinedInTurn(
  reads: Reads,
  from: ChooseFrom,
  records: readonly PlatformRecord[],
): AsyncGenerator<{ outcome: 'ok'; facts: RecordFacts } | FailedRead> {
  const turn = takingTurns()
  for (let at = 0; at < records.length; at += AT_A_TIME) {
    const joined = await joinFor(reads, from, records.slice(at, at + AT_A_TIME))
    if (joined.outcome === 'failed') return yield joined
    for (const facts of joined.facts) {
      yield { outcome: 'ok', facts }
      await turn()
    }
  }
}

/** Returns the newest record that meets the conditions. */
export async function newestMatching(
  reads: Reads,
  from: ChooseFrom,
  records: readonly PlatformRecord[],
): Promise<{ outcome: 'ok'; facts: RecordFacts } | { outcome: 'none' } | FailedRead> {
  for await (const one of joinedInTurn(reads, from, records.slice(0, MOST_JUDGED))) {
    if (one.outcome === 'failed' || judge(from.conditions, one.facts, from.at).matched) return one
  }
  return { outcome: 'none' }
}

/** By job number first, then by any word of number, customer and address; old records if no recent one has them. */
export async function searchRecords(
  reads: Reads,
  from: ChooseFrom,
  records: readonly PlatformRecord[],
  wanted: string,
): Promise<Joined> {
  const words = wanted
    .toLowerCase()
    .split(/[\s·,]+/)
    .filter((word) => word !== '' && word !== 'job')
  if (words.length === 0) return { outcome: 'ok', facts: [] }
  const named = await jobsByNumber(reads, from, records, words)
  if (named.outcome === 'failed') return named
  if (named.records.length > 0) return joinFor(reads, from, named.records.slice(0, MOST_CHOICES))
  const recent = await recordsWith(reads, from, records, words)
  if (recent.outcome === 'failed' || recent.facts.length > 0) return recent
  const all = await list(reads, from, '', MOST_READ)
  return all.outcome === 'failed' ? all : recordsWith(reads, from, all.records, words)
}

async function recordsWith(
  reads: Reads,
  from: ChooseFrom,
  records: readonly PlatformRecord[],
  words: readonly string[],
): Promise<Joined> {
  const found: RecordFacts[] = []
  for await (const one of joinedInTurn(reads, from, records)) {
    if (one.outcome === 'failed') return one
    const text = Object.values(matchedRecord(one.facts)).join(' ').toLowerCase()
    if (words.every((word) => text.includes(word))) found.push(one.facts)
    if (found.length === MOST_CHOICES) break
  }
  return { outcome: 'ok', facts: found }
}

/** Finds an old job by its number, as it is not among the recently changed ones. */
async function jobsByNumber(
  reads: Reads,
  from: ListOf,
  records: readonly PlatformRecord[],
  words: readonly string[],
): Promise<{ outcome: 'ok'; records: PlatformRecord[] } | FailedRead> {
  const [number = '', ...others] = words
  const isNumber = from.object === 'job' && others.length === 0 && /^[\w-]{1,40}$/.test(number)
  const exact = isNumber ? records.filter((record) => asText(record.generated_job_id).toLowerCase() === number) : []
  if (!isNumber || exact.length > 0 || !/\d/.test(number)) return { outcome: 'ok', records: exact }
  return list(reads, from, `generated_job_id eq '${number}'`, MOST_CHOICES)
}
