// A SQLite file as one end of a move. A target is filled in a file beside it, which takes its place when all is there.
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { seconds } from '#app/lib/duration.ts'
import { makeFolders } from '#app/lib/folders.server.ts'
import { cannotStart } from '../cannot-start.ts'
import type { MoveSource, MoveTarget, PlatformKind, Row } from '../move/sides.ts'
import { columnsOf, movedTables, quoted, rowsIn, type Table } from '../move/tables.ts'
import { openClient, problemOfOpening } from './client.server.ts'
import { numberOf, withReadOnly } from './database-files.server.ts'
import { type FileLock, inUseLock, takeLock } from './file-lock.server.ts'
import { newestApplied, readMigrations, refuseNewer } from './migrations.server.ts'
import { claimFor, platformOf } from './platform-kind.server.ts'
import { syncFile } from './safety-copy.server.ts'
import type { Sql } from './sql.ts'

interface FilePlace {
  file: string
  migrationsFolder: string
}

const ROWS_AT_ONCE = 2_000
/** Characters of a batch, about. */
const TEXT_AT_ONCE = 4_000_000

/** Opens a file that nobody uses, with the schema of this release. Throws a sentence when it cannot be moved. */
export function openSourceFile({ file, migrationsFolder }: FilePlace): MoveSource {
  if (!existsSync(file)) throw cannotStart(`There is no database at ${file}.`)
  let lock: FileLock | null = null
  let sql: Sql | null = null
  try {
    lock = lockAlone(file)
    sql = new Database(file, { fileMustExist: true })
    sql.pragma('query_only = ON')
    refuseOther(sql, { file, migrationsFolder })
    sql.exec('BEGIN')
    return fileSource({ file, lock, sql })
  } catch (error) {
    sql?.close()
    lock?.release()
    throw explained(error, file)
  }
}

/** Throws a sentence when its schema is not the one of this release. */
function refuseOther(sql: Sql, { file, migrationsFolder }: FilePlace): void {
  const known = readMigrations(migrationsFolder)
  const applied = newestApplied(sql)
  refuseNewer(applied, known, file)
  if (applied !== known.at(-1)?.when) throw cannotStart(olderSentence(file))
}

/** For a command beside a running Fieldhook: nothing replaces the file meanwhile, and its schema stays as it is. */
export function lockShared(place: FilePlace): FileLock {
  if (!existsSync(place.file)) throw cannotStart(`There is no database at ${place.file}.`)
  const lock = takeLock(inUseLock(place.file), 'shared', seconds(1))
  if (!lock) throw cannotStart(`A restore or a move uses ${place.file}: try again when it has ended.`)
  try {
    withReadOnly(place.file, (sql) => refuseOther(sql, place))
    return lock
  } catch (error) {
    lock.release()
    throw explained(error, place.file)
  }
}

function fileSource({ file, lock, sql }: { file: string; lock: FileLock; sql: Sql }): MoveSource {
  return {
    name: file,
    rows: (table) => rowsOf(sql, table),
    counters: async () => countersOf(sql),
    count: async (table) => numberOf(sql, `SELECT count(*) FROM ${rowsIn(table)}`),
    platform: async () => platformOf(sql),
    bytes: async () => numberOf(sql, 'SELECT page_count * page_size FROM pragma_page_count, pragma_page_size'),
    async close() {
      sql.close()
      lock.release()
    },
  }
}

/**
 * Prepares a new file beside `file`. Throws a sentence when `file` is in use, holds rows, or cannot be written. What an
 * interrupted move left beside it is removed: nobody has ever started on that.
 *
 * @param marker path of the file that holds the database until a person lets it go
 */
export function openTargetFile({ file, migrationsFolder, marker }: FilePlace & { marker: string }): MoveTarget {
  let lock: FileLock | null = null
  try {
    makeFolders(dirname(file))
    lock = lockAlone(file)
    refuseFilled(file, migrationsFolder)
    const draft = `${file}.moving`
    removeFile(draft)
    return fileTarget({ file, draft, marker, lock, sql: openDraft(draft, migrationsFolder) })
  } catch (error) {
    lock?.release()
    throw explained(error, file)
  }
}

function fileTarget(parts: { file: string; draft: string; marker: string; lock: FileLock; sql: Sql }): MoveTarget {
  const { file, draft, marker, lock, sql } = parts
  const inserts = new Map<string, (rows: Row[]) => void>()
  return {
    name: file,
    nul: '\0',
    rows: (table) => rowsOf(sql, table),
    counters: async () => countersOf(sql),
    async insert(table, rows) {
      const insert = inserts.get(table.name) ?? inserter(sql, table)
      inserts.set(table.name, insert)
      orExplained(file, () => insert(rows))
    },
    async setCounters(highest) {
      for (const [table, value] of highest) raiseCounter(sql, table, value)
    },
    async setPlatform(kind: PlatformKind) {
      claimFor(sql, kind)
    },
    async finish(why) {
      orExplained(file, () => {
        refuseOrphans(sql, file)
        sql.close()
        syncFile(draft)
        // The marker first: the file can never be there without it.
        writeFileSync(marker, `${JSON.stringify(why)}\n`)
        syncFile(marker)
        // A log of another file would be replayed into this one.
        for (const ending of ['-wal', '-shm']) rmSync(`${file}${ending}`, { force: true })
        renameSync(draft, file)
        syncFile(dirname(file))
      })
    },
    async close() {
      sql.close()
      removeFile(draft)
      lock.release()
    },
  }
}

