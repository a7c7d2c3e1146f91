// Loads the audit log for the page and the call.
import type { App } from '#app/context/app-context.ts'
import type { AuditEntry } from '#app/domain/audit.ts'
import { objectLabel } from '#app/domain/object-catalog.ts'
import { recordNames } from '#app/domain/record-name.ts'
import { iso } from '#app/lib/clock.ts'
import { type AuditLine, type AuditLogView, actorText, auditText, factsText } from './audit.ts'
import { readAuditQuery } from './audit-filter.ts'

/** By uuid. */
type Names = Readonly<Record<string, string>>

/** `staffNames` is called only when a name is needed. `everybody` = for the operator. */
export async function loadAuditLog(
  app: Pick<App, 'store'>,
  account: { uuid: string; timezone: string },
  params: URLSearchParams,
  { everybody, staffNames }: { everybody: boolean; staffNames: () => Promise<Names> },
): Promise<AuditLogView> {
  const read = readAuditQuery(params, account.timezone)
  const { form } = read
  const isOlder = read.before !== ''
  if (read.outcome === 'invalid') {
    return { form, errors: read.errors, lines: null, next: null, isOlder, everybody }
  }
  // Read one more than is shown, to find out whether older ones exist.
  const query = { ...read.query, limit: read.query.limit + 1 }
  const entries: AuditEntry[] = everybody
    ? (await app.store.audit.listAuditOutlines(query)).map((one) => ({
        ...one,
        target: '',
        detail: {},
        staffUuid: null,
      }))
    : await app.store.audit.listAudit(account.uuid, query)
  const shown = entries.slice(0, read.query.limit)
  const names = { ...(await namesIn(shown, staffNames)), ...(await customersIn(app, account.uuid, shown)) }
  const lines = shown.map((entry) => lineOf(entry, names, everybody, account.timezone))
  const next = entries.length > shown.length ? (shown.at(-1)?.id ?? null) : null
  return { form, errors: {}, lines, next, isOlder, everybody }
}

/** Names of the people who act, or whose role was changed. */
async function namesIn(shown: readonly AuditEntry[], staffNames: () => Promise<Names>): Promise<Names> {
  return shown.some(({ staffUuid, action }) => staffUuid !== null || action === 'role.changed') ? staffNames() : {}
}

/** Of `customer 4f9d…`, whose messages were stopped or allowed: its kind and uuid. */
function mutedOf({ action, target }: Pick<AuditEntry, 'action' | 'target'>): string[] {
  return (/^customer\.(muted|allowed)$/.test(action) && /^(customer|job) ([0-9a-f-]{36})$/.exec(target)?.slice(1)) || []
}

/** Names of the customers and jobs whose messages were stopped or allowed, where Fieldhook has seen them. */
async function customersIn(
  { store }: Pick<App, 'store'>,
  accountUuid: string,
  shown: readonly AuditEntry[],
): Promise<Names> {
  const asked = shown.flatMap((entry) => {
    const [kind, recordUuid] = mutedOf(entry)
    return recordUuid === undefined ? [] : [{ object: kind === 'job' ? 'job' : 'company', recordUuid }]
  })
  if (asked.length === 0) return {}
  const known = recordNames(await store.records.knownOf(accountUuid, asked))
  return Object.fromEntries(
    [...known].map(([uuid, { what, who }]) => [uuid, what.startsWith('Job') ? what.toLowerCase() : who]),
  )
}

/** The newest entry; null = there is none. */
export async function newestAuditLine(
  app: Pick<App, 'store'>,
  { uuid, timezone }: { uuid: string; timezone: string },
  names: Names,
): Promise<AuditLine | null> {
  const any = { actions: null, outcome: null, since: null, until: null, before: null }
  const [entry] = await app.store.audit.listAudit(uuid, { ...any, limit: 1 })
  return entry ? lineOf(entry, names, false, timezone) : null
}

function lineOf(entry: AuditEntry, names: Names, everybody: boolean, zone: string): AuditLine {
  const { id, at, actor, outcome, ip, accountUuid, detail } = entry
  return {
    id,
    at,
    who: actorText(entry, names),
    actor,
    what: everybody ? entry.action : wordsOf(entry, names),
    outcome,
    facts: factsText(entry, zone),
    run: typeof detail.run === 'number' ? detail.run : null,
    ip,
    accountUuid: everybody ? accountUuid : null,
  }
}

/** Names webhooks by the object they watch, as everywhere else, and people by their name. */
function wordsOf({ action, target, detail }: Pick<AuditEntry, 'action' | 'target' | 'detail'>, names: Names): string {
  return auditText({ action, target: namedTarget(action, target, names) }, detail.channel)
}

function namedTarget(action: string, target: string, names: Names): string {
  if (/^webhook\./.test(action)) return objectLabel(target)
  if (action === 'role.changed') return (Object.hasOwn(names, target) && names[target]) || 'a staff member'
  const [kind, uuid] = mutedOf({ action, target })
  if (kind === undefined || uuid === undefined) return target
  return (Object.hasOwn(names, uuid) && names[uuid]) || `a ${kind}`
}

/** An entry as the call returns it. */
export function auditJson(entry: AuditEntry) {
  const { id, at, actor, action, target, outcome, ip, detail } = entry
  return { id, at: iso(at), actor, action, words: wordsOf(entry, {}), target, outcome, ip, detail }
}
