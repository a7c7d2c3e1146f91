// Health checks of the database file: opened read-only, never migrated.
import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { minutes } from '#app/lib/duration.ts'
import { accountKeyStore } from '../sql/accounts/account-keys.server.ts'
import { backlogStore } from '../sql/ops/backlog.server.ts'
import type { Checkup, IntegrityFacts, LastRun } from '../store/checkup.ts'
import { openClient } from './client.server.ts'
import { sqliteDatabase } from './database.server.ts'
import { sqliteHousekeeping } from './housekeeping.server.ts'
import { newestApplied, readMigrations } from './migrations.server.ts'
import type { Sql } from './sql.ts'

const STUCK_AFTER = minutes(10)
const MOST_PROBLEMS = 10

/** The objects whose events are needed: the same as neededObjects in app/features/endpoints. */
const WANTED = `
  SELECT account_uuid, object_type AS object FROM webhook WHERE deleted_at IS NULL
  UNION SELECT account_uuid, object_type FROM forwarding_rule WHERE deleted_at IS NULL
  UNION SELECT account_uuid, watched_object FROM automation
    WHERE active = 1 AND deleted_at IS NULL AND watched_object IS NOT NULL`

/** Throws SQLite's error when the file cannot be read. */
export function openCheckup(file: string, migrationsFolder: string): Checkup {
  const sql = new Database(file, { readonly: true, fileMustExist: true, timeout: 10_000 })
  try {
    sql.prepare('SELECT count(*) FROM sqlite_schema').get()
  } catch (error) {
    sql.close()
    throw error
  }
  const numberOf = (statement: string, given: object = {}) =>
    (sql.prepare(statement).pluck().get(given) as number | null | undefined) ?? 0
  const countBy = (statement: string): Record<string, number> =>
    Object.fromEntries((sql.prepare(statement).raw().all() as [string, number][]).map(([name, count]) => [name, count]))

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
    space() {
      const pageSize = sql.pragma('page_size', { simple: true }) as number
      return {
        fileBytes: (sql.pragma('page_count', { simple: true }) as number) * pageSize,
        freeBytes: (sql.pragma('freelist_count', { simple: true }) as number) * pageSize,
        walBytes: statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0,
      }
    },
    isOwned: (now) =>
      hasTable(sql, 'lease') && numberOf('SELECT count(*) FROM lease WHERE expires_at > @now', { now }) > 0,
    backlog: (now) => backlogStore({ reader: sqliteDatabase(sql) }).readBacklog(now, []),
    subscriptions(now, polled) {
      const objects = JSON.stringify(polled)
      return {
        states: countBy('SELECT state, count(*) FROM subscription GROUP BY state'),
        troubled: numberOf("SELECT count(*) FROM subscription WHERE state = 'active' AND state_reason IS NOT NULL"),
        stuck: numberOf("SELECT count(*) FROM subscription WHERE state = 'pending' AND updated_at < @before", {
          before: now - STUCK_AFTER,
        }),
        missing: numberOf(
          `SELECT count(*) FROM (${WANTED}) w JOIN credential c ON c.account_uuid = w.account_uuid AND c.state = 'connected'
           WHERE w.object NOT IN (SELECT value FROM json_each(@objects)) AND NOT EXISTS (SELECT 1 FROM subscription s
             WHERE s.account_uuid = w.account_uuid AND s.object = w.object AND s.state IN ('active', 'pending'))`,
          { objects },
        ),
        orphaned: numberOf(
          `SELECT count(*) FROM subscription s WHERE s.state = 'active' AND NOT EXISTS (SELECT 1 FROM (${WANTED}) w
             WHERE w.account_uuid = s.account_uuid AND w.object = s.object)`,
        ),
      }
    },
    connections() {
      const states = countBy('SELECT state, count(*) FROM credential GROUP BY state')
      return { connected: states.connected ?? 0, reconnect: states.reconnect ?? 0 }
    },
    endpoints: () => countBy("SELECT state, count(*) FROM endpoint WHERE state <> 'deleted' GROUP BY state"),
    keyUses: () => accountKeyStore({ db: sqliteDatabase(sql), housekeeping: sqliteHousekeeping(sql) }).keysInUse(),
    samples: (limit) =>
      sql
        .prepare<{ limit: number }, { accountUuid: string; accessTokenSealed: string }>(
          `SELECT account_uuid AS accountUuid, access_token_sealed AS accessTokenSealed FROM credential
           WHERE access_token_sealed LIKE 'v_.%' ORDER BY updated_at DESC LIMIT @limit`,
        )
        .all({ limit }),
    findKey: async (accountUuid) =>
      sql
        .prepare<{ accountUuid: string }, { sealedWith: string; keySealed: string }>(
          'SELECT sealed_with AS sealedWith, key_sealed AS keySealed FROM account_key WHERE account_uuid = @accountUuid',
        )
        .get({ accountUuid }) ?? null,
    backupRuns(kind) {
      const find = (more: string) =>
        sql
          .prepare<{ kind: string }, LastRun>(
            `SELECT started_at AS startedAt, ended_at AS endedAt, outcome, message FROM backup_run
             WHERE kind = @kind ${more} ORDER BY id DESC LIMIT 1`,
          )
          .get({ kind }) ?? null
      return { newest: find(''), newestGood: find("AND outcome = 'done'") }
    },
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

/** Sorted by the highest id assigned, an estimate of size that costs nothing. */
function tablesSmallestFirst(sql: Sql): string[] {
  const names = sql
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'")
    .pluck()
    .all()
  const sizes = new Map(
    names.map((name) => [name, (sql.prepare(`SELECT max(rowid) FROM "${name}"`).pluck().get() as number | null) ?? 0]),
  )
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
