// Health checks of the database file: opened read-only, never migrated.
import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { IntegrityFacts } from '#app/domain/operations.ts'
import { rowCheckup } from '../sql/ops/checkup.server.ts'
import type { FileCheckup } from '../store/checkup.ts'
import { openClient } from './client.server.ts'
import { sqliteDatabase } from './database.server.ts'
import { sqliteHousekeeping } from './housekeeping.server.ts'
import { newestApplied, readMigrations } from './migrations.server.ts'
import { platformOf } from './platform-kind.server.ts'
import type { Sql } from './sql.ts'

const MOST_PROBLEMS = 10

/** Throws SQLite's error when the file cannot be read. */
export function openCheckup(file: string, migrationsFolder: string): FileCheckup {
  const sql = new Database(file, { readonly: true, fileMustExist: true, timeout: 10_000 })
  try {
    sql.prepare('SELECT count(*) FROM sqlite_schema').get()
  } catch (error) {
    sql.close()
    throw error
  }
  return {
    schema() {
      const known = readMigrations(migrationsFolder)
      const applied = newestApplied(sql)
      const newest = known.at(-1)
      return {
        newestApplied: known.findLast(({ when }) => when <= (applied ?? 0))?.tag ?? null,
        pending: known.filter(({ when }) => when > (applied ?? 0)).length,
        newer: newest !== undefined && (applied ?? 0) > newest.when,
      }
    },
    promises: () => ({
      journalMode: String(sql.pragma('journal_mode', { simple: true })),
      autoVacuum: sql.pragma('auto_vacuum', { simple: true }) as number,
    }),
    integrity: (full, enough) => integrityOf(sql, full, enough),
    belongsTo: () => platformOf(sql),
    space() {
      const pageSize = sql.pragma('page_size', { simple: true }) as number
      return {
        fileBytes: (sql.pragma('page_count', { simple: true }) as number) * pageSize,
        freeBytes: (sql.pragma('freelist_count', { simple: true }) as number) * pageSize,
        walBytes: statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0,
      }
    },
    isOwned: async (now) =>
      hasTable(sql, 'lease') && sql.prepare('SELECT 1 FROM lease WHERE expires_at > @now').get({ now }) !== undefined,
    rows: () => rowCheckup({ reader: sqliteDatabase(sql), housekeeping: sqliteHousekeeping(sql) }),
    close: () => sql.close(),
  }
}

function integrityOf(sql: Sql, full: boolean, enough: () => boolean): IntegrityFacts {
  const tables = tablesSmallestFirst(sql)
  const pragma = full ? 'integrity_check' : 'quick_check'
  const problems: string[] = []
  let looked = 0
  for (const table of tables) {
    if (problems.length > 0 || (!full && enough())) break
    const found = sql.pragma(`${pragma}("${table}")`) as Record<string, string>[]
    problems.push(...found.flatMap((row) => Object.values(row)).filter((line) => line !== 'ok'))
    looked += 1
  }
  // Problems of the file as a whole, such as pages without an owner.
  if (full && problems.length === 0) {
    const found = sql.pragma(`integrity_check(${MOST_PROBLEMS})`) as { integrity_check: string }[]
    problems.push(...found.map((row) => row.integrity_check).filter((line) => line !== 'ok'))
  }
  return {
    how: full ? 'full' : 'quick',
    problems: problems.slice(0, MOST_PROBLEMS),
    orphans: full ? (sql.pragma('foreign_key_check') as unknown[]).length : null,
    tables: tables.length,
    tablesLeft: tables.length - looked,
  }
}

/** Sorted by the highest id assigned, an estimate of size that costs nothing. A table that cannot be read comes first. */
function tablesSmallestFirst(sql: Sql): string[] {
  const names = sql
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'")
    .pluck()
    .all()
  const sizeOf = (name: string) => {
    try {
      return (sql.prepare(`SELECT max(rowid) FROM "${name}"`).pluck().get() as number | null) ?? 0
    } catch {
      return -1
    }
  }
  const sizes = new Map(names.map((name) => [name, sizeOf(name)]))
  return names.sort((a, b) => (sizes.get(a) ?? 0) - (sizes.get(b) ?? 0))
}

function hasTable(sql: Sql, name: string): boolean {
  return sql.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = @name").get({ name }) !== undefined
}

export function sqliteVersion(): string {
  const sql = new Database(':memory:')
  try {
    return sql.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? ''
  } finally {
    sql.close()
  }
}

/** The settings of a database created at `file` the way the product does it. Throws when none can be created there. */
export function openingOf(
  file: string,
  migrationsFolder: string,
): { journalMode: string; synchronous: number; foreignKeys: number } {
  const { sql, close } = openClient(file, migrationsFolder)
  try {
    return {
      journalMode: String(sql.pragma('journal_mode', { simple: true })),
      synchronous: sql.pragma('synchronous', { simple: true }) as number,
      foreignKeys: sql.pragma('foreign_keys', { simple: true }) as number,
    }
  } finally {
    close()
  }
}
