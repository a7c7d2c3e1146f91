// The catalogue of fields that conditions and placeholders can use, per object, with type, label and the part of the
// record to load. The names are data in field-tables.ts; this file reads them.
import { ownValue } from '#app/lib/json.ts'
import type { FactPart, JudgedAt, RecordFacts } from './facts.ts'
import { AGE_FIELDS, ageOf } from './field-ages.ts'
import { type FieldType, JOINED, JOINED_ALIASES, OBJECTS, type ObjectTable } from './field-tables.ts'

export interface Field {
  name: string
  label: string
  type: FieldType
  /** The part to load for it; null = it comes with the record. */
  part: FactPart | null
  /** The field to read when the record has no value under this name. */
  source: string | null
  /** The field name on the record itself, as the platform filters and reports it; null = joined or computed. */
  own: string | null
  /** Why it never has a value; null = it can have one. */
  never: string | null
}

/** The specification's list, in its order. */
export const CONDITION_FIELDS = [
  'status',
  'queue_uuid',
  'generated_job_id',
  'job_description',
  'company_uuid',
  'created_date',
  'updated_date',
  'priority',
  'job_address',
  'contact_first_name',
  'contact_last_name',
  'contact_phone',
  'total_cost',
  'assigned_staff',
] as const

/** More fields of the job and its contact, offered after CONDITION_FIELDS. */
export const EXTRA_JOB_FIELDS = [
  'quote_sent',
  'quote_date',
  'invoice_sent',
  'payment_received',
  'completion_date',
  'work_order_date',
  'category_uuid',
  'badges',
  'total_invoice_amount',
  'queue_expiry_date',
  'contact_mobile',
  'contact_email',
  'company_name',
  'purchase_order_number',
] as const

/** Ages, in whole calendar days of the account. */
export const AGE_FIELD_NAMES = [
  'days_since_quote',
  'days_since_completion',
  'days_since_change',
  'days_in_queue',
  'days_overdue',
  'days_until_booking',
] as const

/** The form's explanation beside `priority`; the catalogue returns it as `never`. */
export const PRIORITY_NEVER =
  'ServiceM8 jobs have no priority, so a condition on it never matches. Use a badge, a category or words in the description instead.'

const PRIORITY = { name: 'priority', label: 'Priority', type: 'choice' } as const

const CATALOGUES = new Map<string, ReadonlyMap<string, Field>>(
  Object.keys(OBJECTS).map((object) => [object, buildCatalogue(object)]),
)
const UNKNOWN_OBJECT: ReadonlyMap<string, Field> = new Map()

function buildCatalogue(object: string): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>()
  const table = OBJECTS[object]
  if (!table) return fields
  // The first field keeps the name: a record's own fields win over those of its job.
  const add = (field: Field) => {
    if (!fields.has(field.name)) fields.set(field.name, field)
  }
  for (const row of table.own) add({ ...row, part: null, source: null, own: row.name, never: null })
  for (const row of table.aliases) add({ ...row, part: null, own: row.source, never: null })
  for (const part of table.joins) {
    for (const row of JOINED[part]) add({ ...row, part, source: null, own: null, never: null })
  }
  if (table.belongsToJob) addJob(add)
  for (const row of JOINED_ALIASES) {
    const meant = fields.get(row.source)
    if (meant) add({ ...row, part: meant.part, own: meant.own, never: null })
  }
  if (object === 'company') addMainContact(add)
  addAges(object, table, fields, add)
  if (table.belongsToJob || object === 'job') {
    add({ ...PRIORITY, part: null, source: null, own: null, never: PRIORITY_NEVER })
  }
  return fields
}

function addJob(add: (field: Field) => void): void {
  const job = OBJECTS.job
  for (const row of job?.own ?? []) add({ ...row, part: 'job', source: null, own: null, never: null })
  for (const row of job?.aliases ?? []) add({ ...row, part: 'job', own: null, never: null })
}

/** A customer has no job to take a contact from, so its main contact has the same names. */
function addMainContact(add: (field: Field) => void): void {
  for (const row of JOINED.contact) {
    add({ ...row, part: 'company_contact', source: row.name.replace('contact_', 'company_'), own: null, never: null })
  }
}

function addAges(
  object: string,
  table: ObjectTable,
  fields: ReadonlyMap<string, Field>,
  add: (field: Field) => void,
): void {
  for (const { name, label, part, objects, base } of AGE_FIELDS) {
    const here = objects === 'all' || objects.includes(object) || (table.belongsToJob && objects.includes('job'))
    const counted = fields.get(base)
    if (here && counted)
      add({ name, label, type: 'age', part: part ?? counted.part, source: null, own: null, never: null })
  }
}

/** All fields an object's rules can use, by name; empty for an unknown object. */
export function fieldsOf(object: string): ReadonlyMap<string, Field> {
  return CATALOGUES.get(object) ?? UNKNOWN_OBJECT
}

