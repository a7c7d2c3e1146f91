// The doctor's facts, collected in app/commands/doctor.server.ts and judged in doctor.ts.
import type { IntegrityFacts } from '#app/domain/operations.ts'
import type { Millis } from '../../lib/clock.ts'

export const NO_BACKUPS =
  'No backups are made: BACKUP_TO is not set. When this disk is lost, everything is (docs/backups.md).'

export interface Facts {
  now: Millis
  configuration: ConfigurationFacts
  /** `v24.1.0` */
  node: string
  /** `3.51.3` */
  sqlite: string
  file: FileFacts
  disk: DiskFacts
}

export type ConfigurationFacts =
  | { outcome: 'wrong'; problems: string[] }
  | {
      outcome: 'complete'
      platform: 'sandbox' | 'servicem8'
      origin: string
      listensToAll: boolean
      trustProxy: 'none' | 'fly'
      admins: number
      metricsToken: 'none' | 'short' | 'set'
      backups: boolean
      payments: boolean
      hold: boolean
      maxDbMb: number
    }

export type FileFacts =
  | { outcome: 'missing'; path: string }
  | { outcome: 'unreadable'; path: string; sentence: string; next: string }
  | {
      outcome: 'opened'
      path: string
      journalMode: string
      autoVacuum: number
      schema: { newestApplied: string | null; pending: number; newer: boolean }
      integrity: IntegrityFacts
      bytes: { file: number; free: number; wal: number }
      /** Why a start refuses a database of the other platform. Null = it is of this one. */
      otherPlatform: string | null
      /** A restored copy in quarantine. */
      held: boolean
      /** A Fieldhook process delivers from it now. */
      running: boolean
      /** Null = its schema is from another release, so the content cannot be read. */
      content: ContentFacts | null
    }

export type OpenedFile = Extract<FileFacts, { outcome: 'opened' }>

export interface ContentFacts {
  oldestDueSince: Millis | null
  waiting: number
  held: number
  oldestRunDueSince: Millis | null
  oldestScheduleDueSince: Millis | null
  subscriptions: { states: Record<string, number>; troubled: number; stuck: number; missing: number; orphaned: number }
  connections: { connected: number; reconnect: number }
  endpoints: Record<string, number>
  /** Ends of the e-mails about notices of the last 24 hours, by code. */
  mailEnds: { code: string; count: number }[]
  missingKeys: { keyId: string; accountKeys: number; secrets: number }[]
  /** Secrets opened as a test, and how many failed to open. Null = no keys to test with. */
  opened: { tried: number; shut: number } | null
  backup: LastRuns
  drill: LastRuns
}

interface LastRuns {
  newest: { startedAt: Millis; outcome: string; message: string } | null
  newestGood: { startedAt: Millis } | null
}

export interface DiskFacts {
  folder: string
  /** Time this disk takes to sync 4 KB, ms. Null = nothing can be written there. */
  sync: { median: number; slowest: number; times: number } | null
  /** Settings of a database that the product opened there; null = none could be created. */
  opens: { journalMode: string; synchronous: number; foreignKeys: number } | null
  freeBytes: number
  totalBytes: number
  ballastBytes: number
}
