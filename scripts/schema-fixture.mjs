// `node scripts/schema-fixture.mjs [migration …]`: writes the database after a migration, with a few rows in every
// table, to tests/data/schemas/<migration>.sql. db/sqlite/upgrade.test.ts upgrades each of them.
//
// Once a release has shipped, its schema is released too: run this once, without a name, before creating the next
// migration (`npm run db:generate`). First add a sample for each new table or column to tests/data/schemas/rows.json,
// where `$since` names the first migration that has the row. Existing files are kept: `--again` rewrites them, and is
// only for schemas that nobody has run yet.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SCHEMAS = join(ROOT, 'tests/data/schemas')

/**
 * The tags of all migrations, oldest first, with drizzle-kit's timestamps.
 *
 * @param {string} root
 * @returns {{ tag: string, when: number }[]}
 */
function journalOf(root) {
  return JSON.parse(readFileSync(join(root, 'db/migrations/meta/_journal.json'), 'utf8')).entries
}

/**
 * A database after `tag`, with the sample rows, as SQL text.
 *
 * @param {string} tag
 * @param {string} [root]
 */
export function schemaFixture(tag, root = ROOT) {
  const journal = journalOf(root)
  const last = journal.findIndex((entry) => entry.tag === tag)
  if (last === -1) throw new Error(`There is no migration ${tag}.`)
  const sql = new Database(':memory:')
  sql.exec(
    'CREATE TABLE "__drizzle_migrations" (\n\tid SERIAL PRIMARY KEY,\n\thash text NOT NULL,\n\tcreated_at numeric\n)',
  )
  sql.pragma('foreign_keys = OFF')
  for (const entry of journal.slice(0, last + 1)) {
    const text = readFileSync(join(root, `db/migrations/${entry.tag}.sql`), 'utf8')
    sql.exec(text.replaceAll('--> statement-breakpoint', ''))
    const hash = createHash('sha256').update(text).digest('hex')
    sql.prepare('INSERT INTO "__drizzle_migrations" (hash, created_at) VALUES (?, ?)').run(hash, entry.when)
  }
  const known = journal.slice(0, last + 1).map((entry) => entry.tag)
  insertRows(sql, known)
  const orphans = /** @type {{ table: string }[]} */ (sql.pragma('foreign_key_check'))
  if (orphans.length > 0) throw new Error(`Rows of ${orphans[0]?.table} belong to nothing: mend rows.json.`)
  const text = dump(sql)
  sql.close()
  return text
}

/** @param {import('better-sqlite3').Database} sql @param {string[]} known the applied migrations */
function insertRows(sql, known) {
  /** @type {Record<string, Record<string, string | number | null>[]>} */
  const rows = JSON.parse(readFileSync(join(SCHEMAS, 'rows.json'), 'utf8'))
  for (const table of tablesOf(sql)) {
    const columns = columnsOf(sql, table)
    const wanted = (rows[table] ?? []).filter(({ $since }) => typeof $since !== 'string' || known.includes($since))
    if (wanted.length === 0) throw new Error(`rows.json has no row for the table ${table}.`)
    for (const row of wanted) {
      const missing = columns.filter((column) => !(column in row))
      if (missing.length > 0) throw new Error(`A row of ${table} in rows.json lacks ${missing.join(', ')}.`)
      const marks = columns.map(() => '?').join(', ')
      const names = columns.map((column) => `"${column}"`).join(', ')
      sql.prepare(`INSERT INTO "${table}" (${names}) VALUES (${marks})`).run(columns.map((column) => row[column]))
    }
  }
}

/** @param {import('better-sqlite3').Database} sql */
function dump(sql) {
  const lines = /** @type {string[]} */ (
    sql
      .prepare(
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY rowid",
      )
      .pluck()
      .all()
  ).map((statement) => `${statement};`)
  for (const table of ['__drizzle_migrations', ...tablesOf(sql)]) {
    const columns = columnsOf(sql, table)
    const quoted = columns.map((column) => `quote("${column}")`).join(" || ', ' || ")
    const names = columns.map((column) => `"${column}"`).join(', ')
    const values = /** @type {string[]} */ (
      sql.prepare(`SELECT ${quoted} FROM "${table}" ORDER BY rowid`).pluck().all()
    )
    for (const value of values) lines.push(`INSERT INTO "${table}" (${names}) VALUES (${value});`)
  }
  return `${lines.join('\n')}\n`
}

/** @param {import('better-sqlite3').Database} sql @returns {string[]} without the tables of SQLite and drizzle */
function tablesOf(sql) {
  const statement =
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' AND name NOT LIKE '~_%' ESCAPE '~' ORDER BY name"
  return /** @type {string[]} */ (sql.prepare(statement).pluck().all())
}

/** @param {import('better-sqlite3').Database} sql @param {string} table @returns {string[]} */
function columnsOf(sql, table) {
  return /** @type {{ name: string }[]} */ (sql.pragma(`table_info("${table}")`)).map(({ name }) => name)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const again = process.argv.includes('--again')
  const asked = process.argv.slice(2).filter((argument) => argument !== '--again')
  const newest = journalOf(ROOT).at(-1)?.tag ?? ''
  for (const tag of asked.length > 0 ? asked : [newest]) {
    const file = join(SCHEMAS, `${tag}.sql`)
    if (existsSync(file) && !again) {
      console.error(`tests/data/schemas/${tag}.sql is there already. A released schema does not change.`)
      process.exitCode = 1
      continue
    }
    writeFileSync(file, schemaFixture(tag))
    console.log(`Wrote tests/data/schemas/${tag}.sql`)
  }
}
