// Builds a test event that looks like the platform's own: same shape, real field names of the object, no user's data.
import { SAMPLE_UUID } from '#app/domain/deliveries/delivery.ts'
import { findObjectKind, normalizeObjectType } from '#app/domain/object-catalog.ts'
import { localStamp } from '#app/domain/time/local-time.ts'
import type { Millis } from '#app/lib/clock.ts'
import { wallAt } from '#app/lib/zone.ts'

export interface SampleEvent {
  object: string
  objectUuid: string
  changedFields: string[]
  /** The JSON text of the request body. */
  body: string
}

/** The fields that change most often, per object, so that the sample resembles real events. */
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

/** `fields` = the watched fields; empty for all. `timezone` = the account's: the platform writes local times. */
export function sampleEvent(objectType: string, fields: readonly string[], now: Millis, timezone: string): SampleEvent {
  const object = normalizeObjectType(objectType)
  const telling = TELLING[object] ?? findObjectKind(object)?.watchFields.slice(0, 2) ?? ['active']
  const watched = telling.filter((field) => fields.includes(field))
  const changedFields = fields.length === 0 ? [...telling] : watched.length > 0 ? watched : fields.slice(0, 2)
  const body = JSON.stringify({
    object,
    entry: [{ uuid: SAMPLE_UUID, changed_fields: changedFields, time: localStamp(wallAt(now, timezone)) }],
    resource_url: `https://api.servicem8.com/api_1.0/${object}/${SAMPLE_UUID}.json`,
  })
  return { object, objectUuid: SAMPLE_UUID, changedFields, body }
}
