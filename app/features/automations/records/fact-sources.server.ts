// Reads the records joined to a record from the platform: a few keys one by one, many keys by reading the list once.
// All rules of the account share the results for a while.
import type {
  AccountCallResult,
  CallAsAccount,
  CallFailure,
  CallPriority,
  PlatformRecord,
} from '#app/adapters/platform.ts'
import type { Clock, Millis } from '#app/lib/clock.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { takingTurns } from '#app/lib/turns.server.ts'
import type { FactCache } from './fact-cache.server.ts'
import { type Values, valuesOf } from './fact-rows.ts'

/** Rows of one kind by key; an empty list for a key without rows. */
type Found = { outcome: 'ok'; rows: ReadonlyMap<string, Values[]> } | CallFailure

/** What can be looked up, and how: in which list, by which field, and how long the result is cached. */
interface Source {
  object: string
  /** The field that holds the key. */
  by: string
  /** An extra filter besides the key. */
  filter: string | null
  lastsMs: number
  /** The only fields kept; null = all. */
  fields: readonly string[] | null
  weight: number
}

const PERSON = ['uuid', 'active', 'type', 'is_primary_contact', 'first', 'last', 'phone', 'mobile', 'email']

const PEOPLE = { filter: "active eq '1'", lastsMs: minutes(10), fields: PERSON, weight: 1 } as const

const SOURCES = {
  contact: { object: 'jobcontact', by: 'job_uuid', ...PEOPLE },
  company_contact: { object: 'companycontact', by: 'company_uuid', ...PEOPLE },
  company: { object: 'company', by: 'uuid', filter: null, lastsMs: minutes(10), fields: null, weight: 3 },
  /** Jobs of bookings, payments and notes: cached only so that one evaluation of a list reads them once. */
  job: { object: 'job', by: 'uuid', filter: null, lastsMs: seconds(30), fields: null, weight: 8 },
  booking: {
    object: 'jobactivity',
    by: 'job_uuid',
    filter: "active eq '1' and activity_was_scheduled eq '1'",
    lastsMs: seconds(30),
    fields: ['uuid', 'active', 'activity_was_scheduled', 'staff_uuid', 'start_date'],
    weight: 1,
  },
} as const satisfies Record<string, Source>

type SourceKind = keyof typeof SOURCES

/** Small lists that are cached whole. */
const LISTS = ['staff', 'queue', 'category', 'badge'] as const
export type ListKind = (typeof LISTS)[number]
const LISTS_LAST = hours(1)
/** A uuid missing from a cached list may be new: the list is read again, at most this often. */
const LOOK_AGAIN = minutes(1)

/**
 * How long an absence (no contact, no such customer) is cached: people fix that first. A complete list proves an
 * absence only when many keys are looked up: the record of a single event may be newer than the list.
 */
const NOTHING_LASTS = seconds(30)
/** Up to this many keys are read one by one. */
const FEW = 4
/** The most rows read of a list; more would exceed other limits anyway. */
const MOST_ROWS = 100_000
const SIDE_BY_SIDE = 4

interface FindOptions {
  /** True = ignore the cache. */
  fresh?: boolean
  asOf?: Millis
}

export interface FactSources {
  /** `asOf`: a list read before this moment does not prove that a row is missing. */
  find(accountUuid: string, kind: SourceKind, keys: readonly string[], options?: FindOptions): Promise<Found>
  /** All rows of a small list, inactive ones included. */
  list(accountUuid: string, kind: ListKind): Promise<{ outcome: 'ok'; rows: Values[] } | CallFailure>
  /** The row of a small list by uuid; null = there is none. */
  findListed(
    accountUuid: string,
    kind: ListKind,
    uuid: string,
  ): Promise<{ outcome: 'ok'; row: Values | null } | CallFailure>
  /** The account's own record, cached for an hour. */
  vendor(accountUuid: string): Promise<{ outcome: 'ok'; record: PlatformRecord } | CallFailure>
}

interface SourceDependencies {
  callAsAccount: CallAsAccount
  clock: Clock
  cache: FactCache<Values[]>
  priority: CallPriority
}

export function createFactSources(app: SourceDependencies): FactSources {
  const reads = createReads(app)
  return { find: createFinder(app, reads), ...createLists(app, reads) }
}

