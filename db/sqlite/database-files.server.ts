// Works on whole database files other than the live one: copy, count, check. Opens its own connections.
import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { WAITING_FOR_RELEASE, type Waiting } from '../hold.ts'
import type { DatabaseFacts, DatabaseFiles } from '../store/backups.ts'
import type { Sql } from './sql.ts'

/** Tables that show whether a copy is complete: user data and history. */
const COUNTED = [
  'account',
  'account_mapping',
  'credential',
  'account_key',
  'subscription',
  'webhook',
  'forwarding_rule',
  'endpoint',
  'automation',
  'plan',
  'event',
  'delivery',
  'attempt',
  'run',
  'run_step',
  'audit_entry',
]
/** Per check: a heavily damaged file needs no complete list. */
const MOST_PROBLEMS = 20
const ALL_PAGES = 0x7fffffff

export const databaseFiles: DatabaseFiles = {
  async copy(file, to) {
    const source = new Database(file, { readonly: true, fileMustExist: true, timeout: 10_000 })
    try {
      // One step under one read transaction: with several steps, each write of another connection would restart the
      // copy, and a busy product would never let it finish. Writers continue; the WAL grows until the step is done.
      await source.backup(to, { progress: () => ALL_PAGES })
    } finally {
      source.close()
    }
    const copy = new Database(to)
    try {
      // A single file without a WAL. The product enables WAL again when it opens the file.
      copy.pragma('journal_mode = DELETE')
    } finally {
      copy.close()
    }
  },
  facts: (file) => withReadOnly(file, (sql) => factsOf(sql, file)),
  problems(file) {
    try {
      return withReadOnly(file, problemsOf)
    } catch (error) {
      // Too damaged to check.
      if (!(error instanceof Database.SqliteError)) throw error
      return { integrity: [error.message], foreignKeys: 0 }
    }
  },
  newestEventAt: (file) => withReadOnly(file, newestEventAt),
  waiting: (file) =>
    withReadOnly(file, (sql) => sql.prepare<[], Waiting>(WAITING_FOR_RELEASE).get() ?? { deliveries: 0, runs: 0 }),
}

function problemsOf(sql: Sql): ReturnType<DatabaseFiles['problems']> {
  const found = sql.pragma(`integrity_check(${MOST_PROBLEMS})`) as { integrity_check: string }[]
  const integrity = found.map((row) => row.integrity_check).filter((line) => line !== 'ok')
  return { integrity, foreignKeys: (sql.pragma('foreign_key_check') as unknown[]).length }
}

function factsOf(sql: Sql, file: string): DatabaseFacts {
  const tables = new Set(sql.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all())
  const counted = COUNTED.filter((table) => tables.has(table))
  return {
    pages: sql.pragma('page_count', { simple: true }) as number,
    bytes: statSync(file).size,
    migrations: tables.has('__drizzle_migrations') ? numberOf(sql, 'SELECT count(*) FROM __drizzle_migrations') : 0,
    newestEventAt: tables.has('event') ? newestEventAt(sql) : null,
    rows: Object.fromEntries(counted.map((table) => [table, numberOf(sql, `SELECT count(*) FROM "${table}"`)])),
  }
}

function newestEventAt(sql: Sql): number | null {
  return sql.prepare<[], number>('SELECT received_at FROM event ORDER BY seq DESC LIMIT 1').pluck().get() ?? null
}

export function numberOf(sql: Sql, statement: string): number {
  return sql.prepare<[], number>(statement).pluck().get() ?? 0
}

/** Opens a file read-only while `work` runs. */
export function withReadOnly<T>(file: string, work: (sql: Sql) => T): T {
  const sql = new Database(file, { readonly: true, fileMustExist: true, timeout: 10_000 })
  try {
    return work(sql)
  } finally {
    sql.close()
  }
}
