// What people call a record: "Note on job 3128", "Joan Hartley". Made from what is known; a uuid is never part of it.
import { SAMPLE_UUID } from './deliveries/delivery.ts'
import { objectLabel } from './object-catalog.ts'

type Values = Readonly<Record<string, string>>

/** What the snapshots and the latest run say about a record; null = nothing. */
export interface KnownOfRecord {
  object: string
  recordUuid: string
  /** The record's own values, its job's, and its customer's. */
  own: Values | null
  job: Values | null
  company: Values | null
  /** The customer's name, as the job's latest run noted it. */
  customer: string | null
}

export interface RecordName {
  /** `Job 3128`, `Note on job 3128`; without a number only the kind: `Note`. */
  what: string
  /** The customer, else the job's address, else the record's own name; '' = unknown. */
  who: string
  /** Number of the job; '' = unknown. */
  job: string
  /** The customer's name, nothing else; '' = unknown. */
  customer: string
}

export function recordName(object: string, known: KnownOfRecord | null): RecordName {
  const { own = null, job = null, company = null, customer: noted = null } = known ?? {}
  const ofJob = job ?? (object === 'job' ? own : null)
  const number = plain(ofJob?.generated_job_id)
  const ownName = plain(own?.name) || [plain(own?.first), plain(own?.last)].filter(Boolean).join(' ')
  const customer = object === 'company' ? ownName : plain(company?.name) || (noted ?? '')
  return {
    what: wordsOf(object, number),
    who: customer || plain(ofJob?.job_address) || (ofJob === null ? ownName : ''),
    job: number,
    customer,
  }
}

function wordsOf(object: string, number: string): string {
  const kind = objectLabel(object)
  if (number === '') return kind
  return object === 'job' ? `${kind} ${number}` : `${kind} on job ${number}`
}

/** `Job 3128` and `#3128`, as pages write a number, are 3128; any other text stays as it is: `JOB-42` may be a number itself. */
export function withoutJobWord(text: string): string {
  return text.trim().replace(/^(?:job\s+(?:#\s*)?|(?:job\s*)?#\s*)(?=[a-z_./-]*\d[\w./-]*$)/i, '')
}

/** Long values are kept as a hash that starts with `~`: no name. */
function plain(value: string | undefined): string {
  return value === undefined || value.startsWith('~') ? '' : (value.split('\n')[0] ?? '')
}

/** `Job 3128 · Joan Hartley`. */
export function fullName({ what, who }: Pick<RecordName, 'what' | 'who'>): string {
  return who === '' ? what : `${what} · ${who}`
}

/** The names of a page's records, by uuid; without the uuid that the test events of all objects share. */
export function recordNames(known: readonly KnownOfRecord[]): Map<string, RecordName> {
  const records = known.filter(({ recordUuid }) => recordUuid !== SAMPLE_UUID)
  return new Map(records.map((one) => [one.recordUuid, recordName(one.object, one)]))
}

/** Looks the names of records up, by uuid. */
export type NamesOf = (
  accountUuid: string,
  asked: readonly { object: string; recordUuid: string }[],
) => Promise<Map<string, RecordName>>
