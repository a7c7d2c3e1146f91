// Maps a record change to the platform's named events. `staff.clocked_on` and `_off` come from no record; the shape of
// a proposal, the payload of `proposal.sent` and `.viewed`, is not published: both accept subscriptions and never fire.
import { UNSET_TIME } from './local-time.ts'
import type { Values } from './record-values.ts'

export interface RecordChange {
  /** Object key. */
  object: string
  kind: 'created' | 'updated'
  /** Null on create. */
  before: Values | null
  after: Values & { uuid: string }
  /** Names of the changed fields; on create those with a value. */
  changed: readonly string[]
}

/** An event and the record whose data it carries. `job.note_added` carries the job, as its name suggests. */
export interface NamedEvent {
  type: string
  object: string
  uuid: string
}

const PHOTO = /^\.?(jpe?g|png|gif|heic|webp)$/i
const VIDEO = /^\.?(mp4|mov|m4v|avi|webm)$/i

/** Every event of the change, in sending order. */
export function eventsOf(change: RecordChange): NamedEvent[] {
  const { object, kind, before, after, changed } = change
  const own = (type: string): NamedEvent => ({ type, object, uuid: after.uuid })
  const ofJob = (type: string, jobUuid: unknown): NamedEvent[] =>
    typeof jobUuid === 'string' && jobUuid !== '' ? [{ type, object: 'job', uuid: jobUuid }] : []
  switch (object) {
    case 'job':
      return jobEvents(change).map(own)
    case 'company':
      return [own(kind === 'created' ? 'company.created' : 'company.updated')]
    case 'formresponse':
      return kind === 'created' ? [own('form.response_created')] : []
    case 'inboxmessage':
      return kind === 'created' ? [own('inbox.message_received')] : []
    case 'note':
      return kind === 'created' && isJob(after.related_object) ? ofJob('job.note_added', after.related_object_uuid) : []
    case 'attachment': {
      if (kind !== 'created' || !isJob(after.related_object)) return []
      const type = String(after.file_type)
      if (PHOTO.test(type)) return ofJob('job.photo_added', after.related_object_uuid)
      return VIDEO.test(type) ? ofJob('job.video_added', after.related_object_uuid) : []
    }
    case 'jobactivity': {
      if (Number(after.activity_was_recorded) !== 1) return []
      const ended = isSet(after.end_date)
      if (kind === 'created') {
        const checkedIn = ofJob('job.checked_in', after.job_uuid)
        return ended ? [...checkedIn, ...ofJob('job.checked_out', after.job_uuid)] : checkedIn
      }
      return changed.includes('end_date') && ended && !isSet(before?.end_date)
        ? ofJob('job.checked_out', after.job_uuid)
        : []
    }
    case 'feedback':
      return kind === 'created' && isJob(after.related_object)
        ? ofJob('job.review_received', after.related_object_uuid)
        : []
    default:
      return []
  }
}

function jobEvents({ kind, before, after, changed }: RecordChange): string[] {
  const events = [kind === 'created' ? 'job.created' : 'job.updated']
  const has = (field: string) => changed.includes(field)
  if (kind === 'updated' && has('status')) {
    events.push('job.status_changed')
    if (before?.status === 'Quote' && after.status === 'Work Order') events.push('job.quote_accepted')
  }
  if (has('status') && after.status === 'Completed') events.push('job.completed')
  if (has('queue_uuid') && after.queue_uuid !== '') events.push('job.queued')
  if (has('quote_sent') && Number(after.quote_sent) === 1) events.push('job.quote_sent')
  if (has('invoice_sent') && Number(after.invoice_sent) === 1) events.push('job.invoice_sent')
  if (has('payment_received') && Number(after.payment_received) === 1) events.push('job.invoice_paid')
  if (has('badges')) {
    const had = badgesOf(before?.badges)
    const holds = badgesOf(after.badges)
    if (holds.some((badge) => !had.includes(badge))) events.push('job.badge_added')
    if (had.some((badge) => !holds.includes(badge))) events.push('job.badge_removed')
  }
  return events
}

/** Badge uuids from the JSON array that the field stores as text. */
export function badgesOf(text: unknown): string[] {
  if (typeof text !== 'string' || text === '') return []
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list.map(String) : []
  } catch {
    return []
  }
}

function isJob(relatedObject: unknown): boolean {
  return String(relatedObject).toLowerCase() === 'job'
}

function isSet(time: unknown): boolean {
  return typeof time === 'string' && time !== '' && time !== UNSET_TIME
}

/**
 * `changed_fields` of an object-kind delivery, or null when the subscription watches none of them. A subscription to
 * `uuid` alone receives new records only, because no change touches it later.
 */
export function watchedChanges(change: RecordChange, watched: readonly string[]): string[] | null {
  const fields = watched.filter((name) => change.changed.includes(name))
  return fields.length > 0 || change.kind === 'created' ? fields : null
}
