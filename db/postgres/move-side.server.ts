// A PostgreSQL database as one end of a move. A target is filled in one transaction: all of it is there, or nothing.
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { cannotStart } from '../cannot-start.ts'
import type { MoveSource, MoveTarget, PlatformKind, Row } from '../move/sides.ts'
import { columnsOf, movedTables, quoted, rowsIn, type Table } from '../move/tables.ts'
import { migrateServer } from './client.server.ts'
import { HELD } from './hold.server.ts'
import { PLATFORM } from './installation.server.ts'
import { schemaState } from './migrations.server.ts'
import { connectionProblem, placeOf } from './server-problems.ts'

interface ServerPlace {
  url: string
  migrationsFolder: string
  /** Where the address stands, for sentences. */
  setting: string
}

const CONNECT_MS = 10_000
const MOST_ROWS_AT_ONCE = 2_000
/** Characters of a batch, about. */
const TEXT_AT_ONCE = 4_000_000

/** An instance that lives beats every second. ms */
const LISTENED_FOR = 2_500

/** Opens a database that no instance uses, with the schema of this release. Throws a sentence when it cannot be moved. */
export async function openSourceServer(place: ServerPlace): Promise<MoveSource> {
  const session = await openSession(place)
  const { name, query, close } = session
  try {
    const { pending } = await schemaState(session, place.migrationsFolder)
    if (pending > 0) throw cannotStart(await olderSentence(session))
    const silent = await silentMembers(session)
    await query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    // Everybody may read, nobody may write: an instance that starts now gives up after some seconds.
    await lockAll(session, 'SHARE')
    await refuseInUse(session, silent)
  } catch (error) {
    await close()
    throw error
  }
  return {
    name,
    rows: (table) => rowsOf(session, table),
    counters: () => countersOf(session),
    count: async (table) => Number(await oneValue(session, `SELECT count(*) FROM ${rowsIn(table)}`)),
    async platform() {
      const kind = await oneValue(session, 'SELECT value FROM installation WHERE name = $1', [PLATFORM])
      return kind === 'sandbox' || kind === 'servicem8' ? kind : null
    },
    bytes: async () => Number(await oneValue(session, 'SELECT pg_database_size(current_database())')),
    close,
  }
}

/**
 * Brings the schema up to date and begins to fill it. Throws a sentence when the server cannot be used, or the database
 * is in use or holds rows. An interrupted move leaves no row.
 */
export async function openTargetServer(place: ServerPlace): Promise<MoveTarget> {
  await migrateServer(place.url, place.migrationsFolder, place.setting)
  const session = await openSession(place)
  const { name, query, close } = session
  try {
    await refuseFilled(session)
    const silent = await silentMembers(session)
    // Pages of rows that an interrupted move has taken back.
    for (const table of movedTables()) await query(`VACUUM ${quoted(table.name)}`)
    await query('BEGIN')
    await lockAll(session, 'ACCESS EXCLUSIVE')
    await refuseInUse(session, silent)
    await refuseFilled(session)
  } catch (error) {
    await close()
    throw error
  }
  const note = (key: string, value: string) =>
    query('INSERT INTO installation (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2', [
      key,
      value,
    ])
  return {
    name,
    nul: '\ufffd',
    rows: (table) => rowsOf(session, table),
    counters: () => countersOf(session),
    async insert(table, rows) {
      const columns = table.columns.map((_, at) => rows.map((row) => row[at] ?? null))
      await query(insertText(table), columns)
    },
    async setCounters(highest) {
      for (const { name: table, counted } of movedTables()) {
        const value = highest.get(table)
        if (counted === null || value === undefined) continue
        await query('SELECT setval(pg_get_serial_sequence($1, $2), $3)', [table, counted, value])
      }
    },
    async setPlatform(kind: PlatformKind) {
      await note(PLATFORM, kind)
    },
    async finish(why) {
      await note(HELD, JSON.stringify(why))
      await query('COMMIT')
      // Without its statistics, the first statements would look through whole tables.
      await query('ANALYZE')
    },
    close,
  }
}

/** Two addresses of one database have the same. Throws a sentence when the server does not answer. */
export async function identityOfServer(place: Omit<ServerPlace, 'migrationsFolder'>): Promise<string> {
  const session = await openSession(place)
  try {
    const own = `SELECT concat_ws(' ', pg_postmaster_start_time(), oid, datname) FROM pg_database WHERE datname = current_database()`
    return (await oneValue(session, own)) ?? ''
  } finally {
    await session.close()
  }
}

interface Session {
  name: string
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
  /** Each value as the server writes it. */
  raw(text: string): Promise<Row[]>
  close(): Promise<void>
}

/** One connection. What the server tells as a failure is thrown as a sentence where there is one. */
async function openSession({ url, setting }: Omit<ServerPlace, 'migrationsFolder'>): Promise<Session> {
  const name = placeOf(url)
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'fieldhook move',
    keepAlive: true,
    types: {
      getTypeParser: (id: number) => (value: string) => (id === pg.types.builtins.BOOL ? value === 't' : value),
    },
  })
  // The statement that is under way tells it.
  client.on('error', () => {})
  const told = async <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw explained(error, { url, setting, name })
    })
  await told(client.connect())
  const session: Session = {
    name,
    query: (text, values) => told(client.query<Record<string, unknown>>(text, values)),
    raw: async (text) => (await told(client.query<Row>({ text, rowMode: 'array' }))).rows,
    close: () => client.end().catch(() => {}),
  }
  // One side waits while the other works, for as long as that takes.
  await session.query(
    `SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN
       ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout')`,
  )
  await session.query("SET lock_timeout = '10s'")
  return session
}

