// What the name of a placeholder refers to. The specification's names, the friendly ones and those of the platform's
// own message templates all give the same values.
import { readToday } from '#app/domain/time/local-time.ts'
import { ownValue } from '#app/lib/json.ts'
import type { FactPart } from '../../records/facts.ts'
import { type Field, fieldsOf, partsFor } from '../../records/fields.ts'
import { CALENDAR_NAMES, DIGEST_NAMES, partsForDigest } from '../digest.ts'
import { placeholdersIn } from './placeholder-syntax.ts'

export type Meaning =
  /** A field of the Nth record of the run, from 0. `dressed`: dates and amounts are formatted even without a format. */
  | { kind: 'field'; entry: number; field: string; dressed: boolean; oneLine?: boolean }
  /** A result of an earlier step, by its position from 1 or by its id. */
  | { kind: 'result'; step: { position: number } | { id: string }; field: string }
  /** A digest of all records: `count`, `job_list`. In lower case. */
  | { kind: 'digest'; name: string }
  | { kind: 'calendar'; name: string }
  | { kind: 'today'; days: number; dressed: boolean }
  /** A value of the trigger: `description`, `object`, `company_uuid`, `job_uuid`, `date`, `reply`. */
  | { kind: 'trigger'; name: TriggerName }
  | { kind: 'account'; field: 'name' | 'email' }
  /** The staff member's signature, in the text of an e-mail. */
  | { kind: 'signature' }
  /** A marker for a file in the platform's templates: replaced with nothing. */
  | { kind: 'marker' }

export const TRIGGER_NAMES = ['description', 'object', 'company_uuid', 'job_uuid', 'date', 'reply'] as const

type TriggerName = (typeof TRIGGER_NAMES)[number]

/** Other names of fields, used if the record has no field of that name itself. */
const FIELD_ALIASES: ReadonlyMap<string, string> = new Map([
  ['first_name', 'contact_first_name'],
  ['last_name', 'contact_last_name'],
  ['mobile', 'contact_mobile'],
  ['phone', 'contact_phone'],
  ['email', 'contact_email'],
  ['contact_first', 'contact_first_name'],
  ['contact_last', 'contact_last_name'],
  ['phone_1', 'contact_phone'],
  ['job_number', 'generated_job_id'],
  ['number', 'generated_job_id'],
  ['job_id', 'generated_job_id'],
  ['address', 'job_address'],
  ['job_address_singleline', 'job_address'],
  ['description', 'job_description'],
  ['customer', 'company_name'],
  ['customer_name', 'company_name'],
  ['client', 'company_name'],
  ['client_name', 'company_name'],
  ['company', 'company_name'],
  ['site_name', 'company_name'],
  ['total', 'total_invoice_amount'],
  ['staff', 'staff_name'],
  ['staff_member', 'staff_name'],
  ['category', 'category_name'],
  ['instantpost_billing_address', 'billing_address'],
])

/** Shown as a name although the record holds the id. */
const SHOWN_BY_NAME: ReadonlyMap<string, string> = new Map([['queue', 'queue_name']])

/** `customer.first_name`: the prefixes and their names; `*` = any field of the record. */
const PREFIXES: Readonly<Record<string, Readonly<Record<string, string>> | '*'>> = {
  job: '*',
  booking: '*',
  record: '*',
  customer: {
    name: 'company_name',
    first_name: 'contact_first_name',
    last_name: 'contact_last_name',
    phone: 'contact_phone',
    mobile: 'contact_mobile',
    email: 'contact_email',
    address: 'company_address',
  },
  contact: {
    first: 'contact_first_name',
    last: 'contact_last_name',
    first_name: 'contact_first_name',
    last_name: 'contact_last_name',
    phone: 'contact_phone',
    mobile: 'contact_mobile',
    email: 'contact_email',
  },
  company: {
    name: 'company_name',
    address: 'company_address',
    phone: 'company_phone',
    mobile: 'company_mobile',
    email: 'company_email',
    uuid: 'company_uuid',
  },
  staff: { name: 'staff_name', email: 'staff_email', mobile: 'staff_mobile', uuid: 'staff_uuid' },
  queue: { name: 'queue_name', uuid: 'queue_uuid' },
  category: { name: 'category_name', uuid: 'category_uuid' },
}

/** As the form offers it, as people shorten it, and as the platform's own templates write it. */
const SIGNATURES: ReadonlySet<string> = new Set(['staff_signature', 'signature', 'platform-user-signature'])

export const ACCOUNT: ReadonlyMap<string, 'name' | 'email'> = new Map([
  ['business_name', 'name'],
  ['business.name', 'name'],
  ['business.email', 'email'],
  ['account.name', 'name'],
  ['account.email', 'email'],
  ['vendor.name', 'name'],
  ['vendor.email', 'email'],
])

const DIGEST: ReadonlySet<string> = new Set(DIGEST_NAMES.map((name) => name.toLowerCase()))
const CALENDAR: ReadonlySet<string> = new Set(CALENDAR_NAMES)

/** The object of the record: its own field names win over other meanings. */
export interface NameContext {
  object: string
  /** Does a record have this name though the catalogue does not (a custom field)? Missing: no record is read yet. */
  hasOwn?(entry: number, name: string): boolean
}

