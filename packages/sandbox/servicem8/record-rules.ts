// What the platform writes by itself when a record changes, and the few combinations it refuses.
import type { Millis } from '#app/lib/clock.ts'
import { geoOf } from './geo.ts'
import { localDate, localText, UNSET_TIME } from './local-time.ts'
import type { Values } from './record-values.ts'

export interface Moment {
  at: Millis
  /** The account's zone. */
  zone: string
  /** Who acts. */
  staffUuid: string
  /** `default_timeframe` of a queue, in days. */
  queueDays(queueUuid: string): number
}

const STAMP_OF_STATUS: Record<string, string> = {
  Quote: 'quote_date',
  'Work Order': 'work_order_date',
  Completed: 'completion_date',
  Unsuccessful: 'unsuccessful_date',
}
const STAMPED_FLAGS = ['quote_sent', 'invoice_sent', 'payment_processed', 'payment_received']

/** Values the platform adds to `patch`. `before` is null on create. What the caller set itself is left alone. */
export function stampsFor(objectKey: string, before: Values | null, patch: Values, moment: Moment): Values {
  const now = localText(moment.at, moment.zone)
  const stamps: Values = {}
  const fill = (name: string, value: unknown) => {
    if (isUnset(patch[name])) stamps[name] = value
  }
  const creating = before === null
  switch (objectKey) {
    case 'job':
      return jobStamps(before, patch, moment)
    case 'task':
      if (creating) {
        fill('create_date', now)
        fill('created_by_staff_uuid', moment.staffUuid)
      }
      if (turnedOn('task_complete', before, patch)) {
        fill('completed_timestamp', now)
        fill('completed_by_staff_uuid', moment.staffUuid)
      } else if (turnedOff('task_complete', before, patch)) {
        stamps.completed_timestamp = UNSET_TIME
        stamps.completed_by_staff_uuid = ''
      }
      return stamps
    case 'note':
      if (creating) fill('create_date', now)
      stamps.edit_by_staff_uuid = moment.staffUuid
      return stamps
    case 'jobactivity':
      stamps.edit_by_staff_uuid = moment.staffUuid
      return stamps
    case 'attachment':
      if (creating) {
        fill('timestamp', now)
        fill('created_by_staff_uuid', moment.staffUuid)
      }
      return stamps
    case 'jobpayment':
      if (creating) {
        fill('timestamp', now)
        fill('actioned_by_uuid', moment.staffUuid)
      }
      return stamps
    case 'joballocation':
      if (creating) {
        fill('allocated_timestamp', now)
        fill('allocated_by_staff_uuid', moment.staffUuid)
      }
      return stamps
    case 'staffmessage':
      if (creating) stamps.sent_timestamp = now
      return stamps
    case 'feedback':
      if (creating) fill('timestamp', now)
      return stamps
    case 'formresponse':
      // The one time that is documented as UTC.
      if (creating) {
        fill('timestamp', localText(moment.at, 'UTC'))
        fill('form_by_staff_uuid', moment.staffUuid)
      }
      return stamps
    case 'inboxmessage':
      if (creating) fill('timestamp', new Date(moment.at).toISOString())
      return stamps
    default:
      return stamps
  }
}

