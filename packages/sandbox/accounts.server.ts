// Creates an account from seed data, and reads it.
import type { Millis } from '#app/lib/clock.ts'
import { DEFAULT_OPTIONS } from './default-options.ts'
import { findObject } from './servicem8/catalog.ts'
import { mediaType, sampleBytes } from './servicem8/files/file-types.ts'
import { noCalls } from './servicem8/limits.ts'
import { localDate, localText } from './servicem8/local-time.ts'
import { emptyRecord, type Values } from './servicem8/record-values.ts'
import type { AccountState, SandboxState } from './state.server.ts'
import type { AccountView, SandboxRecord, SeedAccount, SeedRecord, SeedTime } from './world.ts'

/** Adds every seed account that is missing from the state. */
export function addMissingAccounts(state: SandboxState, seed: readonly SeedAccount[], now: Millis): void {
  for (const account of seed) {
    if (!state.accounts.has(account.vendor.uuid)) state.accounts.set(account.vendor.uuid, newAccount(account, now))
  }
}

/** Throws for an object that is not in the catalogue or a time zone that does not exist: a mistake in the seed. */
export function newAccount(seed: SeedAccount, now: Millis): AccountState {
  const account: AccountState = {
    uuid: seed.vendor.uuid,
    records: new Map(),
    nextJobNumber: 1001,
    files: new Map(),
    options: { ...DEFAULT_OPTIONS, ...seed.options },
    outbox: [],
    lateHistory: [],
    subscriptions: [],
    deliveries: [],
    slowUntil: 0,
    slowSteps: 0,
    apiKeys: [],
    calls: noCalls(),
    keyCalls: noCalls(),
  }
  fillWithSeed(account, seed, now)
  return account
}

/** Resets the records to those of the first day; existing records are lost. */
export function fillWithSeed(account: AccountState, seed: SeedAccount, now: Millis): void {
  const zone = seed.vendor.timezone_name
  account.records = new Map()
  account.files = new Map()
  const all: [string, SeedRecord[]][] = [['vendor', [seed.vendor]], ...Object.entries(seed.records)]
  for (const [object, list] of all) {
    const rows = new Map(list.map((one) => [one.uuid, seededRecord(object, one, zone, now)]))
    if (rows.size !== list.length) throw new Error(`two seed records of ${object} share a uuid`)
    account.records.set(object, rows)
  }
  for (const { uuid, attachment_name, file_type } of recordsOf(account, 'attachment')) {
    const [name, extension] = [String(attachment_name), String(file_type)]
    const bytes = sampleBytes(extension, name)
    if (bytes)
      account.files.set(uuid, { type: mediaType(extension), name, base64: Buffer.from(bytes).toString('base64') })
  }
  const jobs = recordsOf(account, 'job')
  const highest = jobs.reduce((top, job) => Math.max(top, Number(job.generated_job_id) || 0), 1000)
  account.nextJobNumber = seed.nextJobNumber ?? highest + 1
  for (const job of jobs) {
    if (job.generated_job_id === '') job.generated_job_id = String(account.nextJobNumber++)
    if (job.total_invoice_amount === '0.00') job.total_invoice_amount = totalOf(account, job.uuid)
  }
}

function seededRecord(object: string, seed: SeedRecord, zone: string, now: Millis): SandboxRecord {
  const fact = findObject(object)
  if (!fact) throw new Error(`seed for an unknown object: ${object}`)
  const record: Values = emptyRecord(fact)
  if (fact.fields.some((field) => field.name === 'edit_date')) record.edit_date = localText(now, zone)
  for (const [name, value] of Object.entries(seed)) {
    const field = fact.fields.find((one) => one.name === name)
    if (!field) throw new Error(`seed for ${object} sets the unknown field ${name}`)
    if (isSeedTime(value)) {
      const text = seedTimeText(value, zone, now)
      record[name] = field.format === 'sm8-date' ? text.slice(0, 10) : text
    } else record[name] = value
  }
  return record as SandboxRecord
}

function isSeedTime(value: unknown): value is SeedTime {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && ('agoMs' in value || 'days' in value)
}

function seedTimeText(time: SeedTime, zone: string, now: Millis): string {
  if ('agoMs' in time) return localText(now - time.agoMs, zone)
  return `${localDate(now, zone, time.days)} ${time.at}:00`
}

/** Every record of the object, oldest first. */
export function recordsOf(account: AccountState, object: string): SandboxRecord[] {
  return [...(account.records.get(object)?.values() ?? [])]
}

export function findRecord(account: AccountState, object: string, uuid: string): SandboxRecord | null {
  return account.records.get(object)?.get(uuid) ?? null
}

/** The account's time zone, from its vendor record. */
export function zoneOf(account: AccountState): string {
  return String(findRecord(account, 'vendor', account.uuid)?.timezone_name ?? 'UTC')
}

/** The default acting staff member: the first active one, or ''. */
export function ownerOf(account: AccountState): string {
  return recordsOf(account, 'staff').find((one) => Number(one.active) === 1)?.uuid ?? ''
}

/** The sum of the job's active lines, as money text. */
export function totalOf(account: AccountState, jobUuid: string): string {
  let total = 0
  for (const line of recordsOf(account, 'jobmaterial')) {
    if (line.job_uuid !== jobUuid || Number(line.active) !== 1) continue
    const price = Number(line.displayed_amount) || Number(line.price) || 0
    total += price * (Number(line.quantity) || 0)
  }
  return total.toFixed(2)
}

export function accountView(state: SandboxState, account: AccountState, now: Millis): AccountView {
  const vendor = findRecord(account, 'vendor', account.uuid)
  const zone = zoneOf(account)
  return {
    uuid: account.uuid,
    name: String(vendor?.name ?? ''),
    timezone: zone,
    currency: String(vendor?.currency ?? ''),
    ownerStaffUuid: ownerOf(account),
    localNow: localText(now, zone),
    connected: state.grants.some(
      (one) => one.accountUuid === account.uuid && !one.revoked && one.refreshExpiresAt > now,
    ),
  }
}
