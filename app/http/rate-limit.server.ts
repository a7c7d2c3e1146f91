// Token buckets in memory, limited in number: for throttling, not accounting. A restart clears them.
import type { App } from '#app/context/app-context.ts'
import type { Limit } from '#app/contract/operation.ts'
import { callerOf } from '#app/lib/caller-of.ts'
import type { Clock, Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import { tooMany } from './respond.ts'

interface RateLimiter {
  /** Takes one token (or all of `count`, or none); otherwise returns the ms until they are available. */
  take(key: string, count?: number): { outcome: 'taken' } | { outcome: 'wait'; ms: number }
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

const perAddress = (perMinute: number): Limit => ({ perMinute, per: 'address' })
const perAccount = (perMinute: number): Limit => ({ perMinute, per: 'account' })

/**
 * Limits shared by pages and calls, and limits of things that are not calls. `unknown_address` counts only platform
 * calls to unknown addresses: all accounts' events come from the platform's few machines.
 */
export const LIMITS = {
  sign_in: perAddress(20),
  credentials: perAddress(10),
  link: perAddress(5),
  trigger: { perMinute: 60, per: 'automation' },
  run: perAccount(20),
  preview: perAccount(60),
  test: perAccount(5),
  check: perAccount(5),
  compare: perAccount(2),
  pay: perAccount(20),
  document: perAddress(20),
  export: perAccount(4),
  erase: perAccount(5),
  unknown_address: perAddress(20),
  csp_report: perAddress(30),
  reference: perAddress(30),
} as const satisfies Record<string, Limit>

type LimitName = keyof typeof LIMITS

const limitersOf = new WeakMap<object, Map<Limit, RateLimiter>>()

/** 429 with Retry-After when this address exceeds its limit. */
export function requireRate(app: Pick<App, 'clock'>, limit: LimitName | Limit, clientIp: string): void {
  requireRateOf(app, limit, callerOf(clientIp))
}

/** The same for limits with another key. */
export function requireRateOf(app: Pick<App, 'clock'>, limit: LimitName | Limit, key: string): void {
  const taken = takeRate(app, limit, key)
  if (taken.outcome === 'wait') throw tooMany(taken.ms)
}

/** The same without throwing. */
export function takeRate(
  app: Pick<App, 'clock'>,
  limit: LimitName | Limit,
  key: string,
): ReturnType<RateLimiter['take']> {
  const of = typeof limit === 'string' ? LIMITS[limit] : limit
  const limiters = limitersOf.get(app) ?? new Map<Limit, RateLimiter>()
  limitersOf.set(app, limiters)
  const limiter = limiters.get(of) ?? createRateLimiter({ clock: app.clock, perMinute: of.perMinute })
  limiters.set(of, limiter)
  return limiter.take(key)
}
