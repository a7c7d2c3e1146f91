/** Backups and drills as they went, and what is asked of a database file other than the one in use. */
import type { Millis } from '#app/lib/clock.ts'

export type BackupRunKind = 'backup' | 'drill'

export interface BackupRunRow {
  id: number
  kind: BackupRunKind
  startedAt: Millis
  /** Null while it runs, and for ever when its process was ended meanwhile. */
  endedAt: Millis | null
  outcome: 'running' | 'done' | 'failed'
  /** Name of the backup in its place; '' before there is one. */
  name: string
  databaseBytes: number
  storedBytes: number
  /** A sentence for the operator: why it failed, or ''. */
  message: string
  /** Small facts: seconds of each step, what a drill looked at. */
  detail: Record<string, unknown>
}

interface EndedBackupRun {
  endedAt: Millis
  outcome: 'done' | 'failed'
  name: string
  databaseBytes: number
  storedBytes: number
  message: string
  detail: Record<string, unknown>
}

export interface BackupStore {
  /** Only one is under way at a time (there is a lock): an earlier one that is still said to run is ended with `lost` as its message. */
  beginBackupRun(kind: BackupRunKind, startedAt: Millis, lost: string): Promise<number>
  /** Writes the end of a run. */
  endBackupRun(id: number, ended: EndedBackupRun): Promise<void>
  /** The newest one that ended well; null = none did. */
  newestBackup(kind: BackupRunKind): Promise<BackupRunRow | null>
  /** The newest first. */
  listBackupRuns(limit: number): Promise<BackupRunRow[]>
  /** All but the newest `keep` of each kind are forgotten. */
  forgetBackupRuns(keep: number): Promise<void>
}

export interface DatabaseFacts {
  pages: number
  bytes: number
  /** Migrations that its schema has. */
  migrations: number
  newestEventAt: Millis | null
  /** Of the main tables. */
  rows: Record<string, number>
}

/** Whole database files, by their paths. Everything here may take minutes on a big file, and blocks: not for the server's thread. */
export interface DatabaseFiles {
  /** One consistent copy of a file that others may be writing to, in one step. `to` must not exist or be empty. */
  copy(file: string, to: string): Promise<void>
  facts(file: string): DatabaseFacts
  /** What `integrity_check` and `foreign_key_check` find; empty = nothing. */
  problems(file: string): { integrity: string[]; foreignKeys: number }
  /** When the newest event came in. */
  newestEventAt(file: string): Millis | null
  /** What waits in it to be sent or to run. */
  waiting(file: string): { deliveries: number; runs: number }
}
