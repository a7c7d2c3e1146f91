// The platform's pick-lists for the form: their names, their sources, and the field names of the answers.
import { plainText } from '#app/lib/plain-text.ts'

interface PickList {
  /** Its records at ServiceM8. */
  object: string
  /** Most records of an answer. Jobs are many, and only the newest are useful choices. */
  most: number
  /** How a business is organised: always few. Jobs, customers, stock and e-mail templates may be many. */
  isShort: boolean
  /** Fields of an answer, beside the uuid; null = all. */
  fields: readonly string[] | null
}

export const LISTS = {
  jobs: { object: 'job', most: 1_000, isShort: false, fields: null },
  queues: { object: 'queue', most: 1_000, isShort: true, fields: ['name'] },
  staff: { object: 'staff', most: 1_000, isShort: true, fields: ['first', 'last', 'email'] },
  companies: { object: 'company', most: 20_000, isShort: false, fields: ['name'] },
  'email-templates': { object: 'emailtemplate', most: 1_000, isShort: false, fields: ['name', 'subject', 'message'] },
  'sms-templates': { object: 'smstemplate', most: 1_000, isShort: true, fields: ['name', 'message'] },
  'document-templates': {
    object: 'documenttemplate',
    most: 1_000,
    isShort: true,
    fields: ['name', 'template_type', 'related_object'],
  },
  materials: { object: 'material', most: 20_000, isShort: false, fields: ['name', 'item_number'] },
  bundles: { object: 'materialbundle', most: 5_000, isShort: false, fields: ['name', 'item_number'] },
  categories: { object: 'category', most: 1_000, isShort: true, fields: ['name'] },
  badges: { object: 'badge', most: 1_000, isShort: true, fields: ['name'] },
} satisfies Record<string, PickList>
export type LookupName = keyof typeof LISTS
export const LOOKUPS = Object.keys(LISTS) as [LookupName, ...LookupName[]]

/** The ten names of the admin's API test (source: objects of the platform facts, "specApiNames"). */
export const API_NAMES = {
  jobs: 'job',
  companies: 'company',
  companycontacts: 'companycontact',
  staff: 'staff',
  queues: 'queue',
  categories: 'category',
  jobmaterials: 'jobmaterial',
  jobmaterialbundles: 'jobmaterialbundle',
  attachments: 'attachment',
  activities: 'jobactivity',
} as const
export type ApiName = keyof typeof API_NAMES

export function isLookup(name: string): name is LookupName {
  return Object.hasOwn(LISTS, name)
}

export function isApiName(name: string): name is ApiName {
  return Object.hasOwn(API_NAMES, name)
}

/** The documented client looks for this text when no one has signed in for the account. */
export const NOT_SIGNED_IN = 'This account has only placeholder credentials. Please sign in to ServiceM8 first.'

/** Characters. The form shows the start of a text, but puts a chosen template into a field. */
const DRAWN_TEXT = 300
const DRAWN_TEMPLATE = 20_000

/** Reduces a raw record to the fields that the API call or the form needs. */
export function keptOfRecord(
  name: LookupName,
  reader: 'call' | 'form',
  record: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const fields = LISTS[name].fields ?? (reader === 'form' ? ['generated_job_id', 'job_description', 'edit_date'] : null)
  if (fields === null) return record
  const kept: Record<string, unknown> = {}
  for (const field of ['uuid', 'active', ...fields]) {
    const value = record[field]
    if (value === undefined) continue
    const most = field === 'message' ? DRAWN_TEMPLATE : DRAWN_TEXT
    kept[field] = reader === 'form' && typeof value === 'string' && value.length > most ? ownText(value, most) : value
  }
  return kept
}

/** Copies the text: a slice would keep the whole original in memory. */
function ownText(text: string, most: number): string {
  return JSON.parse(JSON.stringify(text.slice(0, most))) as string
}

/** Estimates the memory use. */
export function bytesOf(rows: readonly object[]): number {
  let bytes = 0
  for (const row of rows) {
    for (const value of Object.values(row)) {
      const isNested = typeof value === 'object' && value !== null
      bytes += 16 + (typeof value === 'string' ? value.length : isNested ? JSON.stringify(value).length : 8)
    }
  }
  return bytes
}

type Raw = Readonly<Record<string, unknown>>

const text = (value: unknown) => (value === null || value === undefined ? '' : String(value))

const textsOf = <Name extends string>(record: Raw, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, text(record[name])])) as Record<Name, string>

/** Keeps records that are not deleted, with the specification's names. */
export function lookupRecords(name: LookupName, records: readonly Raw[]): Record<string, unknown>[] {
  const present = records.filter((record) => text(record.active) !== '0')
  switch (name) {
    case 'jobs':
      return [...present]
        .sort((a, b) => (text(a.edit_date) < text(b.edit_date) ? 1 : -1))
        .slice(0, LISTS.jobs.most)
        .map((record) => ({ ...record }))
    case 'queues':
    case 'companies':
    case 'categories':
    case 'badges':
      return byName(present.map((record) => textsOf(record, ['uuid', 'name'])))
    case 'staff':
      return present.map((record) => textsOf(record, ['uuid', 'first', 'last', 'email']))
    case 'email-templates':
      return present.map((record) => ({
        uuid: text(record.uuid),
        template_name: text(record.name),
        subject: text(record.subject),
        html_body: text(record.message),
        plain_text_body: plainText(text(record.message)),
      }))
    case 'sms-templates':
      return present.map((record) => ({
        uuid: text(record.uuid),
        template_name: text(record.name),
        message_text: text(record.message),
      }))
    case 'document-templates':
      return present.map((record) => textsOf(record, ['uuid', 'name', 'template_type', 'related_object']))
    // A bundle requires a number, not a name (facts: 5.7).
    case 'materials':
    case 'bundles':
      return byName(
        present.map((record) => ({
          uuid: text(record.uuid),
          name: text(record.name) || text(record.item_number),
          item_number: text(record.item_number),
        })),
      )
  }
}

function byName<T extends { name: string }>(records: T[]): T[] {
  return records.sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

/** Returns the distinct kinds of document templates. */
export function templateTypes(records: readonly Record<string, unknown>[]): string[] {
  return [...new Set(records.map((record) => text(record.template_type)).filter((type) => type !== ''))].sort()
}