async function oneValue({ query }: Session, text: string, values?: unknown[]): Promise<string | null> {
  const [row] = (await query(text, values)).rows
  const [value] = Object.values(row ?? {})
  return typeof value === 'string' ? value : null
}

const ALL_TABLES = `SELECT string_agg(quote_ident(relname), ', ' ORDER BY relname) FROM pg_class
  WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace`

async function lockAll(session: Session, mode: 'SHARE' | 'ACCESS EXCLUSIVE'): Promise<void> {
  await session.query(`LOCK TABLE ${await oneValue(session, ALL_TABLES)} IN ${mode} MODE`)
}

/** The instances that have a row, as one text; they were killed, or it throws: whoever lives beats. */
async function silentMembers(session: Session): Promise<string | null> {
  const before = await membersOf(session)
  if (before === null) return null
  await pause(LISTENED_FOR)
  if ((await membersOf(session)) !== before) throw cannotStart(inUseSentence(session.name))
  return before
}

function membersOf(session: Session): Promise<string | null> {
  return oneValue(session, "SELECT string_agg(id || ' ' || beats, ', ' ORDER BY id) FROM member")
}

/** Call it with the tables locked. `silent`: the instances that were killed. */
async function refuseInUse(session: Session, silent: string | null): Promise<void> {
  const lease = await oneValue(session, 'SELECT owner FROM lease WHERE expires_at > $1 LIMIT 1', [Date.now()])
  if (lease !== null || (await membersOf(session)) !== silent) throw cannotStart(inUseSentence(session.name))
}

function inUseSentence(name: string): string {
  return `Fieldhook is running on ${name}, or ended a moment ago: stop every instance, and try again in a minute.`
}

async function olderSentence(session: Session): Promise<string> {
  return (await oneValue(session, "SELECT to_regclass('schema_migration')")) === null
    ? `There is no database of Fieldhook at ${session.name}.`
    : `The database ${session.name} is of an older release. Start this release on it once, stop it, and try again.`
}

async function refuseFilled(session: Session): Promise<void> {
  for (const { name } of movedTables()) {
    if ((await oneValue(session, `SELECT '' FROM ${rowsIn({ name })} LIMIT 1`)) === null) continue
    throw cannotStart(
      `The database ${session.name} is not empty: ${name} has rows. Create a new database for the move.`,
    )
  }
}

function insertText(table: Table): string {
  const lists = table.columns.map(({ isNumber }, at) => `$${at + 1}::${isNumber ? 'bigint' : 'text'}[]`)
  return `INSERT INTO ${quoted(table.name)} (${columnsOf(table)}) SELECT * FROM unnest(${lists.join(', ')})`
}

/** A cursor, so that neither side holds a whole table. Big rows make smaller batches. */
async function* rowsOf({ query, raw }: Session, table: Table): AsyncGenerator<Row[]> {
  const key = table.key.map(quoted).join(', ')
  await query(`DECLARE moving NO SCROLL CURSOR FOR SELECT ${columnsOf(table)} FROM ${rowsIn(table)} ORDER BY ${key}`)
  for (let size = 200; ; ) {
    const rows = await raw(`FETCH ${size} FROM moving`)
    if (rows.length === 0) break
    yield rows
    let characters = 0
    for (const row of rows) for (const value of row) characters += value?.length ?? 0
    const fitting = Math.floor((TEXT_AT_ONCE * rows.length) / Math.max(characters, 1))
    size = Math.max(10, Math.min(MOST_ROWS_AT_ONCE, 4 * size, fitting))
  }
  await query('CLOSE moving')
}

async function countersOf(session: Session): Promise<Map<string, string>> {
  const counters = new Map<string, string>()
  for (const { name, counted } of movedTables()) {
    if (counted === null) continue
    const sequence = await oneValue(session, 'SELECT pg_get_serial_sequence($1, $2)', [name, counted])
    const highest = await oneValue(session, `SELECT CASE WHEN is_called THEN last_value END FROM ${sequence}`)
    if (highest !== null) counters.set(name, highest)
  }
  return counters
}

/** A lock that is not given in time; a connection that is gone. */
const LOCKED = '55P03'
const GONE = /^(08...|57P..|ECONNRESET|EPIPE)$/

function explained(error: unknown, { url, setting, name }: { url: string; setting: string; name: string }): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const message = error instanceof Error ? error.message : ''
  const sentence =
    code === LOCKED
      ? inUseSentence(name)
      : GONE.test(code) || /connection terminated|not queryable/i.test(message)
        ? `The connection to ${name} broke, and nothing was put in place. Move again.`
        : code === '53100'
          ? `The disk of ${name} is full, and nothing was put in place. Make room, then move again.`
          : connectionProblem(error, url, setting)
  return sentence === null ? error : Object.assign(cannotStart(sentence), { cause: error })
}