type Reads = ReturnType<typeof createReads>

function createReads({ callAsAccount, priority }: Pick<SourceDependencies, 'callAsAccount' | 'priority'>) {
  const running = new Map<string, Promise<CallFailure | null>>()
  return {
    /** Simultaneous requests for the same thing share one read. */
    once(name: string, work: () => Promise<CallFailure | null>): Promise<CallFailure | null> {
      const known = running.get(name)
      if (known) return known
      const promise = work().finally(() => running.delete(name))
      running.set(name, promise)
      return promise
    },

    list(accountUuid: string, object: string, filter: string | null, limit: number) {
      const input = { limit, ...(filter !== null && { filter }) }
      return callAsAccount(accountUuid, (api, token) => api.list(token, object, input), { priority })
    },

    async record(accountUuid: string, object: string, uuid: string): Promise<AccountCallResult<PlatformRecord[]>> {
      const answer = await callAsAccount(accountUuid, (api, token) => api.read(token, object, uuid), { priority })
      if (answer.outcome === 'ok') return { outcome: 'ok', value: [{ ...answer.value, uuid }] }
      // A deleted customer does not fail a request about its job.
      return answer.outcome === 'refused' && answer.status === 404 ? { outcome: 'ok', value: [] } : answer
    },
  }
}

function createFinder({ cache, clock }: SourceDependencies, reads: Reads): FactSources['find'] {
  async function readOne(accountUuid: string, kind: SourceKind, key: string): Promise<CallFailure | null> {
    const source: Source = SOURCES[kind]
    const answer =
      source.by === 'uuid'
        ? await reads.record(accountUuid, source.object, key)
        : await reads.list(accountUuid, source.object, joined(`${source.by} eq '${quoted(key)}'`, source.filter), 500)
    if (answer.outcome !== 'ok') return answer
    keep(accountUuid, kind, await groupBy(answer.value, source, [key]), false)
    return null
  }

  async function readWhole(accountUuid: string, kind: SourceKind): Promise<CallFailure | null> {
    const source: Source = SOURCES[kind]
    const answer = await reads.list(accountUuid, source.object, source.filter, MOST_ROWS)
    if (answer.outcome !== 'ok') return answer
    keep(accountUuid, kind, await groupBy(answer.value, source, []), answer.value.length < MOST_ROWS)
    return null
  }

  function keep(accountUuid: string, kind: SourceKind, groups: ReadonlyMap<string, Values[]>, whole: boolean): void {
    const { lastsMs, weight } = SOURCES[kind]
    const now = clock.now()
    const some = [...groups].filter(([, rows]) => rows.length > 0)
    const none = [...groups].filter(([, rows]) => rows.length === 0)
    const wholeUntil = now + lastingOfNothing(kind)
    cache.keep(accountUuid, kind, some, { until: now + lastsMs, weight, ...(whole && { wholeUntil }) })
    if (none.length > 0) cache.keep(accountUuid, kind, none, { until: wholeUntil, weight })
  }

  async function readEach(accountUuid: string, kind: SourceKind, keys: readonly string[]): Promise<CallFailure | null> {
    for (let from = 0; from < keys.length; from += SIDE_BY_SIDE) {
      const failures = await Promise.all(
        keys
          .slice(from, from + SIDE_BY_SIDE)
          .map((key) => reads.once(`${accountUuid}|${kind}|${key}`, () => readOne(accountUuid, kind, key))),
      )
      const failure = failures.find((one) => one !== null)
      if (failure) return failure
    }
    return null
  }

  return async (accountUuid, kind, keys, { fresh = false, asOf = 0 } = {}) => {
    const wanted = [...new Set(keys)]
    const listedWhen = cache.wholeUntil(accountUuid, kind) - lastingOfNothing(kind)
    const believed = wanted.length > FEW && listedWhen >= asOf
    const unknown = (key: string) => {
      const known = cache.find(accountUuid, kind, key)
      return believed ? known === undefined : !known
    }
    const missing = fresh ? wanted : wanted.filter(unknown)
    const failure =
      missing.length <= FEW
        ? await readEach(accountUuid, kind, missing)
        : await reads.once(`${accountUuid}|${kind}|*`, () => readWhole(accountUuid, kind))
    if (failure) return failure
    // Keys are left only when an account has more rows than one read returns.
    const left = wanted.filter((key) => cache.find(accountUuid, kind, key) === undefined)
    const lateFailure = await readEach(accountUuid, kind, left)
    if (lateFailure) return lateFailure
    return { outcome: 'ok', rows: new Map(wanted.map((key) => [key, cache.find(accountUuid, kind, key) ?? []])) }
  }
}

