// Opens a PostgreSQL database so that "committed" means "on disk", or says in one sentence why not.
import { setTimeout as pause } from 'node:timers/promises'
import pg, { type Client, type Pool } from 'pg'
import { cannotStart } from '../cannot-start.ts'
import type { Database } from '../database.ts'
import type { Housekeeping } from '../housekeeping.ts'
import { orm } from '../orm.ts'
import type { Connections } from '../sql/connections.ts'
import { createWriteTurn, type News } from '../sql/hot/write-turn.server.ts'
import { failureOf, MEMBER, type PostgresCounts, postgresDatabase } from './database.server.ts'
import { applicationName, migrate } from './migrations.server.ts'
import { newsTeller } from './news.server.ts'
import {
  connectionProblem,
  isStarting,
  NOT_CONNECTED,
  noTablesSentence,
  pooledSentence,
  type ServerSettings,
  settingsProblem,
} from './server-problems.ts'

export interface PostgresConnections extends Connections {
  /** For operations that lock what they read, instead of running again after a conflict. */
  locked: Database
  /** Who else has to know of new deliveries; undefined = nobody. */
  news: News | undefined
}

export interface PostgresClient extends PostgresConnections {
  /** The same for what only an owner may do: refused with `NotOwnerError` once the others have removed this instance. */
  own: PostgresConnections
  /** A connection that waits for no act, and no longer than a beat may. */
  beats: Database
  acts: pg.Pool
  close(): Promise<void>
}

export interface ConnectOptions {
  counts?: PostgresCounts
  /** How the server lists these connections. */
  name?: string
  /** The id of this instance. Without one, it works for all accounts and nobody is told anything. */
  member?: string
  /** Called after a commit that left news for another instance. */
  onNews?(): void
}

/** Connections of one instance: for acts, and for long reads. */
const ACTS = 8
const LONG_READS = 4

/** Each wait has an end, shorter than an owner's lease. ms */
const CONNECT_MS = 3_000
/** After a power cut a server and its instances start together. */
const STARTS_WITHIN_MS = 60_000
const LOOK_AGAIN_MS = 500
const STATEMENT_MS = 30_000
const LOCK_MS = 5_000
/** A beat that takes longer comes too late. ms */
const BEAT_MS = 2_000
const IDLE_IN_TRANSACTION_MS = 3_000

/** Integers of our columns are below 2^53; a sum of them is a `numeric`. */
const READ_AS_NUMBER = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC])
const types: pg.CustomTypesConfig = {
  getTypeParser(id: number, format?: 'text' | 'binary') {
    if (READ_AS_NUMBER.has(id)) return Number
    if (id === pg.types.builtins.BOOL) return (value: string) => (value === 't' ? 1 : 0)
    return pg.types.getTypeParser(id, format as 'text')
  },
}

/**
 * Connects to a database whose schema is up to date. Nothing is sent yet: the first statement opens a connection.
 *
 * @param url `postgres://user:password@host/database?sslmode=verify-full`, a direct address, not a pooler's
 */
export function connectPostgres(url: string, options: ConnectOptions = {}): PostgresClient {
  const { counts, member, onNews = () => {}, name = 'fieldhook' } = options
  const acts = poolOf(url, ACTS, name, member)
  const looks = poolOf(url, LONG_READS, name, member)
  const beats = poolOf(url, 1, name, member, BEAT_MS)
  const given = { ...(counts && { counts }) }
  const reader = postgresDatabase(looks, given)
  const connections = (fenced: boolean): PostgresConnections => {
    const db = postgresDatabase(acts, { ...given, fenced })
    const news = member === undefined ? undefined : { tell: newsTeller(db), told: onNews }
    return {
      db,
      locked: postgresDatabase(acts, { ...given, fenced, isolation: 'locked' }),
      patient: postgresDatabase(acts, { ...given, fenced, isolation: 'patient' }),
      news,
      orm: orm(db),
      reader,
      readerOrm: orm(reader),
      turn: createWriteTurn(db, news),
      housekeeping: postgresHousekeeping(acts),
      ...(member === undefined ? ALONE : OF_A_MEMBER),
    }
  }
  return {
    ...connections(false),
    own: connections(member !== undefined),
    beats: postgresDatabase(beats),
    acts,
    async close() {
      await Promise.all([acts.end(), looks.end(), beats.end()])
    },
  }
}

