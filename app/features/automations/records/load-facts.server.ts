// A record's facts for rules: its own fields and, on request, people, customer, staff, queue and job. Few calls: only
// needed parts, lists instead of single records, and a short-lived cache shared by the account's rules.
import type {
  AccountCallResult,
  CallAsAccount,
  CallFailure,
  CallPriority,
  PlatformRecord,
} from '#app/adapters/platform.ts'
import { localStamp, readLocal } from '#app/domain/time/local-time.ts'
import type { Clock, Millis } from '#app/lib/clock.ts'
import { takingTurns } from '#app/lib/turns.server.ts'
import type { AccountProfile, ReadOnlyPlatform } from '../actions/action.server.ts'
import { readVendorFacts } from './account-profile.ts'
import { createFactCache, type FactCache } from './fact-cache.server.ts'
import {
  bookedStaffOf,
  categoryValues,
  companyUuidOf,
  companyValues,
  contactOf,
  isActive,
  jobUuidOf,
  keyOf,
  mainContactOf,
  personValues,
  queueValues,
  staffValues,
  type Values,
  valuesOf,
} from './fact-rows.ts'
import { createFactSources, type FactSources, type ListKind } from './fact-sources.server.ts'
import type { FactPart, RecordFacts } from './facts.ts'
import { readList } from './field-value.ts'

type FactsResult = { outcome: 'ok'; facts: RecordFacts } | { outcome: 'gone' } | CallFailure
type JoinResult = { outcome: 'ok'; facts: RecordFacts[] } | CallFailure
type ProfileResult = { outcome: 'ok'; profile: AccountProfile } | CallFailure

export interface FactLoader {
  /** Reads the record itself, never from the cache. `gone` = the platform does not have it. */
  one(accountUuid: string, object: string, recordUuid: string, parts: readonly FactPart[]): Promise<FactsResult>
  /**
   * Adds the parts to records that were already read, in their order. `asOf`: the records may be as new as this moment,
   * so a list read before it proves neither that a row is missing nor the state of a record's job.
   */
  join(
    accountUuid: string,
    object: string,
    records: readonly PlatformRecord[],
    parts: readonly FactPart[],
    asOf?: Millis,
  ): Promise<JoinResult>
  /**
   * Names of customers by uuid, for people who read the history. A failure only leaves names out. Customers whose name
   * is known are not requested.
   */
  customerNames(accountUuid: string, facts: readonly RecordFacts[]): Promise<ReadonlyMap<string, string>>
  profile(accountUuid: string): Promise<ProfileResult>
}

/** Reads for plans: single records fresh, customers within ten minutes; staff, queues, categories, badges cached. */
export interface PlanReader {
  reader(accountUuid: string): ReadOnlyPlatform
}

/** Not `Pick<App, …>`, because App refers to these types. */
interface LoadFactsApp {
  callAsAccount: CallAsAccount
  clock: Clock
}

interface FactLoaderOptions {
  /** Default `background`: running rules leave a reserve of calls for screens. */
  priority?: CallPriority
  /** One cache shared by several loaders. */
  cache?: FactCache<Values[]>
}

