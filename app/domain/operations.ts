// What the operator sees of accounts, addresses and backups: facts, without any content of an account.
import type { Millis } from '#app/lib/clock.ts'

/** Facts about an account, without its content. */
export interface OutlinedAccount {
  uuid: string
  /** '' until the first sign-in. */
  name: string
  connection: 'connected' | 'reconnect' | null
  plan: { status: string; trialEndsAt: Millis; cancelAtPeriodEnd: boolean; heldSince: Millis | null } | null
  waiting: number
  endpoints: number
  failing: number
  failingSince: Millis | null
  stopped: number
}

export interface FailingAddress {
  accountUuid: string
  accountName: string
  since: Millis
  switchedOff: boolean
  code: number | null
  outcome: string | null
}

export interface RunOfBackup {
  id: number
  kind: 'backup' | 'drill'
  startedAt: Millis
  endedAt: Millis | null
  outcome: 'running' | 'done' | 'failed'
  databaseBytes: number
  storedBytes: number
  message: string
}

export interface IntegrityFacts {
  how: 'quick' | 'full'
  /** In SQLite's words; empty = none found. */
  problems: string[]
  /** Rows whose parent is missing; null = not checked. */
  orphans: number | null
  tables: number
  /** Tables not checked for lack of time. */
  tablesLeft: number
}
