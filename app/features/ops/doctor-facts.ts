// What the doctor looks at, gathered in app/commands/doctor.server.ts and judged in doctor.ts.
import type { Millis } from '../../lib/clock.ts'

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
  | { outcome: 'unreadable'; path: string; sentence: string }
  | {
      outcome: 'opened'
      path: string
      journalMode: string
      autoVacuum: number
      schema: { newestApplied: string | null; pending: number; newer: boolean }
      integrity: {
        how: 'quick' | 'full'
        problems: string[]
        orphans: number | null
        tables: number
        tablesLeft: number
      }
      bytes: { file: number; free: number; wal: number }
      /** A restored copy that nobody has let go yet. */
      held: boolean
      /** A Fieldhook delivers from it at this moment. */
      running: boolean
      /** Null = its schema is not this release's: what is in it cannot be asked. */
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
  missingKeys: { keyId: string; accountKeys: number; secrets: number }[]
  /** Secrets that were opened for a trial, and how many of them did not open. Null = there were no keys to try with. */
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
  /** How long this disk takes to keep 4 KB for good, ms. Null = nothing can be written there. */
  sync: { median: number; slowest: number; times: number } | null
  /** What a database opened there by the product has; null = none could be made. */
  opens: { journalMode: string; synchronous: number; foreignKeys: number } | null
  freeBytes: number
  totalBytes: number
  ballastBytes: number
}
