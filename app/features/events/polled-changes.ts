// Turns listed records and their previous snapshots into events and new snapshots. Pure.
//
// For these objects the platform reports only the last edit (`edit_date`), in the account's local time, to the second.
// So a poll starts two hours before the latest known edit: that covers the strict `gt`, several edits within one
// second, late writes, and the repeated hour in autumn. A record equal to its snapshot is not new, and each change is
// identified by the snapshot it follows: however often it is read, it is one event.
import { findObjectKind } from '#app/domain/object-catalog.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'

/** How far before the latest edit a poll begins. */
const OVERLAP = hours(2)

/** How far back a first poll goes. An older record has no snapshot, so its next edit names all its fields. */
const FIRST_CHECK = days(365)

/** A record as the platform lists it. */
export interface ListedRecord {
  recordUuid: string
  /** In the platform's format; '' when missing. */
  editDate: string
  /** The polled fields, each as text. */
  fields: Readonly<Record<string, string>>
}

/** The previous state of a record, and when it was stored. */
export interface Snapshot {
  editDate: string
  fields: Readonly<Record<string, string>>
  takenAt: Millis
}

export interface PolledEvent {
  objectUuid: string
  changedFields: string[]
  /** Equal text = the same event. */
  identity: string
  /** The JSON text that is forwarded, in the platform's own format. */
  body: string
}

export interface RecordChange {
  record: ListedRecord
  /** Null when only the snapshot is updated. */
  event: PolledEvent | null
}

/** Parses one record of the platform's list; null when it is not one. Numbers and quoted flags become the same text. */
export function readListed(object: string, record: Readonly<Record<string, unknown>>): ListedRecord | null {
  const { uuid, edit_date: editDate } = record
  if (typeof uuid !== 'string' || !/^[\w.:-]{1,100}$/.test(uuid)) return null
  const names = findObjectKind(object)?.watchFields ?? []
  return {
    recordUuid: uuid.toLowerCase(),
    editDate: typeof editDate === 'string' ? editDate.trim() : '',
    fields: Object.fromEntries(names.map((name) => [name, textOf(record[name])])),
  }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? '1' : '0'
  return typeof value === 'number' ? String(value) : JSON.stringify(value)
}

/**
 * Returns the changes among the listed records, in their order. A record without a snapshot is new. The first poll
 * creates no events.
 * @param watched names of fields an endpoint watches; events name only these, and a change without any creates no event
 */
export function changesOf(input: {
  object: string
  listed: readonly ListedRecord[]
  snapshots: ReadonlyMap<string, Snapshot>
  watched: readonly string[]
  firstSight: boolean
}): RecordChange[] {
  const { object, snapshots, watched, firstSight } = input
  const changes: RecordChange[] = []
  // A list that changes during paging can contain a record twice: the later one counts.
  for (const record of new Map(input.listed.map((one) => [one.recordUuid, one])).values()) {
    const before = snapshots.get(record.recordUuid) ?? null
    if (before && before.editDate === record.editDate && changedNames(before, record).length === 0) continue
    const names = before ? changedNames(before, record) : heldNames(record)
    // A save without changes matters only to endpoints that watch the date itself.
    const told = before ? [...names, ...dateName(before, record)] : ['uuid', ...names, 'edit_date']
    const changedFields = told.filter((name) => watched.includes(name))
    const event = firstSight || changedFields.length === 0 ? null : eventOf(object, record, before, changedFields)
    changes.push({ record, event })
  }
  return changes
}

/** A field missing from the snapshot, taken before the field was polled, counts as unchanged. */
function changedNames(before: Snapshot, { fields }: ListedRecord): string[] {
  return Object.keys(fields).filter(
    (name) => Object.hasOwn(before.fields, name) && fields[name] !== before.fields[name],
  )
}

function dateName(before: Snapshot, record: ListedRecord): string[] {
  return before.editDate === record.editDate ? [] : ['edit_date']
}

const UNSET = new Set(['', '0000-00-00', '0000-00-00 00:00:00'])

/** The fields of a new record: as in the platform's own events, fields without a value did not change. */
function heldNames({ fields }: ListedRecord): string[] {
  return Object.keys(fields).filter((name) => !UNSET.has(fields[name] ?? ''))
}

function eventOf(object: string, record: ListedRecord, before: Snapshot | null, changedFields: string[]): PolledEvent {
  const { recordUuid, editDate, fields } = record
  return {
    objectUuid: recordUuid,
    changedFields,
    identity: JSON.stringify(['polled', object, recordUuid, before?.takenAt ?? null, editDate, fields]),
    body: JSON.stringify({
      object,
      entry: [{ uuid: recordUuid, changed_fields: changedFields, time: editDate }],
      resource_url: `https://api.servicem8.com/api_1.0/${object}/${recordUuid}.json`,
    }),
  }
}

const LOCAL = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

/** Parses a date and time in the platform's format; null for anything else. */
function localMillis(text: string): Millis | null {
  const at = LOCAL.test(text) ? Date.parse(`${text.replace(' ', 'T')}Z`) : Number.NaN
  return Number.isNaN(at) ? null : at
}

function shifted(text: string, ms: number): string {
  const at = localMillis(text)
  return at === null ? text : new Date(at + ms).toISOString().slice(0, 19).replace('T', ' ')
}

/** Returns the latest valid `edit_date`, '' when there is none. */
export function latestEdit(dates: Iterable<string>): string {
  let latest = ''
  for (const date of dates) if (date > latest && localMillis(date) !== null) latest = date
  return latest
}

/**
 * Returns the `$filter` of a poll. `localNow` = the account's local time in the platform's format. It limits the
 * watermark, so that a clock set back (another zone, a wrong date in a record) cannot hide new edits.
 */
export function pollFilter(watermark: string, localNow: string): string {
  const from =
    watermark === '' ? shifted(localNow, -FIRST_CHECK) : shifted(watermark < localNow ? watermark : localNow, -OVERLAP)
  return `edit_date gt '${from}'`
}

/** The platform's clock may be a little ahead of ours. */
const AHEAD = minutes(5)

/**
 * Returns the watermark after a poll that saw edits up to `seen` ('' = none). Never empty, because empty means a first
 * poll: after an empty first poll it is yesterday, since any zone is at most a day from the one we hold for the
 * account. Never in the future, whatever a record says.
 */
export function nextWatermark(watermark: string, seen: string, localNow: string): string {
  const latest = seen > watermark ? seen : watermark
  if (latest === '') return shifted(localNow, -days(1))
  return latest > shifted(localNow, AHEAD) ? localNow : latest
}

/** Snapshots edited before this can be forgotten: a poll does not reach back far enough to list them as new. */
export function forgettableBefore(watermark: string): string {
  return shifted(watermark, -days(3))
}
