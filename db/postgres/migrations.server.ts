// Brings a PostgreSQL schema up to date: one start at a time, one file at a time, each completely or not at all.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { cannotStart } from '../cannot-start.ts'

/** What it needs of `pg`'s Client: one connection, never a pool. A text without values may hold several statements. */
export interface MigrationClient {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
}

interface Migration {
  /** `0000_first`: the file without its ending. Applied in the order of names. */
  name: string
  text: string
  /** SHA-256 of the file: a released migration never changes. */
  hash: string
}

const LEDGER = `CREATE TABLE IF NOT EXISTS schema_migration (
  name text COLLATE "C" PRIMARY KEY,
  hash text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
)`

/** Waiting longer for a table would make all that comes after wait too. */
const LOCK_TIMEOUT = '3s'
const TRIES = 10
const PAUSE_MS = 500

/** A lock not given in time, a deadlock, a conflict, and two starts that create the ledger at once. */
const PASSES_BY_ITSELF = new Set(['55P03', '40P01', '40001', '42P07', '42710', '23505'])

/** First line of a file whose statements cannot run in a transaction, such as CREATE INDEX CONCURRENTLY. */
const NO_TRANSACTION = '-- no transaction\n'

/**
 * Applies the missing migrations of a folder and returns how many they were. A process that ends in the middle leaves the
 * schema as before the current file; the next start continues. Starts at the same time wait for each other. Throws
 * without changes when a newer or a different release made the schema (`cannotStart`), and when a table stays locked.
 *
 * A file that begins with `-- no transaction` runs statement by statement (each ends a line with `;`), from the start
 * again after a failure: each of its statements must be repeatable, so `DROP INDEX CONCURRENTLY IF EXISTS` comes first.
 */
export async function migrate(client: MigrationClient, folder: string): Promise<number> {
  const known = readMigrations(folder)
  await again(() => client.query(LEDGER))
  const pending = await missingOf(client, known)
  for (const migration of pending) {
    await again(() =>
      migration.text.startsWith(NO_TRANSACTION) ? applyStepwise(client, migration) : applyAtOnce(client, migration),
    )
  }
  return pending.length
}

/** How many migrations of a folder a database still lacks; writes nothing. Throws as `migrate` does. */
export async function pendingMigrations(client: MigrationClient, folder: string): Promise<number> {
  const known = readMigrations(folder)
  const { rows } = await client.query("SELECT to_regclass('schema_migration') IS NOT NULL AS there")
  return rows[0]?.there === true ? (await missingOf(client, known)).length : known.length
}

function readMigrations(folder: string): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  return files.sort().map((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    return { name: file.slice(0, -'.sql'.length), text, hash: createHash('sha256').update(text).digest('hex') }
  })
}

async function missingOf(client: MigrationClient, known: readonly Migration[]): Promise<Migration[]> {
  const { rows } = await client.query('SELECT name, hash FROM schema_migration')
  const applied = new Map(rows.map((row) => [String(row.name), row.hash]))
  if ([...applied.keys()].some((name) => known.every((one) => one.name !== name)))
    throw cannotStart(
      `The database was written by a newer release of Fieldhook than this one (${known.at(-1)?.name ?? 'nothing'} is the newest it knows). Run that release, or restore the backup from before it: docs/operating.md, "Going back to the release before".`,
    )
  const changed = known.find(({ name, hash }) => applied.has(name) && applied.get(name) !== hash)
  if (changed)
    throw cannotStart(
      `The database was made with another ${changed.name} than this release has. Run the release that made it, and report this.`,
    )
  return known.filter(({ name }) => !applied.has(name))
}

async function applyAtOnce(client: MigrationClient, migration: Migration): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  try {
    await client.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`)
    // Held until the commit: the others wait here, and then see that it is done.
    await client.query('LOCK TABLE schema_migration IN SHARE ROW EXCLUSIVE MODE')
    if (!(await isApplied(client, migration))) {
      await client.query(migration.text)
      await note(client, migration)
    }
    await client.query('COMMIT')
  } catch (error) {
    // When the connection is gone, the server has taken it back already.
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

async function applyStepwise(client: MigrationClient, migration: Migration): Promise<void> {
  if (await isApplied(client, migration)) return
  await client.query(`SET lock_timeout = '${LOCK_TIMEOUT}'`)
  try {
    for (const statement of migration.text.split(/;\s*$/m))
      if (statement.replace(/^\s*--.*$/gm, '').trim() !== '') await client.query(statement)
    await note(client, migration)
  } finally {
    await client.query('RESET lock_timeout').catch(() => undefined)
  }
}

async function isApplied(client: MigrationClient, { name }: Migration): Promise<boolean> {
  const { rows } = await client.query('SELECT 1 FROM schema_migration WHERE name = $1', [name])
  return rows.length > 0
}

async function note(client: MigrationClient, { name, hash }: Migration): Promise<void> {
  const INSERT = 'INSERT INTO schema_migration (name, hash) VALUES ($1, $2) ON CONFLICT DO NOTHING'
  await client.query(INSERT, [name, hash])
}

/** Does it again when what stopped it passes by itself. */
async function again(work: () => Promise<unknown>): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      await work()
      return
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (tried >= TRIES || !PASSES_BY_ITSELF.has(code)) throw error
      await pause(PAUSE_MS * Math.random())
    }
  }
}
