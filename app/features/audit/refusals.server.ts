// What was refused is written down too, but a flood of it must not fill the file: so many a minute for each account and caller, for
// each account, and in all; of the rest only the number. What names no account has a share of its own, so that nobody can use up what
// stands for a victim.
import { currentCaller } from '#app/lib/caller.server.ts'
import { callerOf } from '#app/lib/caller-of.ts'
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import { type AuditApp, type NewAudit, recordAudit } from './audit.server.ts'
import { pathPattern } from './audit.ts'

/** A minute, for one account and one caller. */
export const MOST_REFUSALS = 10
/** A minute, of one account. */
export const MOST_REFUSALS_OF_ACCOUNT = 30
/** A minute, of all accounts: these many of each are written all the same. */
const MOST_REFUSALS_IN_ALL = 120
const ALWAYS = 3
/** A minute, of no account at all. */
export const MOST_REFUSALS_OF_NOBODY = 20
/** Callers remembered within a minute: of those who name no account, and of each account that is named. More are counted together. */
const MOST_CALLERS_OF_NOBODY = 2_000
const MOST_CALLERS_OF_ACCOUNT = 100
const SEVERAL = 'several addresses'
/** Callers named at the end of a minute, of those who named no account. */
const MOST_TOLD_OF_NOBODY = 5

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
  /** Written, of each account; '' = of none. */
  written: Map<string, number>
  inAll: number
  callers: Map<string, Refused>
  /** How many callers are remembered, of each account; '' = of none. */
  remembered: Map<string, number>
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
  const caller = callerIn(minute, `door|${refused.status}|${callerOf(ip)}`, { accountUuid: null, ip })
  if (!mayWrite(minute, caller, 1)) return
  // Counted as nobody's: whose it is, is only found out now.
  // Noted before anything is waited for: of many that come at once one is written.
  caller.accountUuid = await findAccount()
  const request = { accountUuid: caller.accountUuid, ...wordsOf(refused) }
  await recordAudit(app, { ...request, outcome: 'refused', actor: 'stranger' }, { ip, accounts: [] })
}

function wordsOf({ method, path, status }: RefusedRequest): Pick<NewAudit, 'action' | 'target' | 'detail'> {
  const opening = path === '/launch' || path === '/hooks/servicem8'
  const target = `${method.slice(0, 10)} ${pathPattern(path)}`
  return { action: opening ? 'opening.refused' : 'call.refused', target, detail: { status } }
}

/** Writes it down as refused, or only counts it. */
export async function recordRefusal(app: AuditApp, request: NewAudit, ip: string): Promise<void> {
  await endRefusalMinute(app)
  const minute = minuteOf(app)
  const { accountUuid } = request
  const caller = callerIn(minute, `${accountUuid ?? ''}|${callerOf(ip)}`, { accountUuid, ip })
  if (!mayWrite(minute, caller, MOST_REFUSALS)) return
  await recordAudit(app, { ...request, outcome: 'refused' }, { ip, accounts: currentCaller()?.accounts ?? [] })
}

/** Whoever comes when too many of the same account are remembered already is counted together with the others of it. */
function callerIn(minute: Minute, key: string, who: Pick<Refused, 'accountUuid' | 'ip'>): Refused {
  const known = minute.callers.get(key)
  if (known) return known
  const whose = who.accountUuid ?? ''
  const remembered = minute.remembered.get(whose) ?? 0
  const full = remembered >= (whose === '' ? MOST_CALLERS_OF_NOBODY : MOST_CALLERS_OF_ACCOUNT)
  const at = full ? `${whose}|` : key
  const caller = minute.callers.get(at) ?? {
    accountUuid: who.accountUuid,
    ip: full ? SEVERAL : who.ip,
    most: full ? 0 : Number.POSITIVE_INFINITY,
    written: 0,
    more: 0,
  }
  minute.callers.set(at, caller)
  if (!full) minute.remembered.set(whose, remembered + 1)
  return caller
}

/** Takes one of what may be written, or counts one more. */
function mayWrite(minute: Minute, caller: Refused, most: number): boolean {
  const whose = caller.accountUuid ?? ''
  const written = minute.written.get(whose) ?? 0
  const full =
    whose === ''
      ? written >= MOST_REFUSALS_OF_NOBODY
      : written >= (minute.inAll < MOST_REFUSALS_IN_ALL ? MOST_REFUSALS_OF_ACCOUNT : ALWAYS)
  if (full || caller.written >= Math.min(most, caller.most)) {
    caller.more += 1
    return false
  }
  caller.written += 1
  minute.written.set(whose, written + 1)
  if (whose !== '') minute.inAll += 1
  return true
}

/** When a minute is over, what was only counted in it becomes an entry for each caller. Run each minute, and with the next refusal. */
export async function endRefusalMinute(app: AuditApp): Promise<void> {
  const minute = current.get(app.store)
  if (!minute || app.clock.now() < minute.since + minutes(1)) return
  current.delete(app.store)
  const over = [...minute.callers.values()].filter(({ more }) => more > 0)
  // Those of accounts first: what stands for a victim is told, and the others together.
  const accounts = over.filter(({ accountUuid }) => accountUuid !== null)
  const nobodys = over.filter(({ accountUuid }) => accountUuid === null)
  const told = [...accounts.slice(0, MOST_REFUSALS_IN_ALL), ...nobodys.slice(0, MOST_TOLD_OF_NOBODY)]
  const rest = [...accounts.slice(MOST_REFUSALS_IN_ALL), ...nobodys.slice(MOST_TOLD_OF_NOBODY)]
  const more = rest.reduce((sum, one) => sum + one.more, 0)
  if (more > 0) told.push({ accountUuid: null, ip: SEVERAL, most: 0, written: 0, more })
  for (const { accountUuid, ip, more } of told) {
    const request = { accountUuid, action: 'calls.refused', outcome: 'refused', actor: 'stranger' } as const
    await recordAudit(app, { ...request, detail: { count: more } }, { ip, accounts: [] })
  }
}

function minuteOf(app: AuditApp): Minute {
  const minute = current.get(app.store) ?? {
    since: app.clock.now(),
    written: new Map(),
    inAll: 0,
    callers: new Map(),
    remembered: new Map(),
  }
  current.set(app.store, minute)
  return minute
}
