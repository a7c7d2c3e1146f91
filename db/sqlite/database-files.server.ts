// Whole database files beside the one in use: copying one that others write to, counting, checking. Opens its own connections.
import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { DatabaseFacts, DatabaseFiles } from '../store/backups.ts'
import type { Sql } from './sql.ts'

/** What a copy is compared by: tables that hold what people made, and what happened. */
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
/** Of one check: a file that is damaged all over need not be listed all over. */
const MOST_PROBLEMS = 20
const ALL_PAGES = 0x7fffffff

export const databaseFiles: DatabaseFiles = {
  async copy(file, to) {
    const source = new Database(file, { readonly: true, fileMustExist: true, timeout: 10_000 })
    try {
      // All in one step, under one read transaction: in several, every write of another connection would begin it anew, and a
      // busy product would never let it end. Writers go on meanwhile; the log grows until the step is done.
      await source.backup(to, { progress: () => ALL_PAGES })
    } finally {
      source.close()
    }
    const copy = new Database(to)
    try {
      // One file alone, without a log beside it. The product switches its log on again when it opens it.
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
      // So damaged that it cannot even be looked through.
      if (!(error instanceof Database.SqliteError)) throw error
      return { integrity: [error.message], foreignKeys: 0 }
    }
  },
  newestEventAt: (file) => withReadOnly(file, newestEventAt),
  waiting: (file) =>
    withReadOnly(file, (sql) => ({
      deliveries: numberOf(sql, "SELECT count(*) FROM delivery WHERE state = 'pending'"),
      runs: numberOf(sql, "SELECT count(*) FROM run WHERE state <> 'done'"),
    })),
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

function numberOf(sql: Sql, statement: string): number {
  return sql.prepare<[], number>(statement).pluck().get() ?? 0
}

/** Opens a file to read, for as long as `work` takes. */
export function withReadOnly<T>(file: string, work: (sql: Sql) => T): T {
  const sql = new Database(file, { readonly: true, fileMustExist: true, timeout: 10_000 })
  try {
    return work(sql)
  } finally {
    sql.close()
  }
}