/** Null = there is no such name. Ignores case, and reads spaces as underscores. */
export function meaningOf(written: string, context: NameContext): Meaning | null {
  const name = written.trim().toLowerCase().replace(/\s+/g, ' ')
  const days = readToday(name)
  if (days !== null) return { kind: 'today', days, dressed: false }
  if (name.startsWith('calculation.todays_date')) return { kind: 'today', days: 0, dressed: true }
  if (name === 'document') return { kind: 'marker' }
  if (SIGNATURES.has(joined(name))) return { kind: 'signature' }
  const account = ACCOUNT.get(joined(name))
  if (account) return { kind: 'account', field: account }
  if (isDigest(name)) return { kind: 'digest', name }
  if (CALENDAR.has(joined(name))) return { kind: 'calendar', name: joined(name) }
  const meaning = resultMeaning(name) ?? fieldMeaning(joined(name), context)
  return meaning?.kind === 'field' && name.endsWith('job_address_singleline') ? { ...meaning, oneLine: true } : meaning
}

/**
 * How a person writes a field of the first record: `first name` for `entry.0.contact_first_name`. The same name where no
 * shorter one means the same on records of this object.
 */
export function friendlyName(name: string, object: string): string {
  const field = /^entry\.0\.(\w+)$/.exec(name)?.[1]
  if (field === undefined) return name
  const [alias = field] = [...FIELD_ALIASES].find(([, of]) => of === field) ?? []
  const meansIt = (written: string) => {
    const meaning = meaningOf(written, { object })
    return meaning?.kind === 'field' && meaning.entry === 0 && meaning.field === field
  }
  return [alias, field].map((one) => one.replaceAll('_', ' ')).find(meansIt) ?? name
}

function joined(name: string): string {
  return name.replaceAll(' ', '_')
}

function isDigest(name: string): boolean {
  if (DIGEST.has(name) || DIGEST.has(joined(name))) return true
  // An account may have any status.
  return /^(?:count|sum_total)\.[^.]+$/.test(name)
}

function resultMeaning(name: string): Meaning | null {
  const byPosition = /^action_(\d{1,3})_result(?:\.(\w+))?$/.exec(joined(name))
  if (byPosition) return { kind: 'result', step: { position: Number(byPosition[1]) }, field: byPosition[2] ?? '' }
  const byId = /^step\.(\w+)(?:\.(\w+))?$/.exec(joined(name))
  return byId ? { kind: 'result', step: { id: byId[1] ?? '' }, field: byId[2] ?? '' } : null
}

function fieldMeaning(name: string, context: NameContext): Meaning | null {
  const indexed = /^entry(?:\.(\d{1,4})|\[(\d{1,4})\])\.(\w+)$/.exec(name)
  if (indexed) {
    const entry = Number(indexed[1] ?? indexed[2])
    return ofField(fieldNamed(indexed[3] ?? '', entry, context), entry)
  }
  const trigger = TRIGGER_NAMES.find((one) => one === name)
  if (trigger) return { kind: 'trigger', name: trigger }
  const [prefix = '', rest, ...more] = name.split('.')
  if (rest === undefined) return ofField(fieldNamed(name, 0, context))
  const names = ownValue(PREFIXES, prefix)
  if (names === undefined || more.length > 0) return null
  const field = names === '*' ? fieldNamed(rest, 0, context) : ownValue(names, rest)
  // The platform's own templates format dates and amounts.
  return ofField(field, 0, prefix === 'job')
}

function ofField(field: string | null | undefined, entry = 0, dressed = false): Meaning | null {
  return field ? { kind: 'field', entry, field, dressed } : null
}

function fieldNamed(name: string, entry: number, context: NameContext): string | null {
  const shown = SHOWN_BY_NAME.get(name)
  if (shown) return shown
  const fields = namesOf(context.object)
  const known = fields.get(name)
  // The record's own field wins: a customer's "address" is not its job's.
  if (known?.own) return name
  const alias = FIELD_ALIASES.get(name)
  if (alias !== undefined && fields.has(alias)) return alias
  return known || context.hasOwn?.(entry, name) ? name : null
}

/** The fields of an object; for an unknown object, those of a job. */
export function namesOf(object: string): ReadonlyMap<string, Field> {
  const fields = fieldsOf(object)
  return fields.size > 0 ? fields : fieldsOf('job')
}

/** The results of earlier steps that a text reads. */
export function resultsIn(text: string): Extract<Meaning, { kind: 'result' }>[] {
  const meanings = placeholdersIn(text).map(({ name }) => meaningOf(name, { object: 'job' }))
  return meanings.filter((meaning) => meaning?.kind === 'result')
}

/** The parts to load so that the placeholders of these texts have values on records of the object. */
export function partsForTexts(texts: Iterable<string>, object: string): FactPart[] {
  const placeholders = [...texts].flatMap((text) => placeholdersIn(text))
  return [...new Set(placeholders.flatMap(({ name }) => partsForName(name, object)))].sort()
}

function partsForName(name: string, object: string): FactPart[] {
  const meaning = meaningOf(name, { object })
  switch (meaning?.kind) {
    case 'field':
      return partsFor([meaning.field], object)
    case 'digest':
      return partsForDigest(meaning.name, object)
    case 'trigger':
      return partsFor([meaning.name === 'description' ? 'job_description' : meaning.name], object)
    default:
      return []
  }
}
