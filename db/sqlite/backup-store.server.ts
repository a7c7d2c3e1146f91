// The results of backups, for a command with or without the running product.
import Database from 'better-sqlite3'
import { backupStore } from '../sql/ops/backups.server.ts'
import type { BackupStore } from '../store/backups.ts'
import { sqliteDatabase } from './database.server.ts'

/** Null = the file's schema is older than the table of backups. Throws SQLite's error when there is no such file. */
export function openBackupStore(file: string): { store: BackupStore; close(): void } | null {
  const sql = new Database(file, { fileMustExist: true, timeout: 10_000 })
  sql.pragma('synchronous = FULL')
  const known = sql.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'backup_run'").get()
  if (known) return { store: backupStore({ db: sqliteDatabase(sql) }), close: () => void sql.close() }
  sql.close()
  return null
}
