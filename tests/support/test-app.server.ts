// The base of use-case tests: an app on a real database file, a manually set clock, and no outside services. Each world
// adds the parts its subject needs.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sealText } from '#app/adapters/sealed-text.server.ts'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import type { Settings } from '#app/context/app-context.ts'
import type { Clock } from '#app/lib/clock.ts'
import type { Log } from '#app/lib/log.ts'
import type { Database } from '#db/database.ts'
import { connectPostgres, type PostgresConnections } from '#db/postgres/client.server.ts'
import { postgresStore } from '#db/postgres/store.server.ts'
import { translate } from '#db/postgres/translate.ts'
import { sqlStore } from '#db/sql/store.server.ts'
import { type Client, openClient } from '#db/sqlite/client.server.ts'
import type { Store } from '#db/store.ts'
import { freshDatabaseNow, postgresMigrations, postgresSchema } from './postgres.ts'
import { openSyncPostgres } from './sync-postgres.server.ts'

export const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => QUIET }

export const TEST_SETTINGS: Settings = {
  origin: 'https://hooks.example.com',
  adminAccounts: new Set(),
  scopes: [],
  sandbox: false,
  payments: { mode: 'off', publishableKey: null },
  version: '1.2.3',
  // The real one would load every route for each test.
  routePattern: (path) => path.replace(/\/[\da-f-]*\d[\da-f-]*(?=\/|$)/g, '/:id'),
}

/** Tests run on PostgreSQL (`npm test -- --engine postgres`) instead of a SQLite file. */
export const onServer = process.env.TEST_DATABASE === 'postgres'

/**
 * For what is about SQLite and its file: `it.skipIf(aboutTheFile('its plans'))`. It is left out on PostgreSQL, and the
 * reason is listed by `grep -r aboutTheFile`.
 */
export function aboutTheFile(_reason: string): boolean {
  return onServer
}

/** The store as the product opens it on this engine. */
export function storeOver(client: Client & Partial<PostgresConnections>, clock: Clock): Store {
  const { locked } = client
  return locked ? postgresStore({ ...client, locked, news: undefined }, clock) : sqlStore(client, clock)
}

type Values = (string | number | null)[]

const TEST_KEY = Buffer.alloc(32, 7)

/** What the app's secret box writes, without waiting. */
export function sealAtOnce(place: string, plain: string): string {
  return sealText('v1', { id: 'k1', key: TEST_KEY }, place, plain)
}

/** Call `close` when the test is over. */
export function testApp<Time extends Clock>(clock: Time, settings: Partial<Settings> = {}) {
  const { open, idle, close } = onServer ? testServer(clock) : testFile()
  const client = open()
  const logged: string[] = []
  const write = (_fields: Record<string, unknown>, message: string) => void logged.push(message)
  const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log }
  return {
    app: {
      store: storeOver(client, clock),
      clock,
      log,
      secrets: createSecretBox(`k1:${TEST_KEY.toString('base64')}`),
      settings: { ...TEST_SETTINGS, ...settings },
    },
    client,
    open,
    idle,
    /** Messages of the log, newest last. */
    logged,
    row: (sql: string, ...values: Values) => (client.sql.prepare(sql).get(...values) ?? {}) as Record<string, unknown>,
    rows: (sql: string, ...values: Values) => client.sql.prepare(sql).all(...values) as Record<string, unknown>[],
    run: (sql: string, ...values: Values): void => void client.sql.prepare(sql).run(...values),
    close,
  }
}

const turnOfTheLoop = () => new Promise<void>((resolve) => setImmediate(resolve))

interface TestDatabase {
  /** Another connection to the database, as another process has. */
  open(): Client
  /** Until nothing is asked of it any more, for what the product writes without waiting. */
  idle(): Promise<void>
  close(): void
}

let empty = ''

/** A database that is up to date and empty. Bringing one there takes fifty times as long as copying it. */
function emptyFile(): string {
  if (empty !== '') return empty
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-empty-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'empty.db')
  openClient(file, 'db/migrations').close()
  empty = file
  return empty
}

