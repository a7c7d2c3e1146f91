// The limits of pages and calls. Each instance counts for itself, except the trigger calls of a rule.
import type { App } from '#app/context/app-context.ts'
import type { Limit } from '#app/contract/operation.ts'
import { callerOf } from '#app/lib/caller-of.ts'
import { createRateLimiter, type RateLimiter, type TakenToken } from '#app/lib/rate-limiter.ts'
import { tooMany } from './respond.ts'

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

/** The trigger calls of a rule, counted over all instances. */
export async function requireTriggerRate(app: Pick<App, 'store'>, limit: Limit, automationId: number): Promise<void> {
  const taken = await app.store.shared.takeTriggerCall(automationId, limit.perMinute)
  if (taken.outcome === 'wait') throw tooMany(taken.ms)
}

/** The same without throwing. */
export function takeRate(app: Pick<App, 'clock'>, limit: LimitName | Limit, key: string): TakenToken {
  const of = typeof limit === 'string' ? LIMITS[limit] : limit
  const limiters = limitersOf.get(app) ?? new Map<Limit, RateLimiter>()
  limitersOf.set(app, limiters)
  const limiter = limiters.get(of) ?? createRateLimiter({ clock: app.clock, perMinute: of.perMinute })
  limiters.set(of, limiter)
  return limiter.take(key)
}