/** Null when the catalogue has no such name (it may still be a custom field of the account). */
export function findField(object: string, name: string): Field | null {
  return fieldsOf(object).get(name) ?? null
}

export const KNOWN_OBJECTS: readonly string[] = Object.keys(OBJECTS)

/** Of objects without a table. */
const NOUNS: Readonly<Record<string, string>> = { companycontact: 'contact', staff: 'staff member' }

/** `job`, `booking`; for an unknown object its own name, or `record` where it is counted. */
export function objectNoun(object: string, otherwise = object): string {
  return OBJECTS[object]?.noun ?? ownValue(NOUNS, object) ?? otherwise
}

/** Does a record of this object belong to a job (and through it to a customer)? */
export function belongsToJob(object: string): boolean {
  return OBJECTS[object]?.belongsToJob ?? false
}

/** `Job number`; a name outside the catalogue becomes words: `site_code` → `Site code`. */
export function fieldLabel(object: string, name: string): string {
  const known = findField(object, name)?.label ?? findField('job', name)?.label
  if (known) return known
  const words = name.replace(/[_.]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The fields a condition can name for this object, in the order they are offered: the specification's first. */
export function conditionFields(object: string): Field[] {
  const fields = fieldsOf(object)
  const first = [...CONDITION_FIELDS, ...EXTRA_JOB_FIELDS, ...AGE_FIELD_NAMES].flatMap((name) => fields.get(name) ?? [])
  const rest = [...fields.values()].filter((field) => !first.includes(field) && !UNASKED.has(field.name))
  if (object === 'job') return [...first, ...rest]
  return [...rest.filter((field) => field.own), ...first, ...rest.filter((field) => !field.own)]
}

/** The same for the form, each label once: another name for a field only where the rule has `used` it. */
export function offeredFields(object: string, used: readonly string[] = []): Field[] {
  const fields = conditionFields(object)
  return fields.filter(
    (field) => used.includes(field.name) || fields.find(({ label }) => label === field.label) === field,
  )
}

/** Known fields that are useless in a condition. */
const UNASKED = new Set(['uuid', 'lat', 'lng', 'queue_default_timeframe'])

/**
 * The value under a name: the record's own, its source field's, or computed for the moment (ages). Null = unknown: not
 * loaded, or no such field.
 */
export function readField(facts: RecordFacts, name: string, at: JudgedAt): string | null {
  const { values } = facts
  if (Object.hasOwn(values, name)) return values[name] ?? ''
  const field = findField(facts.object, name)
  if (field === null) return null
  if (field.type === 'age') return ageOf(name, values, at)
  if (field.source !== null) return readField(facts, field.source, at)
  return found(facts, name)
}

/** Facts of a record that are kept outside its values. */
function found(facts: RecordFacts, name: string): string | null {
  switch (name) {
    case 'assigned_staff':
      return facts.values.queue_assigned_staff_uuid || null
    case 'company_uuid':
      return facts.companyUuid
    case 'job_uuid':
      return facts.jobUuid
    case 'uuid':
      return facts.recordUuid
    case 'edit_date':
      return facts.editDate
    case 'active':
      return facts.active ? '1' : '0'
    default:
      return null
  }
}

/**
 * The parts to load so that these names have values on records of the object. Unknown names need nothing. Without an
 * object: the parts for all known objects, so perhaps more than needed.
 */
export function partsFor(names: Iterable<string>, object: string | null): FactPart[] {
  const parts = new Set<FactPart>()
  const list = [...names]
  for (const each of object === null ? KNOWN_OBJECTS : [object]) {
    const fields = fieldsOf(each)
    for (const name of list) {
      const part = fields.get(name)?.part
      if (!part) continue
      parts.add(part)
      // Its customer and all else is found through its job; a booking has `staff` of its own.
      const isOwn = part === 'contact' || (part === 'staff' && fields.get('staff_uuid')?.own)
      if (belongsToJob(each) && !isOwn) parts.add('job')
    }
  }
  return [...parts].sort()
}

/** The field that holds the name for an id: of a queue, a customer, a staff member. Null when there is none. */
export function nameOfId(name: string): string | null {
  return NAMES_OF_IDS.get(name) ?? null
}

/** Ids, which nobody can read: `job_uuid`, `badges`. */
export const holdsIds = (name: string) => name.endsWith('uuid') || NAMES_OF_IDS.has(name)

const NAMES_OF_IDS: ReadonlyMap<string, string> = new Map([
  ['queue_uuid', 'queue_name'],
  ['queue', 'queue_name'],
  ['company_uuid', 'company_name'],
  ['category_uuid', 'category_name'],
  ['assigned_staff', 'staff_name'],
  ['staff_uuid', 'staff_name'],
  ['badges', 'badge_names'],
])
