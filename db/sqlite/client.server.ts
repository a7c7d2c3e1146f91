// Opens the one SQLite file so that "committed" means "on disk".
import { chmodSync, closeSync, existsSync, fdatasync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { cannotStart, openingProblem } from '../cannot-start.ts'
import { orm } from '../orm.ts'
import type { Connections } from '../sql/connections.ts'
import { createWriteTurn } from '../sql/hot/write-turn.server.ts'
import { diskIsFull } from './ballast.server.ts'
import { plannedByValue, sqliteDatabase } from './database.server.ts'
import { sqliteHousekeeping } from './housekeeping.server.ts'
import { bringUpToDate } from './migrations.server.ts'
import { safetyCopies } from './safety-copy.server.ts'
import type { Sql } from './sql.ts'

export interface Client extends Connections {
  /** The writing connection itself, for what only a file has. */
  sql: Sql
  log: LogOnDisk
  close(): void
}

/** One process does the work for everybody. */
const ALL = '1 = 1'

/** Each checkpoint is synced, and so is the log before it. Commits are synced beside the event loop (log-on-disk). */
const SYNCHRONOUS_NORMAL = 1

/**
 * Opens (or creates) the database file, migrates its schema and returns the connections. Throws when the file cannot be
 * opened, is damaged, is newer than this release, is not in WAL mode (network file systems) or does not stay at
 * `synchronous=NORMAL`. Problems the operator can fix get a sentence (cannot-start.ts).
 */
export function openClient(file: string, migrationsFolder: string): Client {
  try {
    mkdirSync(dirname(file), { recursive: true })
    keepPrivate(file)
    return openFile(file, migrationsFolder)
  } catch (error) {
    const problem = problemOfOpening(error, file)
    if (!problem) throw error
    const { code, sentence, next } = problem
    throw Object.assign(cannotStart(`${sentence} ${next}`), { code, cause: error })
  }
}

/** Only its user may read the file and its copies; SQLite makes its log and shared memory with the file's mode. */
function keepPrivate(file: string): void {
  try {
    // An existing file stays closed: closing it would end the locks of every connection of this process.
    if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
    const copies = safetyCopies(dirname(file)).map(({ path }) => path)
    for (const path of [file, `${file}-wal`, `${file}-shm`, ...copies]) if (existsSync(path)) chmodSync(path, 0o600)
  } catch {
    // Another user's: whether it can be opened, SQLite says.
  }
}

/** `openingProblem` on this machine. The system's errors name the file themselves. */
export function problemOfOpening(error: unknown, databaseFile: string) {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const file = error instanceof Error && 'path' in error ? String(error.path) : databaseFile
  const folder = dirname(file)
  const user = process.getuid?.() ?? null
  const problem = openingProblem(code, { file, folder, user, isFull: diskIsFull(folder) })
  return problem && { code, ...problem }
}

function openFile(file: string, migrationsFolder: string): Client {
  const sql = new Database(file)
  try {
    // Takes effect only before the first table exists; later it is a write, and waits for the disk.
    if (sql.pragma('auto_vacuum', { simple: true }) === 0) sql.pragma('auto_vacuum = INCREMENTAL')
    const mode = sql.pragma('journal_mode = WAL', { simple: true })
    if (mode !== 'wal')
      throw cannotStart(
        `The database needs write-ahead logging, but the file system of ${file} gives "${String(mode)}". Keep it on a disk of this machine: network folders cannot hold it.`,
      )
    applyPragmas(sql)
    bringUpToDate(sql, file, migrationsFolder)
    assertDurable(sql)
    const log = logOnDisk(sql)
    const readerSql = new Database(file, { readonly: true })
    readerSql.pragma('busy_timeout = 5000')
    const db = sqliteDatabase(sql, log.synced)
    const reader = sqliteDatabase(readerSql)
    return {
      sql,
      log,
      db,
      orm: orm(plannedByValue(sql)),
      reader,
      readerOrm: orm(plannedByValue(readerSql)),
      turn: createWriteTurn(db),
      housekeeping: sqliteHousekeeping(sql),
      mine: () => ALL,
      taken: () => ALL,
      patient: db,
      // There is one writer.
      lock: () => '',
      close() {
        readerSql.close()
        try {
          sql.pragma('wal_checkpoint(TRUNCATE)')
        } catch {
          // On a full disk the log stays beside the file, whole: the next start reads it.
        }
        sql.close()
        log.close()
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
  // Pages of the log until they are copied to the database, 16 MB. With the usual 1,000, a page is copied more often
  // (docs/decisions/0071).
  sql.pragma('wal_autocheckpoint = 4000')
  sql.pragma('journal_size_limit = 67108864')
}

/**
 * Writes once, so that the log exists and is synced with its folder, then reads the setting: on a new file SQLite changes
 * it at the first write, not at open.
 */
function assertDurable(sql: Sql): void {
  sql.exec(
    'BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS "__durable" (at INTEGER) STRICT; DROP TABLE "__durable"; COMMIT',
  )
  sql.pragma('synchronous = NORMAL')
  const level = sql.pragma('synchronous', { simple: true })
  if (level !== SYNCHRONOUS_NORMAL)
    throw new Error(`synchronous is ${String(level)} instead of NORMAL: events would not survive a power cut`)
}

// Puts commits on disk without stopping the event loop: SQLite appends them to its log and does not wait
// (synchronous=NORMAL), a thread of the pool syncs the log, and whoever wrote waits for that. Commits made meanwhile
// share the next sync. Decision 0056 says why this is as durable as synchronous=FULL.

export interface LogOnDisk {
  /**
   * Resolves when everything committed on this connection so far is on disk; at once when it already is. Rejects with
   * `SQLITE_IOERR_FSYNC` when the disk refuses: whether a power cut takes it back is then unknown.
   */
  synced(): Promise<void>
  close(): void
}

class NotSyncedError extends Error {
  override name = 'NotSyncedError'
  readonly code = 'SQLITE_IOERR_FSYNC'
  constructor(cause: unknown) {
    super('The disk refused to sync the log of the database.', { cause })
  }
}

interface Waiter {
  resolve(): void
  reject(error: unknown): void
}

type Sync = (file: number, done: (error: Error | null) => void) => void

/** `sql`: in WAL mode, and its log exists. `sync`: of a file, beside the event loop. */
export function logOnDisk(sql: Sql, sync: Sync = fdatasync): LogOnDisk {
  const log = openSync(`${sql.name}-wal`, 'r+')
  const rowsChanged = sql.prepare<[], number>('SELECT total_changes()').pluck()
  const changes = () => rowsChanged.get() ?? 0
  let onDisk = changes()
  /** A sync failed: nothing appended since the last checkpoint is known to be on disk. */
  let doubtful = false
  let syncing = false
  let closed = false
  let waiting: Waiter[] = []

  function begin(): void {
    if (syncing || waiting.length === 0) return
    syncing = true
    const sharing = waiting
    waiting = []
    const covered = changes()
    sync(log, (error) => {
      syncing = false
      if (closed) return end(sharing)
      if (error) {
        doubtful = true
        for (const { reject } of [...sharing, ...waiting.splice(0)]) reject(new NotSyncedError(error))
        return
      }
      onDisk = covered
      for (const { resolve } of sharing) resolve()
      begin()
    })
  }

  /** The connection was closed meanwhile, which put everything on disk. */
  function end(sharing: Waiter[]): void {
    closeSync(log)
    for (const { resolve } of [...sharing, ...waiting]) resolve()
  }

  /** After a failed sync, a later one that succeeds proves nothing: the kernel may have dropped what it could not write. */
  function writeEverythingAgain(): void {
    const [state] = sql.pragma('wal_checkpoint(PASSIVE)') as { busy: number; log: number; checkpointed: number }[]
    if (state?.busy !== 0 || state.log !== state.checkpointed) throw new NotSyncedError('the log is in use')
    onDisk = changes()
    doubtful = false
  }

  return {
    async synced() {
      if (closed) return
      if (doubtful) writeEverythingAgain()
      if (changes() === onDisk) return
      await new Promise<void>((resolve, reject) => {
        waiting.push({ resolve, reject })
        begin()
      })
    },
    close() {
      if (closed) return
      closed = true
      if (!syncing) end([])
    },
  }
}
