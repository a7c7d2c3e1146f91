// Locks next to the database that end with their process, however it ends: SQLite's own, on empty files.
import { accessSync, chownSync, constants, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'

export interface FileLock {
  release(): void
}

/**
 * `shared` = any number of processes at once; `alone` = only one. Null = another process blocks it, also `waitMs` later.
 * Throws when the file cannot be created, or alone not be written.
 */
export function takeLock(file: string, how: 'shared' | 'alone', waitMs = 0): FileLock | null {
  const sql = new Database(file, { timeout: waitMs })
  try {
    giveToFolder(file)
    // SQLite opens what it may not write to read, and would exclude nobody.
    if (how === 'alone') accessSync(file, constants.W_OK)
    // The read transaction stays open and keeps the lock.
    sql.exec(how === 'alone' ? 'BEGIN EXCLUSIVE' : 'BEGIN; SELECT count(*) FROM sqlite_schema')
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

/** What root makes beside another user's database, that user must be able to lock. */
function giveToFolder(file: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(file))
  try {
    chownSync(file, uid, gid)
  } catch {
    // Not allowed here: the lock counts all the same.
  }
}

/** The lock of the process that serves a database: nothing may replace or move the file meanwhile. */
export function inUseLock(databaseFile: string): string {
  return `${databaseFile}.in-use`
}

/** The lock of backups and drills: one at a time, so every holder is alone. Null = another one is under way. */
export function takeBackupLock(databaseFile: string): FileLock | null {
  const file = `${databaseFile}.backup-lock`
  try {
    return takeLock(file, 'alone')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error
  }
  // Root left it here. Who gets it shared knows that nobody holds it, and may remove it from a folder of their own.
  const free = takeLock(file, 'shared')
  try {
    if (free) rmSync(file, { force: true })
    return free && takeLock(file, 'alone')
  } finally {
    free?.release()
  }
}