export function createFactLoader(app: LoadFactsApp, options: FactLoaderOptions = {}): FactLoader & PlanReader {
  const priority = options.priority ?? 'background'
  const cache = options.cache ?? createFactCache<Values[]>(app.clock)
  const sources = createFactSources({ callAsAccount: app.callAsAccount, clock: app.clock, cache, priority })

  function read(accountUuid: string, object: string, uuid: string): Promise<AccountCallResult<PlatformRecord>> {
    return app.callAsAccount(accountUuid, (api, token) => api.read(token, object, uuid), { priority })
  }

  async function keptRow(accountUuid: string, object: 'company' | 'badge', uuid: string) {
    if (object === 'badge') return sources.findListed(accountUuid, object, uuid)
    const found = await sources.find(accountUuid, object, [uuid])
    return found.outcome === 'ok' ? { ...found, row: found.rows.get(uuid)?.[0] } : found
  }

  return {
    async one(accountUuid, object, recordUuid, parts) {
      const answer = await read(accountUuid, object, recordUuid)
      if (answer.outcome === 'refused' && answer.status === 404) return { outcome: 'gone' }
      if (answer.outcome !== 'ok') return answer
      const joined = await joinAll(sources, accountUuid, object, [{ ...answer.value, uuid: recordUuid }], parts)
      if (joined.outcome !== 'ok') return joined
      const [facts] = joined.facts
      return facts ? { outcome: 'ok', facts } : { outcome: 'gone' }
    },

    join: (accountUuid, object, records, parts, asOf) => joinAll(sources, accountUuid, object, records, parts, asOf),

    async customerNames(accountUuid, facts) {
      const unnamed = facts.filter((one) => one.object !== 'company' && one.values.company_name === undefined)
      const keys = [...new Set(unnamed.flatMap(({ companyUuid }) => companyUuid ?? []))]
      if (keys.length === 0) return new Map()
      const found = await sources.find(accountUuid, 'company', keys)
      if (found.outcome !== 'ok') return new Map()
      return new Map(keys.map((key) => [key, found.rows.get(key)?.[0]?.name ?? '']))
    },

    async profile(accountUuid) {
      const found = await sources.vendor(accountUuid)
      if (found.outcome !== 'ok') return found
      const { name, email, zone, currency, country } = readVendorFacts(found.record)
      return { outcome: 'ok', profile: { accountUuid, name, email, zone, currency, country } }
    },

    reader: (accountUuid) => ({
      async list(object, input = {}) {
        const plain = input.filter === undefined && input.limit === undefined
        if (plain && isListKind(object)) {
          const listed = await sources.list(accountUuid, object)
          return listed.outcome === 'ok' ? { outcome: 'ok', value: listed.rows.map((row) => ({ ...row })) } : listed
        }
        return app.callAsAccount(accountUuid, (api, token) => api.list(token, object, input), { priority })
      },
      async read(object, uuid) {
        if (object !== 'company' && object !== 'badge') return read(accountUuid, object, uuid)
        const found = await keptRow(accountUuid, object, uuid)
        if (found.outcome !== 'ok') return found
        return found.row
          ? { outcome: 'ok', value: { ...found.row } }
          : { outcome: 'refused', status: 404, message: 'Record not found' }
      },
    }),
  }
}

function isListKind(object: string): object is ListKind {
  return object === 'staff' || object === 'queue' || object === 'category'
}

interface Row {
  own: Values
  jobUuid: string | null
  /** The job's fields; for a job its own. Null = not loaded, or the record has none. */
  job: Values | null
}

async function joinAll(
  sources: FactSources,
  accountUuid: string,
  object: string,
  records: readonly PlatformRecord[],
  parts: readonly FactPart[],
  asOf: Millis = 0,
): Promise<JoinResult> {
  const wanted = new Set(parts)
  const rows: Row[] = []
  const turn = takingTurns()
  const vendor = object === 'formresponse' ? await sources.vendor(accountUuid) : null
  if (vendor && vendor.outcome !== 'ok') return vendor
  for (const record of records) {
    const own = valuesOf(record)
    // Of all times, the platform gives this one in UTC (facts: 5.4).
    const filledIn = vendor && readLocal(`${own.timestamp}Z`, readVendorFacts(vendor.record).zone)
    if (filledIn) own.timestamp = localStamp(filledIn.wall)
    rows.push({ own, jobUuid: keyOf(jobUuidOf(object, own)), job: object === 'job' ? own : null })
    await turn()
  }
  const jobless = object !== 'job' && needsJob(object, wanted) ? await addJobs(sources, accountUuid, rows, asOf) : null
  if (jobless) return jobless
  const added: Record<string, string>[] = rows.map(() => ({}))
  const steps = JOINS.filter(({ part }) => wanted.has(part)).map(({ join }) =>
    join({ sources, accountUuid, object, rows, added, asOf }),
  )
  const failure = (await Promise.all(steps)).find((one) => one !== null)
  if (failure) return failure
  const loaded: FactPart[] = [...wanted]
  const facts: RecordFacts[] = []
  for (const [index, row] of rows.entries()) {
    facts.push(factsOf(object, row, added[index] ?? {}, loaded))
    await turn()
  }
  return { outcome: 'ok', facts }
}

