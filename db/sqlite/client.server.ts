// Opens the one SQLite file so that "committed" means "on disk".
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import * as schema from '../schema.ts'

export type Sql = Database.Database
export type Db = BetterSQLite3Database<typeof schema>

export interface Client {
  /** For prepared statements on hot paths. */
  sql: Sql
  /** For everything else. */
  db: Db
  /** A second, read-only connection for long reads: they must not hold up the writer. */
  reader: Db
  readerSql: Sql
  close(): void
}

/** FULL. better-sqlite3 is compiled to fall to NORMAL (1) in WAL mode, which loses acknowledged events in a power cut. */
const SYNCHRONOUS_FULL = 2

/**
 * Opens (and makes) the database file, brings its schema up to date and returns the connections.
 * Throws when the file cannot be opened, is not in WAL mode (network file systems) or does not stay at `synchronous=FULL`.
 */
export function openClient(file: string, migrationsFolder: string): Client {
  mkdirSync(dirname(file), { recursive: true })
  const sql = new Database(file)
  try {
    // Takes effect only before the first table exists.
    sql.pragma('auto_vacuum = INCREMENTAL')
    const mode = sql.pragma('journal_mode = WAL', { simple: true })
    if (mode !== 'wal')
      throw new Error(`the database needs write-ahead logging, but its file system gave "${String(mode)}"`)
    applyPragmas(sql)
    const db = drizzle(sql, { schema })
    migrate(db, { migrationsFolder })
    assertDurable(sql)
    const readerSql = new Database(file, { readonly: true })
    readerSql.pragma('busy_timeout = 5000')
    const reader = drizzle(readerSql, { schema })
    return {
      sql,
      db,
      reader,
      readerSql,
      close() {
        readerSql.close()
        sql.pragma('wal_checkpoint(TRUNCATE)')
        sql.close()
      },
    }
  } catch (error) {
    sql.close()
    throw error
  }
}

function applyPragmas(sql: Sql): void {
  sql.pragma('synchronous = FULL')
  sql.pragma('busy_timeout = 5000')
  sql.pragma('foreign_keys = ON')
  sql.pragma('cache_size = -16000')
  sql.pragma('mmap_size = 0')
  sql.pragma('journal_size_limit = 67108864')
}

/** Writes once, then reads the setting back: on a new file the fall to NORMAL happens at the first write, not at open. */
function assertDurable(sql: Sql): void {
  sql.exec(
    'BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS "__durable" (at INTEGER) STRICT; DROP TABLE "__durable"; COMMIT',
  )
  sql.pragma('synchronous = FULL')
  const level = sql.pragma('synchronous', { simple: true })
  if (level !== SYNCHRONOUS_FULL)
    throw new Error(`synchronous is ${String(level)} instead of FULL: events would not survive a power cut`)
}
