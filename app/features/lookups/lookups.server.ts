// Reads the platform's pick-lists, each at most once a minute per account, however many screens need it.
import type { AccountCallResult, PlatformRecord } from '#app/adapters/platform.ts'
import type { App } from '#app/context/app-context.ts'
import { recentEdits } from '#app/features/automations/records/recent-edits.ts'
import { FORM_LIST, type FormLists, toFormLists } from '#app/features/automations/rules/form-lists.ts'
import { askNewest } from '#app/lib/ask-newest.server.ts'
import type { Clock } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import { type ApiTest, apiCallFailed, fieldsFound } from './api-fields.ts'
import {
  API_NAMES,
  type ApiName,
  bytesOf,
  isApiName,
  keptOfRecord,
  LISTS,
  type LookupName,
  lookupRecords,
  NOT_SIGNED_IN,
} from './lookups.ts'

type LookupApp = Pick<App, 'callAsAccount' | 'clock' | 'store'>

type LookedUp =
  | { outcome: 'found'; records: Record<string, unknown>[] }
  /** The platform's own message, so it names a missing scope; that no one signed in; or which limit of calls is used. */
  | { outcome: 'failed'; message: string; tooLarge?: true; limited?: true }

export type LookedUpForForm =
  | { outcome: 'found'; rows: FormLists[keyof FormLists] }
  | Extract<LookedUp, { outcome: 'failed' }>

const ADMIN_RECORDS = 100
/** Bytes of a page of a list that is short in every business: these are read in parallel. */
const SHORT_LIST_BYTES = 2 * 1024 * 1024

/** As the API answers it. A failure is not cached; "too long" is, for a minute: reading again costs as much. */
export function lookUp(app: LookupApp, accountUuid: string, name: LookupName): Promise<LookedUp> {
  return keptFor(
    app,
    { accountUuid, list: name },
    () => readList(app, accountUuid, name, 'call'),
    (looked) => (looked.outcome === 'found' ? bytesOf(looked.records) : keptFailure(looked)),
  )
}

/** The list as the rule form draws it: its first rows, reduced to the fields shown. */
export function lookUpForForm(app: LookupApp, accountUuid: string, name: LookupName): Promise<LookedUpForForm> {
  return keptFor(
    app,
    { accountUuid, list: `${name}, drawn` },
    async (): Promise<LookedUpForForm> => {
      const looked = await readList(app, accountUuid, name, 'form')
      if (looked.outcome === 'failed') return looked
      const rows = toFormLists({ [name]: looked.records })[FORM_LIST[name]]
      // Copied: a slice would keep the whole original text in memory.
      return { outcome: 'found', rows: JSON.parse(JSON.stringify(rows)) as typeof rows }
    },
    (looked) => (looked.outcome === 'found' ? bytesOf(looked.rows) : keptFailure(looked)),
  )
}

/** Null = not cached. */
function keptFailure({ tooLarge }: { tooLarge?: true }): number | null {
  return tooLarge ? 0 : null
}

async function readList(
  app: LookupApp,
  accountUuid: string,
  name: LookupName,
  reader: 'call' | 'form',
): Promise<LookedUp> {
  const { object, most, isShort } = LISTS[name]
  const active = name === 'jobs' || name === 'companies' ? "active eq '1'" : ''
  const limit = Math.max(most, 5_000)
  const ask = (recent: string) => {
    const filter = recent === '' ? active : `${active} and ${recent}`
    return app.callAsAccount(accountUuid, (api, token) =>
      api.list(token, object, {
        ...(filter !== '' && { filter }),
        ...(isShort && { mostBytes: SHORT_LIST_BYTES }),
        limit,
        keep: (record) => keptOfRecord(name, reader, record),
      }),
    )
  }
  const answer = await (name === 'jobs' ? askNewest(ask, limit, recentEdits(app.clock.now())) : ask(''))
  return toLookedUp(answer, (records) => lookupRecords(name, records))
}

/** Reads raw records for the admin's API test, without a cache. */
export async function testApi(app: LookupApp, accountUuid: string, name: ApiName): Promise<LookedUp> {
  const answer = await app.callAsAccount(accountUuid, (api, token) =>
    api.list(token, API_NAMES[name], { limit: ADMIN_RECORDS }),
  )
  return toLookedUp(answer, (records) => records.map((record) => ({ ...record })))
}

