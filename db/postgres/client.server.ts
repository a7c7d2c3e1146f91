// Opens a PostgreSQL database so that "committed" means "on disk", or says in one sentence why not.
import pg from 'pg'
import { cannotStart } from '../cannot-start.ts'
import { orm } from '../orm.ts'
import type { Connections } from '../sql/connections.ts'
import { createWriteTurn } from '../sql/hot/write-turn.server.ts'
import { type PostgresCounts, postgresDatabase } from './database.server.ts'
import { postgresHousekeeping } from './housekeeping.server.ts'
import { migrate } from './migrations.server.ts'
import { connectionProblem, type ServerSettings, settingsProblem } from './server-problems.ts'

export interface PostgresClient extends Connections {
  close(): Promise<void>
}

/** Connections of one instance: for acts, and for long reads. */
const ACTS = 8
const LONG_READS = 4

/** Each wait has an end, shorter than an owner's lease. ms */
const CONNECT_MS = 3_000
const STATEMENT_MS = 30_000
const LOCK_MS = 5_000
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
export function connectPostgres(url: string, counts?: PostgresCounts): PostgresClient {
  const acts = poolOf(url, ACTS)
  const looks = poolOf(url, LONG_READS)
  const db = postgresDatabase(acts, counts)
  const reader = postgresDatabase(looks, counts)
  return {
    db,
    orm: orm(db),
    reader,
    readerOrm: orm(reader),
    turn: createWriteTurn(db),
    housekeeping: postgresHousekeeping(acts),
    async close() {
      await Promise.all([acts.end(), looks.end()])
    },
  }
}

/**
 * Connects, checks the server's promises and brings the schema up to date. Throws a sentence for the operator when the
 * server cannot be reached, is too old, does not keep what it commits, or was used by a newer release.
 */
export async function openPostgres(url: string, migrationsFolder: string): Promise<PostgresClient> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, types })
  try {
    await client.connect()
    const problem = settingsProblem(await settingsOf(client))
    if (problem) throw cannotStart(problem)
    await migrate(client, migrationsFolder)
  } catch (error) {
    const sentence = connectionProblem(error, url)
    throw sentence ? Object.assign(cannotStart(sentence), { cause: error }) : error
  } finally {
    await client.end().catch(() => {})
  }
  return connectPostgres(url)
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

function poolOf(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    types,
    application_name: 'fieldhook',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    query_timeout: STATEMENT_MS + CONNECT_MS,
    keepAlive: true,
  })
  // A connection that breaks while nobody uses it: the pool makes another. Without a listener the process would end.
  pool.on('error', () => {})
  return pool
}
