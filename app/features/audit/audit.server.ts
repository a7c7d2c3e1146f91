// Writes audit entries. An action never fails because its entry could not be written: that error is ours, and logged.
import type { App } from '#app/context/app-context.ts'
import {
  AUDIT_KEPT,
  type AuditAction,
  type AuditActor,
  type AuditDetail,
  type AuditOutcome,
  MOST_REFUSED_KEPT,
  REFUSED_KEPT,
} from '#app/domain/audit.ts'
import { type Caller, currentCaller } from '#app/lib/caller.server.ts'
import { days } from '#app/lib/duration.ts'
import { pause } from '#app/lib/turns.server.ts'
import { maskText, redactDetail } from './audit.ts'

export type AuditApp = Pick<App, 'store' | 'clock' | 'log'>

export interface NewAudit {
  /** Null when the entry belongs to no account. */
  accountUuid: string | null
  action: AuditAction
  /** What the action applied to; masked here. */
  target?: string
  /** Default: done. */
  outcome?: AuditOutcome
  detail?: AuditDetail
  /** The actor, when it does not follow from the current request. */
  actor?: AuditActor
  staffUuid?: string | null
}

/** Appends an entry. Actor and IP come from the current request; without one the actor is Fieldhook. Never throws. */
export async function recordAudit(
  app: AuditApp,
  request: NewAudit,
  caller: Readonly<Caller> | null = currentCaller(),
): Promise<void> {
  const { accountUuid, action, outcome = 'done' } = request
  const who = whoIs(request, caller)
  const ip = caller?.ip ?? null
  // A copy outside the database, which whoever controls the machine could change.
  app.log.info({ account: accountUuid, ...who, action, outcome, ip }, 'audit.recorded')
  try {
    await app.store.audit.appendAudit({
      at: app.clock.now(),
      accountUuid,
      ...who,
      action,
      target: maskText(request.target ?? ''),
      outcome,
      ip,
      detail: redactDetail(request.detail ?? {}),
    })
  } catch (error) {
    app.log.error({ error, account: accountUuid, action, outcome }, 'audit.not_recorded')
  }
}

export function whoIs(
  { actor, accountUuid, staffUuid = null }: NewAudit,
  caller: Readonly<Caller> | null,
): { actor: AuditActor; staffUuid: string | null } {
  if (actor) return { actor, staffUuid }
  if (caller === null) return { actor: 'system', staffUuid: null }
  const own = caller.accounts.find((account) => account.accountUuid === accountUuid)
  if (!own) return { actor: 'stranger', staffUuid: null }
  return own.staffUuid === null ? { actor: 'session', staffUuid: null } : { actor: 'staff', staffUuid: own.staffUuid }
}

const ROWS_PER_STEP = 200
const ROWS_LOOKED_AT = 500
const PAUSE_MS = 20

/** Number of rows removed since the last daily entry, by kind. */
export type Removed = Record<'events' | 'bodies' | 'runs', number>

/**
 * Daily: removes entries older than 400 days, except about new keys of `ENC_KEYS`, and strangers' refusals older than 90 days or above their limit. One
 * entry records what was removed of everything. `signal` ends it early.
 */
export async function forgetOldAudit(app: AuditApp, removed: Removed, signal?: AbortSignal): Promise<void> {
  const { store, clock } = app
  let entries = 0
  while (!signal?.aborted) {
    const step = await store.audit.forgetAuditStep(clock.now() - AUDIT_KEPT, ROWS_PER_STEP)
    entries += step
    if (step < ROWS_PER_STEP) break
    await pause(clock, PAUSE_MS)
  }
  entries += await forgetRefused(app, signal)
  const detail = { ...removed, auditEntries: entries, auditKeptDays: AUDIT_KEPT / days(1) }
  for (const kind of Object.keys(removed) as (keyof Removed)[]) removed[kind] = 0
  await recordAudit(app, { accountUuid: null, action: 'retention', actor: 'system', detail }, null)
}

/** Removes strangers' refusals, which have a shorter retention and a limit. Returns how many were removed. */
async function forgetRefused({ store, clock }: AuditApp, signal?: AbortSignal): Promise<number> {
  let removed = 0
  let step = {
    ...{ before: clock.now() - REFUSED_KEPT, belowId: null as number | null },
    ...{ kept: { nobodys: 0, accounts: 0 }, most: MOST_REFUSED_KEPT },
  }
  while (!signal?.aborted) {
    const next = await store.audit.forgetRefusedStep(step, ROWS_LOOKED_AT)
    removed += next.removed
    if (next.done) break
    step = { ...step, belowId: next.belowId, kept: next.kept }
    await pause(clock, PAUSE_MS)
  }
  return removed
}