function factsOf(object: string, row: Row, added: Record<string, string>, parts: readonly FactPart[]): RecordFacts {
  // The record's own fields win.
  const behind = object === 'job' ? row.own : { ...row.job, ...row.own }
  return {
    object,
    recordUuid: row.own.uuid ?? '',
    jobUuid: row.jobUuid,
    companyUuid: companyKey(object, row),
    editDate: row.own.edit_date ?? '',
    active: isActive(row.own),
    jobActive: row.job === null || isActive(row.job),
    values: { ...added, ...behind },
    parts,
  }
}

/** All parts but the record's own contact and staff are found only through its job. */
function needsJob(object: string, wanted: ReadonlySet<FactPart>): boolean {
  if (object === 'company' || object === 'queue' || object === 'material') return false
  return [...wanted].some((part) => part !== 'contact')
}

async function addJobs(
  sources: FactSources,
  accountUuid: string,
  rows: Row[],
  asOf: Millis,
): Promise<CallFailure | null> {
  const keys = rows.flatMap(({ jobUuid }) => (jobUuid === null ? [] : [jobUuid]))
  // One or two jobs are read fresh; a whole list of bookings reads the jobs once.
  const found = await sources.find(accountUuid, 'job', keys, { fresh: asOf > 0 || new Set(keys).size <= 2 })
  if (found.outcome !== 'ok') return found
  for (const row of rows) row.job = row.jobUuid === null ? null : (found.rows.get(row.jobUuid)?.[0] ?? null)
  return null
}

interface Joining {
  sources: FactSources
  accountUuid: string
  object: string
  rows: readonly Row[]
  added: Record<string, string>[]
  asOf: Millis
}

const JOINS: readonly { part: FactPart; join: (joining: Joining) => Promise<CallFailure | null> }[] = [
  { part: 'contact', join: joinContacts },
  { part: 'company', join: joinCompanies },
  { part: 'company_contact', join: joinMainContacts },
  { part: 'staff', join: joinStaff },
  { part: 'queue', join: (joining) => joinListed(joining, 'queue', 'queue_uuid', queueValues) },
  { part: 'category', join: (joining) => joinListed(joining, 'category', 'category_uuid', categoryValues) },
  { part: 'badge', join: joinBadges },
]

function add(joining: Joining, index: number, values: Record<string, string>): void {
  Object.assign(joining.added[index] ?? {}, values)
}

/** Looks up rows by a key of each record and adds what `describe` returns; without a key, from an empty list. */
async function joinByKey(
  joining: Joining,
  kind: Parameters<FactSources['find']>[1],
  keyOfRow: (row: Row) => string | null,
  describe: (found: readonly Values[], row: Row) => Record<string, string>,
): Promise<CallFailure | null> {
  const { sources, accountUuid, rows, asOf } = joining
  const found = await sources.find(
    accountUuid,
    kind,
    rows.flatMap((row) => keyOfRow(row) ?? []),
    { asOf },
  )
  if (found.outcome !== 'ok') return found
  for (const [index, row] of rows.entries()) {
    add(joining, index, describe(found.rows.get(keyOfRow(row) ?? '') ?? [], row))
  }
  return null
}

