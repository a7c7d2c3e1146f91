// Turns the platform's records into facts: values as text, relations to jobs and customers, the contact to use.
import { asText } from './changes.ts'
import { isBlank, readFlag } from './field-value.ts'

export type Values = Readonly<Record<string, string>>

/** The platform's field names. Anything else (`__proto__`, names with spaces) is left out. */
const NAME = /^[a-z][a-z0-9_]{0,99}$/i

/** The record's own fields as text; times that were never set are empty. */
export function valuesOf(record: Readonly<Record<string, unknown>>): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(record)) {
    if (NAME.test(name) && name !== 'constructor') values[name] = asText(value).trim()
  }
  return values
}

/** False when deleted at the platform (`active` 0); an object without the flag cannot be deleted. */
export function isActive(values: Values): boolean {
  const { active } = values
  return active === undefined || active === '' || readFlag(active) !== false
}

/** The record's job: its own uuid, `job_uuid`, or the record it is related to (facts: 5.7). */
export function jobUuidOf(object: string, values: Values): string | null {
  if (object === 'job') return values.uuid || null
  if (values.job_uuid) return values.job_uuid
  return relatedTo('job', values)
}

/** The record's customer: itself, or the one it names; not its job's customer. */
export function companyUuidOf(object: string, values: Values): string | null {
  if (object === 'company') return values.uuid || null
  if (values.company_uuid) return values.company_uuid
  return relatedTo('company', values)
}

function relatedTo(object: string, values: Values): string | null {
  const kind = (values.related_object || values.regarding_object || '').toLowerCase()
  const uuid = values.related_object_uuid || values.regarding_object_uuid || ''
  return kind === object && uuid !== '' ? uuid : null
}

/** The job's contact: the one of type JOB, else one that is not for billing, else any. Null = none. */
export function contactOf(rows: readonly Values[]): Values | null {
  return firstOf(rows, [(row) => typeOf(row) === 'job', (row) => typeOf(row) !== 'billing', () => true])
}

/** The customer's main contact: marked as primary, else of type JOB, else any. */
export function mainContactOf(rows: readonly Values[]): Values | null {
  return firstOf(rows, [
    (row) => readFlag(row.is_primary_contact ?? '') === true,
    (row) => typeOf(row) === 'job',
    () => true,
  ])
}

function typeOf(row: Values): string {
  return (row.type ?? '').toLowerCase()
}

function firstOf(rows: readonly Values[], requests: readonly ((row: Values) => boolean)[]): Values | null {
  const there = rows.filter(isActive)
  for (const request of requests) {
    const found = there.find(request)
    if (found) return found
  }
  return null
}

/** The staff member of the latest booking; recorded activities do not count. '' = none. */
export function bookedStaffOf(rows: readonly Values[]): string {
  const bookings = rows.filter(
    (row) => isActive(row) && readFlag(row.activity_was_scheduled ?? '') === true && (row.staff_uuid ?? '') !== '',
  )
  const latest = bookings.reduce<Values | null>(
    (last, row) => (last === null || (row.start_date ?? '') > (last.start_date ?? '') ? row : last),
    null,
  )
  return latest?.staff_uuid ?? ''
}

/** Joined names of a person, under `contact_` or `company_`. Null = no person: the values are known to be empty. */
export function personValues(prefix: 'contact' | 'company', person: Values | null): Record<string, string> {
  return {
    [`${prefix}_first_name`]: person?.first ?? '',
    [`${prefix}_last_name`]: person?.last ?? '',
    [`${prefix}_phone`]: person?.phone ?? '',
    [`${prefix}_mobile`]: person?.mobile ?? '',
    [`${prefix}_email`]: person?.email ?? '',
  }
}

export function companyValues(company: Values | null): Record<string, string> {
  return {
    company_name: company?.name ?? '',
    company_address: company?.address ?? '',
    company_payment_terms: company?.payment_terms ?? '',
  }
}

export function staffValues(uuid: string, staff: Values | null): Record<string, string> {
  return {
    assigned_staff: uuid,
    staff_name: `${staff?.first ?? ''} ${staff?.last ?? ''}`.trim(),
    staff_email: staff?.email ?? '',
    staff_mobile: staff?.mobile ?? '',
  }
}

export function queueValues(queue: Values | null): Record<string, string> {
  return { queue_name: queue?.name ?? '', queue_default_timeframe: queue?.default_timeframe ?? '' }
}

export function categoryValues(category: Values | null): Record<string, string> {
  return { category_name: category?.name ?? '' }
}

/** A uuid to look up; null for blank and unset ones. */
export function keyOf(uuid: string | null | undefined): string | null {
  return uuid && !isBlank(uuid) ? uuid : null
}
