// Loads the audit log for the page and the call.
import type { App } from '#app/context/app-context.ts'
import type { AuditActor, AuditEntry, AuditOutcome } from '#app/domain/audit.ts'
import { objectLabel } from '#app/domain/object-catalog.ts'
import { iso } from '#app/lib/clock.ts'
import { actorText, auditText, detailText } from './audit.ts'
import { type AuditForm, readAuditQuery } from './audit-filter.ts'

/** An entry as the page shows it. */
interface AuditLine {
  id: number
  at: number
  who: string
  actor: AuditActor
  what: string
  outcome: AuditOutcome
  /** '' = none. */
  facts: string
  ip: string | null
  /** The entry's account; set only where entries of all accounts are shown. */
  accountUuid: string | null
}

interface AuditLogView {
  form: AuditForm
  errors: Record<string, string[]>
  /** Null when the log was not read, because of `errors`. */
  lines: AuditLine[] | null
  /** The cursor for older entries; null when there are none. */
  next: number | null
  isOlder: boolean
  /** Entries of every account, without targets and details. */
  everybody: boolean
}

type StaffNames = Readonly<Record<string, string>>

/** `staffNames` is called only when a name is needed. `everybody` = for the operator. */
export async function loadAuditLog(
  app: Pick<App, 'store'>,
  account: { uuid: string; timezone: string },
  params: URLSearchParams,
  { everybody, staffNames }: { everybody: boolean; staffNames: () => Promise<StaffNames> },
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
  const names = shown.some(({ staffUuid }) => staffUuid !== null) ? await staffNames() : {}
  const lines = shown.map((entry) => lineOf(entry, names, everybody))
  const next = entries.length > shown.length ? (shown.at(-1)?.id ?? null) : null
  return { form, errors: {}, lines, next, isOlder, everybody }
}

function lineOf(entry: AuditEntry, names: StaffNames, everybody: boolean): AuditLine {
  const { id, at, actor, outcome, ip, accountUuid } = entry
  return {
    id,
    at,
    who: actorText(entry, names),
    actor,
    what: everybody ? entry.action : wordsOf(entry),
    outcome,
    facts: detailText(entry.detail),
    ip,
    accountUuid: everybody ? accountUuid : null,
  }
}

/** Names webhooks by the object they watch, as everywhere else. */
function wordsOf({ action, target }: Pick<AuditEntry, 'action' | 'target'>): string {
  return auditText({ action, target: /^webhook\./.test(action) ? objectLabel(target) : target })
}

/** An entry as the call returns it. */
export function auditJson(entry: AuditEntry) {
  const { id, at, actor, action, target, outcome, ip, detail } = entry
  return { id, at: iso(at), actor, action, words: wordsOf(entry), target, outcome, ip, detail }
}