function joinContacts(joining: Joining): Promise<CallFailure | null> {
  const isContact = joining.object === 'jobcontact'
  return joinByKey(
    joining,
    'contact',
    ({ jobUuid }) => (isContact ? null : jobUuid),
    (people, { own }) => personValues('contact', isContact ? own : contactOf(people)),
  )
}

function companyKey(object: string, row: Row): string | null {
  return keyOf(companyUuidOf(object, row.own)) ?? keyOf(row.job?.company_uuid)
}

async function joinCompanies(joining: Joining): Promise<CallFailure | null> {
  const { sources, accountUuid, object } = joining
  const vendor = await sources.vendor(accountUuid)
  if (vendor.outcome !== 'ok') return vendor
  const terms = { account_payment_terms: readVendorFacts(vendor.record).paymentTerms }
  const isCompany = object === 'company'
  return joinByKey(
    joining,
    'company',
    (row) => (isCompany ? null : companyKey(object, row)),
    ([company = null], { own }) => ({ ...terms, ...companyValues(isCompany ? own : company) }),
  )
}

function joinMainContacts(joining: Joining): Promise<CallFailure | null> {
  const { object } = joining
  return joinByKey(
    joining,
    'company_contact',
    (row) => companyKey(object, row),
    (people) => {
      const person = mainContactOf(people)
      // A customer has no job to take a contact from, so its main contact has the same names.
      return { ...personValues('company', person), ...(object === 'company' && personValues('contact', person)) }
    },
  )
}

/** Own `staff_uuid` (bookings, forms), else the queue's assignee, else the one booked last (contract: section 8). */
async function joinStaff(joining: Joining): Promise<CallFailure | null> {
  const { sources, accountUuid, rows, asOf } = joining
  const uuids = rows.map((row) => keyOf(row.own.staff_uuid) ?? keyOf(row.job?.queue_assigned_staff_uuid))
  const unknown = rows.flatMap(({ jobUuid }, index) => (uuids[index] === null && jobUuid !== null ? [jobUuid] : []))
  const booked = await sources.find(accountUuid, 'booking', unknown, { asOf })
  if (booked.outcome !== 'ok') return booked
  for (const [index, { jobUuid }] of rows.entries()) {
    const uuid = uuids[index] ?? (jobUuid === null ? '' : bookedStaffOf(booked.rows.get(jobUuid) ?? []))
    const staff = await listedRow(joining, 'staff', uuid)
    if (staff.outcome !== 'ok') return staff
    add(joining, index, staffValues(uuid, staff.row))
  }
  return null
}

async function joinListed(
  joining: Joining,
  kind: ListKind,
  field: string,
  describe: (row: Values | null) => Record<string, string>,
): Promise<CallFailure | null> {
  for (const [index, row] of joining.rows.entries()) {
    const uuid = joining.object === kind ? (row.own.uuid ?? '') : ((row.job ?? row.own)[field] ?? '')
    const found = await listedRow(joining, kind, uuid)
    if (found.outcome !== 'ok') return found
    add(joining, index, describe(found.row))
  }
  return null
}

async function joinBadges(joining: Joining): Promise<CallFailure | null> {
  for (const [index, row] of joining.rows.entries()) {
    const names: string[] = []
    for (const uuid of readList((row.job ?? row.own).badges ?? '')) {
      const found = await listedRow(joining, 'badge', uuid)
      if (found.outcome !== 'ok') return found
      if (found.row?.name) names.push(found.row.name)
    }
    // As text where that reads back the same.
    const hasComma = names.some((name) => name.includes(','))
    add(joining, index, { badge_names: hasComma ? JSON.stringify(names) : names.join(', ') })
  }
  return null
}

async function listedRow(
  { sources, accountUuid }: Joining,
  kind: ListKind,
  uuid: string,
): Promise<{ outcome: 'ok'; row: Values | null } | CallFailure> {
  return uuid === '' ? { outcome: 'ok', row: null } : sources.findListed(accountUuid, kind, uuid)
}
