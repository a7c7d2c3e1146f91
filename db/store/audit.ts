import type { AuditEntry, AuditQuery } from '#app/domain/audit.ts'
import type { Millis } from '#app/lib/clock.ts'

/** Masked by the caller. */
export type NewAuditEntry = Omit<AuditEntry, 'id'>

/** An entry without its target: all an operator sees of other people's accounts. */
export type AuditOutline = Omit<AuditEntry, 'target' | 'detail' | 'staffUuid'>

/** The audit log: append-only. Old entries are deleted; nothing here changes or removes an entry otherwise. */
export interface AuditStore {
  appendAudit(entry: NewAuditEntry): Promise<void>
  /** Entries of one account, newest first. */
  listAudit(accountUuid: string, query: AuditQuery): Promise<AuditEntry[]>
  /** Entries of all accounts and of unknown callers, newest first. For the operator. */
  listAuditOutlines(query: AuditQuery): Promise<AuditOutline[]>
  /** Removes up to `limit` entries from before that moment, oldest first. Returns how many. */
  forgetAuditStep(before: Millis, limit: number): Promise<number>
  /** Scans `limit` entries, newest first, and removes refusals of strangers that are too old or too many. */
  forgetRefusedStep(step: RefusedStep, limit: number): Promise<RefusedStep & { removed: number; done: boolean }>
}

/** The position of the scan, and the limits on what stays. */
interface RefusedStep {
  before: Millis
  /** Null = start at the newest. */
  belowId: number | null
  /** Entries kept so far, without and with an account, and the maximum of each. */
  kept: { nobodys: number; accounts: number }
  most: { nobodys: number; accounts: number }
}
