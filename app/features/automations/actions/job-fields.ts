// The job fields that a rule may write, and the form of their values (facts: objects.json). Fields that the platform
// computes, and fields no rule should change, are refused with a sentence.
import { JOB_STATUSES } from '#app/domain/automations/rule.ts'
import { isoDate, localStamp, readLocal, readToday, todayOf, wallOfDay } from '#app/domain/time/local-time.ts'
import { ownValue } from '#app/lib/json.ts'
import { isUuid, readFlag } from '../records/field-value.ts'

type JobFieldKind = 'text' | 'date' | 'moment' | 'flag' | 'uuid' | 'status' | 'badges' | 'queue' | 'category'

interface JobField {
  kind: JobFieldKind
  label: string
  /** Characters. */
  most?: number
}

const FIELDS: Readonly<Record<string, JobField>> = {
  status: { kind: 'status', label: 'Status' },
  job_description: { kind: 'text', label: 'Job description' },
  work_done_description: { kind: 'text', label: 'Work done' },
  job_address: { kind: 'text', label: 'Job address', most: 500 },
  billing_address: { kind: 'text', label: 'Billing address', most: 500 },
  purchase_order_number: { kind: 'text', label: 'Purchase order number', most: 100 },
  company_uuid: { kind: 'uuid', label: 'Customer' },
  category_uuid: { kind: 'category', label: 'Category' },
  queue_uuid: { kind: 'queue', label: 'Queue' },
  queue_expiry_date: { kind: 'moment', label: 'In the queue until' },
  queue_assigned_staff_uuid: { kind: 'uuid', label: 'Staff member of the queue' },
  badges: { kind: 'badges', label: 'Badges' },
  date: { kind: 'date', label: 'Job date' },
  quote_date: { kind: 'moment', label: 'Quote date' },
  quote_sent: { kind: 'flag', label: 'Quote sent' },
  work_order_date: { kind: 'moment', label: 'Became a work order on' },
  completion_date: { kind: 'moment', label: 'Completed on' },
  unsuccessful_date: { kind: 'moment', label: 'Became unsuccessful on' },
  invoice_sent: { kind: 'flag', label: 'Invoice sent' },
  payment_processed: { kind: 'flag', label: 'Payment processed' },
  payment_received: { kind: 'flag', label: 'Paid' },
}

/** Names the specification uses for fields that the platform calls differently (facts: section 9). */
const ALIASES: Readonly<Record<string, string>> = {
  created_date: 'date',
  assigned_staff: 'queue_assigned_staff_uuid',
  staff_uuid: 'queue_assigned_staff_uuid',
  queue: 'queue_uuid',
  description: 'job_description',
}

/** The fields the form offers, in this order. */
export const WRITABLE_JOB_FIELDS: readonly { name: string; label: string; kind: JobFieldKind }[] = Object.entries(
  FIELDS,
).map(([name, { label, kind }]) => ({ name, label, kind }))

type FoundJobField =
  | { outcome: 'found'; name: string; kind: JobFieldKind; label: string }
  | { outcome: 'refused'; sentence: string }

export function findJobField(given: string): FoundJobField {
  const wanted = given.trim().toLowerCase()
  const name = ownValue(ALIASES, wanted) ?? wanted
  const field = ownValue(FIELDS, name)
  if (field) return { outcome: 'found', name, kind: field.kind, label: field.label }
  if (wanted === '') return { outcome: 'refused', sentence: 'No field was chosen. Open the automation and choose one.' }
  if (wanted === 'priority') {
    return {
      outcome: 'refused',
      sentence: 'ServiceM8 jobs have no priority, so it cannot be set. Use a category instead.',
    }
  }
  const sentence = KEPT_BY_PLATFORM.test(wanted)
    ? `ServiceM8 keeps the field ${wanted} itself, so it cannot be set. Choose another field.`
    : `An automation cannot set the field "${wanted.slice(0, 60)}" of a job. Choose another field.`
  return { outcome: 'refused', sentence }
}

const KEPT_BY_PLATFORM =
  /^(uuid|edit_date|updated_date|generated_job_id|total_invoice_amount|total_cost|lat|lng|geo_.+|.+_stamp|completion_actioned_by_uuid|created_by_staff_uuid)$/

export type JobFieldValue = { outcome: 'ok'; value: string } | { outcome: 'refused'; sentence: string }

interface Clock {
  now: number
  zone: string
}

/** How to read a value of each kind: null = invalid; `otherwise` is the message for it. */
const KINDS: Readonly<
  Record<Exclude<JobFieldKind, 'text'>, { read(text: string, at: Clock): string | null; otherwise: string }>
> = {
  status: {
    read: (text) => JOB_STATUSES.find((one) => one.toLowerCase() === text.toLowerCase()) ?? null,
    otherwise: `is none of ${JOB_STATUSES.join(', ')}`,
  },
  date: { read: (text, at) => dateValue(text, at, 'date'), otherwise: 'is not a date' },
  moment: { read: (text, at) => dateValue(text, at, 'moment'), otherwise: 'is not a date' },
  flag: { read: (text) => FLAGS.get(readFlag(text)) ?? null, otherwise: 'is neither yes nor no' },
  uuid: { read: idValue, otherwise: 'is not an id' },
  queue: { read: idValue, otherwise: 'is not an id' },
  category: { read: idValue, otherwise: 'is not an id' },
  // Names and ids: only ServiceM8 knows the account's badges (job-change.server.ts).
  badges: { read: (text) => text, otherwise: '' },
}

const FLAGS: ReadonlyMap<boolean | null, string> = new Map([
  [true, '1'],
  [false, '0'],
])

function idValue(text: string): string | null {
  return isUuid(text) ? text.toLowerCase() : null
}

/** The value in the platform's form; '' empties the field. `TODAY`, `TODAY+7` are dates of the account. */
export function jobFieldValue(name: string, given: string, at: Clock): JobFieldValue {
  const field = ownValue(FIELDS, name)
  if (!field) return { outcome: 'refused', sentence: `An automation cannot set the field "${name}" of a job.` }
  const { kind, label, most = Number.POSITIVE_INFINITY } = field
  const no = (why: string): JobFieldValue => ({ outcome: 'refused', sentence: `${label} was not set: ${why}` })
  const text = given.trim()
  if (text === '' && kind !== 'status') return { outcome: 'ok', value: '' }
  if (kind === 'text') {
    return given.length > most
      ? no(`ServiceM8 takes at most ${most} characters there, and this has ${given.length}.`)
      : { outcome: 'ok', value: given }
  }
  const value = KINDS[kind].read(text, at)
  return value === null ? no(`"${text.slice(0, 60)}" ${KINDS[kind].otherwise}.`) : { outcome: 'ok', value }
}

/** `2026-01-05` or `2026-01-05 09:30:00`; null when the text is not a date. */
export function dateValue(text: string, at: Clock, kind: 'date' | 'moment'): string | null {
  const offset = readToday(text)
  if (offset !== null) {
    const day = todayOf(at) + offset
    return kind === 'date' ? isoDate(day) : localStamp(wallOfDay(day))
  }
  const reading = readLocal(text.trim(), at.zone)
  if (!reading) return null
  const stamp = localStamp(reading.wall)
  return kind === 'date' ? stamp.slice(0, 10) : stamp
}
