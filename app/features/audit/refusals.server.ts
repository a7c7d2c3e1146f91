// What was refused is written down too, but a flood of it must not fill the file: so many a minute for each account and address, so
// many in all; of the rest only the number.
import { currentCaller } from '#app/lib/caller.server.ts'
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import { type AuditApp, type AuditWish, recordAudit } from './audit.server.ts'
import { pathPattern } from './audit.ts'

/** A minute, for one account and one address. */
export const MOST_REFUSALS = 10
/** A minute, in all. */
export const MOST_REFUSALS_IN_ALL = 120
/** Callers remembered within a minute; more of them are counted together. */
const MOST_CALLERS = 2_000
const SEVERAL = 'several addresses'

interface Refused {
  accountUuid: string | null
  ip: string
  /** Entries; 0 = it is only counted. */
  most: number
  written: number
  /** Counted only. */
  more: number
}

interface Minute {
  since: Millis
  inAll: number
  callers: Map<string, Refused>
}

const current = new WeakMap<object, Minute>()

/** A request that was refused. `status` = of the answer, or in words what was shown in place of what was asked for. */
interface RefusedRequest {
  method: string
  path: string
  status: number | string
}

/** `accountUuid`: whose id was named, where there is such an account; else the caller's own; null = neither. */
export async function recordRefusedCall(
  app: AuditApp,
  { accountUuid, ...refused }: RefusedRequest & { accountUuid: string | null },
  ip: string,
): Promise<void> {
  await recordRefusal(app, { accountUuid, ...wordsOf(refused) }, ip)
}

/**
 * Turned away before anything was read. Once a minute for each answer and address it is found out whose session it was, and written
 * down; of the rest only the number.
 */
export async function recordRefusedAtTheDoor(
  app: AuditApp,
  refused: RefusedRequest,
  ip: string,
  findAccount: () => Promise<string | null>,
): Promise<void> {
  await endRefusalMinute(app)
  const minute = minuteOf(app)
  const caller = callerIn(minute, `door|${refused.status}|${ip}`, { accountUuid: null, ip })
  if (!mayWrite(minute, caller, 1)) return
  // Noted before anything is waited for: of many that come at once one is written.
  caller.accountUuid = await findAccount()
  const wish = { accountUuid: caller.accountUuid, ...wordsOf(refused) }
  await recordAudit(app, { ...wish, outcome: 'refused', actor: 'stranger' }, { ip, accounts: [] })
}

function wordsOf({ method, path, status }: RefusedRequest): Pick<AuditWish, 'action' | 'target' | 'detail'> {
  const opening = path === '/launch' || path === '/hooks/servicem8'
  const target = `${method.slice(0, 10)} ${pathPattern(path)}`
  return { action: opening ? 'opening.refused' : 'call.refused', target, detail: { status } }
}

/** Writes it down as refused, or only counts it. */
export async function recordRefusal(app: AuditApp, wish: AuditWish, ip: string): Promise<void> {
  await endRefusalMinute(app)
  const minute = minuteOf(app)
  const { accountUuid } = wish
  const caller = callerIn(minute, `${accountUuid ?? ''}|${ip}`, { accountUuid, ip })
  if (!mayWrite(minute, caller, MOST_REFUSALS)) return
  await recordAudit(app, { ...wish, outcome: 'refused' }, { ip, accounts: currentCaller()?.accounts ?? [] })
}

/** Whoever comes when too many are remembered already is counted together with the others. */
function callerIn(minute: Minute, key: string, who: Pick<Refused, 'accountUuid' | 'ip'>): Refused {
  const known = minute.callers.has(key) || minute.callers.size < MOST_CALLERS
  const at = known ? key : ''
  const caller = minute.callers.get(at) ?? {
    ...(known ? who : { accountUuid: null, ip: SEVERAL }),
    most: known ? Number.POSITIVE_INFINITY : 0,
    written: 0,
    more: 0,
  }
  minute.callers.set(at, caller)
  return caller
}

/** Takes one of what may be written, or counts one more. */
function mayWrite(minute: Minute, caller: Refused, most: number): boolean {
  if (caller.written >= Math.min(most, caller.most) || minute.inAll >= MOST_REFUSALS_IN_ALL) {
    caller.more += 1
    return false
  }
  caller.written += 1
  minute.inAll += 1
  return true
}

/** When a minute is over, what was only counted in it becomes an entry for each caller. Run each minute, and with the next refusal. */
export async function endRefusalMinute(app: AuditApp): Promise<void> {
  const minute = current.get(app.store)
  if (!minute || app.clock.now() < minute.since + minutes(1)) return
  current.delete(app.store)
  const over = [...minute.callers.values()].filter(({ more }) => more > 0)
  const told = over.slice(0, MOST_REFUSALS_IN_ALL)
  const rest = over.slice(MOST_REFUSALS_IN_ALL).reduce((sum, { more }) => sum + more, 0)
  if (rest > 0) told.push({ accountUuid: null, ip: SEVERAL, most: 0, written: 0, more: rest })
  for (const { accountUuid, ip, more } of told) {
    const wish = { accountUuid, action: 'calls.refused', outcome: 'refused', actor: 'stranger' } as const
    await recordAudit(app, { ...wish, detail: { count: more } }, { ip, accounts: [] })
  }
}

function minuteOf(app: AuditApp): Minute {
  const minute = current.get(app.store) ?? { since: app.clock.now(), inAll: 0, callers: new Map() }
  current.set(app.store, minute)
  return minute
}