function testFile(): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-test-'))
  const clients: Client[] = []
  return {
    open() {
      const file = join(folder, 'test.db')
      if (clients.length === 0) copyFileSync(emptyFile(), file)
      const client = openClient(file, 'db/migrations')
      withoutPowerCuts(client)
      clients.push(client)
      return client
    },
    idle: turnOfTheLoop,
    close() {
      for (const one of clients.reverse()) one.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Its `sql` stands still until the server answers, so that a test reads and writes rows as it does on a file. */
function testServer(clock: Clock): TestDatabase {
  const files = postgresMigrations()
  const ledger = `CREATE TABLE schema_migration (name text COLLATE "C" PRIMARY KEY, hash text NOT NULL);
    INSERT INTO schema_migration VALUES ${files.map((name) => `('${name}', '')`).join(', ')};`
  const database = freshDatabaseNow(`${postgresSchema()}\n${ledger}`)
  const closing: (() => void)[] = []
  const asked = { underWay: 0 }
  return {
    open() {
      const connections = toldToClock(connectPostgres(database.url), clock, asked)
      const sql = openSyncPostgres(database.url, translate)
      const close = () => {
        sql.close()
        void connections.close()
      }
      closing.push(close)
      const log = { synced: async () => {}, close() {} }
      return { ...connections, sql: sql as unknown as Client['sql'], log, close }
    },
    async idle() {
      do await turnOfTheLoop()
      while (asked.underWay > 0)
    },
    close() {
      for (const close of closing) close()
      database.close()
    },
  }
}

/**
 * A stepping clock takes an event loop that asks it nothing for one without work. While the server is asked, somebody
 * asks the clock, so that it does not run ahead of the answer.
 */
function toldToClock(connections: ReturnType<typeof connectPostgres>, clock: Clock, asked: { underWay: number }) {
  let asking = !('settle' in clock)
  const ask = () => {
    asking = asked.underWay > 0
    if (!asking) return
    clock.now()
    setImmediate(ask)
  }
  async function during<T>(work: () => Promise<T>): Promise<T> {
    asked.underWay++
    if (!asking) ask()
    try {
      return await work()
    } finally {
      asked.underWay--
    }
  }
  const told = (db: Database): Database => ({
    ...db,
    write(act) {
      const write = db.write(act)
      return (...args) => during(() => write(...args))
    },
    read(act) {
      const read = db.read(act)
      return (...args) => during(() => read(...args))
    },
    readKept(act) {
      const readKept = db.readKept(act)
      return (...args) => during(() => readKept(...args))
    },
    single(act) {
      const single = db.single(act)
      return (...args) => during(() => single(...args))
    },
    snapshot(act) {
      const snapshot = db.snapshot(act)
      return (...args) => during(() => snapshot(...args))
    },
  })
  const { db, locked, patient, reader, turn } = connections
  return {
    ...connections,
    db: told(db),
    locked: told(locked),
    patient: told(patient),
    reader: told(reader),
    turn: { run: <T>(work: Parameters<typeof turn.run<T>>[0]) => during(() => turn.run<T>(work)) },
  }
}

/** What reaches the disk is tested in db/sqlite/log-on-disk.test.ts and by the walks. The server of tests has it off. */
export function withoutPowerCuts({ sql, log }: Pick<Client, 'sql' | 'log'>): void {
  if (onServer) return
  sql.pragma('synchronous = OFF')
  log.close()
}

/**
 * The columns of every table, as the database itself tells them. `type` is `text`, `integer` or the server's own. `server`: is
 * it one? Default: as all tests of this run.
 */
export function columnsOf(
  { sql }: Pick<Client, 'sql'>,
  server = onServer,
): { table: string; column: string; type: string }[] {
  const tables = server
    ? `SELECT table_name AS "table", column_name AS "column", data_type AS type FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name NOT IN ('schema_migration', 'installation')`
    : `SELECT t.name AS "table", c.name AS "column", lower(c.type) AS type FROM sqlite_master t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND t.name NOT LIKE '%drizzle%'`
  return sql.prepare<[], { table: string; column: string; type: string }>(tables).all()
}

/** From now on the database refuses every write, until the function that this gives is called. */
export function refuseWrites({ sql }: Pick<Client, 'sql'>): () => void {
  if (!onServer) {
    sql.pragma('query_only = ON')
    return () => void sql.pragma('query_only = OFF')
  }
  return refuseOnServer(sql, 'read_only_sql_transaction')
}

/** The same, as if the disk were full: `code` is what a write then says. */
export function fillDisk({ sql }: Pick<Client, 'sql'>): { code: string; empty(): void } {
  if (onServer) return { code: '53100', empty: refuseOnServer(sql, 'disk_full') }
  sql.pragma('max_page_count = 1')
  return { code: 'SQLITE_FULL', empty: () => void sql.pragma('max_page_count = 1000000') }
}

/** A trigger of every table, because a connection that is open already is told of no setting. */
function refuseOnServer(sql: Client['sql'], condition: string): () => void {
  const tables = sql.prepare<[], { name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  )
  const names = tables.all().map(({ name }) => name)
  sql.exec(
    `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
     AS 'BEGIN RAISE EXCEPTION ''nothing can be written'' USING ERRCODE = ''${condition}''; END'`,
  )
  for (const name of names) {
    sql.exec(
      `CREATE TRIGGER refuse BEFORE INSERT OR UPDATE OR DELETE ON ${name} FOR EACH STATEMENT EXECUTE FUNCTION refuse()`,
    )
  }
  return () => {
    for (const name of names) sql.exec(`DROP TRIGGER refuse ON ${name}`)
  }
}
