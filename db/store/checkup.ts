/** What a doctor asks of the database file: read only, beside a running product or without one. Everything here blocks. */
import type { Millis } from '#app/lib/clock.ts'
import type { KeyUse } from './account-keys.ts'
import type { Backlog } from './backlog.ts'

interface SchemaFacts {
  /** `0005_operations`; null = no migration of ours. */
  newestApplied: string | null
  /** Migrations that this release would still apply. */
  pending: number
  /** Written by a release that knows more. */
  newer: boolean
}

interface FilePromises {
  /** `wal` */
  journalMode: string
  /** 2 = incremental. */
  autoVacuum: number
}

export interface IntegrityFacts {
  how: 'quick' | 'full'
  /** In SQLite's words; empty = none found. */
  problems: string[]
  /** Rows that belong to nothing; null = not looked for. */
  orphans: number | null
  tables: number
  /** Tables that there was no time for. */
  tablesLeft: number
}

interface SubscriptionFacts {
  /** Rows by state. */
  states: Record<string, number>
  /** Active, with something in the way. */
  troubled: number
  /** Begun and neither made nor given up for a while. */
  stuck: number
  /** Objects that something of a connected account waits for, without an active subscription. */
  missing: number
  /** Active, and nothing needs it. */
  orphaned: number
}

export interface LastRun {
  startedAt: Millis
  endedAt: Millis | null
  outcome: string
  message: string
}

/** A secret as it is stored, to be opened for a trial. */
interface SealedSample {
  accountUuid: string
  accessTokenSealed: string
}

export interface Checkup {
  schema(): SchemaFacts
  promises(): FilePromises
  /**
   * Table by table, the small ones first; `enough` is asked between two tables. `full` looks at everything that can be wrong, and for
   * rows that belong to nothing.
   */
  integrity(full: boolean, enough: () => boolean): IntegrityFacts
  space(): { fileBytes: number; freeBytes: number; walBytes: number }
  /** The lease of whoever delivers has not run out. */
  isOwned(now: Millis): boolean
  /** What follows is asked only of a file with this release's schema. */
  backlog(now: Millis): Promise<Backlog>
  /** `polled`: objects that ServiceM8 sends no events for. */
  subscriptions(now: Millis, polled: readonly string[]): SubscriptionFacts
  /** Accounts by the state of their connection. */
  connections(): { connected: number; reconnect: number }
  /** Endpoints by state, without those deleted. */
  endpoints(): Record<string, number>
  keyUses(): Promise<KeyUse[]>
  samples(limit: number): SealedSample[]
  findKey(accountUuid: string): { sealedWith: string; keySealed: string } | null
  /** The newest of each kind, however it ended, and the newest that ended well. */
  backupRuns(kind: 'backup' | 'drill'): { newest: LastRun | null; newestGood: LastRun | null }
  close(): void
}