function jobStamps(before: Values | null, patch: Values, moment: Moment): Values {
  const now = localText(moment.at, moment.zone)
  const stamps: Values = {}
  if (before === null) {
    if (isUnset(patch.date)) stamps.date = now.slice(0, 10)
    if (isUnset(patch.created_by_staff_uuid)) stamps.created_by_staff_uuid = moment.staffUuid
  }
  const status = patch.status
  if (typeof status === 'string' && status !== before?.status) {
    const stamp = STAMP_OF_STATUS[status]
    if (stamp && isUnset(patch[stamp])) stamps[stamp] = now
    if (status === 'Completed') stamps.completion_actioned_by_uuid = moment.staffUuid
  }
  for (const flag of STAMPED_FLAGS) {
    if (turnedOn(flag, before, patch)) stamps[`${flag}_stamp`] = now
    else if (turnedOff(flag, before, patch)) stamps[`${flag}_stamp`] = UNSET_TIME
  }
  const queue = patch.queue_uuid
  if (typeof queue === 'string' && queue !== (before?.queue_uuid ?? '')) {
    if (queue === '') {
      stamps.queue_expiry_date = UNSET_TIME
      stamps.queue_assigned_staff_uuid = ''
    } else {
      if (isUnset(patch.queue_expiry_date)) {
        stamps.queue_expiry_date = `${localDate(moment.at, moment.zone, moment.queueDays(queue))} ${now.slice(11)}`
      }
      if (isUnset(patch.queue_assigned_staff_uuid)) stamps.queue_assigned_staff_uuid = ''
    }
  }
  if (typeof patch.job_address === 'string' && patch.job_address !== before?.job_address) {
    Object.assign(stamps, geoOf(patch.job_address))
  }
  return stamps
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === '' || value === UNSET_TIME
}

function turnedOn(flag: string, before: Values | null, patch: Values): boolean {
  return patch[flag] !== undefined && Number(patch[flag]) === 1 && Number(before?.[flag] ?? 0) === 0
}

function turnedOff(flag: string, before: Values | null, patch: Values): boolean {
  return patch[flag] !== undefined && Number(patch[flag]) === 0 && Number(before?.[flag] ?? 0) === 1
}

/** What the rest of the account has to say about a change. */
interface Surroundings {
  /** Is this number used by another material or bundle? */
  itemNumberTaken(itemNumber: string): boolean
  staffExists(uuid: string): boolean
  materialExists(uuid: string): boolean
}

/** Why the platform refuses the record as it would become, or null. */
export function refusalOf(
  objectKey: string,
  before: Values | null,
  after: Values,
  surroundings: Surroundings,
): string | null {
  const itemNumber = String(after.item_number ?? '')
  switch (objectKey) {
    case 'jobactivity':
      return Number(after.activity_was_scheduled) === 1 && Number(after.activity_was_recorded) === 1
        ? 'An activity is either scheduled or recorded, not both'
        : null
    case 'jobcontact':
      return before && before.job_uuid !== '' && before.job_uuid !== after.job_uuid
        ? 'job_uuid cannot be changed'
        : null
    case 'jobmaterialbundle':
      return Number(after.quantity) > 0 ? null : 'quantity must be greater than 0'
    case 'material':
    case 'materialbundle': {
      if (itemNumber !== '' && itemNumber !== before?.item_number && surroundings.itemNumberTaken(itemNumber)) {
        return `item_number "${itemNumber}" is already in use`
      }
      return objectKey === 'materialbundle' ? materialListRefusal(after.material_list, surroundings) : null
    }
    case 'staffmessage':
      if (!surroundings.staffExists(String(after.from_staff_uuid))) return 'from_staff_uuid is not a staff member'
      if (!surroundings.staffExists(String(after.to_staff_uuid))) return 'to_staff_uuid is not a staff member'
      return String(after.message) === '' ? 'message is required' : null
    default:
      return null
  }
}

/** What a bundle is made of: up to 50 of `{uuid, quantity}`, each a material with a positive number. Empty: not said yet. */
function materialListRefusal(list: unknown, { materialExists }: Surroundings): string | null {
  if (!Array.isArray(list)) return null
  if (list.length > 50) return 'material_list must hold 1 to 50 items'
  for (const item of list as unknown[]) {
    const { uuid, quantity } = typeof item === 'object' && item !== null ? (item as Values) : {}
    if (typeof uuid !== 'string' || !materialExists(uuid.toLowerCase()))
      return 'material_list names an unknown material'
    if (typeof quantity !== 'number' || !(quantity > 0))
      return 'material_list: every quantity must be a positive number'
  }
  return null
}
