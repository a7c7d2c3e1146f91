// The values the platform sets itself when a record changes, and the few combinations it refuses.
import type { Millis } from '#app/lib/clock.ts'
import { geoOf } from './geo.ts'
import { localDate, localText, UNSET_TIME } from './local-time.ts'
import type { Values } from './record-values.ts'

export interface Moment {
  at: Millis
  /** The account's zone. */
  zone: string
  /** The acting staff member. */
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

interface Change {
  /** Null on create. */
  before: Values | null
  patch: Values
  moment: Moment
  /** `moment` in the account's local time. */
  now: string
}

/** Set once, when the record is created: by field, unless the caller set it. */
const STAMPS_OF_CREATE: Record<string, (change: Change) => Values> = {
  task: ({ moment, now }) => ({ create_date: now, created_by_staff_uuid: moment.staffUuid }),
  note: ({ now }) => ({ create_date: now }),
  attachment: ({ moment, now }) => ({ timestamp: now, created_by_staff_uuid: moment.staffUuid }),
  jobpayment: ({ moment, now }) => ({ timestamp: now, actioned_by_uuid: moment.staffUuid }),
  joballocation: ({ moment, now }) => ({ allocated_timestamp: now, allocated_by_staff_uuid: moment.staffUuid }),
  feedback: ({ now }) => ({ timestamp: now }),
  // The only time that is documented as UTC.
  formresponse: ({ moment }) => ({ timestamp: localText(moment.at, 'UTC'), form_by_staff_uuid: moment.staffUuid }),
  inboxmessage: ({ moment }) => ({ timestamp: new Date(moment.at).toISOString() }),
  job: ({ moment, now }) => ({ date: now.slice(0, 10), created_by_staff_uuid: moment.staffUuid }),
}

/** Fields the platform sets even when the caller sends a value. */
const OWN_STAMPS: Record<string, (change: Change) => Values> = {
  task: taskStamps,
  note: ({ moment }) => ({ edit_by_staff_uuid: moment.staffUuid }),
  jobactivity: ({ moment }) => ({ edit_by_staff_uuid: moment.staffUuid }),
  staffmessage: ({ before, now }): Values => (before === null ? { sent_timestamp: now } : {}),
  job: (change) => ({
    ...statusStamps(change),
    ...flagStamps(change),
    ...queueStamps(change),
    ...addressStamps(change),
  }),
}

/** Values the platform adds to `patch`. `before` is null on create. Never replaces a value the caller set. */
export function stampsFor(objectKey: string, before: Values | null, patch: Values, moment: Moment): Values {
  const change = { before, patch, moment, now: localText(moment.at, moment.zone) }
  const once = before === null ? (STAMPS_OF_CREATE[objectKey]?.(change) ?? {}) : {}
  return { ...unlessSet(patch, once), ...OWN_STAMPS[objectKey]?.(change) }
}

function unlessSet(patch: Values, stamps: Values): Values {
  return Object.fromEntries(Object.entries(stamps).filter(([name]) => isUnset(patch[name])))
}

function taskStamps({ before, patch, moment, now }: Change): Values {
  if (turnedOn('task_complete', before, patch)) {
    return unlessSet(patch, { completed_timestamp: now, completed_by_staff_uuid: moment.staffUuid })
  }
  return turnedOff('task_complete', before, patch)
    ? { completed_timestamp: UNSET_TIME, completed_by_staff_uuid: '' }
    : {}
}

function statusStamps({ before, patch, moment, now }: Change): Values {
  const { status } = patch
  if (typeof status !== 'string' || status === before?.status) return {}
  const stamp = STAMP_OF_STATUS[status]
  return {
    ...(stamp && unlessSet(patch, { [stamp]: now })),
    ...(status === 'Completed' && { completion_actioned_by_uuid: moment.staffUuid }),
  }
}

function flagStamps({ before, patch, now }: Change): Values {
  const stamps: Values = {}
  for (const flag of STAMPED_FLAGS) {
    if (turnedOn(flag, before, patch)) stamps[`${flag}_stamp`] = now
    else if (turnedOff(flag, before, patch)) stamps[`${flag}_stamp`] = UNSET_TIME
  }
  return stamps
}

function queueStamps({ before, patch, moment, now }: Change): Values {
  const queue = patch.queue_uuid
  if (typeof queue !== 'string' || queue === (before?.queue_uuid ?? '')) return {}
  if (queue === '') return { queue_expiry_date: UNSET_TIME, queue_assigned_staff_uuid: '' }
  const lastDay = localDate(moment.at, moment.zone, moment.queueDays(queue))
  return unlessSet(patch, { queue_expiry_date: `${lastDay} ${now.slice(11)}`, queue_assigned_staff_uuid: '' })
}

function addressStamps({ before, patch }: Change): Values {
  const address = patch.job_address
  return typeof address === 'string' && address !== before?.job_address ? { ...geoOf(address) } : {}
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

/** Checks of a change against the rest of the account. */
interface Surroundings {
  /** Whether another material or bundle uses this number. */
  itemNumberTaken(itemNumber: string): boolean
  staffExists(uuid: string): boolean
  materialExists(uuid: string): boolean
}

type Refuses = (before: Values | null, after: Values, surroundings: Surroundings) => string | null

const REFUSALS: Record<string, Refuses> = {
  jobactivity: (_before, after) =>
    Number(after.activity_was_scheduled) === 1 && Number(after.activity_was_recorded) === 1
      ? 'An activity is either scheduled or recorded, not both'
      : null,
  jobcontact: (before, after) =>
    before && before.job_uuid !== '' && before.job_uuid !== after.job_uuid ? 'job_uuid cannot be changed' : null,
  jobmaterialbundle: (_before, after) => (Number(after.quantity) > 0 ? null : 'quantity must be greater than 0'),
  material: itemNumberRefusal,
  materialbundle: (before, after, surroundings) =>
    itemNumberRefusal(before, after, surroundings) ?? materialListRefusal(after.material_list, surroundings),
  staffmessage(_before, after, { staffExists }) {
    if (!staffExists(String(after.from_staff_uuid))) return 'from_staff_uuid is not a staff member'
    if (!staffExists(String(after.to_staff_uuid))) return 'to_staff_uuid is not a staff member'
    return String(after.message) === '' ? 'message is required' : null
  },
}

/** Why the platform refuses the changed record, or null. */
export function refusalOf(
  objectKey: string,
  before: Values | null,
  after: Values,
  surroundings: Surroundings,
): string | null {
  return REFUSALS[objectKey]?.(before, after, surroundings) ?? null
}

function itemNumberRefusal(before: Values | null, after: Values, { itemNumberTaken }: Surroundings): string | null {
  const itemNumber = String(after.item_number ?? '')
  const isNew = itemNumber !== '' && itemNumber !== before?.item_number
  return isNew && itemNumberTaken(itemNumber) ? `item_number "${itemNumber}" is already in use` : null
}

/** The contents of a bundle: up to 50 of `{uuid, quantity}`, each a material with a positive number. Empty: not set. */
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
