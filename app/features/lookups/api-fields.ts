// Results of an API test: the fields of the records, and the messages.
import { isRecord } from '#app/lib/json.ts'
import type { ApiName } from './lookups.ts'

export interface FoundField {
  /** `company_uuid`; nested fields with a dot, in a list with []. */
  path: string
  kinds: string[]
  /** The first non-empty value, as truncated JSON; null = empty everywhere. */
  sample: string | null
  /** Number of records where it is not empty. */
  filled: number
}

const LONGEST_SAMPLE = 80
const DEEPEST = 4
const MOST_FIELDS = 500

/** Returns the fields of all records, in order of first appearance. */
export function fieldsFound(records: readonly Readonly<Record<string, unknown>>[]): FoundField[] {
  const found = new Map<string, Seen>()
  for (const [index, record] of records.entries()) {
    for (const [path, value] of valuesIn(record)) {
      const field = found.get(path) ?? { path, kinds: [], sample: null, filled: 0, seenIn: -1 }
      if (!found.has(path) && found.size >= MOST_FIELDS) continue
      found.set(path, field)
      note(field, value, index)
    }
  }
  return [...found.values()].map(({ seenIn: _seenIn, ...field }) => field)
}

/** `seenIn` = the last record in which it was not empty. */
type Seen = FoundField & { seenIn: number }

function note(field: Seen, value: unknown, record: number): void {
  const kind = kindOf(value)
  if (kind === null) return
  if (!field.kinds.includes(kind)) field.kinds.push(kind)
  if (value === '') return
  // In a list the same field may occur several times within one record.
  if (field.seenIn !== record) field.filled += 1
  field.seenIn = record
  field.sample ??= sampleOf(value)
}

/** Yields each field with its path, then the fields inside it. */
function* valuesIn(record: Readonly<Record<string, unknown>>, prefix = '', depth = 1): Generator<[string, unknown]> {
  for (const [name, value] of Object.entries(record)) {
    const path = prefix + name
    yield [path, value]
    if (depth === DEEPEST) continue
    const inner = Array.isArray(value) ? value : [value]
    const within = Array.isArray(value) ? `${path}[].` : `${path}.`
    for (const one of inner) if (isRecord(one)) yield* valuesIn(one, within, depth + 1)
  }
}

/** Null = no value. */
function kindOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return 'list'
  return typeof value === 'string' ? 'text' : typeof value
}

function sampleOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > LONGEST_SAMPLE ? `${text.slice(0, LONGEST_SAMPLE)}…` : text
}

export const API_LABELS: Readonly<Record<ApiName, string>> = {
  jobs: 'Jobs',
  companies: 'Companies',
  companycontacts: 'Company contacts',
  staff: 'Staff',
  queues: 'Queues',
  categories: 'Categories',
  jobmaterials: 'Job materials',
  jobmaterialbundles: 'Job material bundles',
  attachments: 'Attachments',
  activities: 'Activities',
}

/** `text` is the platform's own message, as in the API answer. */
export function apiCallFailed(status: number, text: string): string {
  return `API call failed: ${status} ${text}`
}

/** Test result as the page shows it. */
export type ApiTest =
  | { outcome: 'found'; api: ApiName; count: number; shown: number; raw: string; fields: FoundField[] }
  | { outcome: 'failed'; api: ApiName; message: string }
