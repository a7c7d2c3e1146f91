// Tracks the caller of the current request for logs and audit entries, without passing it through every function.
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Meter, workFor } from './work-meter.server.ts'

export interface Caller {
  /** The request's IP address. */
  readonly ip: string
  /** The accounts its session has proven, as far as they have been read. */
  accounts: readonly { accountUuid: string; staffUuid: string | null }[]
  /** The service's operator acts on someone else's account. */
  readonly operator?: true
  /** Measures the cost of the request's work. */
  readonly meter?: Meter
}

const callers = new AsyncLocalStorage<Caller>()

/**
 * ms after the last request, for work whose caller has hung up. Tracking then stops until the next request: up to Node
 * 22 it costs something for every promise of the process, including the delivery loop's (4 % of a forward: measured).
 */
const FOLLOWED_AFTER = 30_000

let working = 0
let letGo: NodeJS.Timeout | undefined

/**
 * Runs the work of a request from that address. Nested inside another request's work, the outer request stays the
 * caller. The request ends when a returned promise settles; later work is tracked for half a minute.
 */
export function asCaller<T>(ip: string, work: () => T, meter?: Meter): T {
  if (callers.getStore()) return work()
  clearTimeout(letGo)
  working++
  let result: T | undefined
  try {
    result = callers.run({ ip, accounts: [], ...(meter && { meter }) }, work)
    return result
  } finally {
    if (result instanceof Promise) result.then(ended, ended)
    else ended()
  }
}

function ended(): void {
  working--
  if (working === 0) letGo = setTimeout(() => callers.disable(), FOLLOWED_AFTER).unref()
}

/** Runs an operator's action. The caller has already been checked. */
export function asOperator<T>(work: () => T): T {
  const caller = callers.getStore()
  return caller ? callers.run({ ...caller, operator: true }, work) : work()
}

/** Null = no request: background work. */
export function currentCaller(): Readonly<Caller> | null {
  return callers.getStore() ?? null
}

/** Records the accounts of the caller's session. */
export function noteProved(accounts: Caller['accounts']): void {
  const caller = callers.getStore()
  if (!caller) return
  caller.accounts = accounts
  if (caller.meter) caller.meter.account ??= accounts[0]?.accountUuid ?? null
}

/** Records that the caller acts for its own account, which is charged for the work. */
export function noteActing(accountUuid: string): void {
  const meter = callers.getStore()?.meter
  if (meter) meter.account = accountUuid
}

/** Attributes the work from here on to the current request, or to nobody outside a request. */
export function workGoesOn(): void {
  workFor(callers.getStore()?.meter ?? null)
}
