// Opens a database on a PostgreSQL server: its disk, its backups and its locks are the server's own.
import type { App } from '#app/context/app-context.ts'
import { openPostgres } from '#db/postgres/client.server.ts'
import { claimForPlatform } from '#db/postgres/installation.server.ts'
import { sqlStore } from '#db/sql/store.server.ts'
import type { Store } from '#db/store.ts'
import type { Env } from './env.server.ts'
import type { OpenedDatabase } from './opened-database.server.ts'

interface ServerInput extends Pick<App, 'clock'> {
  env: Readonly<Env>
  url: string
  observed(store: Store): Store
}

/** Throws an error with a sentence when the server cannot be used. */
export async function openServer({ env, url, clock, observed }: ServerInput): Promise<OpenedDatabase> {
  const client = await openPostgres(url, env.postgresMigrationsFolder)
  const { host, pathname } = new URL(url)
  return {
    name: `${host}${pathname}`,
    connections: client,
    store: observed(sqlStore(client, clock)),
    // A full disk is told by each write that fails; nothing of ours can free it.
    disk: { isFull: () => false, start() {}, async stop() {} },
    belongsTo: await claimForPlatform(client.db, env.platform),
    close: () => client.close(),
  }
}
