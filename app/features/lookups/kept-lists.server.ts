// Caches platform lists for a minute, so several screens share one read. Limits each account in bytes: accounts decide
// how large their lists are, and all share the memory.
import type { Clock } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'

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
