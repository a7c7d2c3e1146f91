// What a schema says, read from the catalogues of SQLite and PostgreSQL into one form, so that both can be compared.
import type { Database } from 'better-sqlite3'
import type pg from 'pg'

interface TableShape {
  /** In their order: name, class of the type, whether it may be NULL, default. */
  columns: string[]
  primaryKey: string[]
  /** By name: columns, UNIQUE, condition. */
  indexes: Record<string, string>
  /** `column -> table.column ON DELETE action`. */
  foreignKeys: string[]
  checks: string[]
}
export type Catalogue = Record<string, TableShape>

/**
 * The ledgers of the migrations belong to their engines; what SQLite keeps in its file's header is a row elsewhere; and
 * only a server has several instances.
 */
const LEDGERS =
  /^(__drizzle_migrations|schema_migration|installation|member|share|news|turn|call_budget|trigger_credit|sqlite_.*)$/

const CLASSES: Record<string, string> = {
  bigint: 'integer',
  'double precision': 'real',
  bytea: 'blob',
}

export function sqliteCatalogue(sql: Database): Catalogue {
  const tables = sql.prepare<[], { name: string; sql: string }>(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table'",
  )
  const named = tables.all().filter(({ name }) => !LEDGERS.test(name))
  return Object.fromEntries(named.map((table) => [table.name, sqliteTable(sql, table)]))
}

function sqliteTable(sql: Database, table: { name: string; sql: string }): TableShape {
  const columns = sql.pragma(`table_xinfo("${table.name}")`) as {
    name: string
    type: string
    notnull: number
    dflt_value: string | null
    pk: number
  }[]
  const indexes = sql
    .prepare<{ name: string }, { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = @name AND sql IS NOT NULL",
    )
    .all({ name: table.name })
  const keys = sql.pragma(`foreign_key_list("${table.name}")`) as Record<
    'from' | 'table' | 'to' | 'on_delete',
    string
  >[]
  return {
    columns: columns.map((one) => columnLine(one.name, one.type, one.notnull === 1 || one.pk > 0, one.dflt_value)),
    primaryKey: columns
      .filter(({ pk }) => pk > 0)
      .sort((one, other) => one.pk - other.pk)
      .map(({ name }) => name),
    indexes: Object.fromEntries(indexes.map((one) => [one.name, plain(one.sql.replace(/ INDEX .+? ON `\w+`/, ''))])),
    foreignKeys: keys.map((key) => `${key.from} -> ${key.table}.${key.to} ON DELETE ${key.on_delete}`).sort(),
    checks: checksOf(table.sql).map(plain).sort(),
  }
}

export async function postgresCatalogue(client: pg.Client): Promise<Catalogue> {
  const { rows } = await client.query<{ name: string; oid: number }>(
    "SELECT relname AS name, oid FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace",
  )
  const shapes: Catalogue = {}
  for (const { name, oid } of rows) if (!LEDGERS.test(name)) shapes[name] = await postgresTable(client, oid)
  return shapes
}

async function postgresTable(client: pg.Client, oid: number): Promise<TableShape> {
  const all = async <Row extends pg.QueryResultRow>(text: string) => (await client.query<Row>(text, [oid])).rows
  const columns = await all<{ name: string; type: string; required: boolean; fallback: string | null }>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) || CASE WHEN collname <> 'C' THEN ' of ' || collname ELSE '' END AS type,
       attnotnull AS required, pg_get_expr(adbin, adrelid) AS fallback
     FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
       LEFT JOIN pg_collation c ON c.oid = attcollation
     WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
  )
  const indexes = await all<{ name: string; text: string; key: boolean }>(
    `SELECT relname AS name, indisprimary AS key, regexp_replace(pg_get_indexdef(indexrelid), ' INDEX .+? USING btree', '') AS text
     FROM pg_index JOIN pg_class ON oid = indexrelid WHERE indrelid = $1`,
  )
  const keys = await all<{ column: string; parent: string; to: string; action: string }>(
    `SELECT a.attname AS column, confrelid::regclass::text AS parent, b.attname AS to,
       CASE confdeltype WHEN 'a' THEN 'NO ACTION' WHEN 'c' THEN 'CASCADE' ELSE confdeltype::text END AS action
     FROM pg_constraint JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = conkey[1]
       JOIN pg_attribute b ON b.attrelid = confrelid AND b.attnum = confkey[1]
     WHERE conrelid = $1 AND contype = 'f'`,
  )
  const checks = await all<{ text: string }>(
    "SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE conrelid = $1 AND contype = 'c'",
  )
  return {
    columns: columns.map((one) => columnLine(one.name, one.type, one.required, one.fallback)),
    primaryKey: indexes.flatMap(({ key, text }) => (key ? (/\((.*)\)/.exec(text)?.[1]?.split(', ') ?? []) : [])),
    indexes: Object.fromEntries(indexes.filter(({ key }) => !key).map(({ name, text }) => [name, plain(text)])),
    foreignKeys: keys.map((key) => `${key.column} -> ${key.parent}.${key.to} ON DELETE ${key.action}`).sort(),
    checks: checks.flatMap(({ text }) => checksOf(text).map(plain)).sort(),
  }
}

function columnLine(name: string, type: string, required: boolean, fallback: string | null): string {
  const lower = type.toLowerCase()
  return `${name} ${CLASSES[lower] ?? lower}${required ? ' required' : ''}${fallback === null ? '' : ` = ${fallback}`}`
}

/** What stands in the brackets of each CHECK. */
function checksOf(text: string): string[] {
  return [...text.matchAll(/CHECK ?\(/g)].map(({ index, 0: opening }) => {
    const start = index + opening.length
    let end = start
    for (let depth = 1; depth > 0 && end < text.length; end++) depth += { '(': 1, ')': -1 }[text[end] as '(' | ')'] ?? 0
    return text.slice(start, end - 1)
  })
}

/** An expression without what the engines write differently: quotes of names, casts, brackets, IN, BETWEEN. */
function plain(expression: string): string {
  return expression
    .replace(/::(text|bigint)/g, '')
    .replace(/(\S+) BETWEEN (\d+) AND (\d+)/gi, '$1 >= $2 AND $1 <= $3')
    .replace(/= ANY \(ARRAY\[(.*?)\]\)/g, 'in ($1)')
    .toLowerCase()
    .replace(/[`()\s]/g, '')
}
