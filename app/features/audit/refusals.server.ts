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

/** `path` of the request. `accountUuid`: whose id was named, where there is such an account; else the caller's own; null = neither. */
export async function recordRefusedCall(
  app: AuditApp,
  { method, path, status, accountUuid }: { method: string; path: string; status: number; accountUuid: string | null },
  ip: string,
): Promise<void> {
  const opening = path === '/launch' || path === '/hooks/servicem8'
  const target = `${method.slice(0, 10)} ${pathPattern(path)}`
  const action = opening ? 'opening.refused' : 'call.refused'
  await recordRefusal(app, { accountUuid, action, target, detail: { status } }, ip)
}

/** Writes it down as refused, or only counts it. */
export async function recordRefusal(app: AuditApp, wish: AuditWish, ip: string): Promise<void> {
  await endRefusalMinute(app)
  const minute = minuteOf(app)
  const { accountUuid } = wish
  const key = `${accountUuid ?? ''}|${ip}`
  const known = minute.callers.has(key) || minute.callers.size < MOST_CALLERS
  const refused = (known ? minute.callers.get(key) : minute.callers.get('')) ?? {
    accountUuid: known ? accountUuid : null,
    ip: known ? ip : SEVERAL,
    written: 0,
    more: 0,
  }
  minute.callers.set(known ? key : '', refused)
  if (!known || refused.written >= MOST_REFUSALS || minute.inAll >= MOST_REFUSALS_IN_ALL) {
    refused.more += 1
    return
  }
  refused.written += 1
  minute.inAll += 1
  await recordAudit(app, { ...wish, outcome: 'refused' }, { ip, accounts: currentCaller()?.accounts ?? [] })
}

/** When a minute is over, what was only counted in it becomes an entry for each caller. Run each minute, and with the next refusal. */
export async function endRefusalMinute(app: AuditApp): Promise<void> {
  const minute = current.get(app.store)
  if (!minute || app.clock.now() < minute.since + minutes(1)) return
  current.delete(app.store)
  const over = [...minute.callers.values()].filter(({ more }) => more > 0)
  const told = over.slice(0, MOST_REFUSALS_IN_ALL)
  const rest = over.slice(MOST_REFUSALS_IN_ALL).reduce((sum, { more }) => sum + more, 0)
  if (rest > 0) told.push({ accountUuid: null, ip: SEVERAL, written: 0, more: rest })
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
