// Locks beside the database that end with their process, however it ends: they are SQLite's own, on empty files.
import Database from 'better-sqlite3'

export interface FileLock {
  release(): void
}

/**
 * `shared` = as many as like hold it at once; `alone` = nobody else does. Null = somebody is in the way. Throws when the file
 * cannot be made.
 */
export function takeLock(file: string, how: 'shared' | 'alone'): FileLock | null {
  const sql = new Database(file, { timeout: 0 })
  try {
    if (how === 'alone') sql.exec('BEGIN EXCLUSIVE')
    // The read transaction stays open, and its lock with it.
    else sql.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
    return {
      release() {
        if (sql.open) sql.close()
      },
    }
  } catch (error) {
    sql.close()
    if (error instanceof Error && 'code' in error && /^SQLITE_BUSY|^SQLITE_LOCKED/.test(String(error.code))) return null
    throw error
  }
}

/** The lock of whoever serves a database: a restore must not replace the file under it. */
export function inUseLock(databaseFile: string): string {
  return `${databaseFile}.in-use`
}

/** The lock of backups and drills: one at a time. */
export function backupLock(databaseFile: string): string {
  return `${databaseFile}.backup-lock`
}
