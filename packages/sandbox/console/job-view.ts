// A job as the stage shows it: the record joined with its related records.
import type { SandboxRecord, World } from '../world.ts'

export interface JobView {
  uuid: string
  /** `3128`; '' when the platform assigned none. */
  number: string
  status: string
  active: boolean
  customer: string
  description: string
  address: string
  total: string
  category: string
  queue: string
  queueUuid: string
  /** Names of badges. */
  badges: { uuid: string; name: string }[]
  /** The next booking's local start, or ''. */
  booked: string
  paid: boolean
  record: SandboxRecord
}

export interface JobQuery {
  /** Part of number, customer, address or description. */
  search: string
  /** A status, or '' for all. */
  status: string
  page: number
}

export const JOBS_A_PAGE = 12

type Looking = Pick<World, 'records' | 'findRecord'>

export function jobView(world: Looking, accountUuid: string, record: SandboxRecord): JobView {
  const nameIn = (object: string, uuid: unknown) =>
    String(world.findRecord(accountUuid, object, text(uuid))?.name ?? '')
  const bookings = world
    .records(accountUuid, 'jobactivity')
    .filter((one) => one.job_uuid === record.uuid && Number(one.activity_was_scheduled) === 1 && isActive(one))
  return {
    uuid: record.uuid,
    number: text(record.generated_job_id),
    status: text(record.status),
    active: isActive(record),
    customer: nameIn('company', record.company_uuid),
    description: text(record.job_description),
    address: text(record.job_address),
    total: text(record.total_invoice_amount),
    category: nameIn('category', record.category_uuid),
    queue: nameIn('queue', record.queue_uuid),
    queueUuid: text(record.queue_uuid),
    badges: badgeUuids(record.badges).map((uuid) => ({ uuid, name: nameIn('badge', uuid) || uuid })),
    booked: bookings.map((one) => text(one.start_date)).sort()[0] ?? '',
    paid: Number(record.payment_received) === 1,
    record,
  }
}

/** Newest first. */
export function findJobs(world: Looking, accountUuid: string, query: JobQuery): { jobs: JobView[]; total: number } {
  const wanted = query.search.trim().toLowerCase()
  const found = newestJobs(world, accountUuid).filter((record) => {
    if (query.status !== '' && record.status !== query.status) return false
    if (wanted === '') return true
    const customer = world.findRecord(accountUuid, 'company', text(record.company_uuid))?.name
    const words = [record.generated_job_id, customer, record.job_address, record.job_description].map(text)
    return words.some((one) => one.toLowerCase().includes(wanted))
  })
  const from = (query.page - 1) * JOBS_A_PAGE
  const jobs = found.slice(from, from + JOBS_A_PAGE).map((record) => jobView(world, accountUuid, record))
  return { jobs, total: found.length }
}

/** The newest active ones. */
export function latestJobs(world: Looking, accountUuid: string, count: number): JobView[] {
  return newestJobs(world, accountUuid)
    .filter(isActive)
    .slice(0, count)
    .map((record) => jobView(world, accountUuid, record))
}

function newestJobs(world: Looking, accountUuid: string): SandboxRecord[] {
  return [...world.records(accountUuid, 'job')].sort((a, b) => Number(b.generated_job_id) - Number(a.generated_job_id))
}

/** Active records of an object as options of a select, sorted by name. */
export function namedOptions(world: Looking, accountUuid: string, object: string): (readonly [string, string])[] {
  return world
    .records(accountUuid, object)
    .filter(isActive)
    .map((one) => [one.uuid, nameOf(one)] as const)
    .sort((a, b) => a[1].localeCompare(b[1]))
}

export function nameOf(record: SandboxRecord): string {
  if (record.name !== undefined) return text(record.name) || '(no name)'
  return `${text(record.first)} ${text(record.last)}`.trim() || '(no name)'
}

/** Records that belong to a job, newest first. */
export function ofJob(world: Looking, accountUuid: string, object: string, jobUuid: string): SandboxRecord[] {
  return world
    .records(accountUuid, object)
    .filter((one) => [one.job_uuid, one.related_object_uuid, one.regarding_object_uuid].includes(jobUuid))
    .filter(isActive)
    .reverse()
}

export function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value)
}

function isActive(record: SandboxRecord): boolean {
  return record.active === true || Number(record.active) === 1
}

function badgeUuids(value: unknown): string[] {
  try {
    const list: unknown = JSON.parse(text(value))
    return Array.isArray(list) ? list.map(String) : []
  } catch {
    return []
  }
}