type Conditions = Pick<Connections, 'mine' | 'taken' | 'lock'>
const lock = (alias: string) => `FOR NO KEY UPDATE OF ${alias}`
const ALONE: Conditions = { mine: () => '1 = 1', taken: () => '1 = 1', lock }

export const OF_A_MEMBER: Conditions = {
  lock,
  mine: (alias) => `share_of(${alias}.account_uuid) IN (SELECT part FROM share WHERE owner = ${MEMBER})`,
  taken: (alias) => `share_of(${alias}.account_uuid) IN (SELECT part FROM share WHERE owner = ${MEMBER} AND fresh = 1)`,
}

/**
 * Checks the server's promises and brings the schema up to date. Throws a sentence for the operator when the
 * server cannot be reached, is too old, does not keep what it commits, or was used by a newer release.
 */
export async function openPostgres(url: string, migrationsFolder: string): Promise<PostgresClient> {
  await migrateServer(url, migrationsFolder)
  return connectPostgres(url, { name: applicationName(migrationsFolder) })
}

/**
 * The same without staying connected. Returns the number of migrations it applied.
 *
 * @param setting where the address stands, for sentences
 */
export async function migrateServer(url: string, migrationsFolder: string, setting?: string): Promise<number> {
  try {
    const bringUpToDate = async (client: pg.Client) => {
      const problem = await refusalOf(client, url, setting)
      if (problem) throw cannotStart(problem)
      return await migrate(client, migrationsFolder)
    }
    return await withConnection(url, bringUpToDate, Date.now() + STARTS_WITHIN_MS)
  } catch (error) {
    throw explained(error, url, setting)
  }
}

/** With a connection of its own, which nobody counts as a release at work. */
export async function withConnection<T>(url: string, work: (client: pg.Client) => Promise<T>, until = 0): Promise<T> {
  const client = await connected(url, until)
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/** @param until a server that is starting is waited for */
async function connected(url: string, until = 0): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, types })
  // What breaks is told by the query that meets it.
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => {})
    if (!isStarting(error) || Date.now() > until) throw failureOf(error, NOT_CONNECTED)
  }
  await pause(LOOK_AGAIN_MS)
  return connected(url, until)
}

/** With a sentence for the operator, where there is one. */
export function explained(error: unknown, url: string, setting?: string): unknown {
  const sentence = connectionProblem(error, url, setting)
  return sentence ? Object.assign(cannotStart(sentence), { cause: error }) : error
}

/** Why this server cannot be used; null = it can. */
export async function refusalOf(client: pg.Client, url: string, setting = 'DATABASE_URL'): Promise<string | null> {
  if (await isPooled(client, () => connected(url))) return pooledSentence(setting)
  const settings = await settingsOf(client)
  return settingsProblem(settings) ?? (settings.creates ? null : noTablesSentence(setting, url))
}

