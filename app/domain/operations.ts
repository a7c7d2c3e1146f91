// What the operator sees of accounts, addresses and backups: facts, without any content of an account.
import type { Millis } from '#app/lib/clock.ts'

/** Facts about an account, without its content. */
export interface OutlinedAccount {
  uuid: string
  /** '' until the first sign-in. */
  name: string
  /** Null = never connected. */
  connection: 'connected' | 'reconnect' | null
  plan: { status: string; trialEndsAt: Millis; cancelAtPeriodEnd: boolean; heldSince: Millis | null } | null
  /** Pending deliveries, for any reason. */
  waiting: number
  endpoints: number
  failing: number
  failingSince: Millis | null
  /** Stopped by their receivers. */
  stopped: number
}

/** A failing endpoint, without its address. */
export interface FailingAddress {
  accountUuid: string
  accountName: string
  since: Millis
  /** 72 hours without success: nothing is sent to it any more. */
  switchedOff: boolean
  /** Status code of its latest response; null = there was no response. */
  code: number | null
  /** The outcome of a recent attempt whose delivery is still pending; null = unknown. */
  outcome: string | null
}

export interface RunOfBackup {
  id: number
  kind: 'backup' | 'drill'
  startedAt: Millis
  /** Null while it runs, and permanently if its process ended before it did. */
  endedAt: Millis | null
  outcome: 'running' | 'done' | 'failed'
  databaseBytes: number
  storedBytes: number
  /** A sentence for the operator: why it failed, or ''. */
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
