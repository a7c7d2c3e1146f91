// Limits what an account, and a caller without a session, may use of the process per minute: processor time and bytes.
// Charged after use; a payer in debt waits until it is paid, others do not. Accounts above a small share also pay into
// one common purse: while it is in debt they wait, so several cannot take what one may not.
import type { IncomingHttpHeaders } from 'node:http'
import type { App } from '#app/context/app-context.ts'
import { callerOf } from '#app/lib/caller-of.ts'
import { minutes } from '#app/lib/duration.ts'
import type { Meter } from '#app/lib/work-meter.server.ts'
import { isPrivate } from './neighbours.server.ts'
import type { Refusal } from './origin-check.ts'
import { accountsOfCookies, sessionHashesIn } from './session.server.ts'

/** Per minute. 0 = no limit. */
interface Budget {
  ms: number
  bytes: number
}

interface BudgetSettings {
  account: Budget
  caller: Budget
  /** ms per minute for all accounts above their share together. 0 = no limit. */
  accountsMs: number
}

type Payer = 'account' | 'caller'
/** The purse in debt; `accounts` = all accounts above their share together. */
type Whose = Payer | 'accounts'
type Spent = keyof Budget
type Asked = { headers: IncomingHttpHeaders }

export type Budgets = ReturnType<typeof createBudgets>

/** Maximum keys remembered of each kind; the least recently seen is dropped. */
const MOST_KEYS = 10_000
/** ms of processor time per minute up to which an account never waits for others. */
export const SHARE_MS = 5_000
/** The common purse of all accounts above their share. */
const TOGETHER = ''

type PurseKind = Whose | 'share'

/** Limits the wait, however much one request used. An account's share never waits longer than the common purse. */
const MOST_DEBT_MINUTES: Readonly<Record<PurseKind, number>> = { account: 1, caller: 1, accounts: 1, share: 4 }
/** The part of a minute's processor time usable at once: a whole minute of strangers' work would block everyone. */
const AT_ONCE: Readonly<Record<PurseKind, number>> = { account: 1 / 4, caller: 1 / 6, accounts: 1 / 4, share: 1 }

interface Purse {
  /** What is left of the minute; below 0 = debt. */
  left: Budget
  at: number
}

export function createBudgets(
  app: Pick<App, 'store' | 'clock' | 'settings' | 'log'>,
  settings: BudgetSettings,
  given: {
    refused?: (whose: Whose, of: Spent) => void
    /** True for a proxy or the operator's own callers: the person behind them is not known. */
    isExempt?: (clientIp: string) => boolean
  } = {},
) {
  const { clock } = app
  const { refused = () => {}, isExempt = isPrivate } = given
  const minute: Readonly<Record<PurseKind, Budget>> = {
    account: settings.account,
    caller: settings.caller,
    accounts: { ms: settings.accountsMs, bytes: 0 },
    share: { ms: SHARE_MS, bytes: 0 },
  }
  const purses: Readonly<Record<PurseKind, Map<string, Purse>>> = {
    account: new Map(),
    caller: new Map(),
    accounts: new Map(),
    share: new Map(),
  }
  /** The account that a session last acted for, by the session's hash. */
  const actedFor = new Map<string, string>()

  function purseOf(whose: PurseKind, key: string): Purse {
    const now = clock.now()
    const full = minute[whose]
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

  /** ms until this purse is out of debt; 0 = no debt. */
  function debtOf(kind: PurseKind, key: string, of: Spent): number {
    const full = minute[kind][of]
    if (full === 0 || !purses[kind].has(key)) return 0
    return Math.max(0, Math.ceil((-purseOf(kind, key).left[of] / full) * minutes(1)))
  }

  /**
   * ms until the debt is paid off; null = no debt. Counts a refusal. `own`: ignores what others have used, for events,
   * which cost next to nothing.
   */
  function overBy(whose: Payer, key: string, own?: 'own'): number | null {
    const debts: [Whose, Spent, number][] = [
      [whose, 'ms', debtOf(whose, key, 'ms')],
      [whose, 'bytes', debtOf(whose, key, 'bytes')],
    ]
    // The shorter wait: back within its share, or the common debt is paid.
    const above = whose === 'account' && !own ? debtOf('share', key, 'ms') : 0
    if (above > 0) debts.push(['accounts', 'ms', Math.min(above, debtOf('accounts', TOGETHER, 'ms'))])
    let wait: number | null = null
    for (const [of, spent, ms] of debts) {
      if (ms === 0) continue
      refused(of, spent)
      wait = Math.max(wait ?? 0, ms)
    }
    return wait
  }

  function pay(kind: PurseKind, key: string, cost: Budget): Budget {
    const { left } = purseOf(kind, key)
    for (const of of ['ms', 'bytes'] as const) {
      left[of] = Math.max(-MOST_DEBT_MINUTES[kind] * minute[kind][of], left[of] - cost[of])
    }
    return left
  }

  function charge(whose: Payer, key: string, cost: Budget): void {
    pay(whose, key, cost)
    if (whose === 'account' && pay('share', key, cost).ms < 0) pay('accounts', TOGETHER, cost)
  }

  const accountOf = (hashes: readonly string[]) => hashes.map((hash) => actedFor.get(hash)).find((one) => one) ?? null

  return {
    overBy,
    charge,
    /** Whether this request may start. Decided by its session if known, else by the caller's address. */
    async admit({ headers }: Asked, clientIp: string): Promise<Refusal | null> {
      const hashes = headers.cookie ? sessionHashesIn(app, headers.cookie) : []
      const known = accountOf(hashes)
      if (known !== null) return refusalOf(overBy('account', known))
      const ms = isExempt(clientIp) ? null : overBy('caller', callerOf(clientIp))
      if (ms === null) return null
      // A signed-in user pays with the account, even if a neighbour has used up the address's budget.
      const account = hashes.length === 0 ? undefined : (await accountsOfCookies(app, headers.cookie))[0]?.accountUuid
      if (account === undefined) return refusalOf(ms)
      for (const hash of hashes) remember(actedFor, hash, account)
      return refusalOf(overBy('account', account))
    },
    /** Charges a finished request to its payer. */
    settle({ headers }: Asked, clientIp: string, meter: Meter, bytes: number): void {
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

/** Delete and re-insert: the map's order is the order of last use. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > MOST_KEYS) map.delete(map.keys().next().value as string)
}
