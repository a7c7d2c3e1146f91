/** Results of backups and restore drills, and queries on database files other than the live one. */

import type { RunOfBackup } from '#app/domain/operations.ts'
import type { Millis } from '#app/lib/clock.ts'

export type BackupRunKind = 'backup' | 'drill'

export interface BackupRunRow extends RunOfBackup {
  /** The backup's name in the backup storage; '' until it has one. */
  name: string
  /** Facts: seconds of each step, what a drill checked. */
  detail: Record<string, unknown>
}

interface EndedBackupRun extends Omit<BackupRunRow, 'id' | 'kind' | 'startedAt'> {
  endedAt: Millis
  outcome: 'done' | 'failed'
}

export interface BackupStore {
  /** Starts a run. A lock allows only one at a time, so an earlier unfinished run ends with the message `lost`. */
  beginBackupRun(kind: BackupRunKind, startedAt: Millis, lost: string): Promise<number>
  /** Stores the result of a run. */
  endBackupRun(id: number, ended: EndedBackupRun): Promise<void>
  /** The newest successful run; null = none. */
  newestBackup(kind: BackupRunKind): Promise<BackupRunRow | null>
  /** Newest first. */
  listBackupRuns(limit: number): Promise<BackupRunRow[]>
  /** Deletes all but the newest `keep` of each kind. */
  forgetBackupRuns(keep: number): Promise<void>
}

export interface DatabaseFacts {
  pages: number
  bytes: number
  /** Number of migrations in its schema. */
  migrations: number
  newestEventAt: Millis | null
  /** Row counts of the main tables. */
  rows: Record<string, number>
}

/** Works on whole database files by path. Blocks, for minutes on a big file: never use it on the server's thread. */
export interface DatabaseFiles {
  /** Copies a file consistently in one step while others may write to it. `to` must not exist or be empty. */
  copy(file: string, to: string): Promise<void>
  facts(file: string): DatabaseFacts
  /** The findings of `integrity_check` and `foreign_key_check`; empty = none. */
  problems(file: string): { integrity: string[]; foreignKeys: number }
  /** When the newest event was received. */
  newestEventAt(file: string): Millis | null
  /** Pending deliveries and runs in the file. */
  waiting(file: string): { deliveries: number; runs: number }
}