function createLists({ cache, clock }: SourceDependencies, reads: Reads): Omit<FactSources, 'find'> {
  const listedAt = new Map<string, Millis>()

  function relist(accountUuid: string, kind: ListKind): Promise<CallFailure | null> {
    return reads.once(`${accountUuid}|${kind}`, async () => {
      const answer = await reads.list(accountUuid, kind, null, MOST_ROWS)
      if (answer.outcome !== 'ok') return answer
      const rows: Values[] = []
      const turn = takingTurns()
      for (const record of answer.value) {
        rows.push(valuesOf(record))
        await turn()
      }
      const now = clock.now()
      cache.keep(accountUuid, kind, [['all', rows]], { until: now + LISTS_LAST })
      listedAt.set(`${accountUuid}|${kind}`, now)
      return null
    })
  }

  const kept = (accountUuid: string, kind: ListKind) => cache.find(accountUuid, kind, 'all')

  async function list(accountUuid: string, kind: ListKind): ReturnType<FactSources['list']> {
    const failure = kept(accountUuid, kind) === undefined ? await relist(accountUuid, kind) : null
    return failure ?? { outcome: 'ok', rows: kept(accountUuid, kind) ?? [] }
  }

  return {
    list,

    async findListed(accountUuid, kind, uuid) {
      const rowOf = (rows: readonly Values[]) =>
        rows.find((row) => row.uuid?.toLowerCase() === uuid.toLowerCase()) ?? null
      const listed = await list(accountUuid, kind)
      if (listed.outcome !== 'ok') return listed
      const row = rowOf(listed.rows)
      const age = clock.now() - (listedAt.get(`${accountUuid}|${kind}`) ?? 0)
      if (row || age < LOOK_AGAIN) return { outcome: 'ok', row }
      const failure = await relist(accountUuid, kind)
      return failure ?? { outcome: 'ok', row: rowOf(kept(accountUuid, kind) ?? []) }
    },

    async vendor(accountUuid) {
      const own = () => cache.find(accountUuid, 'vendor', 'own')
      const readOwn = async () => {
        const answer = await reads.list(accountUuid, 'vendor', null, 1)
        if (answer.outcome !== 'ok') return answer
        const record = answer.value.slice(0, 1).map(valuesOf)
        cache.keep(accountUuid, 'vendor', [['own', record]], { until: clock.now() + LISTS_LAST })
        return null
      }
      const failure = own() ? null : await reads.once(`${accountUuid}|vendor`, readOwn)
      return failure ?? { outcome: 'ok', record: own()?.[0] ?? {} }
    },
  }
}

function lastingOfNothing(kind: SourceKind): number {
  return Math.min(SOURCES[kind].lastsMs, NOTHING_LASTS)
}

async function groupBy(
  records: readonly PlatformRecord[],
  source: Source,
  keys: readonly string[],
): Promise<Map<string, Values[]>> {
  const turn = takingTurns()
  const groups = new Map<string, Values[]>(keys.map((key) => [key, []]))
  for (const record of records) {
    await turn()
    const values = valuesOf(record)
    const key = values[source.by] ?? ''
    if (key === '') continue
    const kept = source.fields === null ? values : picked(values, source.fields)
    const group = groups.get(key)
    if (group) group.push(kept)
    else groups.set(key, [kept])
  }
  return groups
}

function picked(values: Values, fields: readonly string[]): Values {
  return Object.fromEntries(fields.flatMap((field) => (values[field] === undefined ? [] : [[field, values[field]]])))
}

function joined(first: string, second: string | null): string {
  return second === null ? first : `${first} and ${second}`
}

/** Doubles quotes inside a value, as the platform's filters require (facts: 5.2). */
export function quoted(value: string): string {
  return value.replaceAll("'", "''")
}
