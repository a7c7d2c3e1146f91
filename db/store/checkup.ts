/** Health checks of the database: read only, with or without a running product. */
import type { IntegrityFacts } from '#app/domain/operations.ts'
import type { ServerFigures } from '#app/domain/server-figures.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { KeyUse } from './account-keys.ts'
import type { Backlog } from './backlog.ts'

interface SchemaFacts {
  /** `0005_operations`; null = none of our migrations. */
  newestApplied: string | null
  /** Number of migrations this release would still apply. */
  pending: number
  /** A newer release wrote it. */
  newer: boolean
}

interface FilePromises {
  /** `wal` */
  journalMode: string
  /** 2 = incremental. */
  autoVacuum: number
}

interface SubscriptionFacts {
  /** Number of rows by state. */
  states: Record<string, number>
  /** Active, but with a problem. */
  troubled: number
  /** Pending for a while, neither completed nor abandoned. */
  stuck: number
  /** Objects that a connected account needs, without an active subscription. */
  missing: number
  /** Active, but nothing needs it. */
  orphaned: number
}

export interface LastRun {
  startedAt: Millis
  endedAt: Millis | null
  outcome: string
  message: string
}

/** A stored secret, to test whether it can be opened. */
interface SealedSample {
  accountUuid: string
  accessTokenSealed: string
}

/** What the product's own rows say, on either engine. Call it only on a database with this release's schema. */
export interface RowCheckup {
  backlog(now: Millis): Promise<Backlog>
  /** `polled`: objects for which ServiceM8 sends no events. */
  subscriptions(now: Millis, polled: readonly string[]): Promise<SubscriptionFacts>
  /** Number of accounts by connection state. */
  connections(): Promise<{ connected: number; reconnect: number }>
  /** Number of endpoints by state, without deleted ones. */
  endpoints(): Promise<Record<string, number>>
  /** How the e-mails about notices since then ended, by reason code. */
  mailEnds(since: Millis): Promise<{ code: string; count: number }[]>
  keyUses(): Promise<KeyUse[]>
  samples(limit: number): Promise<SealedSample[]>
  findKey(accountUuid: string): Promise<{ sealedWith: string; keySealed: string } | null>
  /** The newest run of each kind, whatever its result, and the newest successful one. */
  backupRuns(kind: 'backup' | 'drill'): Promise<{ newest: LastRun | null; newestGood: LastRun | null }>
}

/** A SQLite file. Its own calls block. */
export interface FileCheckup {
  schema(): SchemaFacts
  promises(): FilePromises
  /**
   * Checks table by table, small ones first; calls `enough` between tables. `full` checks everything, including rows
   * whose parent is missing.
   */
  integrity(full: boolean, enough: () => boolean): IntegrityFacts
  belongsTo(): 'sandbox' | 'servicem8' | null
  space(): { fileBytes: number; freeBytes: number; walBytes: number }
  /** Is the delivery lease still valid? False without such a table. */
  isOwned(now: Millis): Promise<boolean>
  /** Throws on a file with another release's schema. */
  rows(): RowCheckup
  close(): void
}

/** A PostgreSQL server. Every call throws a sentence when it cannot be reached. */
export interface ServerCheckup {
  figures(now: () => Millis): Promise<ServerFigures>
  /** `ahead`: of a newer release, and this one may work on it. Throws a sentence when it may not. */
  schema(): Promise<SchemaFacts & { ahead: boolean }>
  /** Does an instance deliver now? Only with this release's schema. */
  isOwned(now: Millis): Promise<boolean>
  /** Is it a moved copy that sends nothing yet? Only with this release's schema. */
  isHeld(): Promise<boolean>
  /** Only with this release's schema. */
  belongsTo(): Promise<'sandbox' | 'servicem8' | null>
  rows: RowCheckup
  close(): Promise<void>
}
