// What changed in a record since its last snapshot.
import { CREATED_FIELD } from '#app/domain/automations/run.ts'
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import type { FieldChange, RecordFacts } from './facts.ts'
import type { Field } from './fields.ts'

/** Longer values are kept as a hash: a snapshot shows what changed, it is not a copy of the record. */
const LONGEST_KEPT = 200

/**
 * Fields the platform changes with every edit or computes itself: a change of these alone starts no rule.
 * Source: servicem8 facts 4.4 and 5.8.
 */
const NO_NEWS = new Set(['edit_date', 'uuid', 'payment_date', 'lat', 'lng'])

/** Can a change of this field start a rule? Not of joined or computed ones. `own` = as in the catalogue. */
export function isNews({ own }: Pick<Field, 'own'>): boolean {
  return own !== null && !NO_NEWS.has(own)
}

/** Key of the rules' snapshots. Forwarding (polled objects) has its own: sharing would hide changes from either. */
export function snapshotsOf(object: string): string {
  return `rules:${object}`
}

/** A record's own fields in the form a snapshot stores. Joined names (`contact_…`) are not part of the record. */
export function snapshotFields(record: Readonly<Record<string, unknown>>): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [field, value] of Object.entries(record)) {
    if (!/^[a-z][a-z0-9_]{0,99}$/i.test(field)) continue
    kept[field] = shortened(asText(value))
  }
  return kept
}

/** Extra key of a snapshot, under a name no field has: when a new record was first seen, unchanged since. Epoch ms. */
const NEW_MARK = '~new'

/** How long after the record was read its event may arrive. */
const LATE_NEWS = minutes(2)

/** The fields of a record that was just seen for the first time, marked with that moment. */
export function markedNew(fields: Readonly<Record<string, string>>, at: Millis): Record<string, string> {
  return { ...fields, [NEW_MARK]: String(at) }
}

/**
 * Does the event report a change the record already had when it was first seen? Then `before` contains it, and a
 * comparison finds nothing. `named` = the fields the platform reports as changed.
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

/** Platform values are numbers, strings and quoted flags. Missing values and zero dates become ''. */
export function asText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value === '0000-00-00 00:00:00' || value === '0000-00-00' ? '' : value
  if (typeof value === 'number' || typeof value === 'boolean') return String(Number(value))
  return JSON.stringify(value)
}

/** Equal in the forms the platform may return: line ends, outer spaces, `1` for `1.00`; `007` is no number. */
export function sameValue(held: string, wanted: string): boolean {
  const plain = (text: string) => asText(text).replaceAll('\r\n', '\n').trim()
  const [a, b] = [plain(held), plain(wanted)]
  if (a === b) return true
  const number = /^-?(0|[1-9]\d*)(\.\d+)?$/
  if (number.test(a) && number.test(b)) return Number(a) === Number(b)
  // A date written without a time comes back with one.
  return /^\d{4}-\d\d-\d\d/.test(b) && (a === `${b} 00:00:00` || b === `${a} 00:00:00`)
}

/** A hash of 53 bits, enough to notice that a text changed. */
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
 * Compares field by field, where `before` has the field. A field the platform did not list before did not change: a new
 * column there must not start every rule here. `before` null = first sight: no changes are known.
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
 * Our write that caused the changes; null when a person made them. Every known change must carry a value that one of
 * our runs wrote: one field a person changed makes the save theirs. `writes` = recent enough writes on this record.
 */
export function causedBy<Write extends { field: string; value: string; hop: number }>(
  changes: readonly FieldChange[],
  writes: readonly Write[],
): Write | null {
  if (changes.length === 0 || writes.length === 0) return null
  let latest: Write | null = null
  for (const change of changes) {
    if (STAMPED_BY_PLATFORM.has(change.field)) continue
    const own = writes.find((write) => write.field === change.field && sameValue(change.to, shortened(write.value)))
    if (!own) return null
    if (latest === null || own.hop > latest.hop) latest = own
  }
  return latest
}

/** Our write that created the record, however it was changed since; null when a person created it. */
export function createdBy<Write extends { field: string }>(writes: readonly Write[]): Write | null {
  return writes.find(({ field }) => field === CREATED_FIELD) ?? null
}

/** Fields that follow from another field, so they do not show who made the change. Source: servicem8 facts 5.8. */
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

/** A matched record as the history and the result of a run show it. */
export function matchedRecord(facts: RecordFacts) {
  return namedRecord(facts, new Map())
}

/** Like `matchedRecord`; `customers` = names by uuid, for when no rule loaded them. */
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
