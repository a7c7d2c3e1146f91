// Whose request is being served, for what is written down about it: known wherever that request's own work is done, without being
// handed through every function in between.
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Meter, workFor } from './work-meter.server.ts'

export interface Caller {
  /** The address the request came from. */
  readonly ip: string
  /** What its session has proved, as far as somebody has looked. */
  accounts: readonly { accountUuid: string; staffUuid: string | null }[]
  /** What is done is done to an account of somebody else, by whoever runs this service. */
  readonly operator?: true
  /** What its work costs. */
  readonly meter?: Meter
}

const callers = new AsyncLocalStorage<Caller>()

/**
 * ms after the last request, for work of one whose caller has hung up. After that nobody is followed until the next request: up to
 * Node 22 following costs something for every promise of the process, the delivery loop's too (4 % of a forward: measured).
 */
const FOLLOWED_AFTER = 30_000

let working = 0
let letGo: NodeJS.Timeout | undefined

/**
 * Does the work of a request from that address. Inside another request's work, that one stays the caller. A promise is the request's
 * end; what it does after that is followed for half a minute.
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

/** Does what the operator asked for. Whether the caller is one has been checked. */
export function asOperator<T>(work: () => T): T {
  const caller = callers.getStore()
  return caller ? callers.run({ ...caller, operator: true }, work) : work()
}

/** Null = nobody asked: work that runs by itself. */
export function currentCaller(): Readonly<Caller> | null {
  return callers.getStore() ?? null
}

/** The caller's session was read: these accounts are its own. */
export function noteProved(accounts: Caller['accounts']): void {
  const caller = callers.getStore()
  if (!caller) return
  caller.accounts = accounts
  if (caller.meter) caller.meter.account ??= accounts[0]?.accountUuid ?? null
}

/** The caller acts for this account of its own: it pays for the work. */
export function noteActing(accountUuid: string): void {
  const meter = callers.getStore()?.meter
  if (meter) meter.account = accountUuid
}

/** The work of the request that is being served goes on here; or, where nobody asked, that of nobody. */
export function workGoesOn(): void {
  workFor(callers.getStore()?.meter ?? null)
}
