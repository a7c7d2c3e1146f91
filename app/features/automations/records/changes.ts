// What changed in a record between two looks at it.
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import type { FieldChange, RecordFacts } from './facts.ts'

/** Longer values are kept as a mark that only says "the same or not": a snapshot answers what changed, it is no copy. */
const LONGEST_KEPT = 200

/**
 * Fields the platform moves with every edit or computes by itself: a change of these alone is nobody's news.
 * Source: servicem8 facts 4.4 and 5.8.
 */
const NO_NEWS = new Set(['edit_date', 'uuid', 'payment_date', 'lat', 'lng'])

/** Whose snapshots: those of forwarding (polled objects) move at other moments, and either would hide changes from the other. */
export function snapshotsOf(object: string): string {
  return `rules:${object}`
}

/** A record's own fields as a snapshot keeps them. Joined names (`contact_…`) are no part of the record. */
export function snapshotFields(record: Readonly<Record<string, unknown>>): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [field, value] of Object.entries(record)) {
    if (!/^[a-z][a-z0-9_]{0,99}$/i.test(field)) continue
    kept[field] = shortened(asText(value))
  }
  return kept
}

/** Beside the fields of a snapshot, under a name no field has: when the record was first seen, as new and nothing more. */
const NEW_MARK = '~new'

/** An event may come this much later than the record was read. */
const LATE_NEWS = minutes(2)

/** The fields of a record that was just seen for the first time, with that moment. */
export function markedNew(fields: Readonly<Record<string, string>>, at: Millis): Record<string, string> {
  return { ...fields, [NEW_MARK]: String(at) }
}

/**
 * Is a change told only now that was in the record when it was first seen? Then `before` has it already, and comparing finds
 * nothing. `named` = the fields the platform says have changed.
 */
export function isLateNews(
  before: Readonly<Record<string, string>> | null,
  named: readonly string[],
  now: Millis,
): boolean {
  const seenNew = before?.[NEW_MARK]
  return (
    seenNew !== undefined &&
    now - Number(seenNew) <= LATE_NEWS &&
    named.some((field) => !NO_NEWS.has(field) && !STAMPED_BY_PLATFORM.has(field))
  )
}

/** Platform values are numbers, strings and quoted flags; nothing, and nothing set, are the same. */
export function asText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value === '0000-00-00 00:00:00' || value === '0000-00-00' ? '' : value
  if (typeof value === 'number' || typeof value === 'boolean') return String(Number(value))
  return JSON.stringify(value)
}

/** 53 bits are plenty to notice that a text is another one. */
function shortened(text: string): string {
  if (text.length <= LONGEST_KEPT) return text
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return `~${text.length}:${(4294967296 * (2097151 & low) + (high >>> 0)).toString(36)}`
}

/**
 * Field by field, where `before` knows the field. A field the platform did not list before is no change: a new column there
 * must not set off every rule here. `before` null = first sight: no changes are known.
 */
export function changesBetween(
  before: Readonly<Record<string, string>> | null,
  now: Readonly<Record<string, string>>,
): FieldChange[] {
  if (before === null) return []
  const changes: FieldChange[] = []
  for (const [field, to] of Object.entries(now)) {
    const from = before[field]
    if (from !== undefined && from !== to && !NO_NEWS.has(field)) changes.push({ field, from, to })
  }
  return changes
}

/**
 * Was it us? Every change that is known carries the value one of our runs wrote. One field that a person changed in the
 * same save makes it theirs. `writes` = writes on this record young enough to count.
 */
export function causedBy<Write extends { field: string; value: string; hop: number }>(
  changes: readonly FieldChange[],
  writes: readonly Write[],
): Write | null {
  if (changes.length === 0 || writes.length === 0) return null
  let latest: Write | null = null
  for (const change of changes) {
    if (STAMPED_BY_PLATFORM.has(change.field)) continue
    const own = writes.find((write) => write.field === change.field && shortened(write.value) === change.to)
    if (!own) return null
    if (latest === null || own.hop > latest.hop) latest = own
  }
  return latest
}

/** Follows from another field; says nothing about who. Source: servicem8 facts 5.8. */
const STAMPED_BY_PLATFORM = new Set([
  'quote_date',
  'work_order_date',
  'completion_date',
  'unsuccessful_date',
  'completion_actioned_by_uuid',
  'queue_expiry_date',
  'total_invoice_amount',
  'geo_is_valid',
])

/** How the history and the answer of a run describe a record that matched. */
export function matchedRecord(facts: RecordFacts) {
  return namedRecord(facts, new Map())
}

/** The same; `customers` = their names by uuid, where no rule asked for them. */
export function namedRecord(facts: RecordFacts, customers: ReadonlyMap<string, string>) {
  const value = (name: string) => facts.values[name] ?? ''
  const companyUuid = facts.companyUuid ?? ''
  return {
    jobId: value('generated_job_id') || facts.recordUuid,
    companyUuid,
    status: value('status'),
    jobDescription: value('job_description'),
    companyName: value('company_name') || value('name') || (customers.get(companyUuid) ?? ''),
    jobAddress: value('job_address') || value('address'),
    totalInvoiceAmount: value('total_invoice_amount'),
  }
}
