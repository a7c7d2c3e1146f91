// The base of use-case tests: an app on a real database file, a manually set clock, and no outside services. Each world
// adds the parts its subject needs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sealText } from '#app/adapters/sealed-text.server.ts'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import type { Settings } from '#app/context/app-context.ts'
import type { Clock } from '#app/lib/clock.ts'
import type { Log } from '#app/lib/log.ts'
import { sqlStore } from '#db/sql/store.server.ts'
import { type Client, openClient } from '#db/sqlite/client.server.ts'

export const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => QUIET }

export const TEST_SETTINGS: Settings = {
  origin: 'https://hooks.example.com',
  adminAccounts: new Set(),
  scopes: [],
  sandbox: false,
  payments: { mode: 'off', publishableKey: null },
  version: '1.2.3',
}

type Values = (string | number | null)[]

const TEST_KEY = Buffer.alloc(32, 7)

/** What the app's secret box writes, without waiting. */
export function sealAtOnce(place: string, plain: string): string {
  return sealText('v1', { id: 'k1', key: TEST_KEY }, place, plain)
}

/** Call `close` when the test is over. */
export function testApp<Time extends Clock>(clock: Time, settings: Partial<Settings> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-test-'))
  const clients: Client[] = []
  /** Another connection to the file, as another process has. */
  function open(): Client {
    const client = openClient(join(folder, 'test.db'), 'db/migrations')
    clients.push(client)
    return client
  }
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
    close(): void {
      for (const one of clients.reverse()) one.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