function toLookedUp(
  answer: AccountCallResult<PlatformRecord[]>,
  read: (records: PlatformRecord[]) => Record<string, unknown>[],
): LookedUp {
  switch (answer.outcome) {
    case 'ok':
      return { outcome: 'found', records: read(answer.value) }
    case 'not_connected':
    case 'reconnect':
      return { outcome: 'failed', message: NOT_SIGNED_IN }
    default:
      return {
        outcome: 'failed',
        message: answer.message || `ServiceM8 answered ${answer.status ?? 'nothing'}.`,
        ...('tooLarge' in answer && { tooLarge: true }),
        ...(answer.outcome === 'rate_limited' && { limited: true }),
      }
  }
}

// Caches platform lists for a minute, so several screens share one read. Limits each account in bytes: accounts decide
// how large their lists are, and all share the memory.
const FRESH_FOR = minutes(1)
/** Accounts times lists; expired entries go first, then the oldest. */
const MOST_KEPT = 500
/** Bytes per account, and in total. A longer list is read again each time. */
const MOST_OF_ACCOUNT = 2_000_000
const MOST_OF_ALL = 32_000_000

interface Kept {
  accountUuid: string
  until: number
  answer: Promise<unknown>
  /** 0 until the answer arrives. */
  bytes: number
}

const caches = new WeakMap<object, Map<string, Kept>>()

/**
 * Returns the cached answer, up to a minute old, or a new one. `bytes` = its size; null = not cached, so the next call
 * reads again.
 * @param of.list a list of the account and its reader: readers that need different data use different names
 */
export function keptFor<T>(
  app: { clock: Clock; store: object },
  of: { accountUuid: string; list: string },
  read: () => Promise<T>,
  bytes: (answer: T) => number | null,
): Promise<T> {
  const cache = cacheOf(app.store)
  const key = `${of.accountUuid}|${of.list}`
  const now = app.clock.now()
  const known = cache.get(key)
  if (known && known.until > now) return known.answer as Promise<T>
  const answer = read()
  const kept: Kept = { accountUuid: of.accountUuid, until: now + FRESH_FOR, answer, bytes: 0 }
  cache.delete(key)
  cache.set(key, kept)
  for (const [oldest, { until }] of cache) {
    if (cache.size <= MOST_KEPT && until > now) break
    cache.delete(oldest)
  }
  const forget = () => {
    if (cache.get(key) === kept) cache.delete(key)
  }
  answer.then((found) => {
    const size = bytes(found)
    if (size === null) return forget()
    kept.bytes = size
    makeRoom(cache, of.accountUuid)
  }, forget)
  return answer
}

/** Removes the account's oldest entries first, then the oldest of all. */
function makeRoom(cache: Map<string, Kept>, accountUuid: string): void {
  const bytesOf = (kept: Iterable<Kept>) => [...kept].reduce((sum, { bytes }) => sum + bytes, 0)
  const own = [...cache].filter(([, kept]) => kept.accountUuid === accountUuid)
  let [ofAccount, ofAll] = [bytesOf(own.map(([, kept]) => kept)), bytesOf(cache.values())]
  for (const [key, { bytes }] of own) {
    if (ofAccount <= MOST_OF_ACCOUNT) break
    cache.delete(key)
    ofAccount -= bytes
    ofAll -= bytes
  }
  for (const [key, { bytes }] of [...cache]) {
    if (ofAll <= MOST_OF_ALL) break
    cache.delete(key)
    ofAll -= bytes
  }
}

function cacheOf(store: object): Map<string, Kept> {
  const known = caches.get(store)
  if (known) return known
  const made = new Map<string, Kept>()
  caches.set(store, made)
  return made
}

// The API Testing tab: one of the platform's lists, raw, with the fields of its records.

/** Maximum records shown; the fields cover all records read. */
const MOST_SHOWN = 20

/** `query` = the page's: `api` is one of the ten names. Null = no test asked. For admins; the caller has checked. */
export async function loadApiTest(
  app: Pick<App, 'callAsAccount' | 'clock' | 'store'>,
  accountUuid: string,
  query: URLSearchParams,
): Promise<ApiTest | null> {
  const api = query.get('api') ?? ''
  if (!isApiName(api)) return null
  const looked = await testApi(app, accountUuid, api)
  // Same message as the API call of that name.
  if (looked.outcome === 'failed') return { outcome: 'failed', api, message: apiCallFailed(500, looked.message) }
  const { records } = looked
  const shown = records.slice(0, MOST_SHOWN)
  return {
    outcome: 'found',
    api,
    count: records.length,
    shown: shown.length,
    raw: JSON.stringify(shown, null, 2),
    fields: fieldsFound(records),
  }
}
