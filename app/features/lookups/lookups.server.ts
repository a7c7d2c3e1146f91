// Reading the platform's pick-lists, each at most once a minute per account however many screens ask.
import type { AccountCallResult, PlatformRecord } from '#app/adapters/platform.ts'
import type { App } from '#app/app-context.ts'
import { minutes } from '#app/lib/duration.ts'
import {
  API_NAMES,
  type ApiName,
  type LookupName,
  lookupRecords,
  MOST_LISTED,
  NOT_SIGNED_IN,
  OBJECT_OF,
} from './lookups.ts'

type LookupApp = Pick<App, 'callAsAccount' | 'clock' | 'store'>

export type LookedUp =
  | { outcome: 'found'; records: Record<string, unknown>[] }
  /** The platform's own message, so that the name of a missing scope survives; or that nobody signed in. */
  | { outcome: 'failed'; message: string }

const FRESH_FOR = minutes(1)
/** Accounts times lists; what is over goes, then the oldest. */
const MOST_KEPT = 500
const ADMIN_RECORDS = 100

interface Kept {
  until: number
  answer: Promise<LookedUp>
}

const caches = new WeakMap<object, Map<string, Kept>>()

/** Failures are not kept: the next try asks again. */
export function lookUp(app: LookupApp, accountUuid: string, name: LookupName): Promise<LookedUp> {
  const cache = cacheOf(app.store)
  const key = `${accountUuid}|${name}`
  const now = app.clock.now()
  const known = cache.get(key)
  if (known && known.until > now) return known.answer
  const filter = name === 'jobs' || name === 'companies' ? { filter: "active eq '1'" } : {}
  const answer = app
    .callAsAccount(accountUuid, (api, token) =>
      api.list(token, OBJECT_OF[name], { ...filter, limit: Math.max(MOST_LISTED[name], 5_000) }),
    )
    .then((result): LookedUp => toLookedUp(result, (records) => lookupRecords(name, records)))
  cache.delete(key)
  cache.set(key, { until: now + FRESH_FOR, answer })
  for (const [oldest, { until }] of cache) {
    if (cache.size <= MOST_KEPT && until > now) break
    cache.delete(oldest)
  }
  const forget = () => {
    if (cache.get(key)?.answer === answer) cache.delete(key)
  }
  answer.then((looked) => looked.outcome === 'failed' && forget(), forget)
  return answer
}

/** Raw records for the admin's API test, never cached. */
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
      return { outcome: 'failed', message: answer.message || `ServiceM8 answered ${answer.status ?? 'nothing'}.` }
  }
}

function cacheOf(store: object): Map<string, Kept> {
  const known = caches.get(store)
  if (known) return known
  const made = new Map<string, Kept>()
  caches.set(store, made)
  return made
}
