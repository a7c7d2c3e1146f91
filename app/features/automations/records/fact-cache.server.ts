// Caches recent reads from the platform, by account and kind. Bounded: when it is full, it drops the account and kind
// that was unused the longest, as a whole.
import type { Clock, Millis } from '#app/lib/clock.ts'

interface Held<Row> {
  row: Row | null
  until: Millis
}

interface CachePart<Row> {
  held: Map<string, Held<Row>>
  /** Until then the cache has the whole list: a missing key does not exist. */
  wholeUntil: Millis
  weight: number
}

export interface FactCache<Row> {
  /** undefined = not cached; null = known not to exist. */
  find(accountUuid: string, kind: string, key: string): Row | null | undefined
  keep(accountUuid: string, kind: string, rows: Iterable<readonly [string, Row | null]>, options: KeepOptions): void
  /** Until when the whole list of this kind is cached; 0 = it is not. */
  wholeUntil(accountUuid: string, kind: string): Millis
}

interface KeepOptions {
  until: Millis
  /** Set when the rows are the whole list; missing keys then do not exist until this moment. */
  wholeUntil?: Millis
  /** The weight of a row compared with others; a contact is 1. */
  weight?: number
}

/** About 60 MB. */
const HEAVIEST = 150_000

export function createFactCache<Row>(clock: Clock, heaviest: number = HEAVIEST): FactCache<Row> {
  const caches = new Map<string, CachePart<Row>>()
  let weight = 0

  function cacheOf(accountUuid: string, kind: string): CachePart<Row> | undefined {
    const name = `${accountUuid}|${kind}`
    const cache = caches.get(name)
    // Deleted and set again, so the map's order is the order of last use.
    if (cache) {
      caches.delete(name)
      caches.set(name, cache)
    }
    return cache
  }

  function makeRoom(keeping: CachePart<Row>): void {
    for (const [name, cache] of caches) {
      if (weight <= heaviest) return
      if (cache === keeping) continue
      caches.delete(name)
      weight -= cache.weight
    }
  }

  return {
    find(accountUuid, kind, key) {
      const cache = cacheOf(accountUuid, kind)
      const now = clock.now()
      const held = cache?.held.get(key)
      if (held && held.until > now) return held.row
      return cache && cache.wholeUntil > now ? null : undefined
    },
    keep(accountUuid, kind, rows, { until, wholeUntil, weight: each = 1 }) {
      const cache = cacheOf(accountUuid, kind) ?? { held: new Map(), wholeUntil: 0, weight: 0 }
      caches.set(`${accountUuid}|${kind}`, cache)
      if (wholeUntil !== undefined) cache.held.clear()
      for (const [key, row] of rows) cache.held.set(key, { row, until })
      if (wholeUntil !== undefined) cache.wholeUntil = wholeUntil
      weight += cache.held.size * each - cache.weight
      cache.weight = cache.held.size * each
      makeRoom(cache)
    },
    wholeUntil: (accountUuid, kind) => cacheOf(accountUuid, kind)?.wholeUntil ?? 0,
  }
}
