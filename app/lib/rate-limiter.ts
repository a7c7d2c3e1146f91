// Token buckets in memory, limited in number: for throttling, not accounting. A restart clears them.
import type { Clock, Millis } from './clock.ts'
import { minutes } from './duration.ts'

/** `ms` = until it is available. */
export type TakenToken = { outcome: 'taken' } | { outcome: 'wait'; ms: number }

export interface RateLimiter {
  /** Takes one token (or all of `count`, or none). */
  take(key: string, count?: number): TakenToken
  /** Number of keys in memory. */
  size(): number
}

/**
 * Allows `burst` at once (default: a minute's worth), refilled evenly at `perMinute`. Keeps at most `maxKeys` callers
 * and drops the least recently seen: a caller with more addresses than that evades a per-address limit anyway.
 */
export function createRateLimiter(options: {
  clock: Clock
  perMinute: number
  burst?: number
  maxKeys?: number
}): RateLimiter {
  const { clock, perMinute, burst = perMinute, maxKeys = 10_000 } = options
  // Counted in ms of credit, so that fractions of a token are never rounded.
  const one = minutes(1) / perMinute
  const full = (minutes(1) * burst) / perMinute
  const buckets = new Map<string, { credit: number; at: Millis }>()
  return {
    size: () => buckets.size,
    take(key, count = 1) {
      const now = clock.now()
      const bucket = buckets.get(key)
      // A clock set backwards costs nobody credit.
      const credit = bucket ? Math.min(full, bucket.credit + Math.max(0, now - bucket.at)) : full
      // A count above the maximum would wait forever.
      const price = Math.min(full, one * count)
      const taken = credit >= price
      // Delete and re-insert: the map's order is the order of last use.
      buckets.delete(key)
      buckets.set(key, { credit: taken ? credit - price : credit, at: now })
      if (buckets.size > maxKeys) buckets.delete(buckets.keys().next().value as string)
      return taken ? { outcome: 'taken' } : { outcome: 'wait', ms: Math.ceil(price - credit) }
    },
  }
}
