// Brings a PostgreSQL schema up to date: one start at a time, one file at a time, each completely or not at all.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { cannotStart } from '../cannot-start.ts'
import { codeOf } from './database.server.ts'

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
  /** The oldest schema whose release still works on this one; its own name = none before it. */
  serves: string
  /** Its statements cannot run in a transaction, such as CREATE INDEX CONCURRENTLY. */
  stepwise: boolean
}

/** The second statement is for a ledger of before; asked first, because the change itself waits for every other start. */
const LEDGER = `CREATE TABLE IF NOT EXISTS schema_migration (
  name text COLLATE "C" PRIMARY KEY,
  hash text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now(),
  serves text COLLATE "C"
);
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'schema_migration'::regclass AND attname = 'serves') THEN
    ALTER TABLE schema_migration ADD COLUMN serves text COLLATE "C";
  END IF;
END $$`

/** Waiting longer for a table would make all that comes after wait too. */
const LOCK_TIMEOUT = '3s'
const TRIES = 10
const PAUSE_MS = 500
/** For the start that changes the schema now; an index of a big table takes minutes. */
const WAIT_FOR_ANOTHER_MS = 300_000

/** A lock not given in time, a deadlock, a conflict, and two starts that create the ledger at once. */
const TABLE_IN_USE = '55P03'
const PASSES_BY_ITSELF = new Set([TABLE_IN_USE, '40P01', '40001', '42P07', '42710', '42701', '23505'])

/** `fieldhook` in the alphabet's numbers: a lock of this database that nothing else takes. */
const MIGRATOR = 6_954_815_151

/** How the server lists the product's connections, so that a migration sees which releases are at work. */
const AT_WORK = 'fieldhook '

/** `fieldhook 0001_installation`: the name of a release's connections, with the newest migration it knows. */
export function applicationName(folder: string): string {
  return `${AT_WORK}${readMigrations(folder).at(-1)?.name ?? ''}`
}

/**
 * Applies the missing migrations of a folder and returns how many they were. A process that ends in the middle leaves the
 * schema as before the current file; the next start continues. One start at a time: the others wait, at most five
 * minutes. Throws without changes (`cannotStart`) when a newer release made the schema and it does not serve this one,
 * when another build made it, when a running release could not work on it, and when a table stays in use.
 *
 * The comment that a file begins with tells two things:
 * - `-- serves: 0003_name`: releases whose newest schema is that one or a later one work on this schema too. Without it,
 *   older releases are refused.
 * - `-- no transaction`: runs statement by statement (each ends a line with `;`), from the start again after a failure.
 *   Each of its statements must be repeatable, so `DROP INDEX CONCURRENTLY IF EXISTS` comes first.
 */
export async function migrate(client: MigrationClient, folder: string): Promise<number> {
  const known = readMigrations(folder)
  await again(() => client.query(LEDGER))
  if ((await stateOf(client, known)).pending.length === 0) return 0
  await waitForTurn(client)
  try {
    const { pending } = await stateOf(client, known)
    for (const migration of pending) {
      await refuseUnderWork(client, migration)
      await again(() => (migration.stepwise ? applyStepwise(client, migration) : applyAtOnce(client, migration)))
    }
    return pending.length
  } finally {
    // Without a connection, the server has given it back already.
    await client.query('SELECT pg_advisory_unlock($1)', [MIGRATOR]).catch(() => undefined)
  }
}

export interface SchemaState {
  /** `0001_installation`; null = none of ours. */
  newest: string | null
  /** How many migrations of the folder the database still lacks. */
  pending: number
  /** A newer release changed it, and it serves this one. */
  ahead: boolean
}

/** Writes nothing. Throws as `migrate` does when the database does not serve this release. */
export async function schemaState(client: MigrationClient, folder: string): Promise<SchemaState> {
  const known = readMigrations(folder)
  const { rows } = await client.query("SELECT to_regclass('schema_migration')::text AS ledger")
  if (!rows[0]?.ledger) return { newest: null, pending: known.length, ahead: false }
  const { pending, applied } = await stateOf(client, known)
  const newest = applied.at(-1) ?? null
  return { newest, pending: pending.length, ahead: newest !== null && newest > (known.at(-1)?.name ?? '') }
}

