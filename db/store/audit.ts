import type { AuditActor, AuditDetail, AuditEntry, AuditOutcome, AuditQuery } from '#app/domain/audit.ts'
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
  /** Goes through `limit` entries, the newest first, and removes what strangers were refused and is too old or too much. */
  forgetRefusedStep(step: RefusedStep, limit: number): Promise<RefusedStep & { removed: number; done: boolean }>
}

/** How far it came, and what is kept. */
interface RefusedStep {
  before: Millis
  /** Null = from the newest on. */
  belowId: number | null
  /** Kept so far, of no account and of accounts, and how many there may be. */
  kept: { nobodys: number; accounts: number }
  most: { nobodys: number; accounts: number }
}
