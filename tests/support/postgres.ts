// A real PostgreSQL for tests: one server for the whole run, a database of its own for whoever asks.
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inject } from 'vitest'
import { openPostgres } from '../../scripts/postgres.mjs'
import { databaseFrom, databasesOf } from '../../scripts/postgres-databases.mjs'
import type { DeskAnswer, PostgresForTests } from './postgres-setup.ts'
import { leaveDatabaseNow, takeDatabaseNow } from './sync-postgres.server.ts'

export type OwnPostgres = Awaited<ReturnType<typeof openPostgres>>

/** A server of one's own that keeps what it commits, as the product demands. */
export function durablePostgres(options?: Parameters<typeof openPostgres>[0]): Promise<OwnPostgres> {
  return openPostgres(options)
}

/** Time limit for a hook that asks for the server: the first time ever, its program is brought from the registry. */
export const POSTGRES_WITHIN_MS = 180_000

const MIGRATIONS = 'db/migrations-postgres'

/** Names of the migrations, oldest first. */
export function postgresMigrations(): string[] {
  return readdirSync(MIGRATIONS).sort()
}

/** Today's schema, for `freshDatabase`. */
export function postgresSchema(): string {
  return postgresMigrations()
    .map((name) => readFileSync(join(MIGRATIONS, name), 'utf8'))
    .join('\n')
}

let asked: Promise<PostgresForTests> | null = null

/**
 * The server of this run. The first one who asks waits a second for it to start.
 *
 * @throws when TEST_DATABASE_URL names a server that cannot be used
 */
export async function postgresForTests(): Promise<PostgresForTests> {
  asked ??= askForIt()
  return asked
}

async function askForIt(): Promise<PostgresForTests> {
  const { port, token, started } = inject('postgres')
  if (started) return started
  const socket = connect(port, '127.0.0.1')
  socket.write(token)
  const told: DeskAnswer = JSON.parse(await text(socket))
  if (told.outcome === 'failed') throw new Error(told.sentence)
  if (told.outcome === 'none') console.log(`Tests on PostgreSQL are left out. ${told.sentence}`)
  return told
}

/**
 * A database that holds what `templateSql` makes: about 50 ms, 200 ms for the first with this text. It is dropped at
 * `close`, which ends its sessions.
 *
 * @throws when no PostgreSQL can be had; ask `postgresForTests` first where that may be
 */
export async function freshDatabase(templateSql: string): Promise<{ url: string; close(): Promise<void> }> {
  const server = await postgresForTests()
  if (server.outcome === 'none') throw new Error(server.sentence)
  const { name, url } = await databaseFrom(server, templateSql)
  return { url, close: () => databasesOf(server.url).dropDatabase(name) }
}

/**
 * The same for worlds that are opened without waiting: our thread stands still meanwhile. It may be one that another test
 * of this process left, emptied and under a new name.
 *
 * @throws unless TEST_DATABASE=postgres has started the server with the run
 */
export function freshDatabaseNow(templateSql: string): { url: string; close(): void } {
  const { started } = inject('postgres')
  if (started?.outcome !== 'running') throw new Error('TEST_DATABASE=postgres starts the server with the run')
  const { name, url } = takeDatabaseNow(started, templateSql)
  return { url, close: () => leaveDatabaseNow(started, name) }
}