/** The schema is made as the product makes it. Until the file takes its place it need not survive anything. */
function openDraft(draft: string, migrationsFolder: string): Sql {
  openClient(draft, migrationsFolder).close()
  const sql = new Database(draft)
  sql.pragma('journal_mode = OFF')
  sql.pragma('synchronous = OFF')
  sql.pragma('locking_mode = EXCLUSIVE')
  sql.pragma('cache_size = -131072')
  // Looked at once for all at the end.
  sql.pragma('foreign_keys = OFF')
  return sql
}

function inserter(sql: Sql, table: Table): (rows: Row[]) => void {
  const marks = table.columns.map(() => '?').join(', ')
  const statement = sql.prepare(`INSERT INTO ${quoted(table.name)} (${columnsOf(table)}) VALUES (${marks})`)
  const isNumber = table.columns.map((column) => column.isNumber)
  return sql.transaction((rows: Row[]) => {
    for (const row of rows) {
      statement.run(row.map((value, at) => (isNumber[at] && value !== null ? BigInt(value) : value)))
    }
  })
}

async function* rowsOf(sql: Sql, table: Table): AsyncGenerator<Row[]> {
  const key = table.key.map(quoted).join(', ')
  const statement = sql.prepare<[], (string | bigint | null)[]>(
    `SELECT ${columnsOf(table)} FROM ${rowsIn(table)} ORDER BY ${key}`,
  )
  let batch: Row[] = []
  let characters = 0
  for (const row of statement.raw().safeIntegers().iterate()) {
    const values: Row = []
    for (const value of row) {
      const text = typeof value === 'bigint' ? String(value) : value
      values.push(text)
      characters += text?.length ?? 0
    }
    batch.push(values)
    if (batch.length < ROWS_AT_ONCE && characters < TEXT_AT_ONCE) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

function countersOf(sql: Sql): Map<string, string> {
  const all = sql.prepare<[], [string, bigint]>('SELECT name, seq FROM sqlite_sequence WHERE seq > 0').raw()
  const moved = new Set(movedTables().map(({ name }) => name))
  const given = all.safeIntegers().all()
  return new Map(given.filter(([name]) => moved.has(name)).map(([name, highest]) => [name, String(highest)]))
}

function raiseCounter(sql: Sql, table: string, highest: string): void {
  const values = { table, highest: BigInt(highest) }
  const raised = sql.prepare('UPDATE sqlite_sequence SET seq = max(seq, @highest) WHERE name = @table').run(values)
  if (raised.changes > 0) return
  sql.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (@table, @highest)').run(values)
}

function refuseOrphans(sql: Sql, file: string): void {
  const [orphan] = sql.pragma('foreign_key_check') as { table: string; parent: string }[]
  if (!orphan) return
  throw cannotStart(
    `Nothing was put in place at ${file}: rows of ${orphan.table} belong to rows of ${orphan.parent} that are not there.`,
  )
}

function refuseFilled(file: string, migrationsFolder: string): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  const sql = new Database(file, { readonly: true, fileMustExist: true })
  try {
    refuseNewer(newestApplied(sql), readMigrations(migrationsFolder), file)
    const there = new Set(sql.prepare<[], string>('SELECT name FROM sqlite_schema').pluck().all())
    const filled = movedTables().find(
      ({ name }) => there.has(name) && numberOf(sql, `SELECT EXISTS (SELECT 1 FROM ${rowsIn({ name })})`) === 1,
    )
    if (filled) throw cannotStart(`The database ${file} is not empty: ${filled.name} has rows. Name a new file.`)
  } finally {
    sql.close()
  }
}

function lockAlone(file: string): FileLock {
  const lock = takeLock(inUseLock(file), 'alone')
  if (!lock) throw cannotStart(`Fieldhook is running on ${file}: stop it first.`)
  return lock
}

function olderSentence(file: string): string {
  return `The database ${file} is of an older release. Start this release on it once, stop it, and try again.`
}

function orExplained(file: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    throw explained(error, file)
  }
}

/** A sentence where there is one. */
function explained(error: unknown, file: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)$/.test(code)) {
    return cannotStart(`The disk of ${file} is full, and nothing was put in place. Make room, then move again.`)
  }
  const problem = problemOfOpening(error, file)
  return problem ? Object.assign(cannotStart(`${problem.sentence} ${problem.next}`), { cause: error }) : error
}

function removeFile(file: string): void {
  for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${ending}`, { force: true })
}
