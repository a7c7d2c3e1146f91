// From records as a list shows them and as they were seen before, to events and the next snapshots. Pure.
//
// The platform says of these objects only when they were last edited (`edit_date`), in the account's local time, to the
// second. So a look asks again for the last two hours before what it has seen: that covers the strictness of `gt`, several
// edits within one second, what is written late, and the hour that comes twice in autumn. What is the same as its snapshot
// is nothing new, and each change is named by the snapshot it follows: however often it is read, it is one event.
import { findObjectKind } from '#app/domain/object-catalog.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'

/** How far before the latest edit a look begins. */
const OVERLAP = hours(2)

/** A first look goes back this far; what was last edited before has no snapshot, and its next edit names all its fields. */
const FIRST_CHECK = days(365)

/** A record as a list shows it. */
export interface ListedRecord {
  recordUuid: string
  /** As the platform writes it; '' when it does not. */
  editDate: string
  /** The fields we look at, each as text. */
  fields: Readonly<Record<string, string>>
}

/** What it looked like before, and when that was written down. */
export interface Snapshot {
  editDate: string
  fields: Readonly<Record<string, string>>
  takenAt: Millis
}

export interface PolledEvent {
  objectUuid: string
  changedFields: string[]
  /** The same text = the same event. */
  identity: string
  /** The JSON text that is forwarded: as the platform would have sent it. */
  body: string
}

export interface RecordChange {
  record: ListedRecord
  /** Null = only the snapshot moves. */
  event: PolledEvent | null
}

/** Reads one record of the platform's list; null when it is none. Numbers and quoted flags become the same text. */
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
 * What is new among the listed records, in their order. A record without a snapshot was made since; at the first sight
 * nobody is told of anything.
 * @param watched names of fields somebody wants to hear of; an event names no others, and one that would name none is none
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
  // A list that moves while it is paged can show a record twice: the later one counts.
  for (const record of new Map(input.listed.map((one) => [one.recordUuid, one])).values()) {
    const before = snapshots.get(record.recordUuid) ?? null
    if (before && before.editDate === record.editDate && changedNames(before, record).length === 0) continue
    const names = before ? changedNames(before, record) : heldNames(record)
    // A save that changed nothing is a change to nobody but those who watch the date itself.
    const told = before ? [...names, ...dateName(before, record)] : ['uuid', ...names, 'edit_date']
    const changedFields = told.filter((name) => watched.includes(name))
    const event = firstSight || changedFields.length === 0 ? null : eventOf(object, record, before, changedFields)
    changes.push({ record, event })
  }
  return changes
}

/** A field the snapshot does not know, because it was taken before we looked at that field, did not change as far as we know. */
function changedNames(before: Snapshot, { fields }: ListedRecord): string[] {
  return Object.keys(fields).filter(
    (name) => Object.hasOwn(before.fields, name) && fields[name] !== before.fields[name],
  )
}

function dateName(before: Snapshot, record: ListedRecord): string[] {
  return before.editDate === record.editDate ? [] : ['edit_date']
}

const UNSET = new Set(['', '0000-00-00', '0000-00-00 00:00:00'])

/** What a new record says: as with the platform's own, fields without a value did not change. */
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

/** Is it a date and time as the platform writes them? */
function localMillis(text: string): Millis | null {
  const at = LOCAL.test(text) ? Date.parse(`${text.replace(' ', 'T')}Z`) : Number.NaN
  return Number.isNaN(at) ? null : at
}

function shifted(text: string, ms: number): string {
  const at = localMillis(text)
  return at === null ? text : new Date(at + ms).toISOString().slice(0, 19).replace('T', ' ')
}

/** The latest of some `edit_date`s, '' when none is one. */
export function latestEdit(dates: Iterable<string>): string {
  let latest = ''
  for (const date of dates) if (date > latest && localMillis(date) !== null) latest = date
  return latest
}

/**
 * The `$filter` of a look. `localNow` = the account's wall clock, as the platform writes it. It bounds the watermark, so
 * that a clock set back (another zone, a wrong date in a record) cannot hide what is edited now.
 */
export function pollFilter(watermark: string, localNow: string): string {
  const from =
    watermark === '' ? shifted(localNow, -FIRST_CHECK) : shifted(watermark < localNow ? watermark : localNow, -OVERLAP)
  return `edit_date gt '${from}'`
}

/** Records may be edited by a platform whose clock is a little ahead of ours. */
const AHEAD = minutes(5)

/**
 * How far the list has been read after a look that saw edits up to `seen` ('' = none). Never empty, so that what comes after
 * an empty first look is not first sight again: then it is yesterday, because no more than a day is between any zone and
 * what we hold for the account's. Never in the future, whatever a record says.
 */
export function nextWatermark(watermark: string, seen: string, localNow: string): string {
  const latest = seen > watermark ? seen : watermark
  if (latest === '') return shifted(localNow, -days(1))
  return latest > shifted(localNow, AHEAD) ? localNow : latest
}

/** Snapshots edited before this may be forgotten without being taken for new: a look does not go back so far. */
export function forgettableBefore(watermark: string): string {
  return shifted(watermark, -days(3))
}
