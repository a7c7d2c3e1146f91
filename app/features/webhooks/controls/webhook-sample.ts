// A test event that looks like the platform's own: same shape, field names of the object, nothing of anybody's data.

import { findObjectKind, normalizeObjectType } from '#app/domain/object-catalog.ts'
import type { Millis } from '#app/lib/clock.ts'

export interface SampleEvent {
  object: string
  objectUuid: string
  changedFields: string[]
  /** The JSON text that is sent. */
  body: string
}

/** No record has it: a receiver that reads the record gets "not found", and whoever sees it in a log knows why. */
export const SAMPLE_UUID = '00000000-0000-4000-8000-000000007e57'

/** What changes most often, per object: the sample then resembles what will come. */
const TELLING: Record<string, readonly string[]> = {
  job: ['status', 'work_order_date'],
  company: ['name', 'billing_address'],
  jobmaterial: ['quantity', 'price'],
  jobcontact: ['mobile', 'email'],
  jobactivity: ['start_date', 'end_date', 'staff_uuid'],
  jobpayment: ['amount', 'method'],
  note: ['note'],
  task: ['task_complete', 'completed_timestamp'],
  material: ['price', 'quantity_in_stock'],
  attachment: ['attachment_name', 'file_type'],
  formresponse: ['field_data'],
}

/** `fields` = those the webhook watches; empty = all. `timezone` = the account's: the platform writes local times. */
export function sampleEvent(objectType: string, fields: readonly string[], now: Millis, timezone: string): SampleEvent {
  const object = normalizeObjectType(objectType)
  const telling = TELLING[object] ?? findObjectKind(object)?.watchFields.slice(0, 2) ?? ['active']
  const watched = telling.filter((field) => fields.includes(field))
  const changedFields = fields.length === 0 ? [...telling] : watched.length > 0 ? watched : fields.slice(0, 2)
  const body = JSON.stringify({
    object,
    entry: [{ uuid: SAMPLE_UUID, changed_fields: changedFields, time: localTime(now, timezone) }],
    resource_url: `https://api.servicem8.com/api_1.0/${object}/${SAMPLE_UUID}.json`,
  })
  return { object, objectUuid: SAMPLE_UUID, changedFields, body }
}

/** `2026-11-21 09:14:32`, as the platform writes moments: local to the account, without a zone. */
export function localTime(at: Millis, timezone: string): string {
  const options: Intl.DateTimeFormatOptions = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }
  const part = new Map(partsIn(timezone, options, at).map(({ type, value }) => [type, value]))
  const get = (type: Intl.DateTimeFormatPartTypes) => part.get(type) ?? ''
  return `${get('year')}-${get('month')}-${get('day')} ${get('hour')}:${get('minute')}:${get('second')}`
}

function partsIn(timezone: string, options: Intl.DateTimeFormatOptions, at: Millis): Intl.DateTimeFormatPart[] {
  try {
    return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: timezone }).formatToParts(at)
  } catch {
    return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).formatToParts(at)
  }
}
