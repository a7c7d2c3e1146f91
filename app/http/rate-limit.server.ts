// Token buckets in memory, bounded in number: brakes, not accounting. A restart forgets them.
import type { App } from '#app/context/app-context.ts'
import { callerOf } from '#app/lib/caller-of.ts'
import type { Clock, Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import { tooMany } from './respond.ts'

export interface RateLimiter {
  /** Takes one (or `count`, all of them or none); or says in how many ms they will be there. */
  take(key: string, count?: number): { outcome: 'taken' } | { outcome: 'wait'; ms: number }
  /** How many keys are remembered. */
  size(): number
}

/**
 * `burst` at once (default: a minute's worth), refilled evenly with `perMinute`. Remembers at most `maxKeys` callers and forgets the one unseen the longest:
 * somebody with more addresses than that is not stopped by a limit per address anyway.
 */
export function createRateLimiter(options: {
  clock: Clock
  perMinute: number
  burst?: number
  maxKeys?: number
}): RateLimiter {
  const { clock, perMinute, burst = perMinute, maxKeys = 10_000 } = options
  // Counted in ms of credit, so that no fraction of a token is ever rounded.
  const one = minutes(1) / perMinute
  const full = (minutes(1) * burst) / perMinute
  const buckets = new Map<string, { credit: number; at: Millis }>()
  return {
    size: () => buckets.size,
    take(key, count = 1) {
      const now = clock.now()
      const bucket = buckets.get(key)
      // A clock that was set back takes nothing away from anybody.
      const credit = bucket ? Math.min(full, bucket.credit + Math.max(0, now - bucket.at)) : full
      // What is more than there can ever be would wait for ever.
      const price = Math.min(full, one * count)
      const taken = credit >= price
      // Taken out and put back: the map's order is the order of last use.
      buckets.delete(key)
      buckets.set(key, { credit: taken ? credit - price : credit, at: now })
      if (buckets.size > maxKeys) buckets.delete(buckets.keys().next().value as string)
      return taken ? { outcome: 'taken' } : { outcome: 'wait', ms: Math.ceil(price - credit) }
    },
  }
}

/**
 * A minute, per address; `trigger` per automation, `run`, `look`, `pay`, `export` and `erase` per account. `unknown_address` counts
 * only calls of platform addresses that do not exist: all accounts' events come from the platform's few machines.
 */
export const LIMITS = {
  sign_in: 20,
  credentials: 10,
  link: 5,
  trigger: 60,
  run: 20,
  look: 60,
  pay: 20,
  document: 20,
  export: 4,
  erase: 5,
  unknown_address: 20,
  csp_report: 30,
  reference: 30,
} as const

type LimitName = keyof typeof LIMITS

const limitersOf = new WeakMap<object, Record<LimitName, RateLimiter>>()

/** 429 with Retry-After when this address has used up its share. */
export function requireRate(app: Pick<App, 'clock'>, name: LimitName, clientIp: string): void {
  requireRateOf(app, name, callerOf(clientIp))
}

/** The same for whatever else a limit counts by. */
export function requireRateOf(app: Pick<App, 'clock'>, name: LimitName, key: string): void {
  const taken = limitersFor(app)[name].take(key)
  if (taken.outcome === 'wait') throw tooMany(taken.ms)
}

/** The same without throwing: ms until there is room again, null = there is. */
export function overRate(app: Pick<App, 'clock'>, name: LimitName, clientIp: string): number | null {
  const taken = limitersFor(app)[name].take(callerOf(clientIp))
  return taken.outcome === 'wait' ? taken.ms : null
}

function limitersFor(app: Pick<App, 'clock'>): Record<LimitName, RateLimiter> {
  const limiters = limitersOf.get(app) ?? newLimiters(app.clock)
  limitersOf.set(app, limiters)
  return limiters
}

function newLimiters(clock: Clock): Record<LimitName, RateLimiter> {
  const limiter = (name: LimitName) => createRateLimiter({ clock, perMinute: LIMITS[name] })
  return {
    sign_in: limiter('sign_in'),
    credentials: limiter('credentials'),
    link: limiter('link'),
    trigger: limiter('trigger'),
    run: limiter('run'),
    look: limiter('look'),
    pay: limiter('pay'),
    document: limiter('document'),
    export: limiter('export'),
    erase: limiter('erase'),
    unknown_address: limiter('unknown_address'),
    csp_report: limiter('csp_report'),
    reference: limiter('reference'),
  }
}