async function settingsOf(client: pg.Client): Promise<ServerSettings> {
  const { rows } = await client.query<ServerSettings>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('fsync') AS fsync,
       current_setting('full_page_writes') AS "fullPageWrites", current_setting('synchronous_commit') AS "synchronousCommit",
       current_setting('server_encoding') AS encoding, pg_is_in_recovery()::int AS standby,
       current_setting('transaction_read_only') AS "readOnly",
       coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)::int AS creates`,
  )
  const [settings] = rows
  if (!settings) throw new Error('the server tells none of its settings')
  return settings
}

function poolOf(url: string, max: number, name: string, member?: string, longestMs = STATEMENT_MS): pg.Pool {
  const address = new URL(url)
  const options = [address.searchParams.get('options'), member !== undefined && `-c fieldhook.member=${member}`]
  // What stands in the address would win over what is given beside it.
  address.searchParams.delete('options')
  const pool = new pg.Pool({
    connectionString: address.href,
    options: options.filter(Boolean).join(' '),
    max,
    types,
    application_name: name,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: longestMs,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    query_timeout: longestMs + CONNECT_MS,
    keepAlive: true,
    pipeline: true,
  })
  // A connection that breaks while nobody uses it: the pool makes another. Without a listener the process would end.
  pool.on('error', () => {})
  // Between the pool's listener and its borrower's there is none: a server that ends a new connection at once would end
  // the process. The borrower's statement tells.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

// Tells a PostgreSQL server from a pooler in front of it.
const ROUNDS = 5

async function sessionOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]?.pid ?? 0
}

/**
 * True when statements of one connection reach different sessions, or those of two the same one: prepared statements,
 * locks and LISTEN would be lost. A server tells the number of the session when it connects, so a direct connection
 * costs one question. A pooler that keeps one session for a connection is none of these.
 *
 * @param another gives a second, connected client; it is ended here
 */
async function isPooled(client: Client, another: () => Promise<Client>): Promise<boolean> {
  const told = 'processID' in client ? client.processID : null
  if ((await sessionOf(client)) === told) return false
  const other = await another()
  try {
    const own = new Set<number>()
    const others = new Set<number>()
    for (let round = 0; round < ROUNDS; round++) {
      own.add(await sessionOf(client))
      others.add(await sessionOf(other))
    }
    return own.size > 1 || others.size > 1 || [...own].some((pid) => others.has(pid))
  } finally {
    await other.end().catch(() => undefined)
  }
}

// What a PostgreSQL server does by itself, and the little that is left to do.

/**
 * Bytes of the database, and about how many of them are free for new rows: a table does not shrink when rows are deleted.
 * The rows that live are counted by the server; how long they are, it knows after ANALYZE. Until then only dead rows are
 * taken for free. A tenth of each page is lost anyway.
 */
const SIZE = `WITH sized AS (
  SELECT c.oid, pg_relation_size(c.oid) AS bytes, pg_indexes_size(c.oid) AS indexes,
    s.n_live_tup AS live, s.n_dead_tup AS dead,
    CASE WHEN c.relkind = 't' THEN 2050
      ELSE (SELECT 28 + sum(w.avg_width * (1 - w.null_frac)) FROM pg_stats w
            WHERE w.schemaname = current_schema() AND w.tablename = c.relname) END AS width
  FROM pg_class c JOIN pg_stat_all_tables s ON s.relid = c.oid
  WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
     OR c.oid IN (SELECT t.reltoastrelid FROM pg_class t WHERE t.relnamespace = current_schema()::regnamespace)
), parts AS (
  SELECT bytes + indexes AS all_bytes, CASE
    WHEN bytes = 0 THEN 0
    WHEN width IS NULL THEN dead::float / greatest(live + dead, 1)
    ELSE greatest(0, 0.9 - live * width / bytes) END AS free_part
  FROM sized
)
SELECT pg_database_size(current_database()) AS whole, (SELECT coalesce(sum(all_bytes * free_part), 0)::bigint FROM parts) AS free`

/** The size that `MAX_DB_MB` limits: `whole` less `free`. */
export async function sizeOf(asked: Pool | Client): Promise<{ whole: number; free: number }> {
  const { rows } = await asked.query<{ whole: number; free: number }>(SIZE)
  return rows[0] ?? { whole: 0, free: 0 }
}

function postgresHousekeeping(pool: Pool): Housekeeping {
  return {
    // Another instance may have written at any time, and asking costs as much as looking.
    async changedElsewhere() {
      return true
    },
    async vacuumStep() {},
    async checkpoint() {},
    async emptyLog() {
      return true
    },
    *pack() {},
    async estimate(table) {
      const { rows } = await pool.query<{ rows: number; bytes: number }>(
        `SELECT greatest(reltuples, 0)::bigint AS rows, pg_total_relation_size(oid) AS bytes FROM pg_class
         WHERE oid = to_regclass($1)`,
        [table],
      )
      return rows[0] ?? null
    },
    async machine() {
      const { rows } = await pool.query<{ version: string; schema: number }>(
        `SELECT current_setting('server_version') AS version, (SELECT count(*) FROM schema_migration) AS schema`,
      )
      const [server] = rows
      return { database: `PostgreSQL ${server?.version ?? ''}`, schema: server?.schema ?? 0, diskFreeBytes: null }
    },
    async spaceUsed() {
      const { whole, free } = await sizeOf(pool)
      return { fileBytes: whole, freeBytes: free, walBytes: null }
    },
    /** The server keeps a deleted row until it clears the table. Its log keeps it as long as the log is kept. */
    async erase(work) {
      const value = await work()
      await pool.query('VACUUM account_key')
      return value
    },
  }
}