function readMigrations(folder: string): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  const names = files.sort().map((file) => file.slice(0, -'.sql'.length))
  return names.map((name) => {
    const text = readFileSync(join(folder, `${name}.sql`), 'utf8')
    const [head = ''] = /^(--.*\n)*/.exec(text) ?? []
    const serves = /^-- serves: (.*)$/m.exec(head)?.[1]?.trim() ?? name
    if (!names.includes(serves) || serves > name)
      throw new Error(`${name} serves "${serves}", which is no schema before it`)
    const hash = createHash('sha256').update(text).digest('hex')
    return { name, text, hash, serves, stepwise: /^-- no transaction$/m.test(head) }
  })
}

/** `applied`: names, oldest first. */
async function stateOf(
  client: MigrationClient,
  known: readonly Migration[],
): Promise<{ applied: string[]; pending: Migration[] }> {
  const { rows } = await client.query('SELECT * FROM schema_migration ORDER BY name')
  const hashes = new Map(rows.map((row) => [String(row.name), row.hash]))
  const pending = known.filter(({ name }) => !hashes.has(name))
  const newestKnown = known.at(-1)?.name ?? ''
  const strange = rows.filter(({ name }) => known.every((one) => one.name !== name))
  const servesUs = strange.every(
    ({ name, serves }) => String(name) > newestKnown && typeof serves === 'string' && serves <= newestKnown,
  )
  // With something missing as well, the two were never one line of releases.
  if (strange.length > 0 && (!servesUs || pending.length > 0))
    throw cannotStart(
      `The database was written by a newer release of Fieldhook than this one (${newestKnown || 'nothing'} is the newest it knows). Run that release, or restore the backup from before it: docs/operating.md, "Going back to the release before".`,
    )
  const changed = known.find(({ name, hash }) => hashes.has(name) && hashes.get(name) !== hash)
  if (changed)
    throw cannotStart(
      `The database was made with another ${changed.name} than this release has. Run the release that made it, and report this.`,
    )
  return { applied: [...hashes.keys()], pending }
}

/** Asks again and again: who waits inside the server would stop an index that is built there. */
async function waitForTurn(client: MigrationClient): Promise<void> {
  const until = performance.now() + WAIT_FOR_ANOTHER_MS
  for (;;) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1)::int AS mine', [MIGRATOR])
    if (rows[0]?.mine === 1) return
    if (performance.now() > until)
      throw cannotStart('Another start of Fieldhook is changing the schema. Start again when it has ended.')
    await pause(PAUSE_MS * Math.random())
  }
}

/** A release at work that cannot work on the new schema would fail in the middle: it has to end first. */
async function refuseUnderWork(client: MigrationClient, { name, serves }: Migration): Promise<void> {
  const { rows } = await client.query(
    `SELECT DISTINCT application_name AS session FROM pg_stat_activity
     WHERE datname = current_database() AND starts_with(application_name, $1)`,
    [AT_WORK],
  )
  if (rows.some(({ session }) => String(session).slice(AT_WORK.length) < serves))
    throw cannotStart(
      `An older release of Fieldhook is running, and could not work with the change ${name}. Stop all its instances, then start this release.`,
    )
}

async function applyAtOnce(client: MigrationClient, migration: Migration): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  try {
    await client.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`)
    await client.query(migration.text)
    await note(client, migration)
    await client.query('COMMIT')
  } catch (error) {
    // When the connection is gone, the server has taken it back already.
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

async function applyStepwise(client: MigrationClient, migration: Migration): Promise<void> {
  await client.query(`SET lock_timeout = '${LOCK_TIMEOUT}'`)
  try {
    for (const statement of migration.text.split(/;\s*$/m))
      if (statement.replace(/^\s*--.*$/gm, '').trim() !== '') await client.query(statement)
    await note(client, migration)
  } finally {
    await client.query('RESET lock_timeout').catch(() => undefined)
  }
}

async function note(client: MigrationClient, { name, hash, serves }: Migration): Promise<void> {
  await client.query('INSERT INTO schema_migration (name, hash, serves) VALUES ($1, $2, $3)', [name, hash, serves])
}

/** Does it again when what stopped it passes by itself. */
async function again(work: () => Promise<unknown>): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      await work()
      return
    } catch (error) {
      if (!PASSES_BY_ITSELF.has(codeOf(error))) throw error
      if (tried >= TRIES) throw codeOf(error) === TABLE_IN_USE ? tableInUse(error) : error
      await pause(PAUSE_MS * Math.random())
    }
  }
}

function tableInUse(cause: unknown): Error {
  const sentence = `A table that must change was in use ${TRIES} times for 3 s. Nothing was changed: end long transactions (npm run doctor), then start again.`
  return Object.assign(cannotStart(sentence), { cause })
}
