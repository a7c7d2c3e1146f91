// The base of use-case tests: an app on a real database file, a manually set clock, and no outside services. Each world
// adds the parts its subject needs.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sealText } from '#app/adapters/sealed-text.server.ts'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import type { Settings } from '#app/context/app-context.ts'
import type { Clock } from '#app/lib/clock.ts'
import type { Log } from '#app/lib/log.ts'
import { connectPostgres } from '#db/postgres/client.server.ts'
import { translate } from '#db/postgres/translate.ts'
import { sqlStore } from '#db/sql/store.server.ts'
import { type Client, openClient } from '#db/sqlite/client.server.ts'
import { freshDatabaseNow } from './postgres.ts'
import { openSyncPostgres } from './sync-postgres.server.ts'

export const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => QUIET }

export const TEST_SETTINGS: Settings = {
  origin: 'https://hooks.example.com',
  adminAccounts: new Set(),
  scopes: [],
  sandbox: false,
  payments: { mode: 'off', publishableKey: null },
  version: '1.2.3',
}

/** `npm test -- --engine postgres` runs every test on PostgreSQL. */
const ENGINE = process.env.TEST_DATABASE === 'postgres' ? 'postgres' : 'sqlite'

type Values = (string | number | null)[]

const TEST_KEY = Buffer.alloc(32, 7)

/** What the app's secret box writes, without waiting. */
export function sealAtOnce(place: string, plain: string): string {
  return sealText('v1', { id: 'k1', key: TEST_KEY }, place, plain)
}

/** Call `close` when the test is over. */
export function testApp<Time extends Clock>(clock: Time, settings: Partial<Settings> = {}) {
  const { open, close } = ENGINE === 'postgres' ? testServer() : testFile()
  const client = open()
  const logged: string[] = []
  const write = (_fields: Record<string, unknown>, message: string) => void logged.push(message)
  const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log }
  return {
    app: {
      store: sqlStore(client, clock),
      clock,
      log,
      secrets: createSecretBox(`k1:${TEST_KEY.toString('base64')}`),
      settings: { ...TEST_SETTINGS, ...settings },
    },
    client,
    open,
    /** Messages of the log, newest last. */
    logged,
    row: (sql: string, ...values: Values) => (client.sql.prepare(sql).get(...values) ?? {}) as Record<string, unknown>,
    rows: (sql: string, ...values: Values) => client.sql.prepare(sql).all(...values) as Record<string, unknown>[],
    run: (sql: string, ...values: Values): void => void client.sql.prepare(sql).run(...values),
    close,
  }
}

interface TestDatabase {
  /** Another connection to the database, as another process has. */
  open(): Client
  close(): void
}

function testFile(): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-test-'))
  const clients: Client[] = []
  return {
    open() {
      const client = openClient(join(folder, 'test.db'), 'db/migrations')
      clients.push(client)
      return client
    },
    close() {
      for (const one of clients.reverse()) one.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const POSTGRES_MIGRATIONS = 'db/migrations-postgres'

/** Its `sql` stands still until the server answers, so that a test reads and writes rows as it does on a file. */
function testServer(): TestDatabase {
  const files = readdirSync(POSTGRES_MIGRATIONS).sort()
  const schema = files.map((name) => readFileSync(join(POSTGRES_MIGRATIONS, name), 'utf8')).join('\n')
  const database = freshDatabaseNow(schema)
  const closing: (() => void)[] = []
  return {
    open() {
      const connections = connectPostgres(database.url)
      const sql = openSyncPostgres(database.url, translate)
      const close = () => {
        sql.close()
        void connections.close()
      }
      closing.push(close)
      return { ...connections, sql: sql as unknown as Client['sql'], close }
    },
    close() {
      for (const close of closing) close()
      database.close()
    },
  }
}
