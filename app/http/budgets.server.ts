// What an account, and a caller who has not signed in, may use of the one process in a minute: processor time and bytes. Paid after
// use; whoever is in debt waits until it is paid off, and nobody else does.
import type { IncomingHttpHeaders } from 'node:http'
import type { App } from '#app/app-context.ts'
import { callerOf } from '#app/lib/caller-of.ts'
import { minutes } from '#app/lib/duration.ts'
import type { Meter } from '#app/lib/work-meter.server.ts'
import { isPrivate } from './neighbours.server.ts'
import type { Refusal } from './origin-check.ts'
import { accountsOfCookies, sessionHashesIn } from './session.server.ts'

/** A minute. 0 = as much as there is. */
export interface Budget {
  ms: number
  bytes: number
}

export interface BudgetSettings {
  account: Budget
  caller: Budget
}

export type Whose = 'account' | 'caller'
export type Spent = keyof Budget

export interface Budgets {
  /** ms until the debt is paid off; null = there is none. Counts a refusal. */
  overBy(whose: Whose, key: string): number | null
  charge(whose: Whose, key: string, cost: Budget): void
  /** May this request begin? By the session it carries, where that is known, else by where it comes from. */
  admit(req: { headers: IncomingHttpHeaders }, clientIp: string): Promise<Refusal | null>
  /** A request is over: whoever it was for pays. */
  settle(req: { headers: IncomingHttpHeaders }, clientIp: string, meter: Meter, bytes: number): void
}

/** Keys remembered of each kind; the one unseen the longest is forgotten. */
const MOST_KEYS = 10_000
/** However much one request used, the wait ends. */
const MOST_DEBT_MINUTES = 1
/** Of a minute's processor time, what may be used at once: a minute's worth of strangers in one go would be a standstill for all. */
const AT_ONCE: Readonly<Record<Whose, number>> = { account: 1 / 4, caller: 1 / 6 }

interface Purse {
  /** What is left of a minute's worth; below 0 = debt. */
  left: Budget
  at: number
}

export function createBudgets(
  app: Pick<App, 'store' | 'clock' | 'settings' | 'log'>,
  settings: BudgetSettings,
  given: {
    refused?: (whose: Whose, of: Spent) => void
    /** Callers that are a proxy, or the operator's own: nobody knows who is behind them. */
    isExempt?: (clientIp: string) => boolean
  } = {},
): Budgets {
  const { clock } = app
  const { refused = () => {}, isExempt = isPrivate } = given
  const purses = { account: new Map<string, Purse>(), caller: new Map<string, Purse>() }
  /** The account that a session acted for last, by the session's hash. */
  const actedFor = new Map<string, string>()

  function purseOf(whose: Whose, key: string): Purse {
    const now = clock.now()
    const full = settings[whose]
    const most = { ms: full.ms * AT_ONCE[whose], bytes: full.bytes }
    const known = purses[whose].get(key)
    const part = known ? Math.max(0, now - known.at) / minutes(1) : 0
    const left = known
      ? {
          ms: Math.min(most.ms, known.left.ms + part * full.ms),
          bytes: Math.min(most.bytes, known.left.bytes + part * full.bytes),
        }
      : most
    const purse = { left, at: now }
    remember(purses[whose], key, purse)
    return purse
  }

  function overBy(whose: Whose, key: string): number | null {
    if (!purses[whose].has(key)) return null
    const { left } = purseOf(whose, key)
    let wait: number | null = null
    for (const of of ['ms', 'bytes'] as const) {
      const full = settings[whose][of]
      if (full === 0 || left[of] >= 0) continue
      refused(whose, of)
      wait = Math.max(wait ?? 0, Math.ceil((-left[of] / full) * minutes(1)))
    }
    return wait
  }

  function charge(whose: Whose, key: string, cost: Budget): void {
    const purse = purseOf(whose, key)
    for (const of of ['ms', 'bytes'] as const) {
      purse.left[of] = Math.max(-MOST_DEBT_MINUTES * settings[whose][of], purse.left[of] - cost[of])
    }
  }

  const accountOf = (hashes: readonly string[]) => hashes.map((hash) => actedFor.get(hash)).find((one) => one) ?? null

  return {
    overBy,
    charge,
    async admit({ headers }, clientIp) {
      const hashes = headers.cookie ? sessionHashesIn(app, headers.cookie) : []
      const known = accountOf(hashes)
      if (known !== null) return refusalOf(overBy('account', known))
      const ms = isExempt(clientIp) ? null : overBy('caller', callerOf(clientIp))
      if (ms === null) return null
      // Somebody who is signed in pays with the account, also beside a neighbour who has used up the address.
      const account = hashes.length === 0 ? undefined : (await accountsOfCookies(app, headers.cookie))[0]?.accountUuid
      if (account === undefined) return refusalOf(ms)
      for (const hash of hashes) remember(actedFor, hash, account)
      return refusalOf(overBy('account', account))
    },
    settle({ headers }, clientIp, meter, bytes) {
      const cost = { ms: meter.ms, bytes }
      if (meter.account === null) {
        if (!isExempt(clientIp)) charge('caller', callerOf(clientIp), cost)
        return
      }
      charge('account', meter.account, cost)
      for (const hash of headers.cookie ? sessionHashesIn(app, headers.cookie) : []) {
        remember(actedFor, hash, meter.account)
      }
    },
  }
}

function refusalOf(ms: number | null): Refusal | null {
  if (ms === null) return null
  const wait = Math.max(1, Math.ceil(ms / 1000))
  return {
    status: 429,
    message: `Too much work at once. Please try again in ${wait} s.`,
    headers: { 'Retry-After': String(wait) },
  }
}

/** Taken out and put back: the map's order is the order of last use. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > MOST_KEYS) map.delete(map.keys().next().value as string)
}
