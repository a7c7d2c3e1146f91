import type { AuditActor, AuditDetail, AuditEntry, AuditOutcome } from '#app/features/audit/audit.ts'
import type { AuditQuery } from '#app/features/audit/audit-filter.ts'
import type { Millis } from '#app/lib/clock.ts'

/** Masked by the caller. */
export interface NewAuditEntry {
  at: Millis
  accountUuid: string | null
  actor: AuditActor
  staffUuid: string | null
  action: string
  target: string
  outcome: AuditOutcome
  ip: string | null
  detail: AuditDetail
}

/** An entry without what it was done to: all that an operator sees of accounts that are not his. */
export type AuditOutline = Omit<AuditEntry, 'target' | 'detail' | 'staffUuid'>

/** Who did what. Appended to and forgotten when it is old: nothing here changes or removes an entry otherwise. */
export interface AuditStore {
  appendAudit(entry: NewAuditEntry): Promise<void>
  /** Of one account, newest first. */
  listAudit(accountUuid: string, query: AuditQuery): Promise<AuditEntry[]>
  /** Of all accounts and of nobody, newest first. For the operator. */
  listAuditOutlines(query: AuditQuery): Promise<AuditOutline[]>
  /** Removes up to `limit` entries from before that moment, the oldest first. Answers how many. */
  forgetAuditStep(before: Millis, limit: number): Promise<number>
}
