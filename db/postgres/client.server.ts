// Opens a PostgreSQL database so that "committed" means "on disk", or says in one sentence why not.
import pg from 'pg'
import { cannotStart } from '../cannot-start.ts'
import type { Database } from '../database.ts'
import { orm } from '../orm.ts'
import type { Connections } from '../sql/connections.ts'
import { createWriteTurn, type News } from '../sql/hot/write-turn.server.ts'
import { MEMBER, type PostgresCounts, postgresDatabase } from './database.server.ts'
import { postgresHousekeeping } from './housekeeping.server.ts'
import { applicationName, migrate } from './migrations.server.ts'
import { newsTeller } from './news.server.ts'
import { isPooled } from './pooler.server.ts'
import { connectionProblem, POOLED, type ServerSettings, settingsProblem } from './server-problems.ts'

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

const ALONE: Pick<Connections, 'mine' | 'taken'> = { mine: () => '1 = 1', taken: () => '1 = 1' }

export const OF_A_MEMBER: Pick<Connections, 'mine' | 'taken'> = {
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
    return await withConnection(url, async (client) => {
      const problem = await refusalOf(client, url)
      if (problem) throw cannotStart(problem)
      return await migrate(client, migrationsFolder)
    })
  } catch (error) {
    throw explained(error, url, setting)
  }
}

/** With a connection of its own, which nobody counts as a release at work. */
export async function withConnection<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connected(url)
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, types })
  // What breaks is told by the query that meets it.
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

/** With a sentence for the operator, where there is one. */
export function explained(error: unknown, url: string, setting?: string): unknown {
  const sentence = connectionProblem(error, url, setting)
  return sentence ? Object.assign(cannotStart(sentence), { cause: error }) : error
}

/** Why this server cannot be used; null = it can. */
export async function refusalOf(client: pg.Client, url: string): Promise<string | null> {
  if (await isPooled(client, () => connected(url))) return POOLED
  return settingsProblem(await settingsOf(client))
}

async function settingsOf(client: pg.Client): Promise<ServerSettings> {
  const { rows } = await client.query<ServerSettings>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('fsync') AS fsync,
       current_setting('full_page_writes') AS "fullPageWrites", current_setting('synchronous_commit') AS "synchronousCommit",
       current_setting('server_encoding') AS encoding`,
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
  return pool
}
