// Migrates a file's schema: copies the file first, then applies one migration at a time, each completely or not at all.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { cannotStart } from '../cannot-start.ts'
import { takeSafetyCopy } from './safety-copy.server.ts'

interface Migration {
  /** `0005_operations`: number and name of the file. */
  tag: string
  /** When it was created, epoch ms: the database stores this value. Grows from one to the next. */
  when: number
  /** SHA-256 of the file: a released migration never changes. */
  hash: string
  statements: string[]
}

/** In drizzle-kit's format, so files of earlier releases stay readable. */
const LEDGER = `CREATE TABLE IF NOT EXISTS "__drizzle_migrations" (
	id SERIAL PRIMARY KEY,
	hash text NOT NULL,
	created_at numeric
)`

/** All migrations of this release, oldest first. */
export function readMigrations(folder: string): Migration[] {
  const journal = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as {
    entries: { tag: string; when: number }[]
  }
  return journal.entries.map(({ tag, when }) => {
    const text = readFileSync(join(folder, `${tag}.sql`), 'utf8')
    const statements = text.split('--> statement-breakpoint').filter((statement) => statement.trim() !== '')
    return { tag, when, hash: createHash('sha256').update(text).digest('hex'), statements }
  })
}

/** The time of the newest migration applied to a file; null = none. */
export function newestApplied(sql: Database): number | null {
  const ledger = sql.prepare("SELECT 1 FROM sqlite_master WHERE name = '__drizzle_migrations'").get()
  if (!ledger) return null
  const row = sql.prepare('SELECT max(created_at) AS newest FROM "__drizzle_migrations"').get() as { newest: unknown }
  return row.newest === null ? null : Number(row.newest)
}

/**
 * Applies missing migrations. A process that ends in the middle leaves the schema as before the current migration; the
 * next start continues. Before changing an existing file, puts a copy next to it (`pre-<migration>.db`). Throws without
 * changes when the file is newer than this release, or when there is no room for the copy; rolls back and throws when a
 * migration leaves a row without its parent.
 */
export function bringUpToDate(sql: Database, file: string, folder: string): void {
  const known = readMigrations(folder)
  const before = newestApplied(sql)
  refuseNewer(before, known, file)
  const pending = known.filter(({ when }) => when > (before ?? 0))
  const target = pending.at(-1)
  // In the header while this update is under way: set by each step, cleared after the last.
  const marked = sql.pragma('user_version', { simple: true })
  if (!target) return void (marked !== 0 && sql.pragma('user_version = 0'))
  const begun = marked === known.length
  if (before !== null) takeSafetyCopy(sql, file, { tag: target.tag, begun })

  // Rebuilding a table drops it, which would empty its children with foreign keys on. No effect in a transaction.
  sql.pragma('foreign_keys = OFF')
  // A new file has no older state to return to, so all migrations run at once.
  const steps = before === null ? [pending] : pending.map((migration) => [migration])
  const step = sql.transaction((migrations: Migration[]) => {
    sql.exec(LEDGER)
    sql.pragma(`user_version = ${known.length}`)
    for (const migration of migrations) apply(sql, migration)
  })
  try {
    for (const migrations of steps) step.immediate(migrations)
    sql.pragma('user_version = 0')
  } finally {
    sql.pragma('foreign_keys = ON')
  }
}

function apply(sql: Database, { tag, when, hash, statements }: Migration): void {
  // Another start of the product may have applied it meanwhile.
  if ((newestApplied(sql) ?? 0) >= when) return
  for (const statement of statements) sql.exec(statement)
  const orphans = sql.pragma('foreign_key_check') as { table: string }[]
  if (orphans.length > 0) {
    const tables = [...new Set(orphans.map(({ table }) => table))].join(', ')
    throw cannotStart(
      `The update ${tag} was taken back: rows in ${tables} would have lost what they belong to. The data is as it was; run the release you had, and report this.`,
    )
  }
  sql.prepare('INSERT INTO "__drizzle_migrations" ("hash", "created_at") VALUES (@hash, @when)').run({ hash, when })
}

/** Throws a sentence when the newest applied migration is not among those known here. */
export function refuseNewer(applied: number | null, known: readonly Migration[], file: string): void {
  const newest = known.at(-1)
  if (!newest || applied === null || applied <= newest.when) return
  throw cannotStart(
    `The database ${file} was written by a newer release of Fieldhook than this one (${newest.tag} is the newest it knows). Run that release, or put back the copy pre-….db it made when it was installed: docs/operating.md, "Going back to the release before".`,
  )
}
