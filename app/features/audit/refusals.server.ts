// Records refusals, but a flood of them must not fill the database: each minute has limits per account, person and
// address, per account, and in total; above them only the number is recorded. Refusals without an account have their own limit, so
// that nobody can use up a victim's.
import type { App } from '#app/context/app-context.ts'
import { type Caller, currentCaller } from '#app/lib/caller.server.ts'
import { callerOf } from '#app/lib/caller-of.ts'
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import { type AuditApp, type NewAudit, recordAudit, whoIs } from './audit.server.ts'

/** Per minute, for one account, person and address. */
export const MOST_REFUSALS = 10
/** Per minute, for one account. */
export const MOST_REFUSALS_OF_ACCOUNT = 30
/** Per minute, for all accounts; each account gets at least `ALWAYS` entries anyway. */
const MOST_REFUSALS_IN_ALL = 120
const ALWAYS = 3
/** Per minute, for refusals without an account. */
export const MOST_REFUSALS_OF_NOBODY = 20
/** Callers remembered per minute, without an account and per named account. More are counted together. */
const MOST_CALLERS_OF_NOBODY = 2_000
const MOST_CALLERS_OF_ACCOUNT = 100
const SEVERAL = 'several addresses'
/** Callers without an account that are named at the end of a minute. */
const MOST_TOLD_OF_NOBODY = 5

interface Refused extends Pick<Caller, 'ip' | 'accounts'> {
  accountUuid: string | null
  /** Maximum number of entries; 0 when refusals are only counted. */
  most: number
  written: number
  /** Refusals that were only counted. */
  more: number
}

interface Minute {
  since: Millis
  /** Entries written per account; '' for no account. */
  written: Map<string, number>
  inAll: number
  callers: Map<string, Refused>
  /** Number of remembered callers per account; '' for no account. */
  remembered: Map<string, number>
}

type RefusalApp = AuditApp & Pick<App, 'settings'>

const current = new WeakMap<object, Minute>()

/** A refused request. `status` = the answer's status, or words for what was shown instead. */
interface RefusedRequest {
  method: string
  path: string
  status: number | string
}

/** `accountUuid`: the named account if it exists, otherwise the caller's own; null when there is neither. */
export async function recordRefusedCall(
  app: RefusalApp,
  { accountUuid, ...refused }: RefusedRequest & { accountUuid: string | null },
  ip: string,
): Promise<void> {
  const words = wordsOf(app, refused)
  if (words) await recordRefusal(app, { accountUuid, ...words }, ip)
}

/**
 * Records a request refused before anything was read. Once a minute per answer and IP address, `findWho` looks up the
 * account and what the caller's session has proven; the rest are only counted.
 */
export async function recordRefusedAtTheDoor(
  app: RefusalApp,
  refused: RefusedRequest,
  ip: string,
  findWho: () => Promise<Pick<Refused, 'accountUuid' | 'accounts'>>,
): Promise<void> {
  const words = wordsOf(app, refused)
  if (!words) return
  await endRefusalMinute(app)
  const minute = minuteOf(app)
  const caller = callerIn(minute, `door|${refused.status}|${callerOf(ip)}`, { accountUuid: null, ip, accounts: [] })
  if (!mayWrite(minute, caller, 1)) return
  // Counted without an account, because the session's account is only looked up now. Counting comes before any await,
  // so that many simultaneous requests give one entry.
  const { accountUuid, accounts } = Object.assign(caller, await findWho())
  await recordAudit(app, { accountUuid, ...words, outcome: 'refused' }, { ip, accounts })
}

/** Never the address itself: its words could be a stranger's message to an account. Null = an unknown address. */
function wordsOf({ settings }: RefusalApp, { method, path, status }: RefusedRequest) {
  const pattern = settings.routePattern(path)
  if (pattern.endsWith('*')) return null
  const opening = pattern === '/launch' || pattern === '/hooks/servicem8'
  const action: NewAudit['action'] = opening ? 'opening.refused' : 'call.refused'
  return { action, target: `${method.slice(0, 10)} ${pattern}`, detail: { status } }
}

/** Records a refusal, or only counts it. */
export async function recordRefusal(app: AuditApp, request: NewAudit, ip: string): Promise<void> {
  await endRefusalMinute(app)
  const minute = minuteOf(app)
  const { accountUuid } = request
  const who = { ip, accounts: currentCaller()?.accounts ?? [] }
  const { actor, staffUuid } = whoIs(request, who)
  const key = `${accountUuid ?? ''}|${callerOf(ip)}|${actor}|${staffUuid}`
  if (!mayWrite(minute, callerIn(minute, key, { accountUuid, ...who }), MOST_REFUSALS)) return
  await recordAudit(app, { ...request, outcome: 'refused' }, who)
}

/** When an account has too many remembered callers, new ones are counted together. */
function callerIn(minute: Minute, key: string, who: Pick<Refused, 'accountUuid' | 'ip' | 'accounts'>): Refused {
  const known = minute.callers.get(key)
  if (known) return known
  const whose = who.accountUuid ?? ''
  const remembered = minute.remembered.get(whose) ?? 0
  const full = remembered >= (whose === '' ? MOST_CALLERS_OF_NOBODY : MOST_CALLERS_OF_ACCOUNT)
  const at = full ? `${whose}|` : key
  const caller = minute.callers.get(at) ?? {
    ...(full ? { ...who, ip: SEVERAL, accounts: [] } : who),
    most: full ? 0 : Number.POSITIVE_INFINITY,
    written: 0,
    more: 0,
  }
  minute.callers.set(at, caller)
  if (!full) minute.remembered.set(whose, remembered + 1)
  return caller
}

/** Takes one of the allowed entries, or counts one more refusal. */
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

/** Ends a minute: one entry per caller for refusals that were only counted. Run each minute and at the next refusal. */
export async function endRefusalMinute(app: AuditApp): Promise<void> {
  const minute = current.get(app.store)
  if (!minute || app.clock.now() < minute.since + minutes(1)) return
  current.delete(app.store)
  const over = [...minute.callers.values()].filter(({ more }) => more > 0)
  // Accounts first: their entries may show a victim. The others are summed up.
  const accounts = over.filter(({ accountUuid }) => accountUuid !== null)
  const nobodys = over.filter(({ accountUuid }) => accountUuid === null)
  const told = [...accounts.slice(0, MOST_REFUSALS_IN_ALL), ...nobodys.slice(0, MOST_TOLD_OF_NOBODY)]
  const rest = [...accounts.slice(MOST_REFUSALS_IN_ALL), ...nobodys.slice(MOST_TOLD_OF_NOBODY)]
  const more = rest.reduce((sum, one) => sum + one.more, 0)
  if (more > 0) told.push({ accountUuid: null, ip: SEVERAL, accounts: [], most: 0, written: 0, more })
  for (const { accountUuid, ip, accounts, more } of told) {
    const request = { accountUuid, action: 'calls.refused', outcome: 'refused' } as const
    await recordAudit(app, { ...request, detail: { count: more } }, { ip, accounts })
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
